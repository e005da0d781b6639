/** A screen in the hall: all boards, in pages that turn automatically. Reads only `hall`. */

import { enter } from '../lib/access';
import { onTick } from '../lib/clocks';
import { byId, setText, show } from '../lib/dom';
import { reloadAfterFailure } from '../lib/failure';
import { bestGrid } from '../lib/grid';
import { Live } from '../lib/live';
import { byName } from '../lib/store';
import { readOptions } from './options';
import { makeTile, type Tile } from './tile';
import { t } from './words';

reloadAfterFailure();

/**
 * The height of a tile besides its board: two bars and a line, relative to the width as in the
 * style sheet.
 */
const HIGHER = 1 + (2 * 2 + 1.7) / 17;
/** Narrower boards cannot be read from across the room; the boards are then spread over pages. */
const NARROWEST = 220;
const GAP = 14;

const options = readOptions(location.search);
document.documentElement.dataset['theme'] = options.theme;
document.title = `remisd – ${t('title')}`;
const main = byId('boards');
const foot = byId('page');
const note = byId('note');
const age = byId('age');
main.setAttribute('aria-label', t('title'));
setText(note, t('connecting'));

const tiles = new Map<string, Tile>();
let live: Live | null = null;
let page = 0;
let perPage = 1;

function wanted(): string[] {
  const known = live?.store.boards() ?? [];
  return options.boards.length > 0 ? options.boards : known.sort(byName);
}

/** The grid for this many boards, with the fewest pages on which boards are large enough. */
function layOut(count: number): void {
  const room = { width: main.clientWidth, height: main.clientHeight };
  const height = (width: number): number => width * HIGHER;
  const least = Math.min(NARROWEST, Math.max(120, room.width - 2 * GAP));
  let pages = 1;
  let grid = bestGrid(Math.max(1, count), room, height, GAP, options.columns ?? undefined);
  while (grid.width < least && pages < count) {
    pages++;
    grid = bestGrid(Math.ceil(count / pages), room, height, GAP, options.columns ?? undefined);
  }
  perPage = Math.max(1, Math.ceil(count / pages));
  main.style.setProperty('--columns', String(grid.columns));
  main.style.setProperty('--board', `${Math.floor(grid.width / 8) * 8}px`);
}

function lay(): void {
  const ids = wanted();
  layOut(ids.length);
  const pages = Math.max(1, Math.ceil(ids.length / perPage));
  if (page >= pages) page = 0;
  const seen = ids.slice(page * perPage, (page + 1) * perPage).flatMap((id) => tileOf(id) ?? []);
  for (const tile of seen) tile.draw();
  main.replaceChildren(...seen.map((tile) => tile.element));
  setText(foot, t('page', { page: page + 1, pages }));
  show(foot, pages > 1);
  setText(note, t('nothing'));
  show(note, ids.length === 0);
}

/** The tile of a board, made on first use. */
function tileOf(id: string): Tile | null {
  const made = tiles.get(id);
  if (made !== undefined || live === null) return made ?? null;
  const tile = makeTile(live, id);
  tiles.set(id, tile);
  return tile;
}

function turn(): void {
  if (wanted().length <= perPage) return;
  page++;
  lay();
  if (options.animate) main.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 400 });
}

let laid = '';
function draw(changed: ReadonlySet<string>): void {
  const key = wanted().join();
  if (key !== laid) {
    laid = key;
    lay();
    return;
  }
  for (const id of changed) {
    const tile = tiles.get(id);
    if (tile?.element.isConnected) tile.draw();
  }
}

async function open(): Promise<void> {
  await enter({
    roles: ['hall'],
    trouble(reason, count) {
      if (reason !== '') setText(note, t('failed', { reason, count }));
      show(note, reason !== '' || tiles.size === 0);
    },
  });
  tiles.clear();
  laid = '?';
  live = new Live(options.boards.length > 0 ? { audience: 'hall', boards: options.boards } : { audience: 'hall' }, {
    draw,
    age(text) {
      setText(age, text);
      show(age, text !== '');
    },
    ended: () => void open(),
  });
}

addEventListener('resize', () => lay());
setInterval(turn, options.seconds * 1000);
onTick(() => {
  if (live === null) return;
  const now = live.now();
  for (const tile of tiles.values()) if (tile.element.isConnected) tile.tick(now);
});
void open();

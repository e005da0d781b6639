/**
 * The leader board and the crosstable of a tournament. The server computes them from what the
 * public already sees, so they are requested again whenever a public game or result changes.
 */

import { h, setText, show } from '../lib/dom';
import type { Live } from '../lib/live';
import type { View } from './board_view';
import type { Options } from './options';
import { corner } from './qr';
import { t } from './words';

interface Encounter {
  opponent: number | null;
  color: 'white' | 'black' | null;
  code: string | null;
  points: string | null;
}

interface Row {
  rank: number;
  start: number;
  title: string;
  name: string;
  rating: number | null;
  federation: string;
  points: string;
  tie_breaks: (string | null)[];
  exact: boolean;
  encounters: (Encounter | null)[];
}

export interface Table {
  name: string;
  system: 'round_robin' | 'swiss';
  rounds: number;
  tie_breaks: string[];
  not_computed: string[];
  not_counted: string[];
  rows: Row[];
}

/** The font size relative to the height of a line, as in the style sheet. */
const FONT = 0.42;
/** The room for rank, name and points, and that for every other column, in em. */
const NAME_EM = 20;
const COLUMN_EM = 3.3;
/** How often the report itself may have changed. */
const AGAIN_MS = 60_000;
/** How long the server may take. */
const PATIENCE_MS = 10_000;
const MARKS: Record<string, string> = { '=': '½', '-': '–' };

/** A code as people write it. */
function mark(code: string | null): string {
  return code === null ? '·' : (MARKS[code] ?? code);
}

function half(points: string): string {
  return points.replace(/^0\.5$/, '½').replace(/\.5$/, '½');
}

function playerCell(row: Row, options: Options): HTMLElement {
  const title = options.shown.has('titles') && row.title !== '' ? h('span', { class: 'title' }, row.title) : null;
  const rating =
    options.shown.has('ratings') && row.rating !== null
      ? h('span', { class: 'rating digits' }, String(row.rating))
      : null;
  return h('td', { class: 'player' }, title, h('bdi', { class: 'name' }, row.name), rating);
}

function headCell(text: string, name: string): HTMLElement {
  return h('th', { class: name, scope: 'col' }, text);
}

/** The line numbers of the players, by starting rank. Players who share a rank have numbers of their own. */
const numbersOf = (table: Table): Map<number, number> =>
  new Map(table.rows.map((row, index) => [row.start, index + 1]));

/** The columns between player and points: opponents of a round robin, rounds of a Swiss. */
function meetings(table: Table): { heads: HTMLElement[]; of: (row: Row) => HTMLElement[] } {
  const numbers = numbersOf(table);
  if (table.system === 'round_robin') {
    return {
      heads: table.rows.map((_, index) => headCell(String(index + 1), 'round digits')),
      of: (row) =>
        table.rows.map((other) => {
          if (other.start === row.start) return h('td', { class: 'cell self' });
          const games = row.encounters.filter((one) => one?.opponent === other.start);
          const running = games.some((one) => one?.code === null);
          return h(
            'td',
            { class: running ? 'cell running digits' : 'cell digits' },
            games.map((one) => mark(one?.code ?? null)).join(' '),
          );
        }),
    };
  }
  return {
    heads: Array.from({ length: table.rounds }, (_, index) => headCell(String(index + 1), 'round digits')),
    of: (row) =>
      Array.from({ length: table.rounds }, (_, index) => {
        const one = row.encounters[index] ?? null;
        if (one === null) return h('td', { class: 'cell missing' });
        const color = one.color === null ? '' : one.color === 'white' ? 'w' : 'b';
        const opponent = one.opponent === null ? '' : String(numbers.get(one.opponent) ?? '?');
        return h(
          'td',
          { class: one.code === null ? 'cell running digits' : 'cell digits' },
          `${opponent}${color}${mark(one.code)}`,
        );
      }),
  };
}

/** Makes the layout `leaders` or `crosstable`; `--line` is the height of a line. */
export function makeStandings(live: Live, options: Options, kind: 'leaders' | 'crosstable'): View {
  const head = h('thead');
  const body = h('tbody');
  const label = kind === 'leaders' ? t('leaders') : t('crosstable');
  const note = h('p', { class: 'note', role: 'status', hidden: true });
  const element = h(
    'main',
    { class: `standings tournament ${kind}` },
    h('table', { 'aria-label': label }, head, body),
    note,
  );
  const old = h('p', { class: 'age digits', role: 'status', hidden: true });
  element.append(old);
  let table: Table | null = null;
  let first = 0;
  let fits = 1;
  let known = '';
  let asking = false;
  /** The server has no tournament of that name. */
  let unknown = false;
  let again = false;

  /** What the standings depend on, as far as the public sees it. */
  function state(): string {
    const games = live.store.boards().map((id) => {
      const game = live.store.get(id, 'game')?.payload;
      return [
        id,
        game?.game,
        game?.headers['White'],
        game?.headers['Black'],
        game?.headers['Round'],
        game?.result?.score,
      ];
    });
    return JSON.stringify(games);
  }

  async function ask(): Promise<void> {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    do {
      again = false;
      try {
        const name = options.tournament === '' ? '' : `?tournament=${encodeURIComponent(options.tournament)}`;
        const answer = await fetch(`api/standings${name}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
        unknown = answer.status === 404;
        if (unknown) table = null;
        if (!answer.ok) throw new Error(answer.statusText);
        table = (await answer.json()) as Table;
      } catch {
        // The next change, or the next minute, asks again; the last answer stays.
      }
    } while (again);
    asking = false;
    lay();
  }

  /** Why there are no standings. */
  function absence(): string {
    if (!unknown) return t('no_standings');
    return options.tournament === '' ? t('no_tournament') : t('no_such_tournament', { id: options.tournament });
  }

  /** Shows the lines of the current page, as many as fit. */
  function lay(): void {
    if (table === null) {
      head.replaceChildren();
      body.replaceChildren();
      setText(note, absence());
      show(note, true);
      return;
    }
    const between = kind === 'crosstable' ? meetings(table) : null;
    const columns = between?.heads.length ?? table.tie_breaks.length;
    const wide = FONT * (NAME_EM + columns * COLUMN_EM);
    const line =
      options.size ?? Math.min(56, Math.max(26, innerHeight / 16), Math.max(20, Math.floor(innerWidth / wide)));
    element.style.setProperty('--line', `${line}px`);
    fits = Math.max(1, Math.floor((innerHeight - corner().height - 4) / line) - 2);
    if (first >= table.rows.length) first = 0;
    const rows = table.rows.slice(first, first + fits);
    // The cells of a crosstable name opponents by their numbers, so its lines have numbers, not ranks.
    const numbers = numbersOf(table);
    const ties = kind === 'leaders' ? table.tie_breaks : [];
    const isShown = ties.map((code) => code !== 'DE');
    head.replaceChildren(
      h(
        'tr',
        null,
        headCell('', 'rank'),
        headCell(table.name, 'player'),
        ...(between?.heads ?? []),
        headCell(t('points'), 'points'),
        ...ties.filter((_, index) => isShown[index]).map((code) => headCell(code, 'tie')),
      ),
    );
    body.replaceChildren(
      ...rows.map((row) =>
        h(
          'tr',
          { 'data-start': row.start },
          h('td', { class: 'rank digits' }, String(between ? numbers.get(row.start) : row.rank)),
          playerCell(row, options),
          ...(between?.of(row) ?? []),
          h('td', { class: 'points digits' }, half(row.points)),
          ...row.tie_breaks
            .filter((_, index) => isShown[index])
            .map((value) =>
              h(
                'td',
                { class: row.exact ? 'tie digits' : 'tie approximate digits' },
                `${row.exact ? '' : '~'}${value ?? ''}`,
              ),
            ),
        ),
      ),
    );
    const missing = [
      table.not_counted.length > 0 ? t('not_counted', { boards: table.not_counted.join(', ') }) : '',
      kind === 'leaders' && table.not_computed.length > 0
        ? t('not_computed', { codes: table.not_computed.join(', ') })
        : '',
    ].filter(Boolean);
    setText(note, missing.join(' · '));
    show(note, missing.length > 0);
  }

  setInterval(() => {
    if (table === null || table.rows.length <= fits) return;
    first += fits;
    lay();
    if (options.animate) body.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300 });
  }, options.seconds * 1000);
  setInterval(() => void ask(), AGAIN_MS);
  addEventListener('resize', lay);

  return {
    element,
    draw() {
      const now = state();
      if (now === known) return;
      known = now;
      void ask();
    },
    age(text) {
      setText(old, text);
      show(old, text !== '');
    },
    tick() {
      // Nothing here runs with the clocks.
    },
  };
}

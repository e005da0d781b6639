/** Up to nine boards side by side, as large as the scene allows. */

import { h } from '../lib/dom';
import { bestGrid, type Grid } from '../lib/grid';
import type { Live } from '../lib/live';
import { makeBoardView, type View } from './board_view';
import type { Options } from './options';
import { corner } from './qr';

const MOST = 9;
/**
 * The height of a view besides its board: two bars and its lines, relative to the width as in the
 * style sheet.
 */
const HIGHER = { one: 1 + (2 * 2.3) / 26, many: 1 + (2 * 2.1) / 18 };
const LINE = { one: 1.8 / 26, many: 1.8 / 18 };
const GAP = 12;

/** Makes the layouts `board` (`most` is 1) and `boards`. */
export function makeBoards(live: Live, options: Options, most = MOST): View {
  const element = h('main', { class: most === 1 ? 'single' : 'grid' });
  const views = new Map<string, View>();
  const kind = most === 1 ? 'one' : 'many';
  const lines = options.shown.has('repetition') || options.shown.has('fifty') ? 2 : 1;
  const height = (width: number): number => width * (HIGHER[kind] + lines * LINE[kind]);

  function wanted(): string[] {
    return (options.boards.length > 0 ? options.boards : live.store.boards()).slice(0, most);
  }

  function measure(): void {
    // A QR code covers no board: it has the strip below the boards or the one beside them.
    const taken = corner();
    const [below, beside] = [
      { width: innerWidth, height: innerHeight - taken.height },
      { width: innerWidth - taken.width, height: innerHeight },
    ].map((room) => bestGrid(Math.max(1, views.size), room, height, GAP)) as [Grid, Grid];
    const grid = below.width < beside.width ? beside : below;
    // Squares have whole pixels: a width divisible by eight leaves no seam.
    const width = Math.max(64, Math.floor((options.size ?? grid.width) / 8) * 8);
    element.style.setProperty('--board', `${width}px`);
    element.style.setProperty('--columns', String(grid.columns));
  }

  function draw(): void {
    const ids = wanted();
    if (ids.join() !== [...views.keys()].join()) {
      views.clear();
      for (const id of ids) views.set(id, makeBoardView(live, id, options, most > 1));
      element.replaceChildren(...[...views.values()].map((view) => view.element));
      measure();
    }
    for (const view of views.values()) view.draw();
  }

  addEventListener('resize', measure);
  return {
    element,
    draw,
    age(note) {
      // If nothing has ever arrived, the requested boards show that.
      if (views.size === 0) draw();
      for (const view of views.values()) view.age(note);
    },
    tick(now) {
      for (const view of views.values()) view.tick(now);
    },
  };
}

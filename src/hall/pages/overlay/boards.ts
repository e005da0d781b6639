/** Up to nine boards beside each other, as large as the scene allows. */

import { h } from '../lib/dom';
import { bestGrid } from '../lib/grid';
import type { Live } from '../lib/live';
import { makeBoardView, type View } from './board_view';
import type { Options } from './options';

const MOST = 9;
/** What a view is higher than its board is wide: two bars and a line, in parts of the width. */
const HIGHER = { one: 1.285, many: 1.37 };
const GAP = 12;

/** Makes the layouts `board` (`most` is 1) and `boards`. */
export function makeBoards(live: Live, options: Options, most = MOST): View {
  const element = h('main', { class: most === 1 ? 'single' : 'grid' });
  const views = new Map<string, View>();
  const height = (width: number): number => width * (most === 1 ? HIGHER.one : HIGHER.many);

  function wanted(): string[] {
    return (options.boards.length > 0 ? options.boards : live.store.boards()).slice(0, most);
  }

  function measure(): void {
    const grid = bestGrid(Math.max(1, views.size), { width: innerWidth, height: innerHeight }, height, GAP);
    const width = options.size ?? Math.floor(grid.width);
    element.style.setProperty('--board', `${width}px`);
    element.style.setProperty('--columns', String(grid.columns));
  }

  addEventListener('resize', measure);
  return {
    element,
    draw() {
      const ids = wanted();
      if (ids.join() !== [...views.keys()].join()) {
        views.clear();
        for (const id of ids) views.set(id, makeBoardView(live, id, options, most > 1));
        element.replaceChildren(...[...views.values()].map((view) => view.element));
        measure();
      }
      for (const view of views.values()) view.draw();
    },
    tick(now) {
      for (const view of views.values()) view.tick(now);
    },
  };
}

/** One board at a time, in the order of the tables, each for the same time. */

import { h } from '../lib/dom';
import type { Live } from '../lib/live';
import { tableOf } from '../lib/players';
import type { View } from './board_view';
import { makeBoards } from './boards';
import type { Options } from './options';

/**
 * Makes the layout `featured`. The order and the times are fixed: they depend on nothing that
 * happens in a game, so they reveal nothing.
 */
export function makeFeatured(live: Live, options: Options): View {
  const element = h('div', { class: 'featured' });
  let current: string | null = null;
  let view: View | null = null;
  let note = '';

  function order(): string[] {
    if (options.boards.length > 0) return options.boards;
    const number = (id: string): number => Number(tableOf(live.store.get(id, 'game')?.payload.headers, id)) || 0;
    return live.store
      .boards()
      .slice()
      .sort((a, b) => number(a) - number(b));
  }

  function feature(id: string): void {
    current = id;
    element.dataset['board'] = id;
    view = makeBoards(live, { ...options, boards: [id] }, 1);
    element.replaceChildren(view.element);
    view.draw();
    view.age(note);
    view.tick(live.now());
  }

  setInterval(() => {
    const boards = order();
    if (boards.length < 2 || current === null) return;
    const next = boards[(boards.indexOf(current) + 1) % boards.length];
    if (next === undefined || next === current) return;
    feature(next);
    if (options.animate) element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300 });
  }, options.seconds * 1000);

  return {
    element,
    draw() {
      const [first] = order();
      if (current === null && first !== undefined) feature(first);
      else view?.draw();
    },
    age(text) {
      note = text;
      view?.age(text);
    },
    tick: (now) => view?.tick(now),
  };
}

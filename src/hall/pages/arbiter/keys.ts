// Keyboard shortcuts: everything works without a mouse. They are inactive while somebody types or a
// dialog is open.

import { enterResult } from './actions/end';
import { pause } from './actions/clock';
import type { Grid } from './grid';
import type { Opened } from './opened';
import type { Key } from './say';
import type { Shell } from './shell';

export interface Places {
  grid: Grid;
  opened(): Opened | null;
  boards(): string[];
  go(board: string | null): void;
  acknowledge(board: string): void;
  shell: Shell;
}

/** The list shown by `?`: the keys and what they do. */
export const SHORTCUTS: [string, Key][] = [
  ['j  k  ← → ↑ ↓', 'keys.move'],
  ['Enter', 'keys.open'],
  ['Esc', 'keys.close'],
  ['a', 'keys.acknowledge'],
  ['/', 'keys.filter'],
  ['l', 'keys.alarms'],
  ['← →', 'keys.ply'],
  ['j  k', 'keys.board'],
  ['p', 'keys.pause'],
  ['r', 'keys.result'],
  ['?', 'keys.help'],
];

const TYPED_INTO = 'input:not([type=checkbox]):not([type=radio]), textarea, select';

export function listen(places: Places): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const target = event.target as Element;
    if (target.closest(TYPED_INTO)) {
      if (event.key === 'Escape' && target.closest('[type=search]')) places.shell.clearFilter();
      return;
    }
    const opened = places.opened();
    const done =
      anywhere(event.key, places) || (opened ? onBoard(event.key, opened, places, target) : inGrid(event.key, places));
    if (done) event.preventDefault();
  });
}

function anywhere(key: string, { shell, opened, go }: Places): boolean {
  switch (key) {
    case '?':
      shell.showHelp();
      return true;
    case 'l':
      location.hash = location.hash === '#alarms' ? '' : 'alarms';
      return true;
    case 'Escape':
      if (opened() || location.hash !== '') go(null);
      return true;
    case '/':
      if (location.hash !== '') go(null);
      // The grid appears once the address has changed.
      setTimeout(() => shell.focusFilter());
      return true;
    default:
      return false;
  }
}

function inGrid(key: string, { grid, acknowledge }: Places): boolean {
  const steps: Record<string, Parameters<Grid['move']>[0]> = {
    j: 1,
    k: -1,
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: 'down',
    ArrowUp: 'up',
    Home: 'first',
    End: 'last',
  };
  const step = steps[key];
  if (step !== undefined && grid.element.isConnected) {
    grid.move(step);
    return true;
  }
  if (key === 'a' && grid.element.isConnected && grid.chosen) {
    acknowledge(grid.chosen.name);
    return true;
  }
  return false;
}

function onBoard(key: string, opened: Opened, places: Places, target: Element): boolean {
  const boards = places.boards();
  const at = boards.indexOf(opened.board);
  const scrolls = target.closest('[data-scroll], pre') !== null;
  switch (key) {
    case 'j':
    case 'k': {
      const next = boards[at + (key === 'j' ? 1 : -1)];
      if (next !== undefined) places.go(next);
      return true;
    }
    case 'ArrowLeft':
    case 'ArrowRight': {
      if (scrolls) return false;
      const now = opened.looksAt ?? opened.game()?.moves.length ?? 0;
      opened.lookAt(now + (key === 'ArrowLeft' ? -1 : 1));
      return true;
    }
    case 'a':
      places.acknowledge(opened.board);
      return true;
    case 'p':
      void pause(opened);
      return true;
    case 'r':
      void enterResult(opened);
      return true;
    default:
      return false;
  }
}

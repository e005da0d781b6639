/**
 * The options in an overlay's address. It holds everything, so a broadcast scene needs nothing
 * else.
 */

import type { Side } from '../lib/topics';

export const LAYOUTS = ['board', 'boards', 'featured', 'ticker', 'table', 'leaders', 'crosstable'] as const;
export type Layout = (typeof LAYOUTS)[number];

export const THEMES = ['dark', 'light', 'navy', 'wood', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

export const PARTS = [
  'names',
  'titles',
  'ratings',
  'flags',
  'clocks',
  'result',
  'offer',
  'opening',
  'repetition',
  'fifty',
  'coordinates',
  'lastmove',
  'material',
] as const;
export type Part = (typeof PARTS)[number];

/** The parts shown by default; counters only on request. */
export const USUAL: readonly Part[] = PARTS.filter((part) => !['repetition', 'fifty', 'material'].includes(part));

export interface Options {
  boards: string[];
  layout: Layout;
  /** Neither boards nor a layout are given: the known boards decide. */
  open: boolean;
  theme: Theme;
  /**
   * The width of the board in pixels, or the height of a line in a ticker or table; null: as large
   * as fits.
   */
  size: number | null;
  shown: ReadonlySet<Part>;
  bottom: Side;
  animate: boolean;
  /** How long a page of a ticker or table, or a featured board, is shown, in seconds. */
  seconds: number;
  /** The tournament of the standings; empty for the first one. */
  tournament: string;
  /** What `qr=` names: an address, or 1 for the start page; null for no code. */
  qr: string | null;
}

function oneOf<T extends string>(all: readonly T[], text: string | null, otherwise: T): T {
  return all.find((one) => one === text) ?? otherwise;
}

/** `show=names,clocks` means exactly these; `show=+fifty,-opening` changes the default. */
function shownParts(text: string | null): Set<Part> {
  if (text === null) return new Set(USUAL);
  // An unescaped plus in an address means a space: read both as a plus.
  const words = text
    .split(',')
    .map((word) => word.replace(/^ /, '+').trim())
    .filter(Boolean);
  const relative = words.length > 0 && words.every((word) => /^[-+]/.test(word));
  const shown = new Set<Part>(relative ? USUAL : []);
  for (const word of words) {
    const part = PARTS.find((one) => one === word.replace(/^[-+]/, ''));
    if (part === undefined) continue;
    if (word.startsWith('-')) shown.delete(part);
    else shown.add(part);
  }
  return shown;
}

function between(text: string | null, least: number, most: number): number | null {
  const number = Number(text ?? NaN);
  return Number.isFinite(number) && number > 0 ? Math.min(most, Math.max(least, number)) : null;
}

/** Reads the address; invalid options are ignored. */
export function readOptions(search: string): Options {
  const query = new URLSearchParams(search);
  const boards = (query.get('board') ?? '')
    .split(',')
    .map((board) => board.trim())
    .filter((board) => /^[a-z0-9-]{1,32}$/.test(board));
  return {
    boards,
    layout: oneOf(LAYOUTS, query.get('layout'), boards.length > 1 ? 'boards' : 'board'),
    open: boards.length === 0 && query.get('layout') === null,
    theme: oneOf(THEMES, query.get('theme'), 'dark'),
    size: between(query.get('size'), 8, 4000),
    shown: shownParts(query.get('show')),
    bottom: /^(1|true|black)$/.test(query.get('flip') ?? '') ? 'black' : 'white',
    animate: query.get('anim') !== '0',
    seconds: between(query.get('seconds'), 2, 600) ?? 10,
    tournament: (query.get('tournament') ?? '').replace(/[^a-z0-9-]/g, '').slice(0, 32),
    qr: query.get('qr'),
  };
}

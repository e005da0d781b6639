/** Who plays, from the PGN tags of a game. */

import type { Side } from './topics';
import { v } from './vocabulary';

export interface Player {
  /** As in the tag, usually surname first; the colour's name where there is none. */
  name: string;
  /** Whether the tags have the name. */
  named: boolean;
  title: string;
  rating: string;
  federation: string;
}

const known = (text: string | undefined): string => (text === undefined || /^[?\-\s]*$/.test(text) ? '' : text.trim());

/** A side's player. What a tag does not tell is empty. */
export function playerOf(headers: Record<string, string> | undefined, side: Side): Player {
  const prefix = side === 'white' ? 'White' : 'Black';
  const tag = (name: string): string => known(headers?.[`${prefix}${name}`]);
  const name = tag('');
  return {
    name: name === '' ? v(side) : name,
    named: name !== '',
    title: tag('Title'),
    rating: tag('Elo') === '0' ? '' : tag('Elo'),
    federation: (tag('Fed') || tag('Team')).slice(0, 24),
  };
}

/** The name, shorter and shorter: whole, with initials, the surname alone. */
export function nameForms(player: Player): string[] {
  const [last = '', first = ''] = player.name.split(/,\s*/);
  if (first === '') return [player.name];
  const initials = first
    .split(/[\s-]+/)
    .map((part) => `${part[0] ?? ''}.`)
    .join(' ');
  return [player.name, `${last}, ${initials}`, last];
}

const forms = new WeakMap<Element, readonly string[]>();

/** Writes all, then measures all, form by form: measuring after each single writing would lay the page out each time. */
function refit(elements: readonly HTMLElement[]): void {
  let open = elements;
  for (let form = 0; open.length > 0; form++) {
    open = open.filter((element) => (forms.get(element)?.length ?? 0) > form);
    for (const element of open) element.textContent = forms.get(element)?.[form] ?? '';
    open = open.filter((element) => element.scrollWidth > element.clientWidth);
  }
}

const rooms = new ResizeObserver((entries) => refit(entries.map((entry) => entry.target as HTMLElement)));

/**
 * Puts the longest of some forms of a text into an element that has room for it, now and whenever the room changes.
 * The element's width must not depend on the text.
 */
export function fit(element: HTMLElement, texts: readonly string[]): void {
  if (forms.get(element)?.join() === texts.join()) return;
  const first = !forms.has(element);
  forms.set(element, texts);
  if (first) rooms.observe(element);
  else refit([element]);
}

/** The surname, for where there is little room: what stands before the comma. */
export function surname(player: Player): string {
  return player.name.split(',')[0] ?? player.name;
}

/** The table's number from the tag `Board`, else from the board's own name: `b12` stands at table 12. */
export function tableOf(headers: Record<string, string> | undefined, board: string): string {
  return known(headers?.['Board']) || (/^[a-z]*0*(\d+)$/.exec(board)?.[1] ?? board);
}

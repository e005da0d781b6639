/** The players, from the PGN tags of a game. */

import type { Side } from './topics';
import { v } from './vocabulary';

export interface Player {
  /** As in the tag, usually surname first; the name of the colour if the tag is missing. */
  name: string;
  /** Whether the tags contain the name. */
  named: boolean;
  title: string;
  rating: string;
  federation: string;
}

const known = (text: string | undefined): string => (text === undefined || /^[?\-\s]*$/.test(text) ? '' : text.trim());

/** A side's player. Fields without a tag are empty. */
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

const initial = (part: string): string => `${[...part][0] ?? ''}.`;

/**
 * Ever shorter forms of a player's name: full, with initials, surname only, double surname with an
 * initial.
 */
export function nameForms(player: Player): string[] {
  return namedForms(player.name);
}

/** Like `nameForms`, for a bare name. */
export function namedForms(name: string): string[] {
  const [last = '', first = ''] = name.split(/,\s*/);
  const given = first.split(/[\s-]+/).filter(Boolean);
  const [front = '', ...behind] = last.split('-');
  const forms = [name];
  if (given.length > 1) forms.push(`${last}, ${given[0]} ${given.slice(1).map(initial).join(' ')}`);
  if (given.length > 0) forms.push(`${last}, ${given.map(initial).join(' ')}`);
  if (given.length > 1) forms.push(`${last}, ${initial(given[0] ?? '')}`);
  forms.push(last);
  if (behind.length > 0) forms.push(`${front}-${behind.map(initial).join('-')}`, front);
  return [...new Set(forms)];
}

const forms = new WeakMap<Element, readonly string[]>();

/**
 * Writes all elements, then measures all, form by form, because alternating would force a layout
 * for each. Returns the elements for which even the shortest form is too long.
 */
function tryForms(elements: readonly HTMLElement[]): HTMLElement[] {
  const cut: HTMLElement[] = [];
  let open = elements;
  for (let form = 0; open.length > 0; form++) {
    const hasForm = (element: HTMLElement, at: number): boolean => (forms.get(element)?.length ?? 0) > at;
    for (const element of open) element.textContent = forms.get(element)?.[form] ?? '';
    const crowded = open.filter((element) => element.scrollWidth > element.clientWidth);
    cut.push(...crowded.filter((element) => !hasForm(element, form + 1)));
    open = crowded.filter((element) => hasForm(element, form + 1));
  }
  return cut;
}

/**
 * Finds the longest forms that fit. If none does, the style sheet hides what is beside the name
 * (`tight`).
 */
function refit(elements: readonly HTMLElement[]): void {
  for (const element of elements) element.parentElement?.classList.remove('tight');
  const cut = tryForms(elements);
  for (const element of cut) element.parentElement?.classList.add('tight');
  tryForms(cut);
}

const rooms = new ResizeObserver((entries) => refit(entries.map((entry) => entry.target as HTMLElement)));

/**
 * Shows the longest form of a text that fits into an element, now and after every change of size.
 *
 * The element's width must not depend on the text.
 */
export function fit(element: HTMLElement, texts: readonly string[]): void {
  if (forms.get(element)?.join() === texts.join()) return;
  const first = !forms.has(element);
  forms.set(element, texts);
  if (first) rooms.observe(element);
  else refit([element]);
}

/** The surname, for small spaces: the part before the comma. */
export function surname(player: Player): string {
  return player.name.split(',')[0] ?? player.name;
}

/**
 * The table number from the tag `Board`, or else from the board's own name: `b12` is at table 12.
 */
export function tableOf(headers: Record<string, string> | undefined, board: string): string {
  return known(headers?.['Board']) || (/^[a-z]*0*(\d+)$/.exec(board)?.[1] ?? board);
}

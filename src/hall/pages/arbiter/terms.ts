// A term and its value, as a line of a description list.

import { h, type Child } from '../lib/dom';

export function fact(term: string, ...value: Child[]): HTMLElement {
  return h('div', { class: 'fact' }, h('dt', {}, term), h('dd', {}, ...value));
}

/** A labelled field with a place for what is wrong with it. */

import { h, setAttribute, setText } from '../lib/dom';
import type { Problem } from './server';
import { t, type Word } from './words';

export interface Field {
  readonly element: HTMLElement;
  /** Shows what is wrong; nothing if the list is empty. */
  refuse(problems: readonly Problem[]): void;
}

/** Makes a field. The `id` of the input is the place of its answer in the form. */
export function makeField(label: string, input: HTMLInputElement | HTMLSelectElement, hint?: string): Field {
  const trouble = h('p', { class: 'trouble', id: `${input.id}-trouble` });
  const note = hint === undefined ? null : h('p', { class: 'hint', id: `${input.id}-hint` }, hint);
  setAttribute(input, 'aria-describedby', `${trouble.id}${note === null ? '' : ` ${note.id}`}`);
  return {
    element: h('div', { class: 'field' }, h('label', { for: input.id }, label), input, note, trouble),
    refuse(problems) {
      setText(trouble, problems.map(problemText).join(' '));
      setAttribute(input, 'aria-invalid', problems.length > 0 ? 'true' : null);
    },
  };
}

/** What is wrong, in words. */
export function problemText({ code, detail }: Problem): string {
  return t(`p_${code}` as Word, { detail });
}

/** A text field of the form. */
export function textInput(id: string, value: string, more: Record<string, string | number> = {}): HTMLInputElement {
  const input = h('input', { id, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...more });
  input.value = value;
  return input;
}

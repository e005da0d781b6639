// The fields of a dialog, each with its label and value.

import { h } from '../lib/dom';
import type { Side } from './payloads';
import { t } from './say';

export interface Field<T> {
  node: HTMLElement;
  value(): T;
}

export interface Choice<T extends string> {
  value: T;
  label: string;
  /** The consequence, shown below the label. */
  note?: string;
}

let made = 0;

/** One of several visible options. Nothing is preselected unless `chosen` is given. */
export function choose<T extends string>(label: string, choices: readonly Choice<T>[], chosen?: T): Field<T | null> {
  const name = `choice-${++made}`;
  const options = choices.map((choice) => {
    const input = h('input', { type: 'radio', name, value: choice.value, checked: choice.value === chosen });
    const words = h(
      'span',
      {},
      h('b', {}, choice.label),
      choice.note ? h('small', {}, h('bdi', {}, choice.note)) : null,
    );
    return h('label', { class: 'option' }, input, words);
  });
  const node = h('fieldset', {}, h('legend', {}, label), ...options);
  const value = (): T | null => (node.querySelector<HTMLInputElement>('input:checked')?.value as T | undefined) ?? null;
  return { node, value };
}

/** White or Black, with the players' names if known. */
export function chooseSide(label: string, headers: Record<string, string>, chosen?: Side): Field<Side | null> {
  const option = (of: Side, name: string | undefined): Choice<Side> => ({
    value: of,
    label: t(`side.${of}`),
    ...(name ? { note: name } : {}),
  });
  return choose(label, [option('white', headers['White']), option('black', headers['Black'])], chosen);
}

export interface TextOptions {
  value?: string;
  placeholder?: string;
  note?: string;
  /** The number of lines. */
  rows?: number;
  wide?: boolean;
}

export function text(
  label: string,
  options: TextOptions = {},
): Field<string> & { input: HTMLInputElement | HTMLTextAreaElement } {
  const id = `field-${++made}`;
  const shared = {
    id,
    placeholder: options.placeholder ?? null,
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
  };
  const input = options.rows
    ? h('textarea', { ...shared, rows: options.rows })
    : h('input', { ...shared, type: 'text' });
  input.value = options.value ?? '';
  const note = options.note ? h('small', { id: `${id}-note` }, options.note) : null;
  if (note) input.setAttribute('aria-describedby', note.id);
  const node = h(
    'div',
    { class: options.wide || options.rows ? 'field wide' : 'field' },
    h('label', { for: id }, label),
    input,
    note,
  );
  return { node, input, value: () => input.value.trim() };
}

export function select(label: string, choices: readonly Choice<string>[], chosen?: string): Field<string> {
  const id = `field-${++made}`;
  const options = choices.map((choice) =>
    h('option', { value: choice.value, selected: choice.value === chosen }, choice.label),
  );
  const input = h('select', { id }, ...options);
  return { node: h('div', { class: 'field' }, h('label', { for: id }, label), input), value: () => input.value };
}

export function tick(label: string, on = false): Field<boolean> {
  const input = h('input', { type: 'checkbox', checked: on });
  return { node: h('label', { class: 'option' }, input, h('span', {}, label)), value: () => input.checked };
}

/** A square such as e4, or null. */
export function square(label: string): Field<string | null> {
  const field = text(label, { placeholder: 'e4', note: t('field.square_note') });
  const value = (): string | null =>
    /^[a-h][1-8]$/.test(field.value().toLowerCase()) ? field.value().toLowerCase() : null;
  return { node: field.node, value };
}

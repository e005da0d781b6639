/** Confirmation dialogs before irrevocable actions: a claim, a resignation, an acceptance. */

import { h, setText, show } from '../lib/dom';
import { sanFrom } from '../lib/notation';
import { v } from '../lib/vocabulary';
import { t } from './words';

/** Closes the open dialog, if there is one. */
let leaveOpen: () => void = () => undefined;

/** Cancels the open dialog, because the player who was asked is no longer there. */
export function leaveQuestion(): void {
  leaveOpen();
}

/** Shows a dialog until it is answered. A result of `answer` other than undefined closes it. */
function ask<T>(
  title: string,
  content: HTMLElement[],
  confirm: string,
  danger: boolean,
  answer: () => T | undefined,
): Promise<T | null> {
  const yes = h('button', { type: 'submit', class: danger ? 'danger' : 'primary' }, confirm);
  const no = h('button', { type: 'button' }, v('cancel'));
  const form = h(
    'form',
    { method: 'dialog' },
    h('h2', { id: 'ask-title' }, title),
    ...content,
    h('div', { class: 'buttons' }, no, yes),
  );
  const dialog = h('dialog', { 'aria-labelledby': 'ask-title' }, form);
  document.body.append(dialog);
  return new Promise((done) => {
    const leave = (result: T | null): void => {
      dialog.close();
      dialog.remove();
      done(result);
    };
    leaveOpen = () => leave(null);
    no.addEventListener('click', () => leave(null));
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      leave(null);
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const result = answer();
      if (result !== undefined) leave(result);
    });
    dialog.showModal();
    // A double tap must not end a game.
    no.focus();
  });
}

/** Asks for confirmation. */
export async function confirmed(title: string, warning: string, confirm: string): Promise<boolean> {
  return (await ask(title, [h('p', { class: 'warning' }, warning)], confirm, true, () => true)) === true;
}

export interface ClaimAnswer {
  kind: 'threefold' | 'fifty_move';
  move?: string;
}

function choice(
  name: string,
  value: string,
  label: string,
  checked: boolean,
): { input: HTMLInputElement; element: HTMLElement } {
  const input = h('input', { type: 'radio', name, value, checked });
  return { input, element: h('label', { class: 'choice' }, input, h('span', null, label)) };
}

/** Asks for the kind of claim; null if the player cancels. */
export function askClaim(): Promise<ClaimAnswer | null> {
  const threefold = choice('kind', 'threefold', t('threefold'), true);
  const fifty = choice('kind', 'fifty_move', t('fifty_move'), false);
  const onBoard = choice('when', 'board', t('on_board'), true);
  const withMove = choice('when', 'move', t('with_move'), false);
  const move = h('input', {
    id: 'claim-move',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    maxlength: 12,
    'aria-describedby': 'claim-move-hint',
  });
  const trouble = h('p', { class: 'trouble', role: 'alert' });
  const field = h(
    'div',
    { class: 'field' },
    h('label', { for: 'claim-move' }, t('move')),
    move,
    h('p', { class: 'hint', id: 'claim-move-hint' }, t('move_hint')),
    trouble,
  );
  const adapt = (): void => {
    show(field, withMove.input.checked);
    if (withMove.input.checked) move.focus();
  };
  onBoard.input.addEventListener('change', adapt);
  withMove.input.addEventListener('change', adapt);
  adapt();
  const content = [
    h('fieldset', null, h('legend', null, t('claim_what')), threefold.element, fifty.element),
    h('fieldset', null, h('legend', null, t('claim_when')), onBoard.element, withMove.element),
    field,
    h('p', { class: 'warning' }, t('claim_warning')),
  ];
  return ask(t('claim_title'), content, t('claim_now'), true, () => {
    const kind = fifty.input.checked ? ('fifty_move' as const) : ('threefold' as const);
    if (onBoard.input.checked) return { kind };
    const written = sanFrom(move.value);
    if (written !== '') return { kind, move: written };
    setText(trouble, t('move_missing'));
    move.focus();
    return undefined;
  });
}

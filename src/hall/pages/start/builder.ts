/** The form that composes an overlay's address. */

import { h, setText, show } from '../lib/dom';
import { LANGUAGES, LANGUAGE_NAMES } from '../lib/words';
import { LAYOUTS, PARTS, THEMES, USUAL, type Part } from '../overlay/options';
import { t, type Word } from './words';

export interface Builder {
  readonly element: HTMLElement;
  setBoards(boards: readonly string[]): void;
}

function select(name: string, options: [string, string][], chosen = ''): HTMLSelectElement {
  return h(
    'select',
    { id: `b-${name}`, name },
    ...options.map(([value, label]) => h('option', { value, selected: value === chosen }, label)),
  );
}

function labelled(label: string, input: HTMLElement, hint?: string): HTMLElement {
  const note = hint === undefined ? null : h('p', { class: 'hint', id: `${input.id}-hint` }, hint);
  if (note) input.setAttribute('aria-describedby', note.id);
  return h('div', { class: 'field' }, h('label', { for: input.id }, label), input, note);
}

function tick(name: string, label: string, checked: boolean): { input: HTMLInputElement; element: HTMLElement } {
  const input = h('input', { type: 'checkbox', name, checked });
  return { input, element: h('label', { class: 'tick' }, input, h('span', null, label)) };
}

/** The parts as an option in the address; null if they are the default. */
function shownText(shown: ReadonlySet<Part>): string | null {
  const usual = new Set(USUAL);
  const differs = PARTS.filter((part) => shown.has(part) !== usual.has(part));
  if (differs.length === 0) return null;
  if (differs.length < 4) return differs.map((part) => `${shown.has(part) ? '+' : '-'}${part}`).join(',');
  return PARTS.filter((part) => shown.has(part)).join(',') || 'none';
}

/** Makes the form. Its address is absolute, to be copied into another program. */
export function makeBuilder(): Builder {
  const boards = h('div', { class: 'ticks' });
  const ticked = new Map<string, HTMLInputElement>();
  let touched = false;
  let waiting = 0;
  const layout = select(
    'layout',
    LAYOUTS.map((one) => [one, t(`l_${one}` satisfies Word)]),
  );
  const theme = select(
    'theme',
    THEMES.map((one) => [one, t(`t_${one}` satisfies Word)]),
  );
  const size = h('input', { id: 'b-size', name: 'size', type: 'number', min: 8, max: 4000, inputmode: 'numeric' });
  const tournament = h('input', { id: 'b-tournament', name: 'tournament', maxlength: 32 });
  const qr = h('input', { id: 'b-qr', name: 'qr', maxlength: 300, inputmode: 'url' });
  const language = select('lang', [
    ['', t('viewers')],
    ...LANGUAGES.map((tag): [string, string] => [tag, LANGUAGE_NAMES[tag]]),
  ]);
  const parts = PARTS.map((part) => ({ part, ...tick(part, t(`s_${part}` satisfies Word), USUAL.includes(part)) }));
  const flip = tick('flip', t('flip'), false);
  const still = tick('anim', t('still'), false);
  const link = h('input', { id: 'b-link', readonly: true, class: 'digits' });
  const open = h('a', { class: 'button', target: '_blank', rel: 'noopener' }, t('open'));
  const frame = h('iframe', { class: 'preview', title: t('preview'), loading: 'lazy' });
  const preview = h(
    'details',
    { class: 'preview-of', ontoggle: () => load() },
    h('summary', null, t('preview')),
    frame,
  );
  const status = h('span', { role: 'status', class: 'hint' });
  const copy = h('button', { type: 'button', class: 'primary', onclick: () => void copyLink() }, t('copy'));
  const which = h('fieldset', { hidden: true, onchange: () => suit() }, h('legend', null, t('which')), boards);
  const form = h(
    'form',
    { class: 'builder', oninput: () => write(), onsubmit: (event: Event) => event.preventDefault() },
    which,
    h(
      'div',
      { class: 'row' },
      labelled(t('layout'), layout),
      labelled(t('theme'), theme),
      labelled(t('size'), size, t('size_hint')),
      labelled(t('language_of'), language),
      labelled(t('tournament'), tournament),
      labelled(t('qr'), qr, t('qr_hint')),
    ),
    h(
      'fieldset',
      null,
      h('legend', null, t('shown')),
      h('div', { class: 'ticks' }, ...parts.map((one) => one.element), flip.element, still.element),
    ),
    labelled(t('link'), link),
    h('div', { class: 'buttons' }, status, open, copy),
    preview,
  );

  function address(): string {
    const url = new URL('overlay', document.baseURI);
    const put = (name: string, value: string | null): void => {
      if (value !== null && value !== '') url.searchParams.set(name, value);
    };
    const chosen = [...ticked].filter(([, input]) => input.checked).map(([id]) => id);
    put('board', chosen.join(','));
    put('layout', layout.value);
    if (theme.value !== 'dark') put('theme', theme.value);
    put('size', size.value);
    put('lang', language.value);
    if (/^(leaders|crosstable)$/.test(layout.value)) put('tournament', tournament.value.trim());
    put('qr', qr.value.trim());
    put('show', shownText(new Set(parts.filter((one) => one.input.checked).map((one) => one.part))));
    if (flip.input.checked) put('flip', '1');
    if (still.input.checked) put('anim', '0');
    // A comma is allowed in an address and is easier to read.
    return url.href.replaceAll('%2C', ',');
  }

  /** Switches the layout, because a single board needs another one than several. */
  function suit(): void {
    touched = true;
    const count = [...ticked.values()].filter((input) => input.checked).length;
    if (layout.value === 'board' && count > 1) layout.value = 'boards';
    else if (layout.value === 'boards' && count === 1) layout.value = 'board';
    write();
  }

  function write(): void {
    link.value = address();
    open.href = link.value;
    setText(status, '');
    window.clearTimeout(waiting);
    // Not on every keystroke while a number is being typed.
    waiting = window.setTimeout(load, 400);
  }

  /** Shows the overlay with the current options while the preview is open. */
  function load(): void {
    const address = preview.open ? link.value : 'about:blank';
    if (frame.src !== address) frame.src = address;
  }

  async function copyLink(): Promise<void> {
    link.select();
    try {
      await navigator.clipboard.writeText(link.value);
    } catch {
      // Pages on plain HTTP have no clipboard API; copy the selection instead.
      if (!document.execCommand('copy')) return;
    }
    setText(status, t('copied'));
  }

  write();
  return {
    element: form,
    setBoards(ids) {
      if (ids.join() === [...ticked.keys()].join()) return;
      const before = new Set([...ticked].filter(([, input]) => input.checked).map(([id]) => id));
      // Until the user makes a choice, the first board is selected, whichever came first.
      const first = touched ? undefined : ids[0];
      if (!touched) before.clear();
      ticked.clear();
      boards.replaceChildren();
      for (const id of ids) {
        const { input, element } = tick('board', t('board', { board: id }), before.has(id) || id === first);
        ticked.set(id, input);
        boards.append(element);
      }
      show(which, ids.length > 0);
      write();
    },
  };
}

/** What has been written: the passwords, the next steps, and codes for tablets and phones. */

import { fill, h, show } from '../lib/dom';
import { isLocal, makeQr } from '../overlay/qr';
import type { Result } from './server';
import { t } from './words';

/** A page of the hall, and the user that a device there signs in as; null if a person signs in. */
interface Page {
  label: string;
  path: string;
  user: string | null;
}

function pagesOf(boards: readonly string[]): Page[] {
  return [
    { label: t('page_start'), path: '', user: null },
    { label: t('page_arbiter'), path: 'arbiter', user: null },
    { label: t('page_operator'), path: 'operator', user: null },
    { label: t('page_display'), path: 'display', user: 'hall' },
    ...boards.map((board) => ({
      label: t('page_clock', { board }),
      path: `clock?board=${board}&role=clock`,
      user: `${board}-clock`,
    })),
  ];
}

/** What the person should know, as the command line says it. */
function notes(result: Result): string[] {
  const { open_files: files } = result;
  return [
    files === null
      ? ''
      : t(result.system ? 'note_files_system' : 'note_files', { needed: files.needed, limit: files.limit }),
    result.without_port.length === 0 ? '' : t('note_port', { boards: result.without_port.join(', ') }),
    result.plain_broker ? t('note_broker') : '',
    result.plain_pages ? t('note_pages') : '',
    result.as_root ? t('note_root') : '',
  ].filter((text) => text !== '');
}

/** Makes the codes. Devices of the hall can be signed in by them. */
function makeCodes(result: Result): HTMLElement {
  const passwords = new Map(result.users.map(({ user, password }) => [user, password]));
  const base = h('input', { id: 'base', inputmode: 'url', autocapitalize: 'none', spellcheck: 'false' });
  base.value = result.pages;
  const signs = h('input', { type: 'checkbox' });
  const local = h('p', { class: 'next', role: 'status' }, t('codes_local'));
  const codes = h('ul', { class: 'codes' });

  function address({ path, user }: Page): string {
    const at = new URL(path, base.value);
    const password = user === null ? undefined : passwords.get(user);
    if (signs.checked && user !== null && password !== undefined)
      at.hash = new URLSearchParams({ user, password }).toString();
    return at.href;
  }

  function draw(): void {
    const usable = URL.canParse(base.value) && !isLocal(base.value);
    show(local, !usable);
    const all = usable ? pagesOf(result.boards) : [];
    fill(
      codes,
      ...all.map((page) =>
        h(
          'li',
          null,
          h('h3', null, page.label),
          makeQr(address(page), page.label),
          h('code', null, new URL(page.path, base.value).href),
        ),
      ),
    );
  }

  draw();
  return h(
    'section',
    { 'aria-labelledby': 'codes-title', oninput: draw },
    h('h2', { id: 'codes-title' }, t('codes')),
    h('p', { class: 'hint' }, t('codes_hint')),
    h('div', { class: 'field' }, h('label', { for: 'base' }, t('base')), base),
    h('label', { class: 'tick' }, signs, h('span', null, t('codes_sign_in'))),
    local,
    codes,
  );
}

/** Makes the last view. */
export function makeResult(result: Result): HTMLElement {
  const rows = result.users.map(({ user, password }) =>
    h('tr', null, h('th', { scope: 'row' }, user), h('td', null, h('code', null, password))),
  );
  return h(
    'div',
    { class: 'setup' },
    h(
      'section',
      { 'aria-labelledby': 'written-title' },
      h('h2', { id: 'written-title', tabindex: -1 }, t('written')),
      h('p', null, t('once')),
      h('ul', { class: 'files' }, ...result.files.map((path) => h('li', null, h('code', null, path)))),
      h('h3', null, t('start')),
      ...result.start.map((command) => h('pre', null, command)),
      ...notes(result).map((text) => h('p', { class: 'next' }, text)),
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => window.print() }, t('print'))),
    ),
    h(
      'section',
      { 'aria-labelledby': 'passwords-title' },
      h('h2', { id: 'passwords-title' }, t('passwords')),
      h('p', { class: 'hint' }, t('passwords_hint', { file: result.passwords })),
      h('table', { class: 'passwords' }, h('tbody', null, ...rows)),
    ),
    makeCodes(result),
  );
}

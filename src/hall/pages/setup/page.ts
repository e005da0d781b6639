/** The page of `remisd setup --web`: the code, the form, and what has been written. */

import { byId, fill, h } from '../lib/dom';
import { showFailures } from '../lib/failure';
import { languagePicker } from '../lib/language_picker';
import { codeWords } from '../lib/vocabulary';
import { makeForm } from './form';
import { makeResult } from './result';
import { ask, type Answers, type Result } from './server';
import { t } from './words';

showFailures();

/** The answers survive a reload, such as one in another language. They hold no secret. */
const DRAFT = 'remisd.setup';

const main = byId('main');
/** Whether the passwords are shown. They are shown once: nothing replaces them. */
let written = false;
document.title = `remisd – ${t('title')}`;
const picker = languagePicker();
byId('head').append(h('div', null, h('h1', null, 'remisd'), h('p', null, t('title'))), picker);

/** The answers from before the reload, if the server began with the same. */
function draft(first: Answers): Answers | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(DRAFT) ?? 'null') as { first: string; answers: Answers } | null;
    return kept?.first === JSON.stringify(first) ? kept.answers : null;
  } catch {
    return null; // Storage is blocked in some browsers.
  }
}

function keep(first: Answers, answers: Answers): void {
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify({ first: JSON.stringify(first), answers }));
  } catch {
    // The answers then apply until the page is closed.
  }
}

function lost(code: string): void {
  if (written) return; // An answer to what was asked before the files were written.
  if (code === 'not_signed_in') return showCode('');
  const text = code === 'offline' || code === 'not_found' ? t('ended') : codeWords(code);
  fill(main, h('section', null, h('p', { class: 'trouble', role: 'alert' }, text)));
}

/** Asks for the code until it is right. */
function showCode(refusal: string): void {
  const code = h('input', { id: 'code', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const trouble = h('p', { class: 'trouble', role: 'alert' }, refusal);
  const submit = (event: Event): void => {
    event.preventDefault();
    void enter(code.value);
  };
  fill(
    main,
    h(
      'form',
      { class: 'enter', onsubmit: submit },
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'code' }, t('code')),
        code,
        h('p', { class: 'hint' }, t('code_hint')),
      ),
      trouble,
      h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, t('enter'))),
    ),
  );
  code.focus();
}

async function enter(code: string): Promise<void> {
  const answer = await ask<null>('session', { code });
  if (answer.ok) return begin();
  if (answer.code === 'offline') return lost(answer.code);
  showCode(answer.code === 'wrong_code' ? t('wrong_code') : codeWords(answer.code));
}

async function begin(): Promise<void> {
  const answer = await ask<{ form: Answers }>('setup');
  if (!answer.ok) return lost(answer.code);
  const first = answer.value.form;
  const changed = (answers: Answers): void => keep(first, answers);
  fill(main, makeForm(draft(first) ?? first, { changed, done: finish, lost }));
}

function finish(result: Result): void {
  written = true;
  // Another language would load the page anew, and it cannot be opened again.
  picker.remove();
  fill(main, makeResult(result));
  byId('written-title').focus();
  void ask('end', {});
}

// The code in the fragment leaves the address bar and the history.
const given = new URLSearchParams(location.hash.slice(1)).get('code');
if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
if (given === null) void begin();
else void enter(given);

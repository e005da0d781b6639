/** The form: boards, site, users, and what will be written. */

import { fill, h, setText, show } from '../lib/dom';
import { makeBoards } from './boards';
import { makeField, problemText, textInput } from './field';
import { ask, type Answers, type Plan, type Port, type Problem, type Result } from './server';
import { LANGUAGES, LANGUAGE_NAMES } from '../lib/words';
import { t, userText, type Word } from './words';

const PROFILES = ['competition', 'club', 'casual'] as const;
const AUDIENCES = ['player', 'hall', 'public', 'operator'] as const;
/** How long after the last keystroke the plan is asked for. */
const PAUSE_MS = 300;

function select(id: string, chosen: string, options: readonly (readonly [string, string])[]): HTMLSelectElement {
  return h(
    'select',
    { id },
    ...options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );
}

function tick(label: string, checked: boolean): { input: HTMLInputElement; element: HTMLElement } {
  const input = h('input', { type: 'checkbox', checked });
  return { input, element: h('label', { class: 'tick' }, input, h('span', null, label)) };
}

function section(number: number, title: Word, ...content: (HTMLElement | null)[]): HTMLElement {
  const heading = h('h2', { id: `step-${number}` }, `${number}. ${t(title)}`);
  return h('section', { 'aria-labelledby': heading.id }, heading, ...content);
}

/** What the form tells the page. */
interface Events {
  /** The answers have changed. */
  changed(answers: Answers): void;
  /** The files are written. */
  done(result: Result): void;
  /** The server does not answer, or has ended the session. */
  lost(code: string): void;
}

/** Makes the form with its first answers. */
export function makeForm(first: Answers, events: Events): HTMLElement {
  let waiting = 0;
  let asked = 0;
  const site = textInput('site', first.site, { maxlength: 32 });
  const language = select(
    'language',
    first.language,
    LANGUAGES.map((tag) => [tag, LANGUAGE_NAMES[tag]] as const),
  );
  const profile = select(
    'profile',
    first.profile,
    PROFILES.map((one) => [one, t(`profile_${one}`)] as const),
  );
  const opened = AUDIENCES.map((one) => ({ one, ...tick(t(`open_${one}`), first.open.includes(one)) }));
  const open = h('fieldset', { id: 'open' }, h('legend', null, t('open')), ...opened.map(({ element }) => element));
  const http = textInput('http', first.http);
  const mqtt = textInput('mqtt', first.mqtt);
  const network = tick(t('network'), false);
  const fields = {
    site: makeField(t('site'), site, t('site_hint')),
    language: makeField(t('language'), language, t('language_hint')),
    profile: makeField(t('profile'), profile, t('profile_hint')),
    http: makeField(t('http'), http, t('address_hint')),
    mqtt: makeField(t('mqtt'), mqtt, t('address_hint')),
  };
  const addresses = h(
    'details',
    null,
    h('summary', null, t('addresses')),
    h('div', { class: 'fields' }, fields.http.element, fields.mqtt.element),
  );
  const users = h('ul', { class: 'users' });
  const files = h('ul', { class: 'files' });
  const trouble = h('p', { class: 'trouble', role: 'alert' });
  const write = h('button', { type: 'submit', class: 'primary', disabled: true }, t('write'));
  const refresh = h('button', { type: 'button', onclick: () => void look() }, t('refresh'));
  const looking = h('span', { class: 'hint', role: 'status' });
  const boards = makeBoards(first.boards, () => changed());

  const form = h(
    'form',
    { class: 'setup', novalidate: true, oninput: () => changed(), onsubmit: (event: Event) => void submit(event) },
    section(
      1,
      'boards',
      h('p', { class: 'hint' }, t('boards_hint')),
      h('p', { class: 'buttons' }, looking, refresh),
      boards.element,
    ),
    section(
      2,
      'hall',
      h(
        'div',
        { class: 'fields' },
        fields.site.element,
        fields.language.element,
        fields.profile.element,
        open,
        network.element,
        h('p', { class: 'hint' }, t('network_hint')),
        addresses,
      ),
    ),
    section(3, 'users', h('p', { class: 'hint' }, t('users_hint')), users),
    section(
      4,
      'files',
      h('p', { class: 'hint' }, t('files_hint')),
      files,
      trouble,
      h('div', { class: 'buttons' }, write),
    ),
  );

  // The tick is the address in words.
  network.input.addEventListener('input', () => {
    const port = /\d+$/.exec(http.value)?.[0] ?? '9120';
    http.value = `${network.input.checked ? '0.0.0.0' : '127.0.0.1'}:${port}`;
  });

  function read(): Answers {
    const isClub = profile.value === 'club';
    return {
      site: site.value,
      language: language.value,
      profile: profile.value,
      open: opened.filter(({ input }) => isClub && input.checked).map(({ one }) => one),
      boards: boards.read(),
      mqtt: mqtt.value,
      http: http.value,
    };
  }

  function adapt(): void {
    show(open, profile.value === 'club');
    network.input.checked = !/^(127\.|\[::1\])/.test(http.value.trim());
  }

  function changed(): void {
    adapt();
    write.disabled = true;
    asked += 1; // A plan that is still being made is out of date.
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => void plan(), PAUSE_MS);
  }

  function refuse(problems: readonly Problem[]): void {
    for (const [name, field] of Object.entries(fields))
      field.refuse(problems.filter((problem) => problem.field === name));
    boards.refuse(problems);
    if (problems.some(({ field }) => field === 'http' || field === 'mqtt')) addresses.open = true;
    const own = problems.filter(({ field }) => /^(files|boards|open)$/.test(field)).map(problemText);
    const count = problems.length - own.length;
    if (count > 0) own.push(t('above', { count }));
    setText(trouble, own.join(' '));
  }

  /** Asks what would be written. */
  async function plan(): Promise<void> {
    const number = (asked += 1);
    const answers = read();
    events.changed(answers);
    const answer = await ask<Plan>('plan', answers);
    if (number !== asked) return; // The answers have changed since.
    if (!answer.ok && answer.problems.length === 0) return events.lost(answer.code);
    refuse(answer.ok ? [] : answer.problems);
    write.disabled = !answer.ok;
    if (!answer.ok) return;
    fill(files, ...answer.value.files.map((path) => h('li', null, h('code', null, path))));
    fill(users, ...answer.value.users.map((user) => h('li', null, h('b', null, user), `: ${userText(user)}`)));
  }

  /** Asks every port which board is there. */
  async function look(): Promise<void> {
    refresh.disabled = true;
    setText(looking, t('looking'));
    const typed = boards.read().map(({ port }) => port.trim());
    const answer = await ask<Port[]>('ports', { ports: [...new Set(typed)].filter((port) => port !== '') });
    refresh.disabled = false;
    if (!answer.ok) return events.lost(answer.code);
    setText(looking, t('found', { count: answer.value.filter(({ board }) => board !== undefined).length }));
    boards.found(answer.value, typed);
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    write.disabled = true;
    const number = (asked += 1);
    const answer = await ask<Result>('write', read());
    if (answer.ok) return events.done(answer.value);
    if (number !== asked && answer.problems.length > 0) return;
    if (answer.problems.length === 0) return events.lost(answer.code);
    refuse(answer.problems);
  }

  void look();
  return form;
}

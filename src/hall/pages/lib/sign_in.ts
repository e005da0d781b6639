/** The sign-in dialog: broker user, password, and the name of the person at the device. */

import { h, setText, show } from './dom';
import { languagePicker } from './language_picker';
import { codeWords, v } from './vocabulary';
import { readSite, signIn, type Attempt, type Session, type SignIn } from './session';
import { words, type Dictionary } from './words';
import type { Role } from './topics';

type Word =
  | 'title'
  | 'as_role'
  | 'role'
  | 'user'
  | 'password'
  | 'name'
  | 'name_hint'
  | 'open'
  | 'wait'
  | 'board'
  | 'offline'
  | 'no_broker';

const DICTIONARY: Dictionary<Word> = {
  en: {
    title: 'Sign in',
    as_role: 'as {role}',
    role: 'Role',
    user: 'User',
    password: 'Password',
    name: 'Your name',
    name_hint: 'Recorded with every action you take.',
    open: 'No password is needed here.',
    wait: 'Wait {count} s.',
    board: 'Board {board}',
    offline: 'The server cannot be reached.',
    no_broker: 'The server has no connection to the broker: no one can sign in until it is back.',
  },
  de: {
    title: 'Anmelden',
    as_role: 'als {role}',
    role: 'Rolle',
    user: 'Benutzer',
    password: 'Passwort',
    name: 'Ihr Name',
    name_hint: 'Wird mit jeder Ihrer Handlungen aufgezeichnet.',
    open: 'Hier ist kein Passwort nötig.',
    wait: 'Warten Sie {count} s.',
    board: 'Brett {board}',
    offline: 'Der Server ist nicht erreichbar.',
    no_broker: 'Der Server hat keine Verbindung zum Broker: Anmelden geht erst wieder, wenn sie da ist.',
  },
  nl: {
    title: 'Aanmelden',
    as_role: 'als {role}',
    role: 'Rol',
    user: 'Gebruiker',
    password: 'Wachtwoord',
    name: 'Uw naam',
    name_hint: 'Wordt bij elke handeling van u vastgelegd.',
    open: 'Hier is geen wachtwoord nodig.',
    wait: 'Wacht {count} s.',
    board: 'Bord {board}',
    offline: 'De server is niet bereikbaar.',
    no_broker: 'De server heeft geen verbinding met de broker: aanmelden kan pas weer als die er is.',
  },
};
const t = words(DICTIONARY);

export interface SignInAsk {
  /** One role, or several to choose from. */
  roles: readonly Role[];
  board?: string | undefined;
  /** The one of several sites. */
  site?: string;
  /** The user that is filled in; by default the broker's user named after the role. */
  user?: string;
  /** Whether to ask for the person's name. */
  named?: boolean;
  /** The roles that need no password. */
  open: readonly Role[];
  /** The folder of another site's pages, relative to this page. */
  at?: string;
  /** Signs in; by default at one site. */
  attempt?(attempt: Attempt): Promise<SignIn>;
  /** Whether the dialog can be closed without signing in. */
  dismissible?: boolean;
}

/** The interval between checks of the broker. */
const LOOK_MS = 3000;

const roleWord = (role: Role): string => v(role);

/** A label with its field. */
function field(label: string, input: HTMLElement, hint?: string): HTMLElement {
  const id = `sign-in-${label.replace(/\W+/g, '-')}`;
  input.id = id;
  const note = hint === undefined ? null : h('p', { class: 'hint', id: `${id}-hint` }, hint);
  if (note) input.setAttribute('aria-describedby', note.id);
  return h('div', { class: 'field' }, h('label', { for: id }, label), input, note);
}

/** Reports an outage that prevents any sign-in, so that user and password are not blamed. */
function watchBroker(state: HTMLElement, at: string | undefined): { end(): void } {
  let looks = 0;
  const look = async (): Promise<void> => {
    const mine = ++looks;
    const site = await readSite(at);
    if (mine !== looks) return; // Outdated: a newer request was made.
    const code = site === null ? 'offline' : site.broker_fault === 'unreachable' ? 'no_broker' : '';
    setText(state, code === '' ? '' : t(code));
  };
  const timer = window.setInterval(() => void look(), LOOK_MS);
  void look();
  return { end: () => window.clearInterval(timer) };
}

/** Asks until somebody is signed in; null if the dialog is closed. */
export function askToSignIn(ask: SignInAsk): Promise<Session | null> {
  const role = h('select', { name: 'role' }, ...ask.roles.map((one) => h('option', { value: one }, roleWord(one))));
  const user = h('input', { name: 'user', autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false' });
  const password = h('input', { name: 'password', type: 'password', autocomplete: 'current-password' });
  const name = h('input', { name: 'name', autocomplete: 'name', maxlength: 100 });
  const trouble = h('p', { class: 'trouble', role: 'alert' });
  const state = h('p', { class: 'outage', role: 'status' });
  const openNote = h('p', { class: 'hint' }, t('open'));
  const credentials = h('div', { class: 'fields' }, field(t('user'), user), field(t('password'), password));
  const submit = h('button', { type: 'submit', class: 'primary' }, v('sign_in'));
  const cancel = ask.dismissible === true ? h('button', { type: 'button' }, v('cancel')) : null;
  const only = ask.roles.length === 1 ? ask.roles[0] : undefined;
  const title = [
    t('title'),
    only ? t('as_role', { role: roleWord(only) }) : '',
    ask.site === undefined ? '' : `– ${ask.site}`,
    ask.board ? `– ${t('board', { board: ask.board })}` : '',
  ];
  const form = h(
    'form',
    { method: 'dialog' },
    h('header', null, h('h2', { id: 'sign-in-title' }, title.filter(Boolean).join(' ')), languagePicker()),
    state,
    only ? null : field(t('role'), role),
    openNote,
    credentials,
    ask.named === true ? field(t('name'), name, t('name_hint')) : null,
    trouble,
    h('div', { class: 'buttons' }, cancel, submit),
  );
  const dialog = h('dialog', { class: 'sign-in', 'aria-labelledby': 'sign-in-title' }, form);
  const attempt = ask.attempt ?? ((one: Attempt) => signIn(one, ask.at));
  const chosen = (): Role => only ?? (role.value as Role);
  const adapt = (): void => {
    const open = ask.open.includes(chosen());
    show(credentials, !open);
    show(openNote, open);
    user.required = !open;
    // The broker's users are usually named after their roles.
    if (!open && user.value === '') user.value = ask.user ?? chosen();
  };
  role.addEventListener('change', adapt);
  adapt();
  document.body.append(dialog);
  dialog.showModal();
  const first = ask.open.includes(chosen()) ? (ask.named ? name : submit) : user.value === '' ? user : password;
  first.focus();

  const watch = watchBroker(state, ask.at);
  return new Promise((done) => {
    const leave = (session: Session | null): void => {
      watch.end();
      dialog.close();
      dialog.remove();
      done(session);
    };
    cancel?.addEventListener('click', () => leave(null));
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      if (ask.dismissible === true) leave(null);
    });
    // Browsers close it on a second Escape even if the first was prevented.
    dialog.addEventListener('close', () => {
      if (dialog.isConnected) dialog.showModal();
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void (async () => {
        submit.disabled = true;
        setText(trouble, '');
        const open = ask.open.includes(chosen());
        const answer = await attempt({
          role: chosen(),
          board: ask.board,
          user: open ? undefined : user.value.trim(),
          password: open ? undefined : password.value,
          name: name.value.trim() || undefined,
        });
        submit.disabled = false;
        if (answer.ok) return leave(answer.session);
        const wait = answer.retryAfterS === null ? '' : ` ${t('wait', { count: answer.retryAfterS })}`;
        setText(trouble, codeWords(answer.code) + wait);
        (open ? submit : password).focus();
      })();
    });
  });
}

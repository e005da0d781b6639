/**
 * The tablet of a board: clock display and player's panel. Reads only `player`: no position, no
 * counters, no hints.
 */

import { enter } from '../lib/access';
import { onTick } from '../lib/clocks';
import { byId, fill, h, setText, show } from '../lib/dom';
import { showFailures } from '../lib/failure';
import { languagePicker } from '../lib/language_picker';
import { Live } from '../lib/live';
import { signOut } from '../lib/session';
import { sideWithin, v } from '../lib/vocabulary';
import type { Role, Side } from '../lib/topics';
import { Wake } from '../lib/wake';
import { makeFaces, type Faces } from './faces';
import { leaveQuestion } from './dialogs';
import { Outcome } from './outcome';
import { makePanel, type Panel } from './panel';
import { t } from './words';

showFailures();

const query = new URLSearchParams(location.search);
const board = query.get('board') ?? '';
const ROLES: readonly Role[] = ['white', 'black', 'clock'];
const roles = ROLES.filter((role) => role === query.get('role'));

const main = byId('main');
const note = byId('note');
const age = byId('age');
const who = byId('who');

document.title = `remisd – ${t('title')}${board === '' ? '' : ` – ${t('board', { board })}`}`;
setText(byId('board'), board === '' ? t('title') : t('board', { board }));
byId('head').append(languagePicker());

/** Without a board in the address, offers the boards to choose from. */
async function chooseBoard(): Promise<void> {
  const answer = await fetch('api/site').catch(() => null);
  const site = answer?.ok ? ((await answer.json()) as { boards?: string[] }) : null;
  const links = (site?.boards ?? []).map((id) =>
    h('li', null, h('a', { class: 'button', href: `clock?board=${id}` }, t('board', { board: id }))),
  );
  fill(
    main,
    h(
      'div',
      { class: 'choose' },
      h('h2', null, t('which_board')),
      links.length > 0 ? h('ul', null, ...links) : h('p', null, t('no_boards')),
    ),
  );
}

let live: Live | null = null;
let faces: Faces | null = null;
let panels: Panel[] = [];
/** The board's last answer to each side. */
const answers: Record<Side, HTMLElement> = {
  white: h('p', { class: 'answer', role: 'status' }),
  black: h('p', { class: 'answer', role: 'status' }),
};
const outcome = new Outcome();
let fresh = false;
/** The number of the current sign-in: answers to an earlier one are ignored. */
let round = 0;
/** The number of the current user: answers to an earlier one are not shown. */
let user = 0;

async function open(asking = false): Promise<void> {
  const mine = ++round;
  live?.close();
  live = null;
  leaveQuestion();
  faces = null;
  panels = [];
  fill(main);
  fill(byId('leave'));
  show(age, false);
  setText(note, t('connecting'));
  show(note, true);
  const { role } = await enter({
    roles: roles.length > 0 ? roles : ROLES,
    board,
    asking,
    trouble(reason, count) {
      if (reason !== '') setText(note, t('failed', { reason, count }));
    },
  });
  if (mine !== round) return;
  follow(role);
}

function follow(role: Role): void {
  const own: Side = role === 'black' ? 'black' : 'white';
  fresh = false;
  // Only the current sign-in may ask again: answers to the panels of an earlier one may still
  // arrive.
  const again = (): void => {
    if (live === feed) void open();
  };
  const feed: Live = new Live(
    { audience: 'player', boards: [board] },
    {
      draw,
      ready: () => freshen(true),
      age(text) {
        setText(age, text);
        show(age, text !== '');
        freshen(text === '');
      },
      ended: again,
    },
  );
  live = feed;
  faces = makeFaces(feed, board, role === 'clock' ? null : own, query.get('tenths') === '1');
  const ownUser = user;
  const isOwn = (): boolean => ownUser === user;
  const sides: Side[] = role === 'clock' ? ['white', 'black'] : [own];
  panels = sides.map((side) =>
    makePanel(feed, { board, role, side, answer: answers[side], outcome, isOwn, signedOut: again }),
  );
  setText(who, role === 'clock' ? t('as_clock') : t('you_are', { side: sideWithin(own) }));
  const leave = h('button', { type: 'button', class: 'leave', onclick: () => void leaveAs(role) }, v('sign_out'));
  fill(byId('leave'), leave);
  fill(main, faces.element, h('div', { class: `panels of-${sides.length}` }, ...panels.map((panel) => panel.element)));
  show(note, false);
  draw();
}

/**
 * Signs out and asks for the next user. The feed is closed first, so that its end is not taken for
 * a lost session.
 */
async function leaveAs(role: Role): Promise<void> {
  if (live === null) return;
  live.close();
  live = null;
  user += 1;
  panels = [];
  fill(main);
  await signOut(role);
  for (const answer of Object.values(answers)) setText(answer, '');
  await open(true);
}

function freshen(is: boolean): void {
  fresh = is;
  draw();
}

function draw(): void {
  faces?.draw();
  if (live !== null && fresh)
    outcome.take({
      offer: live.store.get(board, 'offer')?.payload,
      clock: live.store.get(board, 'clock')?.payload,
      result: live.store.get(board, 'result')?.payload,
    });
  for (const panel of panels) panel.draw(fresh);
}

if (board === '') void chooseBoard();
else {
  void open();
  new Wake().want(true);
  onTick(() => {
    if (live !== null) faces?.tick(live.now());
  });
}

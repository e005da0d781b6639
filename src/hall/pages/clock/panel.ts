/** A player's actions: offer, accept, decline, claim, resign, stop the clock. */

import { send } from '../lib/command';
import { h, setText, show } from '../lib/dom';
import type { Live } from '../lib/live';
import { codeWords, sideWithin, v } from '../lib/vocabulary';
import { opponent, type Role, type Side } from '../lib/topics';
import { askClaim, confirmed } from './dialogs';
import { isClaimed, isOver, type Outcome, type Standing } from './outcome';
import { t, type Word } from './words';

export interface Panel {
  readonly element: HTMLElement;
  draw(online: boolean): void;
}

type Verb = 'offer' | 'accept' | 'decline' | 'claim' | 'resign' | 'pause';

/** Asks for what the command needs. Returns its arguments, or null if the player cancels. */
async function prepare(verb: Verb, side: Side): Promise<Record<string, unknown> | null> {
  switch (verb) {
    case 'claim':
      return (await askClaim()) as Record<string, unknown> | null;
    case 'resign':
      return (await confirmed(t('resign_title'), t('resign_warning', { side: v(side) }), t('resign_now'))) ? {} : null;
    case 'accept':
      return (await confirmed(t('accept_title'), t('accept_warning'), t('accept_now'))) ? {} : null;
    default:
      return {};
  }
}

/** Whether the action is possible now. */
function applies(verb: Verb, side: Side, now: Standing): boolean {
  if (isOver(now)) return false;
  switch (verb) {
    case 'offer':
      return now.offer?.by !== side && !isClaimed(now);
    case 'claim':
      return !isClaimed(now);
    case 'pause':
      return !now.clock?.paused;
    default:
      return true;
  }
}

/** The settings of a side's panel. */
export interface PanelOf {
  board: string;
  role: Role;
  side: Side;
  /**
   * Where answers are shown. It outlives the panel, which a sign-in rebuilds while a command is in
   * flight.
   */
  answer: HTMLElement;
  /** What became of earlier offers and claims; it outlives the panel too. */
  outcome: Outcome;
  /** Whether the user of this panel is still the one at the device. */
  isOwn(): boolean;
  signedOut(): void;
}

/** Makes the panel of a side. A clock speaks for both players, so it names the player. */
export function makePanel(live: Live, { board, role, side, answer, outcome, isOwn, signedOut }: PanelOf): Panel {
  const standing = h('p', { class: 'standing', role: 'status' });
  const buttons = {} as Record<Verb, HTMLButtonElement>;
  for (const verb of ['offer', 'accept', 'decline', 'claim', 'pause', 'resign'] as const) {
    buttons[verb] = h(
      'button',
      { type: 'button', 'data-verb': verb, class: verb === 'resign' ? 'quiet' : '', onclick: () => void act(verb) },
      t(verb),
    );
  }
  const element = h(
    'section',
    { class: `panel ${side}`, 'aria-label': t('panel', { side: sideWithin(side) }) },
    role === 'clock' ? h('h2', null, v(side)) : null,
    standing,
    h('div', { class: 'keys' }, ...Object.values(buttons)),
    answer,
  );
  let busy = false;
  let online = false;

  async function act(verb: Verb): Promise<void> {
    if (busy || !online) return;
    const args = await prepare(verb, side);
    if (args === null || busy) return;
    busy = true;
    draw(online);
    say(t('sending'), 'busy');
    const named = role === 'clock' && verb !== 'pause' ? { ...args, player: side } : args;
    const claims = outcome.claimsOf(side);
    const reply = await send(role, board, verb, named, { onRetry: () => say(t('again'), 'busy') });
    busy = false;
    if (!isOwn()) return;
    // The topics may have shown the claim, and its ruling, before the answer came.
    if (reply.ok && verb === 'claim' && claims === outcome.claimsOf(side)) outcome.claims(side);
    if (reply.ok)
      say(
        [t(`done_${verb}` satisfies Word), reply.recorded ? '' : t('not_recorded')].filter(Boolean).join(' '),
        'done',
      );
    else say(codeWords(reply.code), 'refused');
    draw(online);
    if (!reply.ok && reply.code === 'signed_out') signedOut();
  }

  function say(text: string, kind: 'busy' | 'done' | 'refused'): void {
    if (!isOwn()) return;
    setText(answer, text);
    answer.className = `answer ${kind}`;
  }

  function draw(isOnline: boolean): void {
    online = isOnline;
    const now: Standing = {
      offer: live.store.get(board, 'offer')?.payload,
      clock: live.store.get(board, 'clock')?.payload,
      result: live.store.get(board, 'result')?.payload,
    };
    const fromOpponent = !isOver(now) && now.offer?.by === opponent(side);
    showMessage(outcome.of(side));
    element.classList.toggle('asked', fromOpponent);
    show(buttons.accept, fromOpponent);
    show(buttons.decline, fromOpponent);
    show(buttons.offer, !fromOpponent);
    const usable = online && !busy;
    for (const verb of Object.keys(buttons) as Verb[]) buttons[verb].disabled = !usable || !applies(verb, side, now);
  }

  /** Shows the outcome of an offer or a claim, and clears the answer to the command before it. */
  function showMessage(text: string): void {
    const before = standing.textContent;
    if (before === text) return;
    setText(standing, text);
    if (before !== '' && !busy && answer.classList.contains('done')) say('', 'done');
  }

  draw(false);
  return { element, draw };
}

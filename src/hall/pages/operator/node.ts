/** The card of a daemon: its health, its exits, its orders and their buttons. */

import { fill, h } from '../lib/dom';
import { askReset, confirmCommand } from '../lib/confirm_command';
import { ageWords } from '../lib/vocabulary';
import type { Role } from '../lib/topics';

import { nodeFaults, worst, type Level } from './faults';
import type { Broadcast, Exit, LichessOrder, LichessRound, Node as Daemon } from './hall';
import { faultList } from './row';
import { clockTime, t } from './words';

/** The newest orders that are shown. */
const ORDERS = 5;

export interface Card {
  readonly element: HTMLElement;
  draw(node: Daemon, now: number): Level;
}

function exitWords(exit: Exit): string {
  const when = exit.written_at === undefined ? t('never') : clockTime(exit.written_at);
  return [exit.path, when, exit.error].filter((part) => part !== undefined && part !== '').join(' · ');
}

type Lichess = NonNullable<Broadcast['lichess']>;

/** When Lichess has taken something of a round last, also before the daemon was started. */
function takenAt(lichess: Lichess, round: LichessRound): string | undefined {
  const games = Object.values(lichess.boards).flatMap((board) => board.games);
  const times = games.filter((game) => game.round === round.round).map((game) => game.taken_at);
  return round.taken_at ?? times.sort((one, other) => Date.parse(one) - Date.parse(other)).at(-1);
}

/** What was sent of a round, or written in a trial run. */
function sentWords(lichess: Lichess, round: LichessRound): string {
  const { dry_run: isTrial } = lichess;
  if (round.behind && !round.closed) return t(isTrial ? 'round_writing' : 'round_behind');
  const taken = isTrial ? round.taken_at : takenAt(lichess, round);
  const state = round.closed ? t('round_closed') : taken === undefined ? t('round_empty') : t('round_even');
  if (taken === undefined) return state;
  return isTrial ? t('round_written', { time: clockTime(taken) }) : `${state} · ${clockTime(taken)}`;
}

function roundWords(lichess: Lichess, round: LichessRound): string {
  return [sentWords(lichess, round), round.error].filter((part) => part !== undefined).join(' · ');
}

function orderWords(order: LichessOrder): string {
  const verb = t(order.verb === 'lichess_reset' ? 'reset' : order.verb === 'lichess_close' ? 'close' : 'create');
  const made = order.made === undefined ? '' : order.made;
  const head = `${clockTime(order.time)} ${verb}, ${t('round_number', { round: order.round })}`;
  return [head, t(`order_${order.state}_state`), made, order.reason ?? '', order.by ?? '']
    .filter((part) => part !== '')
    .join(' · ');
}

function facts(broadcast: Broadcast | undefined): HTMLElement {
  const rows: [string, string, string][] = [];
  if (broadcast?.folder) rows.push([t('folder'), exitWords(broadcast.folder), 'folder']);
  if (broadcast?.upload) rows.push([t('upload'), exitWords(broadcast.upload), 'upload']);
  const lichess = broadcast?.lichess;
  for (const round of lichess?.rounds ?? [])
    rows.push([
      `Lichess ${round.id}, ${t('round_number', { round: round.round })}`,
      lichess === undefined ? '' : roundWords(lichess, round),
      `round-${round.id}`,
    ]);
  for (const phone of broadcast?.phones ?? []) {
    const { test } = phone;
    const state =
      test === undefined ? t('not_tested') : test.ok === undefined ? t('being_tested') : (test.answer ?? '');
    const when = test === undefined ? '' : ` · ${clockTime(test.time)}`;
    rows.push([`${t('phone')} ${phone.name}`, `${state}${when}`, 'phone']);
  }
  return h(
    'dl',
    {},
    ...rows.map(([name, value, key]) => h('div', { 'data-fact': key }, h('dt', {}, name), h('dd', {}, value))),
  );
}

function field(label: string, input: HTMLElement): HTMLElement {
  const id = `field-${label.replace(/\W+/g, '-')}`;
  input.id = id;
  return h('div', { class: 'field' }, h('label', { for: id }, label), input);
}

function askClose(role: Role, node: string, round: number): void {
  const unfinished = h('input', { type: 'checkbox' });
  confirmCommand({
    role,
    node,
    verb: 'lichess_close',
    title: t('close_title', { round }),
    effects: [t('close_effect_1'), t('close_effect_2')],
    fields: [h('label', { class: 'check' }, unfinished, t('unfinished'))],
    args: () => ({ round, unfinished: unfinished.checked }),
    button: t('close'),
    grave: true,
  });
}

function askCreate(role: Role, node: string, next: number): void {
  const round = h('input', { type: 'number', min: 1, value: next });
  const name = h('input', { maxlength: 80, value: t('round_name', { round: next }) });
  const adopt = h('input', { maxlength: 8, autocapitalize: 'none', spellcheck: 'false' });
  const rated = h('input', { type: 'checkbox', checked: true });
  const again = h('input', { type: 'checkbox' });
  confirmCommand({
    role,
    node,
    verb: 'lichess_create',
    title: t('create_title'),
    effects: [t('create_effect_1'), t('create_effect_2')],
    fields: [
      field(t('round_field'), round),
      field(t('name_field'), name),
      h('label', { class: 'check' }, rated, t('rated')),
      field(t('adopt_field'), adopt),
      h('label', { class: 'check' }, again, t('again')),
    ],
    args: () => {
      const number = Number(round.value);
      if (!Number.isInteger(number) || number < 1) return null;
      const id = adopt.value.trim();
      if (id !== '') return /^[A-Za-z0-9]{8}$/.test(id) ? { round: number, adopt: id } : null;
      const text = name.value.trim();
      if ([...text].length < 3) return null;
      return { round: number, name: text, rated: rated.checked, again: again.checked };
    },
    button: t('create'),
  });
}

function askTest(role: Role, node: string): void {
  confirmCommand({
    role,
    node,
    verb: 'notify_test',
    title: t('test_title'),
    effects: [t('test_effect')],
    args: () => ({}),
    button: t('test'),
  });
}

function buttons(role: Role, name: string, broadcast: Broadcast | undefined): HTMLElement {
  const { lichess, phones = [] } = broadcast ?? {};
  const made: HTMLElement[] = [];
  const add = (id: string, text: string, act: () => void): void =>
    void made.push(h('button', { type: 'button', 'data-act': id, onclick: act }, text));
  const rounds = [...new Set(lichess?.rounds.map((round) => round.round))];
  if (lichess && !lichess.dry_run) {
    for (const round of rounds) {
      add(`reset-${round}`, `${t('reset')}, ${t('round_number', { round })}`, () => askReset(role, name, round));
      const open = lichess.rounds.some((one) => one.round === round && !one.closed);
      if (open)
        add(`close-${round}`, `${t('close')}, ${t('round_number', { round })}`, () => askClose(role, name, round));
    }
    if (lichess.creates) add('create', t('create'), () => askCreate(role, name, Math.max(0, ...rounds) + 1));
  }
  if (phones.length > 0) add('test', t('test'), () => askTest(role, name));
  return h('div', { class: 'buttons' }, ...made);
}

/** Makes the card of a daemon. */
export function makeCard(role: Role, name: string): Card {
  const state = h('div');
  const exits = h('div');
  const orders = h('div');
  const actions = h('div');
  const element = h('article', { class: 'node', 'data-node': name }, h('h2', {}, name), state, exits, orders, actions);
  let acts = '';
  return {
    element,
    draw(node, now) {
      const faults = nodeFaults(name, node, now);
      const { broadcast, health } = node;
      const age = node.heardAt === 0 ? '–' : ageWords(Math.max(0, now - node.heardAt));
      fill(
        state,
        faultList(faults),
        h(
          'p',
          { class: 'soft' },
          t('heard', { age }),
          health ? ` · ${t('broker_reconnects', { count: health.broker.reconnects })}` : '',
        ),
      );
      fill(exits, facts(broadcast));
      const newest = (broadcast?.lichess?.orders ?? []).slice(-ORDERS).reverse();
      fill(
        orders,
        newest.length === 0
          ? null
          : h(
              'ul',
              { class: 'orders' },
              ...newest.map((order) => h('li', { 'data-order': order.state }, orderWords(order))),
            ),
      );
      // Buttons stay the same elements while they are the same: a finger may be on one.
      const key = JSON.stringify([
        broadcast?.lichess?.rounds.map((one) => [one.round, one.closed]),
        broadcast?.lichess?.creates,
        broadcast?.lichess?.dry_run,
        broadcast?.phones.length,
      ]);
      if (key !== acts) {
        acts = key;
        fill(actions, buttons(role, name, broadcast));
      }
      element.classList.toggle('red', worst(faults) === 'red');
      return worst(faults);
    },
  };
}

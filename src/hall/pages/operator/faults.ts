/** What is wrong, and what to do: the worst first. */

import { ageWords, v } from '../lib/vocabulary';
import { playerOf } from '../lib/players';
import { SIDES } from '../lib/topics';
import type { Broadcast, ExitCause, Hall, LichessOrder, Node } from './hall';
import { clockTime, t } from './words';

/** How bad it is. Red: games are lost to the public or not followed. */
export type Level = 'red' | 'amber' | 'good';

export interface Fault {
  level: Level;
  what: string;
  todo: string;
}

/** A node that was not heard for so long is out of reach, whatever the broker says. */
export const STALE_MS = 30_000;
/** For how long an order that failed, or whose answer was lost, is named as a fault. It stays in the list. */
const FAILED_MS = 3_600_000;
const UNKNOWN_MS = 24 * 3_600_000;
const LOW_BATTERY = 20;
const EMPTY_BATTERY = 10;

const ORDER: Record<Level, number> = { red: 0, amber: 1, good: 2 };

/** The worst level among faults; good without any. */
export function worst(faults: readonly Fault[]): Level {
  return faults.reduce<Level>((level, fault) => (ORDER[fault.level] < ORDER[level] ? fault.level : level), 'good');
}

export const byLevel = (one: Level, other: Level): number => ORDER[one] - ORDER[other];

const sorted = (faults: Fault[]): Fault[] => faults.sort((one, other) => byLevel(one.level, other.level));

/** Why a node cannot be reached; null if it can. */
export function unreachable(node: Node, now: number): string | null {
  if (node.state?.state !== undefined && node.state.state !== 'online')
    return t('node_gone', { state: v(node.state.state) });
  if (node.heardAt === 0) return t('node_unheard');
  const age = now - node.heardAt;
  return age > STALE_MS ? t('node_silent', { age: ageWords(age) }) : null;
}

/**
 * The failed orders that still matter: the last of its kind for a round, as long as no later order for
 * the round was carried out. A lost answer no longer matters once the round is on Lichess.
 */
function openOrders(broadcast: Broadcast | undefined, now: number): LichessOrder[] {
  const { orders = [], rounds = [] } = broadcast?.lichess ?? {};
  const last = new Map(orders.map((order) => [`${order.verb} ${order.round}`, order]));
  return [...last.values()].filter((order) => {
    const later = orders.slice(orders.indexOf(order) + 1);
    if (later.some((other) => other.round === order.round && other.state === 'done')) return false;
    const age = now - Date.parse(order.time);
    if (order.state === 'unknown') return age < UNKNOWN_MS && !rounds.some((round) => round.round === order.round);
    return order.state === 'failed' && age < FAILED_MS;
  });
}

/** What to do about an upload that fails. */
function uploadTodo(cause: ExitCause | undefined): string {
  if (cause === 'host_key') return t('upload_key_do');
  if (cause === 'certificate') return t('upload_certificate_do');
  if (cause === 'login' || cause === 'settings') return t('settings_do');
  return t('upload_do');
}

export function nodeFaults(name: string, node: Node, now: number): Fault[] {
  const faults: Fault[] = [];
  const add = (level: Level, what: string, todo: string): void => void faults.push({ level, what, todo });
  const gone = unreachable(node, now);
  if (gone !== null) add('red', gone, t('node_do', { node: name }));
  const { health, broadcast, unreadable } = node;
  if (unreadable.length > 0) add('red', t('unreadable', { leaves: unreadable.join(', ') }), t('unreadable_do'));
  if (health && gone === null) {
    if (!health.alive) add('red', t('not_alive'), t('not_alive_do'));
    const waiting = health.boards.reduce((sum, board) => sum + board.not_recorded, 0);
    if (!health.journal_answers || waiting > 0) add('red', t('no_disk', { count: waiting }), t('no_disk_do'));
    const twin = health.namesakes?.[0];
    if (twin !== undefined) add('red', t('twice', { host: twin }), t('twice_do'));
  }
  const { unkept, folder, upload, lichess } = broadcast ?? {};
  if (unkept !== undefined) add('red', t('unkept', { reason: unkept }), t('unkept_do'));
  if (folder?.error !== undefined)
    add(
      'red',
      t('folder_error', { reason: folder.error }),
      t(folder.cause === 'settings' ? 'settings_do' : 'folder_do'),
    );
  if (upload?.error !== undefined) add('red', t('upload_error', { reason: upload.error }), uploadTodo(upload.cause));
  if (lichess?.fault !== undefined) add('red', t('lichess_fault', { reason: lichess.fault }), t('lichess_fault_do'));
  if (lichess?.dry_run) add('amber', t('dry_run'), t('dry_run_do'));
  if (lichess?.halted_until !== undefined)
    add('amber', t('halted', { time: clockTime(lichess.halted_until) }), t('halted_do'));
  for (const round of lichess?.rounds ?? []) {
    const args = { round: round.round, id: round.id };
    if (round.error !== undefined) add('red', t('round_error', { ...args, reason: round.error }), t('round_do'));
    else if (round.closed && round.behind) add('amber', t('closed_behind', args), t('closed_behind_do'));
  }
  if (lichess?.unassigned !== undefined)
    add(
      'red',
      t('unassigned', { round: lichess.unassigned }),
      t(lichess.creates ? 'unassigned_create' : 'unassigned_do'),
    );
  for (const order of openOrders(broadcast, now)) {
    const args = { round: order.round, reason: order.reason ?? '' };
    if (order.state === 'unknown') add('red', t('order_unknown', args), t('order_unknown_do'));
    else add('amber', t('order_failed', args), t('order_failed_do'));
  }
  for (const phone of broadcast?.phones ?? [])
    if (phone.test?.ok === false)
      add('amber', t('phone_failed', { phone: phone.name, reason: phone.test.answer ?? '' }), t('phone_do'));
  return sorted(faults);
}

export function boardFaults(hall: Hall, id: string, now: number): Fault[] {
  const faults: Fault[] = [];
  const add = (level: Level, what: string, todo: string): void => void faults.push({ level, what, todo });
  const { game, link, availability } = hall.boards.get(id) ?? {};
  const unreadable = hall.unreadableOf(id);
  if (unreadable.length > 0) {
    // What else seems to be wrong may only be missing.
    add('red', t('unreadable', { leaves: unreadable.join(', ') }), t('unreadable_do'));
    return faults;
  }
  const [name, node] = hall.nodeOf(id) ?? [];
  const gone = node === undefined ? t('no_node') : unreachable(node, now);
  if (gone !== null) add('red', gone, t('node_do', { node: name ?? '' }));
  else if (availability?.state !== 'online') {
    const state = v(availability?.state ?? 'unknown');
    const reason = link?.reason ?? availability?.reason ?? '';
    const isSource = link?.kind === 'pgn' || link?.kind === 'livechess';
    const todo = t(isSource ? 'source_do' : 'cable_do', { port: link?.port ?? '' });
    add('red', reason === '' ? state : `${state}: ${reason}`, todo);
  }
  if (link) {
    const { battery, faulty_squares: squares } = link;
    if (battery !== null && battery <= LOW_BATTERY)
      add(battery <= EMPTY_BATTERY ? 'red' : 'amber', t('battery_low', { battery }), t('battery_do'));
    if (squares.length > 0) add('amber', t('faulty', { squares: squares.join(', ') }), t('faulty_do'));
    if (link.clock_reversed === true) add('amber', t('clock_reversed'), t('clock_reversed_do'));
  }
  const tracker = game?.tracker.state;
  if (tracker === 'mismatch') add('amber', t('mismatch'), t('mismatch_do'));
  const unnamed = SIDES.filter((side) => !playerOf(game?.headers, side).named);
  if (unnamed.length > 0)
    add('amber', t('no_name', { side: unnamed.map((side) => v(side)).join(', ') }), t('no_name_do'));
  const shown = node?.broadcast?.lichess?.boards[id];
  if (shown?.error !== undefined) add('red', t('game_error', { reason: shown.error }), t('game_error_do'));
  const replaced = shown?.games.some((one) => (one.replaced?.length ?? 0) > 0);
  if (replaced === true) add('amber', t('replaced'), t('replaced_do'));
  for (const { id, left_over: leftOver, stale_tags: tags } of shown?.games ?? []) {
    if (leftOver === true) add('amber', t('left_over', { id }), t('left_over_do'));
    else if (tags !== undefined) add('amber', t('stale_tags', { tags: tags.join(', ') }), t('replaced_do'));
  }
  return sorted(faults);
}

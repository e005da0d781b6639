// The judgement, from the record on the disk and what subscribers have received.

import { createHash } from 'node:crypto';

const BOARD = /^chess\/v1\/hall\/arbiter\/([^/]+)\/event$/;

/** What is kept of the facts of an event: hours of whole events do not fit into memory. */
const digest = (facts) => createHash('sha256').update(JSON.stringify(facts)).digest('base64');

/** What the judgement needs of a message: null if it is no event for the arbiter. */
export function kept({ topic, payload }, at) {
  const board = BOARD.exec(topic)?.[1];
  if (board === undefined) return null;
  const { seq, facts } = JSON.parse(payload);
  return { board, seq, content: digest(facts), at };
}

/**
 * How a subscriber's events differ from the record. `again` counts repeated deliveries of an event
 * it already had, which the protocol allows: a subscriber recognises them by `seq`. `doubled` counts
 * events that came with one number and two contents. `disordered` counts first deliveries after a
 * later event of the same board.
 */
export function judge(entries, messages) {
  const result = { facts: 0, events: 0, lost: [], doubled: [], disordered: [], again: 0, unknown: [] };
  const seen = new Map();
  const newest = new Map();
  for (const { board, seq, content } of messages) {
    const key = `${board} ${seq}`;
    if (seen.has(key)) {
      if (seen.get(key) === content) result.again += 1;
      else result.doubled.push(key);
      continue;
    }
    seen.set(key, content);
    if (seq < (newest.get(board) ?? 0)) result.disordered.push(key);
    newest.set(board, Math.max(seq, newest.get(board) ?? 0));
  }
  for (const [board, all] of entries) {
    for (const entry of all) {
      const key = `${board} ${entry.seq}`;
      result.events += 1;
      result.facts += entry.facts.length;
      if (!seen.has(key)) result.lost.push(key);
      else if (seen.get(key) !== digest(entry.facts)) result.doubled.push(key);
      seen.delete(key);
    }
  }
  result.unknown = [...seen.keys()];
  return result;
}

/** One line for people. */
export function line(name, { facts, events, lost, doubled, disordered, again, unknown }) {
  const few = (list) => (list.length === 0 ? '0' : `${list.length} (${list.slice(0, 4).join(', ')})`);
  return (
    `${name.padEnd(28)} ${events} events with ${facts} facts: lost ${few(lost)}, doubled ${few(doubled)}, ` +
    `out of order ${few(disordered)}, not in the record ${few(unknown)}; delivered again ${again}`
  );
}

/** Topics that change too often to be compared, or are not kept: what a new reader finds may be older. */
const RESTLESS = /\/(event|health|squares)$|^chess\/v1\/[^/]+\/(cmd|reply)\//;

/**
 * The topics whose value at a node is not what `truth`, a witness at the daemon's own node, has
 * received. Every value is right that was the newest at some time after `from`.
 */
export function differences(truth, retained, from) {
  const wrong = [];
  for (const [topic, values] of truth.values) {
    if (RESTLESS.test(topic)) continue;
    const value = retained.get(topic) ?? '';
    const isRight = values.some(
      ({ payload }, index) => payload === value && (values[index + 1]?.at ?? Infinity) > from,
    );
    if (!isRight) wrong.push(topic);
  }
  for (const [topic, value] of retained)
    if (!RESTLESS.test(topic) && value !== '' && !truth.values.has(topic)) wrong.push(topic);
  return wrong;
}

// When a payload was sent: outages, delays, and clocks that are set.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from './bundle.mjs';

let lib;
before(async () => {
  lib = await load(`export * from './lib/clocks'; export * from './lib/lateness';`);
});

/**
 * A moment in the daemon's time, and the same in that of a server whose clock is three minutes
 * fast.
 */
const daemon = (seconds) => new Date(Date.UTC(2026, 10, 22, 10, 0, 0) + seconds * 1000).toISOString();
const server = (seconds) => daemon(seconds + 180);

/**
 * A topic of the daemon with id `session`, sent at `at` seconds and received `late` seconds later.
 */
const hear = (lateness, session, seq, at, late, { topic = 'b1/availability', audience = 'hall' } = {}) =>
  lateness.hear(topic, { session, seq, time: daemon(at) }, server(at + late), audience);

test('what a daemon could tell only after an outage is as old as it says', () => {
  const { lateness, readClock, remaining } = lib;
  const times = { white_ms: 600_000, black_ms: 90_000, running: 'white' };
  const told = { time: daemon(10), readAt: daemon(10), received: server(310), session: 'outage' };
  // Nothing is known about the daemon yet: its clock might be five minutes slow.
  assert.equal(readClock(times, told).at, Date.parse(server(310)));
  hear(lateness, 'outage', 7, 10, 300);
  assert.equal(readClock(times, told).at, Date.parse(server(310)));
  // A prompt message shows how old the other one was, in either order.
  hear(lateness, 'outage', 8, 320, 0, { topic: 'b2/game' });
  assert.equal(readClock(times, told).at, Date.parse(server(10)));
  assert.equal(remaining(readClock(times, told), 'white', Date.parse(server(320))), 290_000);
  // A clock reading taken after the payload's entry was also sent after it.
  assert.equal(readClock(times, { ...told, time: daemon(0) }).at, Date.parse(server(10)));
  // This corrects no other daemon's clock, and nothing becomes younger than its time of receipt.
  assert.equal(readClock(times, { ...told, session: 'other' }).at, Date.parse(server(310)));
  assert.equal(readClock(times, { ...told, received: server(9) }).at, Date.parse(server(9)));
});

test('the public’s delay is no lateness', () => {
  const { lateness, readClock } = lib;
  const times = { white_ms: 600_000, black_ms: 90_000, running: 'white' };
  const told = (at, late) => ({ time: daemon(at), readAt: daemon(at), received: server(at + late), session: 'public' });
  hear(lateness, 'public', 7, 0, 0, { audience: 'public' });
  assert.equal(readClock(times, told(10, 15), 15_000).at, Date.parse(server(25)));
  assert.equal(readClock(times, told(10, 400), 15_000).at, Date.parse(server(25)));
  // If this server does not know the delay, the fastest delayed payload shows it.
  assert.equal(readClock(times, told(10, 15), 0).at, Date.parse(server(25)));
  hear(lateness, 'public', 8, 10, 15, { topic: 'b1/game', audience: 'public' });
  assert.equal(readClock(times, told(20, 400), 0).at, Date.parse(server(35)));
});

test('a clock that is set, the daemon’s or the server’s, makes no payload late', () => {
  const { Lateness } = lib;
  const at = (lateness, seconds, late) =>
    lateness.sentAt('set', daemon(seconds), server(seconds + late), null) - Date.parse(server(seconds));
  const lateness = new Lateness();
  hear(lateness, 'set', 7, 0, 0);
  assert.equal(at(lateness, 5, 60), 0);
  // A later entry, an hour earlier.
  hear(lateness, 'set', 8, -3600, 3600);
  assert.equal(at(lateness, -3595, 3600), 3_600_000);
  // A repeated older entry has no effect.
  hear(lateness, 'set', 6, -7200, 9000);
  assert.equal(at(lateness, -3595, 3700), 3_600_000);
});

test('what came before the server’s clock was set forward goes with it', () => {
  const { Lateness } = lib;
  const lateness = new Lateness();
  const LEAP = 3600;
  const sent = (seconds, received) =>
    (lateness.sentAt('leap', daemon(seconds), server(received), null) - Date.parse(server(0))) / 1000;
  hear(lateness, 'leap', 7, 0, 0);
  const leap = () => lateness.leap(Date.parse(server(LEAP + 21)), LEAP * 1000);
  leap();
  // Every feed reports it, up to one heartbeat later.
  lateness.leap(Date.parse(server(LEAP + 23)), LEAP * 1000);
  assert.equal(sent(10, 10), LEAP + 10);
  // Messages that were late then stay equally late.
  assert.equal(sent(5, 15), LEAP + 5);
  assert.equal(lateness.moment(server(12), daemon(0)), Date.parse(server(LEAP + 12)));
  // A daemon on the same computer is set with it. Its later messages say nothing about its earlier
  // ones.
  assert.equal(sent(LEAP + 20, LEAP + 20), LEAP + 20);
  hear(lateness, 'leap', 8, LEAP + 20, 0);
  assert.equal(sent(LEAP + 25, LEAP + 40), LEAP + 25);
  assert.equal(sent(10, 10), LEAP + 10);
  // A repeated message keeps its meaning.
  hear(lateness, 'leap', 7, 0, 0);
  assert.equal(sent(LEAP + 25, LEAP + 40), LEAP + 25);
  // The clock is set a second time.
  lateness.leap(Date.parse(server(2 * LEAP + 60)), LEAP * 1000);
  assert.equal(sent(10, 10), 2 * LEAP + 10);
  assert.equal(sent(LEAP + 25, LEAP + 40), 2 * LEAP + 25);
});

test('what a daemon said before its own clock was set forward is as old as it was', () => {
  const { Lateness } = lib;
  const lateness = new Lateness();
  const LEAP = 3600;
  const sent = (seconds, received) =>
    (lateness.sentAt('far', daemon(seconds), server(received), null) - Date.parse(server(0))) / 1000;
  hear(lateness, 'far', 7, 0, 0);
  hear(lateness, 'far', 8, 5, 0, { topic: 'b2/game' });
  hear(lateness, 'far', 9, LEAP + 10, -LEAP);
  assert.equal(sent(5, 5), 5);
  assert.equal(sent(2, 8), 2);
  assert.equal(sent(LEAP + 12, 12), 12);
  assert.equal(sent(LEAP + 12, 30), 12);
  // It is set back, and everything is forgotten.
  hear(lateness, 'far', 10, 40, 0);
  assert.equal(sent(41, 41), 41);
});

test('an outage of which nothing else is known is no clock that was set', () => {
  const { Lateness } = lib;
  const lateness = new Lateness();
  // Everything held up arrives together.
  for (const at of [0, 90, 200]) hear(lateness, 'held', 7 + at, at, 300 - at);
  hear(lateness, 'held', 500, 320, 0);
  assert.equal(lateness.sentAt('held', daemon(10), server(300), null), Date.parse(server(10)));
});

test('what cannot be read is not taken note of, and old sessions are forgotten', () => {
  const { Lateness } = lib;
  const lateness = new Lateness();
  const at = (session) => lateness.sentAt(session, daemon(0), server(60), null) - Date.parse(server(0));
  for (const payload of [null, 7, 'b1', {}, { session: 'odd' }, { session: 'odd', time: 'noon' }])
    lateness.hear('b1/game', payload, server(0), 'hall');
  assert.equal(at('odd'), 60_000);
  hear(lateness, 'first', 1, 0, 0);
  for (let number = 0; number < 127; number++) hear(lateness, `s${number}`, 1, 0, 0);
  assert.equal(at('first'), 0);
  hear(lateness, 's0', 2, 1, 0);
  for (let number = 127; number < 128; number++) hear(lateness, `s${number}`, 1, 0, 0);
  assert.equal(at('first'), 60_000);
  assert.equal(at('s0'), 0);
});

// Everything that the screens of players and of the public receive in a competition, frame by
// frame, until the end of a game. The arbiter's topics, read from the broker directly, show when it
// all happened.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { createInterface } from 'node:readline';
import { board, launch, visit } from './browser.mjs';

/** Keys that reveal eligibility, counters, hints, or what only the arbiter may know. */
const NEVER = [
  'alerts',
  'arbiter_decides',
  'candidates',
  'claim',
  'confidence',
  'contested',
  'first_end',
  'lost',
  'must_play',
  'proposed_result',
  'squares',
  'touched',
];
const COUNTERS = [
  'automatic',
  'automatic_in',
  'claims',
  'dead',
  'halfmove_clock',
  'offers',
  'ply',
  'repetition',
  'since_ply',
  'doubted',
  'doubted_since',
  'times',
  'regular',
];

const TOPICS = {
  hall: /^([a-z0-9-]+\/(game|result|availability)|node\/[a-z0-9-]+\/state)$/,
  player: /^([a-z0-9-]+\/(offer|clock|result|availability)|node\/[a-z0-9-]+\/state)$/,
  public: /^([a-z0-9-]+\/(game|draw|offer|result|availability)|node\/[a-z0-9-]+\/state)$/,
};

/** Times are written in whole milliseconds, so the difference of two may be one short. */
const ROUNDED_MS = 1;
/** A game counts as followed after this many values; only then is its end relevant. */
const FOLLOWED = 20;

/** What the arbiter receives about a board, as any client of the broker does. */
class Arbiter {
  games = [];

  constructor() {
    const [host, port] = (process.env.REMISD_MQTT ?? '127.0.0.1:1883').split(':');
    const args = ['-h', host, '-p', port, '-t', `chess/v1/+/arbiter/${board}/game`];
    this.listener = spawn('mosquitto_sub', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.told = new Promise((resolve) => {
      createInterface({ input: this.listener.stdout }).on('line', (line) => {
        if (line !== '') this.games.push(JSON.parse(line));
        resolve();
      });
    });
  }

  /** The last ply that the arbiter had been sent by this time, by the daemon's clock. */
  plyAt(time) {
    return this.games.filter((one) => Date.parse(one.time) <= time).at(-1)?.ply;
  }

  /**
   * When the arbiter first saw a position that another audience received with this payload time, by
   * the daemon's clock. Undefined if the listener was not connected yet. Audiences number games
   * differently, so the game is the one played at that time.
   */
  since(session, time, ply) {
    const until = this.games.filter((one) => one.session === session && one.time <= time);
    const inGame = until.filter((one) => one.game === until.at(-1).game);
    const reached = inGame.findIndex((one) => one.ply >= ply);
    // A position that was already there at the first look may be older.
    return reached < 1 ? undefined : Date.parse(inGame[reached].time);
  }

  close() {
    this.listener.kill();
  }
}

let browser;
let arbiter;
const heard = {};
before(async () => {
  browser = await launch();
  arbiter = new Arbiter();
  await arbiter.told;
  await Promise.all(
    ['display', 'clock', 'overlay'].map(async (name) => {
      heard[name] = await listen(name);
    }),
  );
});
after(async () => {
  arbiter.close();
  await browser.close();
});

/** Every key in a payload, at any depth, with its value. */
function* keys(value, above = '') {
  if (Array.isArray(value)) for (const item of value) yield* keys(item, above);
  else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      yield [key, inner, above];
      if (key !== 'headers') yield* keys(inner, key);
    }
  }
}

/** Whether a game was followed and has ended. */
function hasEnded(frames) {
  const ready = frames.findIndex((frame) => frame.type === 'ready');
  const later = ready < 0 ? [] : frames.slice(ready).filter((frame) => frame.type === 'value');
  return later.slice(FOLLOWED).some(({ topic, payload }) => {
    const result = topic.endsWith('/game') ? payload?.result : topic.endsWith('/result') ? payload : null;
    return Boolean(result) && result.score !== '*';
  });
}

/** What a page receives until the end of a game. */
async function listen(name) {
  const { seen, close } = await visit(browser, name);
  await seen.until(hasEnded);
  await close();
  const values = seen.frames.filter((frame) => frame.type === 'value' && frame.payload !== null);
  return { hello: seen.frames.find((frame) => frame.type === 'hello'), values };
}

for (const [name, audience] of [
  ['display', 'hall'],
  ['clock', 'player'],
]) {
  test(`${name} receives nothing that players must not be told`, () => {
    const { hello, values } = heard[name];
    assert.equal(hello.audience, audience);
    for (const { topic, payload } of values) {
      assert.match(topic, TOPICS[audience]);
      for (const [key, value, above] of keys(payload)) {
        // The clock is paused "for a claim": that is a value and reveals no eligibility.
        assert.ok(![...NEVER, ...COUNTERS].includes(key), `${topic} has ${above}.${key}`);
        if (key === 'fen' || key === 'start_fen') assert.equal(value.split(' ').length, 4, `${topic}: ${value}`);
        if (name === 'clock') assert.ok(!['fen', 'moves', 'turn'].includes(key), `${topic} has ${key}`);
      }
    }
  });
}

test('display shows no number of a move', async () => {
  const { tab, close } = await visit(browser, 'display');
  for (const text of await tab.locator('.tile:not(.over) .move').allTextContents())
    assert.doesNotMatch(text, /^\d|\d\.|…/);
  await close();
});

test('overlay receives nothing of the position that is on the board', () => {
  const { hello, values } = heard.overlay;
  assert.equal(hello.audience, 'public');
  const plies = new Map();
  for (const { topic, payload } of values) {
    assert.match(topic, TOPICS.public);
    for (const [key, , above] of keys(payload)) assert.ok(!NEVER.includes(key), `${topic} has ${above}.${key}`);
    const [board, leaf] = topic.split('/');
    if (leaf === 'game')
      plies.set(`${board} ${payload.session} ${payload.game}`, { ply: payload.ply, over: payload.result !== null });
  }
  for (const { topic, payload } of values.filter((one) => one.topic.endsWith('/draw'))) {
    const now = plies.get(`${topic.split('/')[0]} ${payload.session} ${payload.game}`);
    if (now !== undefined && !now.over)
      assert.ok(payload.ply < now.ply, `${topic} tells of ply ${payload.ply}, which is still on the board`);
  }
});

test('overlay receives nothing that is younger than the delay', () => {
  const { hello, values } = heard.overlay;
  const told = values.filter(({ topic, received }) => received !== null && /\/(game|draw|offer)$/.test(topic));
  let compared = 0;
  let ahead = 0;
  for (const { topic, payload, received } of told) {
    // All three times are of this computer's clock: the payload's, the arbiter's first of its ply,
    // the server's.
    const late = Date.parse(received) - Date.parse(payload.time);
    assert.ok(late >= hello.delay_ms - ROUNDED_MS, `${topic} came ${late} ms after its own time`);
    if (payload.ply === undefined) continue;
    const happened = arbiter.since(payload.session, payload.time, payload.ply);
    if (happened === undefined) continue;
    compared++;
    ahead = Math.max(ahead, arbiter.plyAt(Date.parse(received)) - payload.ply);
    const age = Date.parse(received) - happened;
    assert.ok(age >= hello.delay_ms - ROUNDED_MS, `${topic} told of ply ${payload.ply} ${age} ms after it was played`);
  }
  assert.ok(compared > FOLLOWED, `only ${compared} values could be held against the arbiter's`);
  if (hello.delay_ms > 0) assert.ok(ahead > 1, 'the arbiter was never more than a ply ahead');
  if (process.env.REMISD_DELAY_MS) assert.equal(hello.delay_ms, Number(process.env.REMISD_DELAY_MS));
});

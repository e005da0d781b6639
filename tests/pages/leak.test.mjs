// What the screens of players and of the public ever receive in a competition, frame by frame.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, visit } from './browser.mjs';

/** How long to listen; the longer, the more of a game is seen. */
const LISTEN_MS = Number(process.env.REMISD_LEAK_SECONDS ?? 20) * 1000;

/** Words that tell of eligibility, counters, hints, or of what the arbiter alone knows. */
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
  'times',
  'regular',
];

const TOPICS = {
  hall: /^([a-z0-9-]+\/(game|result|availability)|node\/[a-z0-9-]+\/state)$/,
  player: /^([a-z0-9-]+\/(offer|clock|result|availability)|node\/[a-z0-9-]+\/state)$/,
  public: /^([a-z0-9-]+\/(game|draw|offer|result|availability)|node\/[a-z0-9-]+\/state)$/,
};

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Every key in a payload, however deep, with its value. */
function* keys(value, above = '') {
  if (Array.isArray(value)) for (const item of value) yield* keys(item, above);
  else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      yield [key, inner, above];
      if (key !== 'headers') yield* keys(inner, key);
    }
  }
}

async function listen(name) {
  const { tab, seen, close } = await visit(browser, name);
  await tab.waitForTimeout(LISTEN_MS);
  const text = await tab.textContent('body');
  await close();
  const frames = seen.frames.map((one) => one.frame);
  const values = frames.filter((frame) => frame.type === 'value' && frame.payload !== null);
  assert.ok(values.length > 3, 'the page received next to nothing');
  return { hello: frames.find((frame) => frame.type === 'hello'), values, text };
}

for (const [name, audience] of [
  ['display', 'hall'],
  ['clock', 'player'],
]) {
  test(`${name} receives nothing that players must not be told`, async () => {
    const { hello, values } = await listen(name);
    assert.equal(hello.audience, audience);
    for (const { topic, payload } of values) {
      assert.match(topic, TOPICS[audience]);
      for (const [key, value, above] of keys(payload)) {
        // The clock is paused "for a claim": that is a value, and no eligibility.
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

test('overlay receives only what has passed, and nothing younger than the delay', async () => {
  const { hello, values } = await listen('overlay');
  assert.equal(hello.audience, 'public');
  const plies = new Map();
  for (const { topic, payload, received } of values) {
    assert.match(topic, TOPICS.public);
    for (const [key, , above] of keys(payload)) assert.ok(!NEVER.includes(key), `${topic} has ${above}.${key}`);
    const [board, leaf] = topic.split('/');
    if (leaf === 'game')
      plies.set(`${board} ${payload.session} ${payload.game}`, { ply: payload.ply, over: payload.result !== null });
    if (['game', 'draw', 'offer'].includes(leaf) && received !== null) {
      const late = Date.parse(received) - Date.parse(payload.time);
      assert.ok(late >= hello.delay_ms - 5, `${topic} came after ${late} ms`);
    }
  }
  for (const { topic, payload } of values.filter((one) => one.topic.endsWith('/draw'))) {
    const now = plies.get(`${topic.split('/')[0]} ${payload.session} ${payload.game}`);
    if (now !== undefined && !now.over)
      assert.ok(payload.ply < now.ply, `${topic} tells of ply ${payload.ply}, which is still on the board`);
  }
});

// The player's panel: commands arrive, are answered in words, and ask for confirmation if they
// cannot be undone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, board, credentials, launch, openTab, url, visit } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const answered = '.answer.done, .answer.refused';

/** Answers every command in place of the daemon and records it. */
async function standIn(tab, answer) {
  const sent = [];
  await tab.route('**/api/command/**', async (route) => {
    const body = JSON.parse(route.request().postData());
    sent.push({ path: new URL(route.request().url()).pathname, body });
    await answer(route, body, sent.length);
  });
  return sent;
}

const agree = (route, body) => route.fulfill({ json: { schema: 'remisd/reply/1', id: body.id, ok: true, seq: 7 } });

test('an offer arrives, and the board answers', async () => {
  const { tab, close } = await visit(browser, 'clock');
  // The answer goes with the next move, so it is waited for before it can come.
  const answer = tab.waitForFunction((at) => document.querySelector(at)?.textContent, answered);
  await tab.click('[data-verb=offer]:enabled');
  await answer;
  await close();
});

test('a claim is asked for twice, with the move as it is written in the page’s language', async () => {
  const { tab, close } = await visit(browser, 'clock', { query: { lang: 'de' } });
  const sent = await standIn(tab, agree);
  await tab.click('[data-verb=claim]:enabled');
  await assertAccessible(tab);
  await tab.check('input[value=move]');
  await tab.click('dialog .danger');
  assert.match(await tab.textContent('dialog .trouble'), /Schreiben Sie/);
  await tab.fill('#claim-move', 'Sf3');
  await tab.click('dialog .danger');
  await tab.waitForSelector('.answer.done');
  assert.equal(sent.length, 1);
  assert.equal(sent[0].path, `/api/command/white/${board}/claim`);
  assert.equal(sent[0].body.kind, 'threefold');
  assert.equal(sent[0].body.move, 'Nf3');
  assert.equal(sent[0].body.player, undefined);
  assert.match(sent[0].body.id, /^[0-9a-f-]{36}$/);
  await close();
});

test('a claim and a resignation can be left by keyboard alone', async () => {
  const { tab, close } = await visit(browser, 'clock');
  const sent = await standIn(tab, agree);
  await tab.waitForSelector('[data-verb=resign]:enabled');
  for (const verb of ['claim', 'resign']) {
    for (let press = 0; press < 20; press++) {
      await tab.keyboard.press('Tab');
      if ((await tab.evaluate(() => document.activeElement?.dataset?.verb)) === verb) break;
    }
    await tab.keyboard.press('Enter');
    await tab.waitForSelector('dialog[open]');
    await tab.keyboard.press('Escape');
    await tab.waitForSelector('dialog', { state: 'detached' });
    assert.equal(await tab.evaluate(() => document.activeElement?.dataset?.verb), verb, 'the focus comes back');
  }
  assert.equal(sent.length, 0);
  await close();
});

test('without an answer the same command is sent again, with the same id', async () => {
  const { tab, close } = await visit(browser, 'clock');
  const sent = await standIn(tab, (route, body, count) =>
    count < 3 ? route.fulfill({ status: 504, json: { code: 'no_answer' } }) : agree(route, body),
  );
  await tab.click('[data-verb=pause]:enabled');
  await tab.waitForSelector('.answer.done');
  assert.equal(sent.length, 3);
  assert.equal(new Set(sent.map((one) => one.body.id)).size, 1);
  await close();
});

test('a refusal stands in the page’s words', async () => {
  const { tab, close } = await visit(browser, 'clock', { query: { lang: 'nl' } });
  await standIn(tab, (route, body) =>
    route.fulfill({
      status: 409,
      json: { schema: 'remisd/reply/1', id: body.id, ok: false, code: 'wrong_state', message: 'No offer stands.' },
    }),
  );
  await tab.click('[data-verb=pause]:enabled');
  await tab.waitForSelector('.answer.refused');
  assert.equal(await tab.textContent('.answer'), 'Dat kan nu niet.');
  await close();
});

test('where the broker wants a password the page asks for it, and says when it is wrong', async () => {
  const { tab, close } = await openTab(browser);
  let attempts = 0;
  await tab.route('**/api/session', async (route) => {
    if (route.request().method() === 'GET')
      return route.fulfill({ json: { schema: 'remisd/session/1', grants: [], open: [] } });
    attempts++;
    const { user, password, role, board: at } = JSON.parse(route.request().postData());
    assert.deepEqual([user, role, at], ['white', 'white', board]);
    return password === (process.env.REMISD_PASSWORD_WHITE ?? 'right')
      ? route.continue()
      : route.fulfill({ status: 401, json: { ok: false, code: 'refused', message: 'no' } });
  });
  await tab.goto(`${url}/clock?board=${board}&role=white`);
  await tab.waitForSelector('dialog[open]');
  await assertAccessible(tab);
  assert.equal(await tab.inputValue('[name=user]'), 'white');
  await tab.keyboard.type('wrong');
  await tab.keyboard.press('Enter');
  await tab.waitForFunction(() => document.querySelector('dialog .trouble')?.textContent !== '');
  assert.match(await tab.textContent('dialog .trouble'), /User or password is wrong/);
  await tab.fill('[name=password]', process.env.REMISD_PASSWORD_WHITE ?? 'right');
  await tab.keyboard.press('Enter');
  await tab.waitForSelector('.face .time');
  assert.equal(attempts, 2);
  await close();
});

test('who signs out is asked again, and nothing is shown meanwhile', async () => {
  const { tab, close } = await visit(browser, 'clock');
  await tab.click('.leave');
  await tab.waitForSelector('dialog[open]');
  assert.equal(await tab.locator('.face').count(), 0);
  await close();
});

test('nothing can be pressed while nothing is heard', async () => {
  const { tab, line, close } = await visit(browser, 'clock');
  await tab.waitForSelector('[data-verb=offer]:enabled');
  line.cut();
  await tab.waitForSelector('[data-verb=resign]:disabled');
  assert.equal(await tab.locator('.keys button:enabled').count(), 0);
  line.join();
  await tab.waitForSelector('[data-verb=resign]:enabled');
  await close();
});

test('a clock speaks for both players, and names the one', async () => {
  const { tab, close } = await openTab(browser);
  const sent = await standIn(tab, agree);
  await tab.goto(`${url}/clock?board=${board}&role=clock${credentials('clock')}`);
  await tab.click('.panel.black [data-verb=offer]:enabled');
  await tab.waitForSelector('.panel.black .answer.done');
  assert.equal(sent[0].path, `/api/command/clock/${board}/offer`);
  assert.equal(sent[0].body.player, 'black');
  await close();
});

test('an offer of the opponent is shown and can be answered', async () => {
  const { tab, line, close } = await openTab(browser);
  // The feed is made up here: in a real game the next move would end the offer.
  const payload = (more) => ({ site: 'hall', board, session: 's', seq: 3, time: new Date().toISOString(), ...more });
  await tab.routeWebSocket(/\/feed\?/, (socket) => {
    const tell = (frame) => socket.send(JSON.stringify(frame));
    const now = new Date().toISOString();
    tell({ type: 'hello', site: 'hall', audience: 'player', time: now, version: '0', delay_ms: 0, languages: ['en'] });
    tell({
      type: 'value',
      topic: `${board}/offer`,
      received: now,
      payload: payload({ schema: 'remisd/offer/1', by: 'black', by_claim: false }),
    });
    tell({
      type: 'value',
      topic: `${board}/clock`,
      received: now,
      payload: payload({
        schema: 'remisd/clock/1',
        white_ms: 61_000,
        black_ms: null,
        running: null,
        paused: { reason: 'claim', since: now },
        adjustment: {
          id: 'adjustment-1',
          reason: 'incorrect_claim',
          white: { change: 'none' },
          black: { change: 'add', ms: 120_000 },
        },
      }),
    });
    tell({ type: 'ready' });
    setInterval(() => tell({ type: 'beat', time: new Date().toISOString(), broker: true }), 2000).unref();
  });
  const sent = await standIn(tab, agree);
  await tab.goto(`${url}/clock?board=${board}&role=white${credentials('white')}`);
  await tab.waitForSelector('.panel.asked');
  assert.equal(await tab.textContent('.standing'), 'Black offers a draw.');
  assert.equal(
    await tab.textContent('.orders'),
    'Stop the clock: a claim is being checked. Set the clock: Black +2:00 (incorrect claim).',
  );
  // White's clock is on the left for every viewer.
  assert.deepEqual(await tab.locator('.time').allTextContents(), ['01:01', '–:––']);
  await assertAccessible(tab);
  await tab.click('[data-verb=accept]');
  await tab.click('dialog .danger');
  await tab.waitForSelector('.answer.done');
  assert.equal(sent[0].path, `/api/command/white/${board}/accept`);
  line.join();
  await close();
});

/** A made-up feed of the board whose frames are sent by the test. */
async function madeUp(tab, role = 'white', { silent = false } = {}) {
  const START = Date.UTC(2026, 10, 22, 12);
  const at = (seconds) => new Date(START + seconds * 1000).toISOString();
  let socket;
  let passed = 0;
  const tell = (frame) => socket.send(JSON.stringify(frame));
  const feed = {
    /** Sets the server's clock to this many seconds; the delayed heartbeats arrive together. */
    beat(seconds) {
      for (const second of [passed, seconds]) tell({ type: 'beat', time: at(second), broker: true });
      passed = seconds;
    },
    /** A single heartbeat. */
    oneBeat(seconds) {
      passed = seconds;
      tell({ type: 'beat', time: at(seconds), broker: true });
    },
    value: (leaf, seconds, received, more) =>
      tell({
        type: 'value',
        topic: `${board}/${leaf}`,
        received: at(received),
        payload: more && { site: 'hall', board, session: 's', seq: 3, time: at(seconds), ...more },
      }),
    clock: (seconds, received, white_ms) =>
      feed.value('clock', seconds, received, { at: at(seconds), white_ms, black_ms: 90_000, ...RUNNING }),
  };
  await tab.route('**/api/session', (route) =>
    route.fulfill({
      json: { schema: 'remisd/session/1', grants: [{ role, board, user: role, name: null }], open: [] },
    }),
  );
  await tab.routeWebSocket(/\/feed\?/, (opened) => {
    socket = opened;
    tell({
      type: 'hello',
      site: 'hall',
      audience: 'player',
      time: at(0),
      version: '0',
      delay_ms: 0,
      languages: ['en'],
    });
    feed.value('availability', 0, 0, { state: 'online' });
    feed.clock(0, 0, 600_000);
    tell({ type: 'ready' });
  });
  // Without any heartbeat the page closes the line after a while, and the buttons cannot be pressed.
  const beats = setInterval(() => socket !== undefined && !silent && feed.oneBeat(passed), 2000);
  tab.once('close', () => clearInterval(beats));
  await tab.goto(`${url}/clock?board=${board}&role=${role}`);
  await tab.waitForFunction(() => /^09:5/.test(document.querySelector('.face.white .time')?.textContent ?? ''));
  return feed;
}

const RUNNING = { running: 'white', paused: null, adjustment: null };
const timeOf = (tab) => tab.textContent('.face.white .time');

test('the clocks of a board that is lost stand as they were', async () => {
  const { tab, close } = await openTab(browser);
  const feed = await madeUp(tab);
  feed.value('availability', 60, 60, { state: 'offline', seq: 4 });
  await tab.waitForFunction(() => document.querySelector('.face.white .time').textContent === '09:00');
  // Two minutes later by the server's clock. What arrives after that is rendered with it.
  feed.beat(180);
  feed.value('result', 60, 180, { score: '1-0', reason: 'resignation', confirmed: true });
  await tab.waitForSelector('.result:not([hidden])');
  assert.equal(await timeOf(tab), '09:00');
  assert.equal(await tab.locator('.face.running').count(), 0);
  feed.value('availability', 190, 190, { state: 'online', seq: 5 });
  await tab.waitForFunction(() => /^0[67]:/.test(document.querySelector('.face.white .time').textContent));
  await close();
});

test('the clocks stand while the server is not heard', async () => {
  const { tab, close } = await openTab(browser);
  await madeUp(tab, 'white', { silent: true });
  const note = () => tab.textContent('#age');
  await tab.waitForSelector('#age:not([hidden])');
  const [time, before] = [await timeOf(tab), await note()];
  for (let past = 0, shown = before; past < 2; past++) {
    await tab.waitForFunction((was) => document.querySelector('#age').textContent !== was, shown);
    shown = await note();
  }
  assert.equal(await timeOf(tab), time);
  await close();
});

test('what comes late after an outage gives no time back', async () => {
  const { tab, close } = await openTab(browser);
  const feed = await madeUp(tab);
  // Five minutes without a broker, then the clock reading from the start of that outage.
  feed.beat(302);
  feed.clock(2, 302, 500_000);
  feed.value('availability', 302, 302, { state: 'online', seq: 5 });
  await tab.waitForFunction(() => /^03:[12]/.test(document.querySelector('.face.white .time').textContent));
  await close();
});

test('a clock of the server that is set takes the clocks on the page with it', async () => {
  const { tab, close } = await openTab(browser);
  await tab.clock.install();
  // No heartbeats beside those that the test sends: they would say that the server's clock stands.
  const feed = await madeUp(tab, 'white', { silent: true });
  feed.oneBeat(0);
  await tab.waitForFunction(() => /^09:5/.test(document.querySelector('.face.white .time').textContent));
  await tab.clock.runFor(2000);
  feed.oneBeat(3602);
  // A message after it shows that the page has received it.
  feed.value('result', 3602, 3602, { score: '1-0', reason: 'resignation', confirmed: true });
  await tab.waitForSelector('.result:not([hidden])');
  assert.match(await timeOf(tab), /^09:5/);
  await close();
});

/** A board's clock as the tablet receives it. */
const CLOCK = { white_ms: 600_000, black_ms: 590_000, ...RUNNING };
const standing = (tab) => tab.textContent('.standing');
/** Waits until these buttons can be pressed, and no others: none can while a command is on its way. */
const canPress = (tab, verbs) =>
  tab.waitForFunction((wanted) => {
    const keys = [...document.querySelectorAll('.keys button:enabled')].filter((key) => !key.hidden);
    return keys.map((key) => key.dataset.verb).join() === wanted;
  }, verbs.join());
const told = (tab, text) =>
  tab.waitForFunction((wanted) => document.querySelector('.standing')?.textContent === wanted, text);

test('the names of the players stand on the clock, White’s on the left, whoever looks at it', async () => {
  for (const role of ['white', 'black', 'clock']) {
    const { tab, close } = await openTab(browser);
    const feed = await madeUp(tab, role);
    feed.value('clock', 1, 1, { ...CLOCK, players: { white: 'Smit, Anna', black: 'כהן, דן' }, seq: 9 });
    await tab.waitForFunction(() => document.querySelector('.face.white bdi')?.textContent === 'Smit, Anna');
    assert.equal(await tab.textContent('.face.black bdi'), 'כהן, דן');
    const place = (side) => tab.locator(`.face.${side}`).boundingBox();
    const [white, black] = [await place('white'), await place('black')];
    assert.ok(white.x < black.x && white.y === black.y, `${role}: ${white.x} ${black.x}`);
    await assertAccessible(tab);
    await close();
  }
});

test('a banner is as high as its text, and the clocks have the rest', async () => {
  const { tab, close } = await openTab(browser);
  const feed = await madeUp(tab);
  feed.value('clock', 1, 1, { ...CLOCK, paused: { reason: 'claim', since: '' }, seq: 4 });
  await tab.waitForSelector('.orders:not([hidden])');
  const [banner, face] = [await tab.locator('.orders').boundingBox(), await tab.locator('.face.white').boundingBox()];
  assert.ok(banner.height < 80, `${banner.height}`);
  assert.ok(face.height > 3 * banner.height, `${face.height}`);
  await close();
});

test('who offers is told of the acceptance, and nothing more can be said', async () => {
  const { tab, close } = await openTab(browser);
  const feed = await madeUp(tab);
  await standIn(tab, agree);
  await tab.click('[data-verb=offer]:enabled');
  feed.value('offer', 1, 1, { by: 'white', by_claim: false, seq: 4 });
  await told(tab, 'Your draw offer stands.');
  await canPress(tab, ['claim', 'pause', 'resign']);
  feed.value('clock', 2, 2, { ...CLOCK, decided: 'agreement', seq: 5 });
  feed.value('offer', 2, 2, null);
  await told(tab, 'Your offer was accepted.');
  assert.match(await tab.textContent('.orders'), /A draw was agreed. Stop the clock/);
  await canPress(tab, []);
  assert.equal(await tab.locator('.face.running').count(), 0);
  assert.equal(await tab.textContent('.answer'), '', 'what was answered to the offer is old');
  await close();
});

/** Holds the answer to the next command. `answer` lets it come, and waits until the page has it. */
async function holdAnswer(tab) {
  let held;
  const sent = new Promise((resolve) => {
    held = resolve;
  });
  await tab.route('**/api/command/**', (route) => held(route), { times: 1 });
  return {
    sent,
    async answer() {
      const route = await sent;
      const done = tab.waitForEvent('requestfinished', (request) => request === route.request());
      await agree(route, JSON.parse(route.request().postData()));
      await done;
      await tab.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    },
  };
}

test('an answer that comes after the ruling opens no claim again', async () => {
  const { tab, close } = await openTab(browser);
  const feed = await madeUp(tab);
  const penalty = { reason: 'incorrect_claim', white: { change: 'none' }, black: { change: 'add', ms: 120_000 } };
  const { sent, answer } = await holdAnswer(tab);
  await tab.click('[data-verb=claim]:enabled');
  await tab.click('dialog .danger');
  await sent;
  feed.value('offer', 1, 1, { by: 'white', by_claim: true, seq: 4 });
  feed.value('clock', 1, 1, { ...CLOCK, paused: { reason: 'claim', since: '' }, seq: 4 });
  await told(tab, 'Your claim is being checked.');
  feed.value('offer', 2, 2, null);
  feed.value('clock', 2, 2, { ...CLOCK, adjustment: { id: 'a-5', ...penalty }, seq: 5 });
  await told(tab, 'Your claim was ruled incorrect: the game continues.');
  await answer();
  feed.value('clock', 3, 3, { ...CLOCK, white_ms: 500_000, seq: 6 });
  await tab.waitForFunction(() => /^08:/.test(document.querySelector('.face.white .time').textContent));
  assert.equal(await standing(tab), 'Your claim was ruled incorrect: the game continues.');
  await close();
});

test('what a player was answered is not shown to the next one', async () => {
  const { tab, close } = await openTab(browser);
  await madeUp(tab);
  const { sent, answer } = await holdAnswer(tab);
  await tab.click('[data-verb=pause]:enabled');
  await sent;
  let grants = [];
  await tab.route('**/api/session', async (route) => {
    const method = route.request().method();
    if (method === 'POST') grants = [{ role: 'white', board, user: 'white', name: null }];
    await route.fulfill(method === 'DELETE' ? { status: 204 } : { json: { grants, open: [] } });
  });
  await tab.click('button.leave');
  await tab.waitForSelector('dialog.sign-in');
  assert.equal(await tab.locator('.keys button').count(), 0);
  await answer();
  await tab.fill('dialog.sign-in [name=password]', 'secret');
  await tab.click('dialog.sign-in [type=submit]:enabled');
  await tab.waitForSelector('[data-verb=pause]:enabled');
  assert.equal(await tab.textContent('.answer'), '');
  await close();
});

test('who claims is told of the ruling, and what does not apply meanwhile cannot be pressed', async () => {
  const { tab, close } = await openTab(browser);
  const feed = await madeUp(tab);
  const claim = { ...CLOCK, paused: { reason: 'claim', since: '' } };
  const penalty = {
    id: 'a-5',
    reason: 'incorrect_claim',
    white: { change: 'none' },
    black: { change: 'add', ms: 120_000 },
  };
  feed.value('offer', 1, 1, { by: 'white', by_claim: true, seq: 4 });
  feed.value('clock', 1, 1, { ...claim, seq: 4 });
  await told(tab, 'Your claim is being checked.');
  await canPress(tab, ['resign']);
  feed.value('offer', 2, 2, null);
  feed.value('clock', 2, 2, { ...CLOCK, adjustment: penalty, seq: 5 });
  await told(tab, 'Your claim was ruled incorrect: the game continues.');
  await canPress(tab, ['offer', 'claim', 'pause', 'resign']);
  feed.value('clock', 3, 3, { ...claim, seq: 6 });
  feed.value('offer', 3, 3, { by: 'white', by_claim: true, seq: 6 });
  await told(tab, 'Your claim is being checked.');
  feed.value('result', 4, 4, { score: '1/2-1/2', reason: 'threefold_claim', confirmed: true, seq: 7 });
  await told(tab, 'Your claim was ruled correct: the game is drawn.');
  await canPress(tab, []);
  await close();
});

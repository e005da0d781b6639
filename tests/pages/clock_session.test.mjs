// A tablet whose sign-in ends: no answer is lost, one dialog asks, and it cannot be dismissed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { board, launch, openTab, url } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const GRANT = { role: 'white', board, user: 'white', name: null };
const SIGN_IN = 'dialog.sign-in';

/** A tablet whose session, feed and commands are controlled by the test. */
async function tablet({ grants = [GRANT] } = {}) {
  const opened = await openTab(browser);
  const { tab } = opened;
  const held = { grants, sockets: [], commands: [], commanded: () => {} };
  await tab.route('**/api/session', (route) =>
    route.fulfill({ json: { schema: 'remisd/session/1', grants: held.grants, open: [] } }),
  );
  await tab.route('**/api/command/**', (route) => {
    held.commands.push(route);
    held.commanded(route);
  });
  await tab.routeWebSocket(/\/feed\?/, (socket) => {
    const time = new Date().toISOString();
    const tell = (frame) => socket.send(JSON.stringify(frame));
    const hello = { site: 'hall', audience: 'player', time, version: '0', delay_ms: 0, languages: ['en'] };
    tell({ type: 'hello', ...hello });
    tell({ type: 'ready' });
    held.sockets.push(tell);
    // Without any heartbeat the buttons cannot be pressed after a while.
    const beats = setInterval(() => tell({ type: 'beat', time: new Date().toISOString(), broker: true }), 2000);
    socket.onClose(() => clearInterval(beats));
    tab.once('close', () => clearInterval(beats));
  });
  held.end = () => held.sockets.at(-1)({ type: 'ended', code: 'refused' });
  await tab.goto(`${url}/clock?board=${board}&role=white`);
  return { ...opened, held };
}

/** Presses a key of the panel whose command then waits for the test. */
async function press(tab, held) {
  // The browser reports a request before its route is called.
  const commanded = new Promise((resolve) => {
    held.commanded = resolve;
  });
  await tab.click('[data-verb=pause]:enabled');
  return commanded;
}

test('a sign-in cannot be sent away, however often somebody tries', async () => {
  const { tab, close } = await tablet({ grants: [] });
  await tab.waitForSelector(`${SIGN_IN}[open]`);
  for (let times = 0; times < 4; times++) await tab.keyboard.press('Escape');
  await tab.waitForFunction((at) => document.querySelector(at).matches(':modal'), SIGN_IN);
  await tab.fill(`${SIGN_IN} [name=password]`, 'still here');
  await close();
});

test('an answer that comes after the feed has ended stands on the panel that is made anew', async () => {
  const { tab, held, close } = await tablet();
  const command = await press(tab, held);
  held.end();
  await tab.waitForSelector('.answer.busy');
  await command.fulfill({ json: { schema: 'remisd/reply/1', ok: true, seq: 7 } });
  await tab.waitForSelector('.panel .answer.done');
  assert.equal(held.sockets.length, 2);
  await close();
});

test('one dialog asks, whatever ends', async () => {
  const { tab, held, close } = await tablet();
  const command = await press(tab, held);
  held.grants = [];
  held.end();
  await tab.waitForSelector(SIGN_IN);
  const answered = tab.waitForEvent('requestfinished', (request) => request.url().includes('/api/command/'));
  await command.fulfill({ status: 401, json: { ok: false, code: 'not_signed_in', message: 'sign in' } });
  await answered;
  // Any request the page makes because of this was made before this one, and its dialog is drawn.
  await tab.evaluate(() => fetch('api/session').then((answer) => answer.json()));
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await tab.locator(SIGN_IN).count(), 1);
  await close();
});

test('a question that is open when the sign-in ends is left', async () => {
  const { tab, held, close } = await tablet();
  await tab.click('[data-verb=resign]:enabled');
  await tab.waitForSelector('dialog .danger');
  held.end();
  await tab.waitForSelector('dialog', { state: 'detached' });
  await tab.waitForSelector('[data-verb=resign]:enabled');
  assert.equal(held.sockets.length, 2);
  assert.equal(held.commands.length, 0);
  await close();
});

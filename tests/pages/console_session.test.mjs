// An open console whose sign-in changes in another tab: no unfinished action is lost.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, board, launch, openTab, signInAsArbiter, url } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const TYPED = 'dialog.ask input[type=text]';
const NAME = 'dialog.sign-in [name=name]';

/**
 * A console with an open board and a half-answered question, and another tab of the same browser.
 */
async function halfAnswered() {
  const opened = await openTab(browser);
  const { tab } = opened;
  await signInAsArbiter(tab);
  await tab.evaluate((hash) => (location.hash = hash), `board=${board}`);
  await tab.click('[data-action=touch]');
  await tab.fill(TYPED, 'e1');
  await opened.seen.until((frames) => count(frames, 'ready') >= 2);
  const other = await tab.context().newPage();
  await other.goto(`${url}/`);
  return { ...opened, other };
}

/** How often a message of a type arrived. */
const count = (frames, type) => frames.filter((frame) => frame.type === type).length;
/** Whether both feeds, of the hall and of the board, have restarted; one may do so before the other. */
const haveRestarted = (frames) => count(frames, 'ready') >= 4;

const ask = (tab, method, body) =>
  tab.evaluate(
    async ([how, what]) => {
      const answer = await fetch('api/session?role=arbiter', {
        method: how,
        headers: { 'content-type': 'application/json' },
        ...(what ? { body: JSON.stringify(what) } : {}),
      });
      return answer.status;
    },
    [method, body],
  );

test('a sign-in in another tab renews the key, and the console goes on with it', async () => {
  const { tab, seen, other, close } = await halfAnswered();
  const password = process.env.REMISD_PASSWORD_ARBITER ?? 'secret';
  const attempt = { role: 'arbiter', user: 'arbiter', password, name: 'Anna Smit' };
  assert.equal(await ask(other, 'POST', attempt), 200);
  await seen.until(haveRestarted);
  assert.equal(count(seen.frames, 'ended'), 2);
  assert.equal(await tab.inputValue(TYPED), 'e1');
  assert.equal(await tab.locator('dialog.sign-in').count(), 0);
  assert.deepEqual(seen.troubles, []);
  await close();
});

test('a sign-out in another tab asks over the page, which goes on as it was', async () => {
  const { tab, seen, other, close } = await halfAnswered();
  assert.equal(await ask(other, 'DELETE'), 204);
  await tab.waitForSelector('dialog.sign-in');
  assert.equal(await tab.locator('dialog.sign-in').count(), 1);
  await assertAccessible(tab);
  // The board is hidden while no one is signed in.
  const backdrop = await tab.evaluate(
    () => getComputedStyle(document.querySelector('dialog.sign-in'), '::backdrop').backgroundColor,
  );
  assert.match(backdrop, /^rgb\(/);
  const { length } = seen.frames;
  await tab.fill(NAME, 'Piet Jansen');
  const password = tab.locator('dialog.sign-in [name=password]');
  if (await password.isVisible()) await password.fill(process.env.REMISD_PASSWORD_ARBITER ?? 'secret');
  await tab.click('dialog.sign-in [type=submit]');
  await tab.waitForSelector('dialog.sign-in', { state: 'detached' });
  await seen.until((frames) => count(frames.slice(length), 'ready') >= 2);
  assert.equal(await tab.inputValue(TYPED), 'e1');
  await tab.keyboard.press('Escape');
  await tab.waitForSelector('dialog.ask', { state: 'detached' });
  await tab.getByRole('button', { name: 'Settings' }).click();
  assert.match(await tab.textContent('dialog.panel'), /Signed in: Piet Jansen/);
  await close();
});

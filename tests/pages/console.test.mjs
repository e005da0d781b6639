// The arbiter's console on a running hall with the demo's game: everything by clicking, and the
// effects.
//
// The demo plays `rehearsal()` of stages.mjs: the game ends by fivefold repetition, and White waits
// where he can first claim. What needs a stable position is done there.
//
// REMISD_URL is the address of the pages; REMISD_MQTT the broker (`127.0.0.1:1883`), where the
// effects of commands are read.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import {
  assertAccessible,
  assertNoSideways,
  assertOwnHost,
  board,
  launch,
  openTab,
  signInAsArbiter,
  url,
} from './browser.mjs';
import { CLAIMABLE_PLY } from './stages.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const [mqttHost, mqttPort] = (process.env.REMISD_MQTT ?? '127.0.0.1:1883').split(':');

/** The newest value of a retained topic, as any client of the broker sees it. */
function retained(leaf) {
  const topic = `chess/v1/+/arbiter/${board}/${leaf}`;
  const out = execFileSync('mosquitto_sub', ['-h', mqttHost, '-p', mqttPort, '-t', topic, '-C', '1', '-W', '10'], {
    encoding: 'utf8',
  });
  return JSON.parse(out);
}

/** A tab in which an arbiter is signed in. */
async function signIn(options = {}, query = '') {
  const opened = await openTab(browser, options);
  await signInAsArbiter(opened.tab, query);
  return opened;
}

/** Opens the board and waits until its game is known. */
async function openBoard(tab) {
  await tab.click(`[data-board="${board}"] .open`);
  await tab.waitForSelector('.part-position .player');
}

/** Waits until White has begun to wait where he can first claim. */
async function claimable(tab) {
  const at = (plies, is) =>
    tab.waitForFunction(
      ([ply, expected]) => (document.querySelectorAll('.part-score .move').length === ply) === expected,
      [plies, is],
      { timeout: 240_000, polling: 100 },
    );
  await at(CLAIMABLE_PLY, false);
  await at(CLAIMABLE_PLY, true);
}

/** Opens an action of the board. */
async function act(tab, id) {
  await tab.click(`[data-action="${id}"]`);
  await tab.waitForSelector('dialog.ask');
}

const dialogText = (tab) => tab.textContent('dialog.ask');

/**
 * Confirms and waits for the answer. The demo plays faster than a person reads, so if the board has
 * moved on, the test refreshes and confirms in one step.
 */
async function confirm(tab) {
  for (let attempt = 0; attempt < 30; attempt++) {
    await tab.evaluate(() => {
      document.querySelector('dialog.ask .moved button, dialog.ask .answer button')?.click();
      document.querySelector('dialog.ask [type=submit]')?.click();
    });
    const outcome = await tab.waitForFunction(
      () => {
        if (!document.querySelector('dialog.ask')) return 'done';
        if (document.querySelector('dialog.ask .answer .wait')) return false;
        return document.querySelector('dialog.ask .moved button, dialog.ask .answer button')
          ? 'again'
          : document.querySelector('dialog.ask .refused')
            ? 'refused'
            : false;
      },
      undefined,
      { timeout: 30_000, polling: 50 },
    );
    const said = await outcome.jsonValue();
    if (said === 'done') return;
    if (said === 'refused') assert.fail(await tab.textContent('dialog.ask .answer'));
  }
  assert.fail('the board moved on every time');
}

/**
 * Claims by an intended move, after a touch, for the player to move. The demo continues, so the
 * player to move may have changed by then.
 */
async function claimIntended(tab, move) {
  for (let attempt = 0; attempt < 8; attempt++) {
    await act(tab, 'touch');
    await tab.fill('dialog.ask input[type=text]', 'e1');
    await confirm(tab).catch(() => tab.keyboard.press('Escape'));
    await act(tab, 'claim');
    await tab.fill('dialog.ask input[placeholder=Nf3]', move);
    assert.match(await dialogText(tab), /A claim cannot be withdrawn/);
    if (
      await confirm(tab).then(
        () => true,
        () => false,
      )
    )
      return;
    await tab.keyboard.press('Escape');
    await tab.waitForSelector('dialog.ask', { state: 'detached' });
  }
  assert.fail('nobody could claim');
}

test('nobody sees a board before he is signed in, and signing out closes it', async () => {
  const { tab, seen, close } = await openTab(browser);
  await tab.goto(`${url}/arbiter`);
  await tab.waitForSelector('dialog.sign-in');
  assert.equal(await tab.locator('.tile').count(), 0);
  assert.equal(seen.frames.length, 0);
  await assertAccessible(tab);
  await close();

  const signed = await signIn();
  await signed.tab.getByRole('button', { name: 'Settings' }).click();
  assert.match(await signed.tab.textContent('dialog.panel'), /Signed in: Anna Smit/);
  await assertAccessible(signed.tab);
  await signed.tab.getByRole('button', { name: 'Sign out' }).click();
  await signed.tab.waitForSelector('dialog.sign-in');
  assert.equal(await signed.tab.locator('.tile').count(), 0);
  await signed.close();
});

test('an offer that a touch refuses, a claim by an intended move, the ruling and its penalty', async () => {
  const { tab, seen, close } = await signIn();
  await openBoard(tab);
  await claimable(tab);
  await act(tab, 'pause');
  await confirm(tab).catch(() => tab.keyboard.press('Escape'));

  await act(tab, 'offer');
  assert.match(await dialogText(tab), /stands until it is accepted/);
  await tab.check('dialog.ask input[value=black]');
  await confirm(tab);
  await tab.waitForFunction(() => document.querySelector('.part-journal')?.textContent.includes('Black offers a draw'));

  await act(tab, 'touch');
  await tab.check('dialog.ask input[value=white]');
  await tab.fill('dialog.ask input[type=text]', 'a2');
  assert.match(await dialogText(tab), /White touched the piece on a2/);
  await confirm(tab).catch(() => tab.keyboard.press('Escape'));
  await tab.waitForFunction(() =>
    /The offer by Black has ended: refused by/.test(document.querySelector('.part-journal')?.textContent ?? ''),
  );

  await claimIntended(tab, 'Nf3');
  // The demo rules on plain claims itself; if a piece was touched before, the arbiter must decide.
  await tab.waitForSelector('[data-alert=claim_made], [data-alert=clock_adjustment]');
  if (await tab.locator('[data-alert=claim_made]').count()) {
    await assertAccessible(tab);
    await tab.click('[data-key$="/rule_claim"]');
    await tab.check('dialog.ask input[value=incorrect]');
    const says = await tab.textContent('dialog.ask .consequences');
    assert.match(says, /Penalty: (White|Black) \+2:00/);
    assert.match(says, /must play the announced move Nf3/);
    await confirm(tab);
    await tab.waitForFunction(() =>
      /Anna Smit, ruling/.test(document.querySelector('.part-journal')?.textContent ?? ''),
    );
  }
  await tab.waitForSelector('[data-alert=clock_adjustment]');
  const alert = retained('alerts').alerts.find((one) => one.code === 'clock_adjustment');
  assert.equal(alert.arguments.reason, 'incorrect_claim');

  await tab.click('[data-alert=clock_adjustment] button');
  assert.match(await dialogText(tab), /\+2:00/);
  await confirm(tab);
  await tab.waitForSelector('[data-alert=clock_adjustment]', { state: 'detached' });
  assertOwnHost(seen);
  assert.deepEqual(
    seen.troubles.filter((trouble) => !/409|503/.test(trouble)),
    [],
  );
  await close();
});

test('fivefold is cried out on the tile, and confirming it there makes the result stand', async () => {
  const { tab, close } = await signIn();
  const tile = `[data-board="${board}"]`;
  await tab.waitForFunction(
    (selector) => /Act now.*Fivefold/s.test(document.querySelector(`${selector}.red .alarm`)?.textContent ?? ''),
    tile,
    { timeout: 240_000 },
  );
  assert.match(await tab.title(), /^\(\d+!\)/);
  assert.match(await tab.textContent('[role=alert][aria-live=assertive]'), /Fivefold/);
  await tab.click(`${tile} .decide`);
  assert.match(await dialogText(tab), /½–½/);
  await confirm(tab);
  await tab.waitForFunction((selector) => !document.querySelector(selector)?.classList.contains('red'), tile);
  await close();
});

test('a result is entered and taken back, with the name of who did it', async () => {
  const { tab, close } = await signIn();
  await openBoard(tab);
  await claimable(tab);
  await act(tab, 'result');
  await tab.check('dialog.ask input[value="1/2-1/2"]');
  await confirm(tab);
  await tab.waitForSelector('.part-head .result');
  assert.match(await tab.textContent('.part-head .result'), /½–½/);
  await act(tab, 'result');
  await tab.check('dialog.ask input[value="*"]');
  assert.match(await dialogText(tab), /The result is withdrawn/);
  await confirm(tab);
  await tab.waitForSelector('.part-head .result', { state: 'detached' });
  await close();
});

test('an illegal move says beforehand what it costs', async () => {
  const { tab, close } = await signIn();
  await openBoard(tab);
  await act(tab, 'illegal-move');
  await tab.check('dialog.ask input[value=black]');
  const says = await tab.textContent('dialog.ask .consequences');
  assert.match(says, /\(7\.5\.5\)/);
  assert.match(says, /White \+2:00|Black loses the game/);
  await tab.keyboard.press('Escape');
  await tab.waitForSelector('dialog.ask', { state: 'detached' });
  await close();
});

test('every question can be opened, is accessible and can be left', async () => {
  const { tab, close } = await signIn();
  await openBoard(tab);
  const ids = await tab.$$eval('[data-action]', (buttons) => buttons.map((button) => button.dataset.action));
  assert.ok(ids.length >= 20, `${ids.length} actions`);
  for (const id of ids) {
    // The game continues meanwhile, so look and click in one step. `console_rulings` opens each
    // action where it applies.
    const isOpened = await tab.$eval(`[data-action="${id}"]`, (button) => {
      if (button.matches(':disabled, [aria-disabled="true"]')) return false;
      button.click();
      return true;
    });
    if (!isOpened) continue;
    await tab.waitForSelector('dialog.ask');
    assert.notEqual(await tab.textContent('dialog.ask .effects'), '', id);
    await assertAccessible(tab);
    await tab.keyboard.press('Escape');
    await tab.waitForSelector('dialog.ask', { state: 'detached' });
  }
  await close();
});

test('the console is used with the keyboard alone', async () => {
  const { tab, close } = await signIn();
  const focused = () => tab.evaluate(() => document.activeElement?.closest('.tile')?.dataset.board ?? null);
  await tab.keyboard.press('j');
  assert.notEqual(await focused(), null);
  await tab.keyboard.press('?');
  await tab.waitForSelector('dialog.panel');
  await assertAccessible(tab);
  await tab.keyboard.press('Escape');
  await tab.waitForSelector('dialog.panel', { state: 'detached' });
  await tab.keyboard.press('/');
  await tab.waitForFunction(() => document.activeElement?.matches('[type=search]'));
  await tab.keyboard.type('no such player');
  await tab.waitForSelector('.empty:not([hidden])');
  await tab.keyboard.press('Escape');
  await tab.waitForSelector('.tile:not([hidden])');
  while ((await focused()) !== board) await tab.keyboard.press('j');
  await tab.keyboard.press('Enter');
  await tab.waitForSelector('.part-position .player');
  await tab.keyboard.press('p');
  await tab.waitForSelector('dialog.ask');
  await tab.keyboard.press('Escape');
  await tab.waitForSelector('dialog.ask', { state: 'detached' });
  await tab.keyboard.press('r');
  await tab.waitForSelector('dialog.ask input[type=radio]');
  assert.equal(await tab.evaluate(() => document.activeElement?.closest('dialog') !== null), true);
  await tab.keyboard.press('Escape');
  await tab.waitForSelector('dialog.ask', { state: 'detached' });
  await tab.keyboard.press('Escape');
  await tab.waitForSelector('.tiles');
  assert.equal(await focused(), board);
  await tab.keyboard.press('l');
  await tab.waitForSelector('.alarm-list');
  await assertAccessible(tab);
  await close();
});

test('a phone shows all of it without scrolling sideways', async () => {
  const { tab, close } = await signIn({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await assertNoSideways(tab);
  await assertAccessible(tab);
  await tab.tap(`[data-board="${board}"] .open`);
  await tab.waitForSelector('.part-position .player');
  await assertNoSideways(tab);
  await assertAccessible(tab);
  await act(tab, 'adjust');
  await assertNoSideways(tab);
  await close();
});

for (const [language, words] of [
  ['de', /Schiedsrichter.*Bretter/s],
  ['nl', /Arbiter.*Borden/s],
  ['en', /Arbiter.*Boards/s],
]) {
  test(`it speaks ${language}, with no word left out`, async () => {
    const { tab, close } = await signIn({}, `?lang=${language}`);
    assert.match(await tab.textContent('.bar'), words);
    await openBoard(tab);
    await tab.waitForFunction(() => document.querySelectorAll('.part-score .move').length > 4, undefined, {
      timeout: 60_000,
    });
    const text = await tab.textContent('#console');
    assert.doesNotMatch(text, /\{\w+\}|undefined|\bnull\b|NaN/);
    assert.equal(await tab.getAttribute('html', 'lang'), language);
    await assertNoSideways(tab);
    await close();
  });
}

test('a line that is lost is unmistakable, and heals; a reload shows the same board', async () => {
  const { tab, line, close } = await signIn();
  line.cut();
  await tab.waitForSelector('.stale-banner:not([hidden])', { timeout: 30_000 });
  assert.match(await tab.textContent('.stale-banner'), /No connection to the server/);
  assert.match(await tab.textContent(`[data-board="${board}"] .doubt`), /Old/);
  await assertAccessible(tab);
  line.join();
  await tab.waitForSelector('.stale-banner', { state: 'hidden', timeout: 25_000 });
  await openBoard(tab);
  await tab.reload();
  await tab.waitForSelector('.part-position .player');
  assert.match(await tab.textContent('.part-head h2'), new RegExp(board));
  await close();
});

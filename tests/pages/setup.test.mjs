// The page of `remisd setup --web`, from the code to what it writes, with a simulated board. It has
// no hall: each test starts the program itself.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertAccessible, assertNoSideways, launch } from './browser.mjs';
import { Stage, freePort, listening, program } from './stages.mjs';

// The daemon of a test must not take them for its configuration.
for (const name of ['REMISD_URL', 'REMISD_MQTT', 'REMISD_DELAY_MS']) delete process.env[name];

const FAREWELL_MS = 10_000;
/** The serial number of the simulated board. */
const SERIAL = /serial number \d{5}/;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Starts a board and the program, opens its page and passes it to `use`. */
async function inSetup(use, { options = [], lang = 'en', typed = false, ...context } = {}) {
  const stage = new Stage();
  const [mqtt, http] = [await freePort(), await freePort()];
  const link = join(stage.folder, 'board');
  const dir = join(stage.folder, 'club');
  const addresses = ['--mqtt', `127.0.0.1:${mqtt}`, '--http', `127.0.0.1:${http}`];
  const tab = await (await browser.newContext({ locale: 'en-GB', ...context })).newPage();
  const seen = { requests: [], troubles: [] };
  tab.on('request', (request) => seen.requests.push(request.url()));
  tab.on('pageerror', (error) => seen.troubles.push(error.message));
  try {
    const simulate = ['simulate', 'dgt', '--pgn', stage.games, '--link', link];
    await stage.start(program, simulate, { found: (line) => line });
    const words = ['setup', '--web', '--dir', dir, '--port', link, ...addresses, ...options];
    const at = await stage.start(program, words, { found: (line) => /^Open (\S+)/.exec(line)?.[1] });
    const url = new URL(at);
    url.searchParams.set('lang', lang);
    const code = url.hash;
    if (typed) url.hash = '';
    await tab.goto(url.href);
    await use({ tab, stage, dir, link, mqtt, http, url, code: code.replace('#code=', ''), seen });
    assert.deepEqual(seen.troubles, []);
    const foreign = seen.requests.filter((one) => new URL(one).host !== url.host);
    assert.deepEqual(foreign, []);
  } finally {
    await tab.context().close();
    assert.deepEqual(await stage.stop(FAREWELL_MS), []);
  }
}

const write = (tab) => tab.locator('button[type=submit]');

/** Waits until the plan allows the files to be written. */
const planned = (tab) => tab.waitForSelector('button[type=submit]:enabled');

test('the page finds the board, writes what was answered, and the hall runs with it', async () => {
  await inSetup(async ({ tab, stage, dir, link, mqtt, http, url, seen }) => {
    await tab.waitForSelector('.boards .state:text-matches("answers")');
    assert.match(await tab.textContent('.boards .state'), SERIAL);
    assert.equal(await tab.inputValue('[id="boards.0.port"]'), link);
    // The code is in no address from now on, and was sent in none.
    assert.ok(!tab.url().includes('code'), tab.url());
    assert.ok(!seen.requests.some((one) => new URL(one).href.includes('code=') && !new URL(one).hash));
    await tab.fill('[id="boards.0.id"]', 'left');
    await tab.click('text=Add a board');
    await tab.fill('#site', 'club');
    await tab.selectOption('#language', 'nl');
    await tab.selectOption('#profile', 'club');
    await tab.check('text=Screens in the hall');
    await planned(tab);
    await tab.waitForSelector('.users li:has-text("left-clock")');
    assert.equal(await tab.locator('.users li').count(), 4 + 2 * 3);
    assert.equal(await tab.locator('.files li').count(), 7);
    assert.ok(!existsSync(dir), 'nothing is written before the button');
    await assertAccessible(tab);

    await write(tab).click();
    await tab.waitForSelector('.passwords');
    const rows = await tab.locator('.passwords tr').allInnerTexts();
    const shown = Object.fromEntries(rows.map((row) => row.trim().split(/\s+/)));
    const file = readFileSync(join(dir, 'passwords'), 'utf8');
    const lines = file.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(shown, Object.fromEntries(lines.map((line) => line.split(/ +/))));
    assert.equal(readdirSync(dir).length, 8);
    const config = readFileSync(join(dir, 'remisd.toml'), 'utf8');
    for (const line of [
      'id = "club"',
      'profile = "club"',
      'open = ["hall"]',
      'languages = ["nl"]',
      'id = "left"',
      `port = "${link}"`,
      'id = "b1"',
    ])
      assert.ok(config.includes(`${line}\n`), `${line} in ${config}`);
    execFileSync(program, ['check', '--config', join(dir, 'remisd.toml')]);
    await assertAccessible(tab);

    // The server ends, and the address opens nothing any more.
    const setup = stage.children.at(-1);
    await setup.gone;
    assert.equal(setup.exitCode, 0);
    await assert.rejects(fetch(url));

    // Broker and daemon start from these files; the arbiter signs in with the password shown.
    appendFileSync(join(dir, 'mosquitto.conf'), 'log_type error\n');
    await stage.start('mosquitto', ['-c', join(dir, 'mosquitto.conf')], {
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
    });
    await listening(mqtt);
    await stage.start(program, ['run', '--config', join(dir, 'remisd.toml')], { env: { REMISD_LOG: 'error' } });
    await listening(http);
    const hall = await (await browser.newContext({ locale: 'en-GB' })).newPage();
    await hall.goto(`http://127.0.0.1:${http}/arbiter`);
    await hall.fill('dialog.sign-in [name=password]', shown.arbiter);
    await hall.fill('dialog.sign-in [name=name]', 'Anna Smit');
    await hall.click('dialog.sign-in [type=submit]:enabled');
    await hall.waitForSelector('[data-board="left"] .state:not(:empty)');
    await hall.context().close();
  });
});

test('what cannot be used is named where it is entered, and nothing is written', async () => {
  await inSetup(async ({ tab, dir, mqtt, http }) => {
    await planned(tab);
    await tab.click('text=Add a board');
    await tab.fill('[id="boards.1.id"]', 'b1');
    await tab.fill('#site', 'My Club');
    await tab.click('summary');
    await tab.fill('#http', `127.0.0.1:${mqtt}`);
    // The last field that was filled: its answer has the troubles of the others too.
    await tab.waitForSelector('#http-trouble:not(:empty)');
    assert.match(await tab.textContent('[id="boards.1.id-trouble"]'), /“b1” is given twice/);
    assert.match(await tab.textContent('#site-trouble'), /“My Club” is not a name/);
    assert.match(await tab.textContent('#http-trouble'), /port of the broker/);
    assert.equal(await tab.getAttribute('#site', 'aria-invalid'), 'true');
    assert.match(await tab.textContent('[role=alert]'), /3 answers above/);
    assert.ok(await write(tab).isDisabled());
    await assertAccessible(tab);
    await tab.fill('[id="boards.1.id"]', 'b2');
    await tab.fill('#site', 'club');
    await tab.fill('#http', `127.0.0.1:${http}`);
    await planned(tab);
    assert.equal(await tab.textContent('#site-trouble'), '');
    assert.ok(!existsSync(dir));
  });
});

test('an answer that comes after a change allows and shows nothing', async () => {
  await inSetup(async ({ tab }) => {
    await planned(tab);
    let held;
    const asked = new Promise((resolve) => {
      held = resolve;
    });
    await tab.route('**/api/plan', (route) => held(route), { times: 1 });
    await tab.fill('#site', 'first');
    const route = await asked;
    await tab.fill('#site', 'My Club');
    const late = tab.waitForResponse((response) => response.request() === route.request());
    await route.continue();
    await (await late).finished();
    await tab.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    assert.ok(await write(tab).isDisabled());
    await tab.waitForSelector('#site-trouble:not(:empty)');
    assert.ok(await write(tab).isDisabled());
  });
});

test('a file that exists is named and stays', async () => {
  await inSetup(async ({ tab, dir }) => {
    await planned(tab);
    execFileSync('mkdir', [dir]);
    writeFileSync(join(dir, 'passwords'), 'mine');
    await write(tab).click();
    await tab.waitForSelector('[role=alert]:not(:empty)');
    assert.match(await tab.textContent('[role=alert]'), /club\/passwords exists/);
    assert.deepEqual(readdirSync(dir), ['passwords']);
    assert.equal(readFileSync(join(dir, 'passwords'), 'utf8'), 'mine');
  });
});

test('an answer that comes after the files were written does not hide the passwords', async () => {
  await inSetup(async ({ tab }) => {
    await tab.waitForSelector('.boards .state:text-matches("answers")');
    await planned(tab);
    let held;
    const asked = new Promise((resolve) => {
      held = resolve;
    });
    await tab.route('**/api/ports', (route) => held(route), { times: 1 });
    await tab.click('text=Look again');
    const route = await asked;
    await write(tab).click();
    await tab.waitForSelector('.passwords');
    const failed = tab.waitForEvent('requestfailed', (request) => request === route.request());
    await route.abort();
    await failed;
    await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.ok(await tab.isVisible('.passwords'));
  });
});

test('the code can be typed, on a phone and in another language', async () => {
  const phone = { viewport: { width: 360, height: 740 }, lang: 'de', typed: true };
  await inSetup(async ({ tab, code }) => {
    await tab.fill('#code', 'aaaa-aaaa-aaaa');
    await tab.click('text=Öffnen');
    await tab.waitForSelector('[role=alert]:not(:empty)');
    assert.match(await tab.textContent('[role=alert]'), /nicht der Code/);
    await assertAccessible(tab);
    await tab.fill('#code', code.toUpperCase());
    await tab.click('text=Öffnen');
    await planned(tab);
    await tab.waitForSelector('.boards .state:text-matches("Seriennummer")');
    await assertNoSideways(tab);
    // The answers survive the choice of another language.
    await tab.fill('#site', 'verein');
    await planned(tab);
    await tab.selectOption('.language select', 'nl');
    await tab.waitForSelector('text=Bestanden schrijven');
    assert.equal(await tab.inputValue('#site'), 'verein');
    await assertNoSideways(tab);
  }, phone);
});

test('tablets get codes that can sign them in', async () => {
  await inSetup(async ({ tab, dir, http }) => {
    await planned(tab);
    await tab.check('text=Tablets and phones in the network');
    await planned(tab);
    await write(tab).click();
    await tab.waitForSelector('.passwords');
    assert.ok(readFileSync(join(dir, 'remisd.toml'), 'utf8').includes(`listen = "0.0.0.0:${http}"`));
    await tab.fill('#base', 'http://127.0.0.1:9120/');
    await tab.waitForSelector('.codes:empty', { state: 'attached' });
    assert.ok(await tab.isVisible('text=Only this computer can open the pages'));
    await tab.fill('#base', `http://192.0.2.7:${http}/`);
    const addresses = () =>
      tab.locator('.qr').evaluateAll((all) => all.map((code) => code.dataset.address.replace(/^http:..[^/]+/, '')));
    const pages = ['/', '/arbiter', '/operator', '/display', '/clock?board=b1&role=clock'];
    assert.deepEqual(await addresses(), pages);
    await tab.check('text=also sign in');
    const text = readFileSync(join(dir, 'passwords'), 'utf8');
    const password = (user) => new RegExp(`^${user} +(\\S+)$`, 'm').exec(text)[1];
    assert.deepEqual((await addresses()).slice(3), [
      `/display#user=hall&password=${password('hall')}`,
      `/clock?board=b1&role=clock#user=b1-clock&password=${password('b1-clock')}`,
    ]);
    await assertAccessible(tab);
  });
});

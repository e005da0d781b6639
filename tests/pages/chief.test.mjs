// The chief arbiter's page on two made-up sites, so that any fault can be produced.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, launch, url } from './browser.mjs';
import { alert } from './made_up_hall.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** A site with its nodes, and the sockets of the pages that follow it. */
class Site {
  sockets = new Set();
  seq = 40;

  constructor(name, { nodes = ['pi-1'] } = {}) {
    this.name = name;
    this.topics = new Map();
    for (const [index, node] of nodes.entries()) {
      const board = `b${index + 1}`;
      this.node(node, 'online');
      this.health(node);
      const first = { ...this.envelope(board, node), time: BEFORE };
      this.say(`${board}/availability`, { ...first, state: 'online' }, BEFORE);
      this.say(`${board}/tile`, { ...first, game: 1, headers: {}, ply: 0, result: null }, BEFORE);
    }
  }

  envelope(board, node) {
    return { site: this.name, board, session: `${this.name}-${node}`, seq: (this.seq += 1), time: now() };
  }

  node(node, state) {
    this.say(`node/${node}/state`, { site: this.name, node, session: `${this.name}-${node}`, time: now(), state });
  }

  health(node, received = now()) {
    this.say(`node/${node}/health`, { session: `${this.name}-${node}`, time: now(), boards: [] }, received);
  }

  alarms(board, node, ...alerts) {
    this.say(`${board}/alerts`, { ...this.envelope(board, node), alerts });
  }

  /** Says it now, and to each page that comes later. */
  say(topic, payload, received = now()) {
    this.topics.set(topic, { payload, received });
    for (const socket of this.sockets) socket.send(frame({ type: 'value', topic, payload, received }));
  }

  /** The server cannot read what is on this topic. */
  unreadable(topic) {
    for (const socket of this.sockets)
      socket.send(frame({ type: 'value', topic, payload: null, received: now(), unreadable: true }));
  }

  join(socket) {
    socket.send(frame({ type: 'hello', site: this.name, audience: 'arbiter', time: now(), languages: ['en'] }));
    for (const [topic, { payload, received }] of this.topics)
      socket.send(frame({ type: 'value', topic, payload, received: this.isRetained ? null : received }));
    socket.send(frame({ type: 'ready' }));
    this.sockets.add(socket);
  }

  beat(broker = true) {
    for (const socket of this.sockets) socket.send(frame({ type: 'beat', time: now(), broker }));
  }
}

const frame = (value) => JSON.stringify(value);
const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();
const now = () => ago(0);
/** When the sites began. */
const BEFORE = ago(600);
const SIGNED_IN = { grants: [{ role: 'arbiter', board: null, user: 'chief', name: 'Clara' }], open: [] };

/** Opens the page on these sites, with a bell whose tones are counted. */
async function atSites(sites, use) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  const troubles = [];
  tab.on('pageerror', (error) => troubles.push(error.message));
  await tab.addInitScript(() => {
    localStorage.setItem('remisd.arbiter.sound', 'on');
    globalThis.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...args) {
      globalThis.tones += 1;
      return start.apply(this, args);
    };
  });
  const named = (address) => sites.find(({ name }) => address.includes(`/site/${name}/`));
  const list = sites.map(({ name }) => ({ site: name, path: `site/${name}/`, broker: true }));
  await tab.route('**/api/sites', (route) => route.fulfill({ json: { schema: 'remisd/sites/1', sites: list } }));
  await tab.route('**/api/session', (route) =>
    route.fulfill({ json: named(route.request().url()).session ?? SIGNED_IN }),
  );
  await tab.routeWebSocket(/\/feed\?/, (socket) => named(socket.url()).join(socket));
  const beats = setInterval(() => sites.forEach((site) => site.beat()), 1_000);
  try {
    await tab.goto(`${url}/chief`);
    await tab.waitForSelector('article.site');
    await tab.click('h1');
    await use(tab);
    assert.deepEqual(troubles, []);
  } finally {
    clearInterval(beats);
    await context.close();
  }
}

const card = (tab, name) => tab.locator(`article[aria-label="${name}"]`);
const tones = (tab) => tab.evaluate(() => globalThis.tones);
const rings = (tab, count) => tab.waitForFunction((wanted) => globalThis.tones === wanted, count, { polling: 50 });
const row = (tab, text) => tab.locator('.alarm-list li').filter({ hasText: text });
const complete = (tab, name) => tab.waitForSelector(`article[aria-label="${name}"]:not(.incomplete)`);

test('alarms of two sites with one board name and one id are two, and only new ones ring', async () => {
  const [a, b] = [new Site('club-a'), new Site('club-b')];
  a.alarms('b1', 'pi-1', alert('fivefold', 'red'));
  await atSites([a, b], async (tab) => {
    for (const site of [a, b]) await complete(tab, site.name);
    await row(tab, 'club-a · Board b1').waitFor();
    b.alarms('b1', 'pi-1', alert('fivefold', 'red'));
    await row(tab, 'club-b · Board b1').waitFor();
    await rings(tab, 4);
    assert.match(await tab.title(), /^\(2!\)/);
    assert.equal(await row(tab, 'club-').count(), 2);
    await assertAccessible(tab);
  });
});

test('a quiet hall is called quiet, and a site without a daemon is not', async () => {
  const [a, b] = [new Site('club-a'), new Site('club-b')];
  await atSites([a, b], (tab) => tab.getByText('No alerts.').waitFor());
  const empty = new Site('club-c', { nodes: [] });
  await atSites([a, empty], async (tab) => {
    await tab.getByText('No alerts at the other sites.').waitFor();
    assert.match(await tab.textContent('.gone-banner'), /club-c/);
    await card(tab, 'club-c')
      .getByText(/Nothing has been heard/)
      .waitFor();
  });
});

test('one daemon that is lost silences no alarm of another', async () => {
  const site = new Site('club-a', { nodes: ['pi-1', 'pi-2'] });
  await atSites([site], async (tab) => {
    await complete(tab, 'club-a');
    site.node('pi-2', 'lost');
    site.alarms('b2', 'pi-2', alert('threefold', 'red'));
    site.alarms('b1', 'pi-1', alert('fivefold', 'red'));
    await row(tab, 'Board b1').getByRole('button').first().waitFor();
    await rings(tab, 4);
    assert.match(await row(tab, 'Board b2').textContent(), /Old/);
    assert.equal(await row(tab, 'Board b2').getByRole('button').count(), 0);
    assert.match(await tab.textContent('.gone-banner'), /club-a/);
  });
});

test('a computer that was switched off and has no boards any more does not matter', async () => {
  const site = new Site('club-a');
  await atSites([site], async (tab) => {
    site.node('old-laptop', 'offline');
    await complete(tab, 'club-a');
    site.node('pi-1', 'offline');
    await tab.waitForSelector('article[aria-label="club-a"].incomplete');
  });
});

test('data of one site that cannot be read is named, and hides no alarm of another', async () => {
  const [a, b] = [new Site('club-a'), new Site('club-b')];
  a.alarms('b1', 'pi-1', alert('fivefold', 'red'));
  await atSites([a, b], async (tab) => {
    for (const site of [a, b]) await complete(tab, site.name);
    await row(tab, 'club-a · Board b1').getByRole('button').first().waitFor();
    a.unreadable('b1/alerts');
    await card(tab, 'club-a')
      .getByText(/cannot be read: b1\/alerts/)
      .waitFor();
    assert.match(await tab.textContent('.gone-banner'), /club-a/);
    await row(tab, 'club-a').waitFor({ state: 'detached' });
    b.alarms('b1', 'pi-1', alert('fivefold', 'red'));
    await row(tab, 'club-b · Board b1').getByRole('button').first().waitFor();
    a.alarms('b1', 'pi-1', alert('fivefold', 'red'));
    await row(tab, 'club-a · Board b1').getByRole('button').first().waitFor();
    await complete(tab, 'club-a');
    // An unreadable clock leaves the alarms as they are.
    a.unreadable('b1/clock');
    await card(tab, 'club-a')
      .getByText(/cannot be read: b1\/clock/)
      .waitFor();
    assert.equal(await row(tab, /Old/).count(), 0);
    a.unreadable('node/pi-1/health');
    await card(tab, 'club-a')
      .getByText(/cannot be read: .*node\/pi-1\/health/)
      .waitFor();
  });
});

test('two daemons of one name are named', async () => {
  const site = new Site('club-a');
  await atSites([site], async (tab) => {
    await complete(tab, 'club-a');
    site.say('node/pi-1/health', { session: 'club-a-pi-1', time: now(), boards: [], namesakes: ['other'] });
    await card(tab, 'club-a')
      .getByText(/Two daemons use the name “pi-1”/)
      .waitFor();
    assert.match(await tab.textContent('.gone-banner'), /club-a/);
  });
});

test('a page whose script fails says so', async () => {
  const context = await browser.newContext({ locale: 'en-GB' });
  const tab = await context.newPage();
  // Nobody signs in, so no dialog is over the page.
  await tab.route('**/api/session', (route) => route.fulfill({ json: SIGNED_IN }));
  await tab.goto(`${url}/chief`);
  await tab.evaluate(() => setTimeout(() => globalThis.missing.field, 0));
  await tab.getByText('This page has failed').waitFor();
  await tab.getByRole('button', { name: 'Reload' }).click();
  await tab.getByText('This page has failed').waitFor({ state: 'detached' });
  await context.close();
});

test('what the broker had kept proves no life', async () => {
  const site = new Site('club-a');
  site.isRetained = true;
  await atSites([site], async (tab) => {
    await tab.waitForFunction(() => /has not reported yet/.test(document.querySelector('article').textContent));
    site.health('pi-1');
    await complete(tab, 'club-a');
  });
});

test('the loss of sites rings once, and only after a while', async () => {
  const [a, b] = [new Site('club-a'), new Site('club-b')];
  await atSites([a, b], async (tab) => {
    for (const site of [a, b]) await complete(tab, site.name);
    for (const site of [a, b]) site.node('pi-1', 'lost');
    await tab.waitForSelector('article.incomplete');
    assert.equal(await tones(tab), 0);
    await rings(tab, 4);
    assert.match(await tab.locator('[aria-live=assertive]').textContent(), /club-a, club-b/);
  });
});

test('an alarm that is raised during the catching up rings once it is current', async () => {
  const site = new Site('club-a');
  await atSites([site], async (tab) => {
    await complete(tab, 'club-a');
    const alarms = { ...site.envelope('b1', 'pi-1'), time: ago(120), alerts: [alert('fivefold', 'red')] };
    site.say('b1/alerts', alarms);
    // All at one moment: after a few seconds it is current, and rings.
    await tab.waitForFunction(() => {
      const says = (selector, text) => document.querySelector(selector)?.textContent.includes(text);
      return says('.alarm-list li', 'Old') && says('article', 'still arriving') && globalThis.tones === 0;
    });
    await rings(tab, 4);
    await complete(tab, 'club-a');
  });
});

test('who is signed out is asked once for all sites, and alarms stay as the last known ones', async () => {
  const [a, b] = [new Site('club-a'), new Site('club-b')];
  a.alarms('b1', 'pi-1', alert('fivefold', 'red'));
  await atSites([a, b], async (tab) => {
    for (const site of [a, b]) await complete(tab, site.name);
    for (const site of [a, b]) {
      site.session = { grants: [], open: [] };
      for (const socket of site.sockets) socket.send(frame({ type: 'ended', code: 'signed_out' }));
      site.sockets.clear();
    }
    await row(tab, /Old: as of/).waitFor();
    for (const site of [a, b]) await card(tab, site.name).getByRole('button').first().waitFor();
    await tab.locator('.gone-banner button').click();
    await tab.waitForSelector('dialog.sign-in');
    for (const site of [a, b]) delete site.session;
    await tab.fill('dialog.sign-in [name=user]', 'chief');
    await tab.fill('dialog.sign-in [name=password]', 'secret');
    await tab.click('dialog.sign-in [type=submit]');
    for (const site of [a, b]) await complete(tab, site.name);
    assert.equal(await row(tab, /Old/).count(), 0);
  });
});

test('the button of a site signs in at that site alone', async () => {
  const [a, b, c] = [new Site('club-a'), new Site('club-b'), new Site('club-c')];
  for (const site of [b, c]) site.session = { grants: [], open: [] };
  await atSites([a, b, c], async (tab) => {
    await card(tab, 'club-b').getByRole('button').click();
    assert.match(await tab.textContent('#sign-in-title'), /club-b/);
    delete b.session;
    await tab.fill('dialog.sign-in [name=user]', 'chief');
    await tab.fill('dialog.sign-in [name=password]', 'secret');
    await tab.click('dialog.sign-in [type=submit]');
    await complete(tab, 'club-b');
    assert.equal(c.sockets.size, 0);
    await card(tab, 'club-c').getByRole('button').waitFor();
  });
});

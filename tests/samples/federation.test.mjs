// Two venues, each with its own broker, daemon and board, connected to the broker of a federation by
// config/mosquitto/federation.conf. `remisd hall` there shows both to a chief arbiter. Its computer is
// configured as docs/federation.md says.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { assertAccessible, assertNoSideways, launch, openTab } from '../pages/browser.mjs';
import { Venue, certificate, freePort, listening, program, read, root, sample } from './venue.mjs';

const CONF = 'config/mosquitto/federation.conf';
const SITES = ['club-a', 'club-b'];
/** A site of which nothing is ever heard, and where the chief arbiter may only look. */
const SILENT = 'club-c';
const PASSWORD = 'chief-password';
const PATIENCE_MS = 90_000;
/** Ten times faster than people would lose moves; this is enough for a move in each second. */
const SPEED = 2;

/** The block of docs/federation.md below the line that begins with `name`, changed as in `sample`. */
function block(name, changes) {
  const document = read('docs/federation.md');
  const [, text] = document.split(`\n${name}`)[1].match(/```\w+\n([^]*?)```/);
  return changes.reduce((changed, [before, after]) => {
    assert.ok(changed.includes(before), `${name} has no ${before}`);
    return changed.replaceAll(before, after);
  }, text);
}

/** A venue with its own broker, daemon, board and bridge. */
class Club extends Venue {
  constructor(site) {
    super();
    this.site = site;
  }

  /** Writes the files of the venue, where the user `chief` has the rights of the arbiter. */
  async prepare() {
    await this.setUp(this.site);
    this.#addChief();
  }

  async open(federation, tls) {
    await this.openBroker();
    await this.daemon([], SPEED);
    const port = await freePort();
    const text = sample(CONF, [
      ['club-b', this.site],
      ['CLUB-B', 'CLUB'],
      ['listener 1885', `listener ${port}`],
      ['address 127.0.0.1:1883', `address 127.0.0.1:${this.mqtt}`],
      ['PASSWORD-OF-CHIEF', PASSWORD],
      ['address broker.example.org:8883', `address localhost:${federation}`],
      ['/etc/ssl/certs/ca-certificates.crt', tls.cert],
      ['PASSWORD-OF-VENUE-CLUB', `venue-${this.site}`],
      ['restart_timeout 2 30', 'restart_timeout 1'],
      ['/var/lib/remisd-bridge/', `${this.folder}/`],
    ]);
    this.conf = this.write('relay.conf', `user root\nlog_type error\npersistence_file relay.db\n${text}`);
    this.relayPort = port;
    await this.connect();
  }

  async connect() {
    this.relay = await this.begin('mosquitto', ['-c', this.conf]);
    await listening(this.relayPort);
  }

  disconnect() {
    return this.end(this.relay);
  }

  async restartBroker() {
    await this.end(this.broker);
    await this.openBroker();
  }

  async openBroker() {
    await this.startBroker();
    this.broker = this.children.at(-1);
  }

  #addChief() {
    const conf = readFileSync(join(this.folder, 'club', 'mosquitto.conf'), 'utf8');
    const file = (key) => new RegExp(`^${key} (.+)$`, 'm').exec(conf)[1];
    this.run('mosquitto_passwd', ['-b', file('password_file'), 'chief', PASSWORD]);
    const acl = readFileSync(file('acl_file'), 'utf8');
    const rights = /^user arbiter\n(?:topic .*\n)+/m.exec(acl)[0];
    appendFileSync(file('acl_file'), `\n${rights.replace('user arbiter', 'user chief')}`);
  }

  /** The next value of an arbiter's topic that `fits`, as the venue itself has it. */
  value(leaf, fits) {
    const who = ['-h', '127.0.0.1', '-p', String(this.mqtt), '-u', 'arbiter', '-P', this.password('arbiter')];
    return this.start('mosquitto_sub', [...who, '-W', '90', '-t', `chess/v1/${this.site}/arbiter/b1/${leaf}`], {
      found: (line) => {
        const value = JSON.parse(line);
        return fits(value) ? value : undefined;
      },
    });
  }

  /** Stops the simulated board. */
  async unplug() {
    const board = this.children.find(({ name }) => name.endsWith('simulate'));
    await this.end(board);
  }
}

/** Collects the numbers of the events of a board at the federation's broker, and waits for one. */
class Events {
  seqs = new Set();
  #changed = () => {};

  async open(port, cert, site) {
    const who = ['-h', 'localhost', '-p', String(port), '-u', 'chief', '-P', PASSWORD, '--cafile', cert];
    const words = [...who, '-q', '1', '-t', `chess/v1/${site}/arbiter/b1/event`];
    const child = spawn('stdbuf', ['-oL', 'mosquitto_sub', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    centre.children.push(Object.assign(child, { name: 'mosquitto_sub', gone: once(child, 'exit') }));
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.seqs.add(JSON.parse(line).seq);
      this.#changed();
    });
    await this.until(() => this.seqs.size > 0);
  }

  async until(condition) {
    let late;
    await new Promise((resolve, reject) => {
      late = setTimeout(() => reject(new Error(`events: ${[...this.seqs].slice(-20)}`)), PATIENCE_MS);
      this.#changed = () => condition() && resolve();
      this.#changed();
    });
    clearTimeout(late);
  }
}

const centre = new Venue();
const events = new Events();
let outside;
const clubs = Object.fromEntries(SITES.map((site) => [site, new Club(site)]));
let browser;
let opened;
let tab;

before(async () => {
  const tls = certificate(centre);
  const [federation, http] = [await freePort(), await freePort()];
  const secrets = { chief: PASSWORD, public: 'public', 'venue-club-a': 'venue-club-a', 'venue-club-b': 'venue-club-b' };
  const lines = Object.entries(secrets).map(([user, secret]) => `${user}:${secret}\n`);
  const passwords = centre.write('centre.passwd', lines.join(''));
  centre.run('mosquitto_passwd', ['-U', passwords]);
  for (const site of SITES) await clubs[site].prepare();
  const acl = centre.run('sh', [join(root, 'config/mosquitto/federation-acl'), ...SITES, `look:${SILENT}`]);
  const conf = block('`/etc/mosquitto/conf.d/federation.conf`:', [
    ['/etc/mosquitto/federation.passwd', passwords],
    ['/etc/mosquitto/federation.acl', centre.write('centre.acl', acl)],
    ['listener 8883', `listener ${federation} 127.0.0.1`],
    ['/etc/mosquitto/certs/broker.pem', tls.cert],
    ['/etc/mosquitto/certs/broker.key', tls.key],
  ]);
  await centre.start('mosquitto', ['-c', centre.write('centre.conf', `user root\nlog_type error\n${conf}`)]);
  await listening(federation);
  await Promise.all(SITES.map((site) => clubs[site].open(federation, tls)));
  outside = { port: federation, cert: tls.cert };
  const secret = centre.write('public', 'public\n');
  const config = block('`/etc/remisd/remisd.toml`', [
    ['broker.example.org:8883', `localhost:${federation}`],
    ['/etc/remisd/federation.pem', tls.cert],
    ['127.0.0.1:9120', `127.0.0.1:${http}`],
    ['["club-b"]', `["club-b", "${SILENT}"]`],
    ['/etc/remisd/public-password', secret],
  ]);
  const file = centre.write('hall.toml', config);
  await centre.start(program, ['hall', '--config', file], {
    env: { STATE_DIRECTORY: centre.folder, REMISD_LOG: 'error' },
  });
  await listening(http);
  browser = await launch();
  opened = await openTab(browser);
  tab = opened.tab;
  tab.setDefaultTimeout(PATIENCE_MS);
  await tab.goto(`http://127.0.0.1:${http}/chief`);
});
after(async () => {
  await browser?.close();
  for (const venue of [...Object.values(clubs), centre]) await venue.close();
});

const card = (site) => tab.locator(`article[aria-label="${site}"]`);

/** Sends a command as the page would; returns its answer. */
const command = (site, verb, args) =>
  tab.evaluate(
    async ([at, body]) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(at, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, ...(await answer.json()) };
    },
    [`site/${site}/api/command/arbiter/b1/${verb}`, args],
  );

test('a wrong password is refused, and nothing is shown', async () => {
  await tab.waitForSelector('dialog.sign-in');
  for (const site of SITES) assert.match(await card(site).textContent(), /not signed in here/);
  assert.match(await tab.textContent('.gone-banner'), /club-a, club-b, club-c/);
  const asked = () => opened.seen.requests.filter((request) => request.endsWith('api/session')).length;
  const before = asked();
  await tab.fill('dialog.sign-in [name=user]', 'chief');
  await tab.fill('dialog.sign-in [name=password]', 'wrong');
  await tab.click('dialog.sign-in [type=submit]');
  await tab.waitForSelector('dialog.sign-in .trouble:not(:empty)');
  // A wrong password counts at each site, so not every one of them is asked.
  assert.equal(asked() - before, 3);
  assert.deepEqual(opened.seen.frames, []);
  assert.match(await card('club-b').textContent(), /Sign-in failed/);
});

test('the chief arbiter signs in once and sees both venues', async () => {
  await tab.fill('dialog.sign-in [name=password]', PASSWORD);
  await tab.fill('dialog.sign-in [name=name]', 'Clara Chief');
  await tab.click('dialog.sign-in [type=submit]');
  for (const site of SITES) await tab.waitForSelector(`article[aria-label="${site}"]:not(.incomplete)`);
  for (const site of SITES)
    await card(site)
      .getByText(/\b1 board\b/)
      .waitFor();
  await tab.waitForFunction(() => document.querySelector('.gone-banner').textContent.includes('old: club-c.'));
  assert.match(await card(SILENT).textContent(), /Nothing has been heard/);
  await tab.getByText('No alerts at the other sites.').waitFor();
  await assertAccessible(tab);
  await tab.setViewportSize({ width: 360, height: 780 });
  await assertNoSideways(tab);
  await tab.setViewportSize({ width: 1280, height: 800 });
  assert.deepEqual(opened.seen.troubles, []);
});

test('an alarm is in the list with its site, and is acknowledged there', async () => {
  await clubs['club-b'].unplug();
  const rows = tab.locator('.alarm-list li').filter({ hasText: 'club-b' });
  const row = rows.filter({ has: tab.getByRole('button', { name: /^Acknowledge/ }) }).first();
  await row.waitFor();
  assert.match(await row.textContent(), /club-b · Board b1/);
  await row.getByRole('button', { name: /^Acknowledge/ }).click();
  const seen = await clubs['club-b'].value('alerts', ({ alerts }) => alerts.some((alert) => alert.acknowledged_by));
  assert.match(seen.alerts.find((alert) => alert.acknowledged_by).acknowledged_by, /Clara Chief/);
  await tab.locator('.alarm-list li').filter({ hasText: 'seen by' }).first().waitFor();
});

test('the site is a link to its console, where nobody has to sign in again', async () => {
  const [console] = await Promise.all([tab.context().waitForEvent('page'), card('club-b').getByRole('link').click()]);
  await console.waitForSelector('[data-board="b1"]', { timeout: PATIENCE_MS });
  assert.match(console.url(), /\/site\/club-b\/arbiter$/);
  assert.match(await console.textContent('h1'), /club-b/);
  await console.close();
});

test('where the access list lets the chief arbiter only look, commands are refused', async () => {
  const refused = await command(SILENT, 'pause', { id: 'look' });
  assert.deepEqual([refused.status, refused.code], [403, 'refused_by_broker']);
});

test('a venue that is out of reach is named, and a command to it never comes late', async () => {
  const club = clubs['club-a'];
  await events.open(outside.port, outside.cert, 'club-a');
  await club.disconnect();
  const from = opened.seen.frames.length;
  const late = await command('club-a', 'result', { id: 'late', score: '1-0', reason: 'adjudication' });
  assert.equal(late.status, 504);
  await tab.waitForFunction(() => document.querySelector('.gone-banner').textContent.includes('club-a'));
  await tab.waitForSelector('article[aria-label="club-a"].incomplete');
  assert.match(await card('club-a').textContent(), /half a minute/);
  // The venue plays on, and what it has played is here once the line is back.
  const { seq } = await club.value('game', ({ ply }) => ply > 0);
  await club.connect();
  await tab.waitForSelector('article[aria-label="club-a"]:not(.incomplete)');
  // The board of the other venue does not play.
  const reached = ({ type, topic, payload }) => type === 'value' && topic === 'b1/tile' && payload.seq >= seq;
  await opened.seen.until((frames) => frames.slice(from).some(reached));
  // No event is missing, of those during the restart of the bridge neither.
  await events.until(() => Math.max(...events.seqs) >= seq);
  const [first, last] = [Math.min(...events.seqs), Math.max(...events.seqs)];
  assert.equal(events.seqs.size, last - first + 1);
  // The commands have a connection of their own, which may come a little later.
  let now;
  for (let attempt = 0; attempt < 20 && (now?.code ?? 'no_answer') === 'no_answer'; attempt += 1)
    now = await command('club-a', 'pause', { id: 'now' });
  assert.equal(now.status, 200, JSON.stringify(now));
  // Commands keep their order, so the late one would be here by now.
  const game = await club.value('game', () => true);
  assert.equal(game.result, null);
});

test('a topic that was cleared and came back is cleared when the broker of the venue is restarted', async () => {
  const club = clubs['club-a'];
  const topic = 'chess/v1/club-a/public/b1/offer';
  const at = ['-h', 'localhost', '-p', String(outside.port), '--cafile', outside.cert, '-t', topic, '-q', '1'];
  // As the federation's broker has it again after it was killed.
  const venue = ['-u', 'venue-club-a', '-P', 'venue-club-a'];
  centre.run('mosquitto_pub', [...at, ...venue, '-r', '-m', 'old']);
  const chief = ['-u', 'chief', '-P', PASSWORD, '-F', '%r %l %p'];
  const cleared = centre.start('stdbuf', ['-oL', 'mosquitto_sub', ...at, ...chief], {
    found: (line) => line.endsWith(' 0 ') || undefined,
  });
  await club.restartBroker();
  await cleared;
});

test('the page fits a phone in every language, and keeps its sessions', async () => {
  await tab.setViewportSize({ width: 360, height: 780 });
  for (const [lang, title] of Object.entries({ de: 'Alle Spielorte', nl: 'Alle speellocaties' })) {
    await tab.goto(`${tab.url().split('?')[0]}?lang=${lang}`);
    for (const site of SITES) await tab.waitForSelector(`article[aria-label="${site}"]:not(.incomplete)`);
    assert.equal(await tab.textContent('h1'), title);
    await assertNoSideways(tab);
    await assertAccessible(tab);
  }
});

// A real browser on the pages of a running hall.
//
// REMISD_URL is the address of the pages, REMISD_BOARD the board to look at (b1), CHROMIUM the path
// of the browser.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

const require = createRequire(new URL('../../src/hall/pages/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const url = (process.env.REMISD_URL ?? 'http://127.0.0.1:8080').replace(/\/$/, '');
export const board = process.env.REMISD_BOARD ?? 'b1';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long a browser may take to close before it is killed. */
const CLOSE_MS = 10_000;
/** The pause before a refused sign-in is tried again. */
const AGAIN_MS = 500;
/** How long messages of the feed are waited for: some tests wait for the end of the next game. */
const UNTIL_MS = 300_000;
/** How long handles left open by a killed browser may keep a test file from ending. */
const LEFT_OPEN_MS = 2_000;

/**
 * A browser whose `close` always ends, after `closeMs` by force. With PAGES_ASSETS the pages'
 * assets come from that folder, so that a change is visible without rebuilding the program. With
 * PAGES_SLOW_MS requests are delayed: this finds a test that does not wait for what it asserts.
 */
export async function launch(closeMs = CLOSE_MS) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ARGUMENTS,
  });
  const leader = await processOf(browser);
  const close = browser.close.bind(browser);
  browser.close = async () => {
    const waiting = new AbortController();
    const late = sleep(closeMs, true, { signal: waiting.signal }).catch(() => false);
    const isLate = await Promise.race([close().then(() => false), late]);
    waiting.abort();
    if (!isLate) return;
    console.log(`# the browser has not closed within ${closeMs} ms and is killed`);
    kill(-leader);
    // The tests are over. Open pipes to the killed browser would keep this process alive forever.
    setTimeout(() => process.exit(), LEFT_OPEN_MS).unref();
  };
  const folder = process.env.PAGES_ASSETS;
  if (folder !== undefined) serveAssets(browser, folder);
  const slowMs = Number(process.env.PAGES_SLOW_MS ?? 0);
  if (slowMs > 0) delayRequests(browser, slowMs);
  return browser;
}

/** Makes every request of every context wait for up to `slowMs`, each for a time of its own. */
function delayRequests(browser, slowMs) {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    await context.route('**/*', async (route) => {
      await sleep(Math.random() * slowMs);
      await route.fallback().catch(() => {}); // The tab may have been closed meanwhile.
    });
    return context;
  };
}

/** Makes every context of the browser take the pages' assets from a folder. */
function serveAssets(browser, folder) {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    await context.route(/\/assets\/[^/]+$/, (route) =>
      route.fulfill({ path: join(folder, basename(new URL(route.request().url()).pathname)) }),
    );
    return context;
  };
}

/** The leader of the browser's process group. */
export async function processOf(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.find(({ type }) => type === 'browser').id;
}

function kill(group) {
  try {
    process.kill(group, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // it has ended meanwhile
  }
}

/** The credentials for a page's address, where the hall requires them. */
export function credentials(role) {
  const password = process.env[`REMISD_PASSWORD_${role.toUpperCase()}`] ?? 'secret';
  return `#user=${role}&password=${encodeURIComponent(password)}&role=${role}`;
}

/** The pages under test, and what each of them shows when it is ready. */
export const PAGES = {
  start: { path: '/', shown: `article[aria-label] .board[aria-label*=":"]` },
  overlay: { path: `/overlay?board=${board}`, shown: '.view:not(.empty) .board[aria-label*=":"]' },
  display: { path: '/display', shown: '.tile .board[aria-label*=":"]', role: 'hall' },
  clock: { path: `/clock?board=${board}&role=white`, shown: '.face .time', role: 'white' },
};

/** The full address of a page, with extra query parameters. */
export function address(name, query = {}) {
  const page = PAGES[name];
  const at = new URL(url + page.path);
  for (const [key, value] of Object.entries(query)) at.searchParams.set(key, value);
  return at.href + (page.role ? credentials(page.role) : '');
}

/**
 * A tab with its own session that records requests, messages and errors. `seen.until(enough)` waits
 * until enough messages have arrived. `line.cut()` silences the feed without closing it, and
 * `line.join()` closes it so that it is reopened.
 */
export async function openTab(browser, options = {}) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 }, ...options });
  const tab = await context.newPage();
  const waiting = new Set();
  const seen = {
    requests: [],
    troubles: [],
    frames: [],
    until: (enough) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          const types = seen.frames.map(({ type }) => type).join(' ');
          reject(new Error(`what is waited for has not come within ${UNTIL_MS / 1000} s, but: ${types}`));
        }, UNTIL_MS);
        const look = () => {
          if (!enough(seen.frames)) return;
          waiting.delete(look);
          clearTimeout(late);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
  const line = {
    silent: false,
    sockets: new Set(),
    cut: () => {
      line.silent = true;
    },
    join: () => {
      line.silent = false;
      for (const socket of line.sockets) socket.close();
      line.sockets.clear();
    },
  };
  tab.on('request', (request) => seen.requests.push(request.url()));
  tab.on('websocket', (socket) => seen.requests.push(socket.url()));
  tab.on('pageerror', (error) => seen.troubles.push(error.message));
  // A server that is not up yet is not the page's fault.
  tab.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      seen.troubles.push(message.text());
  });
  await tab.routeWebSocket(/\/feed\?/, (socket) => {
    seen.requests.push(socket.url());
    const server = socket.connectToServer();
    line.sockets.add(socket);
    server.onMessage((message) => {
      const frame = JSON.parse(String(message));
      seen.frames.push(frame);
      // The daemon of the tests is of the server's own version.
      if (frame.unreadable === true) seen.troubles.push(`${frame.topic} cannot be read`);
      for (const look of waiting) look();
      if (!line.silent) socket.send(message);
    });
  });
  return { tab, seen, line, close: () => context.close() };
}

/** Opens a page and waits until it shows something. */
export async function visit(browser, name, { query, ...options } = {}) {
  const opened = await openTab(browser, options);
  await opened.tab.goto(address(name, query));
  await opened.tab.waitForSelector(PAGES[name].shown, { timeout: 20_000 });
  return opened;
}

/** Signs in on the console as an arbiter called Anna Smit, and waits for the tiles. */
export async function signInAsArbiter(tab, query = '') {
  await tab.goto(`${url}/arbiter${query}`);
  await tab.waitForSelector('dialog.sign-in');
  const password = tab.locator('dialog.sign-in [name=password]');
  if (await password.isVisible()) await password.fill(process.env.REMISD_PASSWORD_ARBITER ?? 'secret');
  await tab.fill('dialog.sign-in [name=name]', 'Anna Smit');
  // Between two games of the demo the broker is briefly gone: try again.
  for (let attempt = 0; attempt < 20 && (await tab.locator('dialog.sign-in').count()) > 0; attempt++) {
    await tab.click('dialog.sign-in [type=submit]:enabled');
    // A refusal enables the button again; a session removes the dialog.
    await tab.waitForFunction(() => {
      const button = document.querySelector('dialog.sign-in [type=submit]');
      return button === null || !button.disabled;
    });
    if ((await tab.locator('dialog.sign-in').count()) > 0) await sleep(AGAIN_MS);
  }
  await tab.waitForSelector(`[data-board="${board}"] .state:not(:empty)`, { timeout: 30_000 });
}

/** Fails if any request went to a host other than the pages' own. */
export function assertOwnHost(seen) {
  const own = new URL(url).host;
  const foreign = seen.requests.filter(
    (request) => !/^(data|blob|about):/.test(request) && new URL(request).host !== own,
  );
  assert.deepEqual(foreign, []);
}

/** Fails on every serious or critical finding of axe. */
export async function assertAccessible(tab) {
  await tab.evaluate(axeSource);
  const results = await tab.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const grave = results.violations.filter((finding) => finding.impact === 'serious' || finding.impact === 'critical');
  assert.deepEqual(
    grave.map((finding) => `${finding.id}: ${finding.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`),
    [],
  );
}

/** Fails if the page is wider than its window. */
export async function assertNoSideways(tab) {
  const { wide, room } = await tab.evaluate(() => ({ wide: document.documentElement.scrollWidth, room: innerWidth }));
  assert.ok(wide <= room, `the page is ${wide} wide in a window of ${room}`);
}

/** A file of the hall as sent to a client that accepts compression. */
function sent(path) {
  return new Promise((resolve, reject) => {
    get(`${url}/${path}`, { headers: { 'accept-encoding': 'gzip' } }, async (answer) => {
      const pieces = await answer.toArray();
      const body = Buffer.concat(pieces);
      const isPacked = answer.headers['content-encoding'] === 'gzip';
      if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode}`));
      else resolve({ bytes: body.length, text: isPacked ? gunzipSync(body) : body });
    }).on('error', reject);
  });
}

/** The size of a page with the scripts and style sheets it names, compressed and unpacked. */
export async function weigh(page) {
  const html = await sent(page);
  const names = [...String(html.text).matchAll(/"(assets\/[^"]+\.(?:js|css))"/g)].map(([, name]) => name);
  const files = [html, ...(await Promise.all(names.map(sent)))];
  const sum = (of) => files.reduce((total, file) => total + of(file), 0);
  return { names, bytes: sum((file) => file.bytes), plain: sum((file) => file.text.length) };
}

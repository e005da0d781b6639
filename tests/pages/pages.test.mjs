// Every page in a real browser: it shows the game, follows it, speaks three languages, and is
// accessible.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import {
  PAGES,
  address,
  assertAccessible,
  assertNoSideways,
  assertOwnHost,
  board,
  launch,
  openTab,
  url,
  visit,
  weigh,
} from './browser.mjs';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** Text that appears on a page in each language. */
const WORDS = {
  start: { en: 'Boards', de: 'Bretter', nl: 'Borden' },
  overlay: { en: 'White', de: 'Weiß', nl: 'Wit' },
  display: { en: 'White', de: 'Weiß', nl: 'Wit' },
  clock: { en: 'Offer a draw', de: 'Remis anbieten', nl: 'Remise aanbieden' },
};

/** What changes when a move is made or time passes. */
const CHANGING = {
  start: [PAGES.start.shown, 'aria-label'],
  overlay: ['.view .board', 'aria-label'],
  display: [PAGES.display.shown, 'aria-label'],
  clock: ['.face.running time, .face time', null],
};

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

for (const name of Object.keys(PAGES)) {
  describe(name, () => {
    test('shows the game, follows it, and asks no other host', async () => {
      const { tab, seen, close } = await visit(browser, name);
      const [selector, attribute] = CHANGING[name];
      const first = await tab.waitForFunction(
        ([at, from]) => {
          const element = document.querySelector(at);
          return from === null ? element?.textContent : element?.getAttribute(from);
        },
        [selector, attribute],
      );
      await tab.waitForFunction(
        ([at, from, before]) => {
          const element = document.querySelector(at);
          return (from === null ? element?.textContent : element?.getAttribute(from)) !== before;
        },
        [selector, attribute, await first.jsonValue()],
        { timeout: 60_000 },
      );
      assertOwnHost(seen);
      assert.deepEqual(seen.troubles, []);
      await close();
    });

    test('is whole again after it is loaded again', async () => {
      const { tab, close } = await visit(browser, name);
      await tab.reload();
      await tab.waitForSelector(PAGES[name].shown);
      await close();
    });

    test('has no serious fault for those who see, hear or move otherwise', async () => {
      for (const colorScheme of ['light', 'dark']) {
        const { tab, close } = await visit(browser, name, { colorScheme });
        await assertAccessible(tab);
        await close();
      }
    });

    test('speaks three languages', async () => {
      for (const [lang, word] of Object.entries(WORDS[name])) {
        const { tab, close } = await visit(browser, name, { query: { lang } });
        assert.equal(await tab.getAttribute('html', 'lang'), lang);
        const html = await tab.content();
        assert.ok(html.includes(word), `${word} does not stand on the page`);
        await close();
      }
    });

    test('takes the language from the browser, and ß from no Swiss one', async () => {
      const { tab, close } = await visit(browser, name, { locale: 'de-CH' });
      assert.equal(await tab.getAttribute('html', 'lang'), 'de-CH');
      assert.ok(!(await tab.textContent('body')).includes('ß'));
      await close();
    });

    test('says how old it is when nothing is heard, and recovers', async () => {
      const { tab, line, close } = await visit(browser, name);
      const age = tab.locator('.age, #age');
      assert.equal(await age.isVisible(), false);
      line.cut();
      await age.waitFor({ state: 'visible' });
      assert.match(await age.textContent(), /No connection for \d+ s/);
      line.join();
      await age.waitFor({ state: 'hidden' });
      await tab.waitForSelector(PAGES[name].shown);
      await close();
    });

    if (name === 'start' || name === 'clock') {
      test('fits on a phone', async () => {
        const { tab, close } = await visit(browser, name, PHONE);
        await assertNoSideways(tab);
        await assertAccessible(tab);
        await close();
      });
    }
  });
}

describe('overlay', () => {
  test('is transparent, scrolls nowhere, and takes neither focus nor pointer', async () => {
    for (const layout of ['board', 'boards', 'ticker', 'table']) {
      const { tab, close } = await openTab(browser, { viewport: { width: 960, height: 540 } });
      await tab.goto(`${url}/overlay?layout=${layout}`);
      await tab.waitForSelector('.name', { state: 'attached' });
      const found = await tab.evaluate(() => ({
        body: getComputedStyle(document.body).backgroundColor,
        root: getComputedStyle(document.documentElement).backgroundColor,
        scrolls:
          document.documentElement.scrollHeight > innerHeight &&
          getComputedStyle(document.documentElement).overflowY !== 'hidden',
        focusable: document.querySelectorAll('a, button, input, select, [tabindex]').length,
        outside: [...document.querySelectorAll('.player, .line, .item, tr')].filter(
          (one) =>
            one.getBoundingClientRect().bottom > innerHeight + 1 || one.getBoundingClientRect().right > innerWidth + 1,
        ).length,
      }));
      assert.deepEqual(
        found,
        { body: 'rgba(0, 0, 0, 0)', root: 'rgba(0, 0, 0, 0)', scrolls: false, focusable: 0, outside: 0 },
        layout,
      );
      await close();
    }
  });

  test('shows what its address asks for', async () => {
    const { tab, close } = await visit(browser, 'overlay', {
      query: { show: 'names,fifty', theme: 'navy', flip: '1' },
    });
    assert.equal(await tab.getAttribute('html', 'data-theme'), 'navy');
    assert.equal(await tab.locator('time:visible').count(), 0);
    assert.equal(await tab.locator('coords').count(), 0);
    assert.equal(
      await tab
        .locator('.player')
        .first()
        .getAttribute('class')
        .then((names) => names.includes('white')),
      true,
    );
    // In a competition without a long delay the public gets no counters, whatever an address
    // requests.
    await tab.waitForSelector(PAGES.overlay.shown, { timeout: 30_000 });
    assert.equal(await tab.locator('.counters:visible').count(), 0);
    await close();
  });

  test('asks for an opening that is not answered only once for a position', async () => {
    const { tab, seen, close } = await openTab(browser);
    await tab.route('**/api/opening*', (route) => route.abort());
    const failed = tab.waitForEvent('requestfailed', (request) => request.url().includes('api/opening'));
    await tab.goto(address('overlay'));
    await failed;
    // Frames in which it would be asked for again.
    for (let frame = 0; frame < 20; frame++)
      await tab.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    const asked = seen.requests.filter((request) => request.includes('api/opening'));
    assert.equal(asked.length, new Set(asked).size, asked.join('\n'));
    await close();
  });

  test('comes over server-sent events where no WebSocket is let through', async () => {
    const { tab, seen, close } = await openTab(browser);
    await tab.routeWebSocket(/\/feed\?/, (socket) => socket.close());
    await tab.goto(address('overlay'));
    await tab.waitForSelector(PAGES.overlay.shown, { timeout: 30_000 });
    assert.ok(seen.requests.some((request) => request.includes('/api/events?')));
    await close();
  });

  test('is light', async () => {
    const { names, bytes } = await weigh('overlay');
    assert.deepEqual(names.sort(), ['assets/overlay.css', 'assets/overlay.js']);
    assert.ok(bytes < 100_000, `${bytes} bytes`);
  });

  test('has clocks that neither jump nor go below zero', async () => {
    const { tab, close } = await visit(browser, 'overlay', { query: { show: 'names,clocks' } });
    // Checked in every frame, until the clocks have shown five different times.
    const found = await tab.waitForFunction(
      () => {
        const seen = (globalThis.seen ??= { widths: new Set(), texts: new Set(), below: false });
        const clocks = [...document.querySelectorAll('.clock:not([hidden])')];
        for (const clock of clocks) {
          seen.widths.add(Math.round(clock.getBoundingClientRect().width));
          seen.below ||= /[-−]/.test(clock.textContent);
        }
        seen.texts.add(clocks.map((clock) => clock.textContent).join());
        return seen.texts.size < 5 ? null : { widths: seen.widths.size, below: seen.below };
      },
      undefined,
      { polling: 'raf', timeout: 60_000 },
    );
    assert.deepEqual(await found.jsonValue(), { widths: 1, below: false });
    await close();
  });
});

/** Replaces the tags of the demo's game by these. */
function withHeaders(tab, headers) {
  return tab.routeWebSocket(/\/feed\?/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (frame.type === 'value' && frame.topic.endsWith('/game') && frame.payload !== null)
        frame.payload.headers = headers;
      socket.send(JSON.stringify(frame));
    });
  });
}

for (const name of ['overlay', 'display']) {
  test(`${name} draws the flags of federations, and writes the code of what has none`, async () => {
    // One flag drawn here and one from the library; FIDE's own flag stands for no country.
    for (const [white, black] of [
      ['NED', 'BRA'],
      ['FID', 'XYZ'],
      ['constructor', ''],
    ]) {
      const { tab, seen, close } = await openTab(browser);
      await withHeaders(tab, { White: 'Smit, Anna', Black: 'Costa, João', WhiteFed: white, BlackFed: black });
      await tab.goto(address(name));
      const bar = (side) => tab.locator(`.player.${side}`).first();
      await bar('white').getByText('Smit').waitFor();
      for (const [side, code] of [
        ['white', white],
        ['black', black],
      ]) {
        const flag = bar(side).locator('.flag');
        const letters = await bar(side).locator('.federation').textContent();
        if (['NED', 'BRA'].includes(code)) {
          await flag.waitFor();
          await tab.waitForFunction((image) => image.complete && image.naturalWidth > 0, await flag.elementHandle());
          assert.deepEqual([await flag.getAttribute('alt'), letters], [code, '']);
        } else {
          assert.deepEqual(
            [await flag.isHidden(), letters],
            [true, name === 'display' && code.length !== 3 ? '' : code],
          );
        }
      }
      assertOwnHost(seen);
      assert.deepEqual(seen.troubles, []);
      await close();
    }
  });
}

describe('start', () => {
  test('makes an address that opens as it says', async () => {
    const { tab, close } = await visit(browser, 'start');
    await tab.selectOption('#b-theme', 'wood');
    await tab.selectOption('#b-lang', 'nl');
    await tab.uncheck('input[name=opening]');
    await tab.check('input[name=fifty]');
    const link = await tab.inputValue('#b-link');
    assert.equal(link, `${url}/overlay?board=${board}&layout=board&theme=wood&lang=nl&show=-opening,%2Bfifty`);
    await tab.goto(link);
    await tab.waitForSelector(PAGES.overlay.shown);
    await close();
  });

  test('says what to do when its server is gone', async () => {
    const { tab, line, close } = await visit(browser, 'start');
    await tab.route('**/api/site', (route) => route.abort());
    line.cut();
    await tab.waitForFunction(
      () => document.querySelector('.next')?.textContent?.includes('cannot reach its server'),
      undefined,
      { timeout: 30_000 },
    );
    await close();
  });

  test('says what to do when there is no broker and when there is no board', async () => {
    const { tab, close } = await openTab(browser);
    const answer = (more) => (route) =>
      route.fulfill({
        json: {
          schema: 'remisd/hall-site/1',
          site: 'hall',
          version: '0.1.0',
          languages: ['en'],
          delay_ms: 0,
          broker: true,
          broker_fault: null,
          source: 'https://example.org/',
          licence: 'GPL-3.0-or-later',
          boards: [],
          ...more,
        },
      });
    await tab.routeWebSocket(/\/feed\?/, () => undefined);
    const advises = async (site, text) => {
      await tab.route('**/api/site', answer(site));
      await tab.reload();
      await tab.locator('.next', { hasText: text }).waitFor();
      await tab.unroute('**/api/site');
    };
    await tab.goto(address('start'));
    const fault = (broker_fault) => ({ broker: false, broker_fault });
    await advises(fault('unreachable'), 'cannot reach the MQTT broker');
    await advises(fault('no_public_user'), 'public_password_file');
    await tab.locator('.health .bad', { hasText: 'refuses' }).waitFor();
    await advises(fault('public_user_refused'), 'refuses the user in “public_username” under [http]');
    await advises({}, 'remisd demo');
    await close();
  });
});

describe('what is refused', () => {
  const TITLES = { en: 'Page not found', de: 'Seite nicht gefunden', nl: 'Pagina niet gevonden' };

  test('is a page for people, in their language, with the way to the others', async () => {
    for (const [lang, title] of Object.entries(TITLES))
      for (const path of ['/nothing', '/no/such/page']) {
        const { tab, seen, close } = await openTab(browser, PHONE);
        const answer = await tab.goto(`${url}${path}?lang=${lang}`);
        assert.equal(answer.status(), 404);
        await tab.waitForSelector('h1');
        assert.equal(await tab.textContent('h1'), title);
        assert.equal(await tab.textContent('code'), path);
        await assertAccessible(tab);
        await assertNoSideways(tab);
        assertOwnHost(seen);
        await tab.click('nav a >> nth=0');
        await tab.waitForSelector(PAGES.start.shown);
        assert.equal(new URL(tab.url()).pathname, '/');
        assert.deepEqual(seen.troubles, []);
        await close();
      }
  });

  test('says that a sheet wants a sign-in', async () => {
    const { tab, close } = await openTab(browser);
    const answer = await tab.goto(`${url}/evidence/${board}?lang=de`);
    assert.equal(answer.status(), 401);
    await tab.waitForSelector('h1');
    assert.match(await tab.textContent('body'), /als Schiedsrichter anmelden/);
    await close();
  });

  test('is JSON for a program', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const answer = await fetch(`${url}/nothing`, { headers: { accept } });
      assert.deepEqual([answer.status, (await answer.json()).code], [404, 'not_found']);
    }
  });
});

/** Adds a style sheet to a page as the browser source of OBS does with its "Custom CSS". */
function asObs(tab, css) {
  return tab.evaluate((text) => {
    const sheet = document.createElement('style');
    sheet.appendChild(document.createTextNode(text));
    document.querySelector('head').appendChild(sheet);
  }, css);
}

test('the custom style sheet of OBS works on the overlay, and on no other page', async () => {
  const documented = await readFile(new URL('../../docs/pages.md', import.meta.url), 'utf8');
  const classes = [...documented.matchAll(/^\| `\.([a-z.]+)` \|/gm)].map(([, name]) => name);
  assert.ok(classes.length >= 12, `${classes.length} class names are documented`);
  const css = `body { background-color: rgb(1, 2, 3); } .player .name { color: rgb(4, 5, 6); }
    .view::after { content: 'x'; background-image: url("data:image/gif;base64,R0lGODlhAQABAAAAACw="); }`;
  const { tab, seen, close } = await visit(browser, 'overlay');
  await asObs(tab, css);
  assert.deepEqual(
    await tab.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('.player .name')).color,
    ]),
    ['rgb(1, 2, 3)', 'rgb(4, 5, 6)'],
  );
  assert.deepEqual(seen.troubles, []);
  // Every documented class occurs in some layout.
  const found = new Set();
  for (const layout of ['board', 'boards', 'ticker', 'table', 'featured']) {
    await tab.goto(`${url}/overlay?board=${board}&layout=${layout}&show=%2Bfifty&qr=1`);
    await tab.waitForSelector('.name', { state: 'attached' });
    const there = await tab.evaluate((names) => names.filter((name) => document.querySelector(`.${name}`)), classes);
    for (const name of there) found.add(name);
  }
  const onlySometimes = ['winner', 'over', 'doubt', 'running', 'wide', 'tight', 'empty', 'note'];
  assert.deepEqual(
    classes.filter((name) => !found.has(name) && !onlySometimes.includes(name)),
    [],
  );
  await close();
  const other = await visit(browser, 'start');
  await asObs(other.tab, css);
  assert.notEqual(await other.tab.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(1, 2, 3)');
  await other.close();
});

/** Adds copies of the board beside it. */
function withCopies(tab, ids) {
  return tab.routeWebSocket(/\/feed\?/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      const frame = JSON.parse(String(message));
      socket.send(JSON.stringify(frame));
      if (frame.type === 'value' && frame.topic.startsWith(`${board}/`))
        for (const id of ids) socket.send(JSON.stringify({ ...frame, topic: frame.topic.replace(board, id) }));
    });
  });
}

test('an overlay whose address names no board shows all that are known', async () => {
  for (const [copies, query, shown] of [
    [[], '', [board]],
    [['b2', 'b3', 'b4', 'b5', 'b6'], '', [board, 'b2', 'b3', 'b4', 'b5', 'b6']],
    [['b2', 'b3'], '?layout=board', [board]],
    [['b2', 'b3'], '?layout=boards', [board, 'b2', 'b3']],
  ]) {
    const { tab, close } = await openTab(browser, { viewport: { width: 1920, height: 1080 } });
    await withCopies(tab, copies);
    await tab.goto(`${url}/overlay${query}`);
    await tab.waitForFunction((count) => document.querySelectorAll('.view:not(.empty)').length === count, shown.length);
    const views = await tab.$$eval('.view', (all) =>
      all.map((view) => ({ id: view.getAttribute('aria-label'), top: Math.round(view.getBoundingClientRect().top) })),
    );
    assert.deepEqual(
      views.map(({ id }) => id),
      shown,
    );
    // Six boards are arranged as two rows of three.
    if (shown.length === 6) assert.equal(views.filter(({ top }) => top === views[0].top).length, 3);
    await close();
  }
});

test('the number of a table does not read as the number of a move', async () => {
  for (const [lang, word] of [
    ['en', 'Board'],
    ['de', 'Brett'],
    ['nl', 'Bord'],
  ]) {
    const { tab, close } = await openTab(browser);
    await tab.goto(address('display', { lang }));
    await tab.waitForSelector('.tile .move:not(:empty)');
    assert.match(await tab.textContent('.tile:not(.over) .table'), new RegExp(`^${word} \\S+$`));
    await close();
  }
});

test('a name is not cut while something beside it could give way', async () => {
  const { tab, close } = await openTab(browser, { viewport: { width: 1920, height: 1080 } });
  await withHeaders(tab, {
    White: 'Kowalczykowska-Wiśniewska, Zofia',
    WhiteTitle: 'WIM',
    WhiteFed: 'POL',
    Black: 'Li, Na',
  });
  await tab.goto(address('display', { columns: '7' }));
  await tab.getByText('Kowalczyk').first().waitFor();
  // Names are refitted whenever a bar changes: wait for the last fit.
  await tab.waitForFunction(() => {
    const bar = document.querySelector('.player.white');
    const [name, flag] = [bar.querySelector('.name'), bar.querySelector('.flag')];
    const whole = name.scrollWidth <= name.clientWidth;
    return whole && name.textContent === 'Kowalczykowska' && getComputedStyle(flag).display === 'none';
  });
  assert.equal(await tab.textContent('.player.black .name'), 'Li, Na');
  await close();
});

test('the sign-in changes its language, and says that the broker is down', async () => {
  const { tab, close } = await openTab(browser);
  await tab.route('**/api/session', (route) =>
    route.fulfill({ json: { schema: 'remisd/session/1', grants: [], open: [] } }),
  );
  let broker_fault = 'unreachable';
  await tab.route('**/api/site', (route) =>
    route.fulfill({ json: { broker: broker_fault === null, broker_fault, boards: [] } }),
  );
  await tab.goto(`${url}/arbiter?lang=en`);
  await tab.getByText('no connection to the broker').waitFor();
  await assertAccessible(tab);
  await tab.selectOption('dialog .language select', 'nl');
  await tab.getByText('geen verbinding met de broker').waitFor();
  assert.equal(await tab.getAttribute('html', 'lang'), 'nl');
  // The broker refuses the public's user, not those who sign in.
  broker_fault = 'public_user_refused';
  await tab.getByText('geen verbinding met de broker').waitFor({ state: 'detached' });
  await close();
});

describe('start', () => {
  test('previews the overlay that it makes', async () => {
    const { tab, close } = await visit(browser, 'start');
    await tab.click('.preview-of summary');
    const frame = tab.frameLocator('.preview');
    await frame.locator('.view:not(.empty)').waitFor();
    await tab.selectOption('#b-theme', 'wood');
    await frame.locator('html[data-theme=wood]').waitFor();
    await close();
  });

  test('has fields that do not overlap each other or the edge of their card', async () => {
    for (const width of [360, 700, 1000, 1200, 1600, 1920]) {
      const { tab, close } = await openTab(browser, { viewport: { width, height: 900 } });
      await tab.goto(address('start'));
      await tab.waitForSelector('.builder fieldset:visible');
      const { card, fields } = await tab.evaluate(() => {
        const box = (one) => one.getBoundingClientRect().toJSON();
        const all = document.querySelectorAll('.builder .field > input, .builder .field > select');
        return { card: box(document.querySelector('.builder')), fields: [...all].map(box) };
      });
      assert.ok(fields.length >= 7);
      fields.forEach((one, index) => {
        assert.ok(one.left >= card.left && one.right <= card.right, `field ${index} at ${width}`);
        for (const other of fields.slice(index + 1))
          assert.ok(
            one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top,
            `field ${index} overlaps another one at ${width}`,
          );
      });
      await close();
    }
  });

  test('has no heading with nothing below it', async () => {
    const { tab, close } = await openTab(browser);
    await tab.routeWebSocket(/\/feed\?/, () => undefined);
    await tab.goto(address('start'));
    // Both at one moment: after six seconds without a board the heading has a note below it.
    await tab.waitForFunction(
      () => document.querySelector('.health dd') !== null && document.querySelector('#boards').hidden,
    );
    assert.equal(await tab.locator('.builder fieldset:visible').count(), 1);
    await close();
  });
});

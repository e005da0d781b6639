// The console's clocks: they run while the board is seen and stop during outages, and no flag falls
// in the page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';
import { alert, inHall } from './made_up_hall.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const TILE = '[data-board=b1] .player:last-child .time';
const OPENED = '[data-clock=white]';
const times = (white_ms) => ({ white_ms, black_ms: 4_000_000, running: 'white', seq: 40 });
const running = (white_ms) => ({ game: { clocks: times(white_ms) }, clock: times(white_ms) });
const shows = (tab, selector, pattern) =>
  tab.waitForFunction(
    ([at, wanted]) => new RegExp(wanted).test(document.querySelector(at)?.textContent ?? ''),
    [selector, pattern.source],
  );

for (const [where, hash, selector, other] of [
  ['on its tile', '', TILE, '[data-board=b2] .player:last-child .time'],
  ['where it is opened', '#board=b1', OPENED, '.elsewhere'],
]) {
  test(`the clocks of a board that is lost stand ${where}`, () =>
    inHall(
      browser,
      running(600_000),
      async (tab, hall) => {
        await shows(tab, selector, /^09:5/);
        hall.say('b1/availability', { seq: 41, session: 's', state: 'offline' }, 60);
        await shows(tab, selector, /^09:00$/);
        // Three minutes by the server's clock, as the other board's clock and alarm show.
        hall.beat(240);
        hall.say('b2/alerts', { seq: 42, alerts: [alert('fivefold', 'red', { escalated: true })] }, 240);
        await shows(tab, other, hash ? /Fivefold/ : /^1:19:20|^06:|^05:/);
        assert.equal(await tab.textContent(selector), '09:00');
        hall.say('b1/availability', { seq: 43, session: 's', state: 'online' }, 241);
        await shows(tab, selector, /^0[45]:/);
      },
      { hash },
    ));

  test(`the clocks stand ${where} while the server is not heard`, () =>
    inHall(
      browser,
      running(600_000),
      async (tab, hall) => {
        hall.fallSilent();
        await tab.waitForSelector('.stale-banner:not([hidden])');
        const age = () => tab.textContent('.stale-banner .age');
        const older = async () => {
          const was = await age();
          await tab.waitForFunction((text) => document.querySelector('.stale-banner .age').textContent !== text, was);
        };
        // One update so that the tile is written; then its content must not change.
        await older();
        const shown = await tab.textContent(selector);
        await older();
        await older();
        assert.equal(await tab.textContent(selector), shown);
      },
      { hash },
    ));
}

test('a flag has fallen when the board says so, not when a page has counted to zero', () =>
  inHall(
    browser,
    running(1000),
    async (tab, hall) => {
      await shows(tab, TILE, /^00:00$/);
      assert.equal(await tab.locator('.player.flag').count(), 0);
      hall.say('b1/clock', { ...times(0), seq: 44, session: 's', flag: 'white', paused: null, adjustment: null }, 2);
      await tab.waitForSelector('[data-board=b1] .player.flag');
    },
    { hash: '' },
  ));

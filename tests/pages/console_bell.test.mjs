// Calling the arbiter: the page says when the browser blocks its sound, and keeps the screen on.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, assertNoSideways, launch } from './browser.mjs';
import { alert, inHall } from './made_up_hall.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/**
 * Sound is on since an earlier visit. Counts the tones played. To the browser, each evaluation by
 * the test counts as a user gesture; here only a press counts.
 */
const withSound = (tab) =>
  tab.addInitScript(() => {
    localStorage.setItem('remisd.arbiter.sound', 'on');
    let touched = false;
    for (const press of ['pointerdown', 'keydown'])
      addEventListener(press, (event) => (touched ||= event.isTrusted), { capture: true });
    const resume = AudioContext.prototype.resume;
    AudioContext.prototype.resume = function () {
      return touched ? resume.call(this) : new Promise(() => {});
    };
    globalThis.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...args) {
      globalThis.tones += this.context.state === 'running' ? 1 : 0;
      return start.apply(this, args);
    };
  });
/** Records the wake locks granted by the browser. */
const withLocks = (tab) =>
  tab.addInitScript(() => {
    globalThis.locks = [];
    const request = WakeLock.prototype.request;
    WakeLock.prototype.request = async function (...args) {
      const lock = await request.apply(this, args);
      globalThis.locks.push(lock);
      return lock;
    };
  });
const tones = (tab) => tab.evaluate(() => globalThis.tones);
/** Polls without waiting for a frame. */
const SOON = { polling: 50 };
const SETTINGS = { en: 'Settings', de: 'Einstellungen', nl: 'Instellingen' };
const openSettings = (tab, lang = 'en') => tab.click(`nav button:text-is("${SETTINGS[lang]}")`);

test('after a reload the console says that alarms are not heard, and one touch ends that', () =>
  inHall(
    browser,
    { elsewhere: [] },
    async (tab, hall) => {
      await tab.waitForSelector('.silent-banner:not([hidden])');
      await assertAccessible(tab);
      await assertNoSideways(tab);
      hall.say('b2/alerts', { seq: 42, alerts: [alert('fivefold', 'red')] }, 1);
      await tab.waitForSelector('[data-board=b2].red');
      assert.equal(await tones(tab), 0);
      await tab.click('.silent-banner button');
      await tab.waitForSelector('.silent-banner', { state: 'hidden' });
      // The alarm that was blocked rings once: two tones, twice.
      assert.equal(await tones(tab), 4);
    },
    { hash: '', prepare: withSound },
  ));

test('whatever is touched lets alarms be heard, and what was settled meanwhile does not ring', () =>
  inHall(
    browser,
    {},
    async (tab, hall) => {
      await tab.waitForSelector('.silent-banner:not([hidden])');
      hall.say('b2/alerts', { seq: 42, alerts: [alert('fivefold', 'red')] }, 1);
      await tab.waitForSelector('[data-board=b2].red');
      hall.say('b2/alerts', { seq: 43, alerts: [] }, 2);
      await tab.waitForSelector('[data-board=b2].calm');
      // The bell hears of a change with the next frame, and counts in the title.
      await tab.waitForFunction(() => !document.title.startsWith('('));
      await tab.click('h1');
      await tab.waitForSelector('.silent-banner', { state: 'hidden' });
      assert.equal(await tones(tab), 0);
      hall.say('b2/alerts', { seq: 44, alerts: [alert('threefold', 'red')] }, 3);
      await tab.waitForFunction(() => globalThis.tones === 4);
    },
    { hash: '', prepare: withSound },
  ));

test('an alarm rings also where nobody sees the page', () =>
  inHall(
    browser,
    {},
    async (tab, hall) => {
      await tab.click('h1');
      await tab.waitForSelector('.silent-banner', { state: 'hidden' });
      // Browsers draw no frames of a page behind another one; a frame was requested before.
      await tab.evaluate(() => {
        globalThis.requestAnimationFrame = () => 1;
      });
      hall.say('b2/alerts', { seq: 42, alerts: [alert('fivefold', 'red')] }, 1);
      await tab.evaluate(() => {
        Object.defineProperty(document, 'hidden', { get: () => true });
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await tab.waitForFunction(() => globalThis.tones === 4, undefined, SOON);
      hall.say('b1/alerts', { seq: 43, alerts: [alert('threefold', 'red')] }, 2);
      await tab.waitForFunction(() => globalThis.tones === 8, undefined, SOON);
      assert.match(await tab.title(), /^\(2!\)/);
    },
    { hash: '', prepare: withSound },
  ));

test('a device without any output has a console, which says that nothing is heard', () =>
  inHall(browser, {}, (tab) => tab.waitForSelector('.silent-banner:not([hidden])'), {
    hash: '',
    prepare: async (tab) => {
      await withSound(tab);
      await tab.addInitScript(() => {
        globalThis.AudioContext = function () {
          throw new DOMException('no output', 'NotSupportedError');
        };
      });
    },
  }));

test('where no sound is wanted nothing is said of it', () =>
  inHall(
    browser,
    {},
    async (tab) => {
      await openSettings(tab);
      assert.equal(await tab.locator('.silent-banner').isVisible(), false);
      // Turning it on is the required user gesture.
      await tab.check('dialog.panel label:has-text("Sound") input');
      await tab.waitForFunction(() => globalThis.locks.length === 1 && !globalThis.locks[0].released);
      assert.match(await tab.textContent('dialog.panel'), /A locked phone gives no signal\. The screen stays on/);
      await tab.uncheck('dialog.panel label:has-text("Sound") input');
      await tab.waitForFunction(() => globalThis.locks[0].released);
      assert.equal(await tab.locator('.silent-banner').isVisible(), false);
    },
    { hash: '', prepare: withLocks },
  ));

test('the screen is kept on while the console calls, also after somebody looked elsewhere', () =>
  inHall(
    browser,
    {},
    async (tab) => {
      await tab.waitForFunction(() => globalThis.locks.length === 1);
      // The browser releases the lock when the page is hidden; then the page becomes visible again.
      await tab.evaluate(async () => {
        await globalThis.locks[0].release();
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await tab.waitForFunction(() => globalThis.locks.length === 2 && !globalThis.locks[1].released);
    },
    {
      hash: '',
      prepare: async (tab) => {
        await withSound(tab);
        await withLocks(tab);
      },
    },
  ));

for (const [lang, words] of [
  ['en', /cannot vibrate.*A locked phone gives no signal\. This browser does not keep/s],
  ['de', /nicht vibrieren.*Ein gesperrtes Telefon gibt kein Signal\. Dieser Browser/s],
  ['nl', /niet trillen.*Een vergrendelde telefoon geeft geen signaal\. Deze browser/s],
]) {
  test(`what this browser cannot is said in the settings: ${lang}`, () =>
    inHall(
      browser,
      {},
      async (tab) => {
        await openSettings(tab, lang);
        const boxes = tab.locator('dialog.panel .option input');
        assert.equal(await boxes.first().isDisabled(), false);
        assert.equal(await boxes.last().isDisabled(), true);
        assert.match(await tab.textContent('dialog.panel'), words);
        await assertAccessible(tab);
      },
      {
        hash: '',
        lang,
        // As on an iPhone, and on any page loaded over HTTP from another computer.
        prepare: (tab) =>
          tab.addInitScript(() => {
            delete Navigator.prototype.vibrate;
            delete Navigator.prototype.wakeLock;
          }),
      },
    ));
}

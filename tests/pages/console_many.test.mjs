// Two hundred boards on one console, fed by a stand-in for the server. `measure.mjs` measures the
// speed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, launch } from './browser.mjs';
import { BOARDS, nameOf, openMany, told } from './many_boards.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const names = (tab) => tab.$$eval('.tile:not([hidden])', (tiles) => tiles.map((tile) => tile.dataset.board));

/** Plays this many plies at every board and waits until each tile shows its last one. */
async function play(tab, already, rounds) {
  const last = already + rounds;
  await tab.evaluate(async (times) => {
    for (let time = 0; time < times; time++) {
      globalThis.hall.play();
      await new Promise((done) => requestAnimationFrame(done)); // so that each is drawn
    }
  }, rounds);
  const expected = Array.from({ length: BOARDS }, (_, i) => [nameOf(i + 1), told(i + 1, last)]);
  await tab.waitForFunction(
    (all) => all.every(([name, text]) => document.querySelector(`[data-board="${name}"] .state`)?.textContent === text),
    expected,
  );
  return last;
}

test('two hundred boards are shown, each follows its game, and nothing grows with the plies', async () => {
  const { tab, seen, close } = await openMany(browser);
  const devtools = await tab.context().newCDPSession(tab);
  /** Live nodes, including detached ones, and listeners. */
  const counters = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    return devtools.send('Memory.getDOMCounters');
  };
  let rounds = await play(tab, 0, 4);
  const elements = await tab.evaluate(() => document.querySelectorAll('*').length);
  const early = await counters();
  rounds = await play(tab, rounds, 40);
  assert.equal(rounds, 44);
  assert.equal(await tab.evaluate(() => document.querySelectorAll('*').length), elements);
  const late = await counters();
  // Eight thousand plies later: less than one node per board is chance, one per ply would be a
  // leak.
  assert.ok(late.nodes - early.nodes < BOARDS, `${early.nodes} nodes have become ${late.nodes}`);
  assert.ok(late.jsEventListeners - early.jsEventListeners < BOARDS, 'listeners have been added with the plies');
  assert.equal(await tab.locator('.tile').count(), BOARDS);
  assert.deepEqual(seen.troubles, []);
  await close();
});

test('they are sorted by urgency and found by name', async () => {
  const { tab, close } = await openMany(browser);
  assert.equal((await names(tab))[0], 'b151', 'the escalated one is on top');
  const levels = await tab.$$eval('.tile', (tiles) => tiles.map((tile) => tile.className.split(' ')[1]));
  const order = ['red', 'amber', 'grey', 'seen-red', 'seen-amber', 'seen-grey', 'calm'];
  const places = levels.map((level) => order.indexOf(level));
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
  await assertAccessible(tab);

  await tab.fill('[type=search]', 'ayşe 17');
  assert.deepEqual((await names(tab)).sort(), ['b018', ...Array.from({ length: 10 }, (_, i) => `b${171 + i}`)]);
  await tab.fill('[type=search]', '');
  await tab.selectOption('.tools select', 'number');
  await tab.waitForFunction(() => document.querySelector('.tile')?.dataset.board === 'b001');
  await tab.selectOption('.tools select', 'urgency');
  await tab.waitForFunction(() => document.querySelector('.tile')?.dataset.board === 'b151');
  await close();
});

test('the order stands while a pointer moves in the grid, whatever alarms come, and is right when it rests', async () => {
  const { tab, close } = await openMany(browser, { prepare: (page) => page.clock.install() });
  // From here on the page's time advances only where this test says so.
  await tab.clock.pauseAt((await tab.evaluate(() => Date.now())) + 1000);
  const first = await names(tab);
  const calm = first.slice(-6);
  for (const [step, name] of calm.entries()) {
    await tab.mouse.move(300 + step * 3, 400 + (step % 2) * 5);
    await tab.evaluate((number) => globalThis.hall.alarm(number - 1), Number(name.slice(1)));
    await tab.clock.runFor(100);
    assert.match(await tab.getAttribute(`[data-board="${name}"]`, 'class'), /\bred\b/, 'the alarm is seen where it is');
    assert.deepEqual(await names(tab), first);
  }
  await tab.clock.runFor(2500);
  const rested = await names(tab);
  const reds = await tab.locator('.tile.red').count();
  for (const name of calm) assert.ok(rested.indexOf(name) < reds, `${name} is not among the urgent ones`);
  await close();
});

test('a node that is lost makes all its boards untrusted, said on each', async () => {
  const { tab, close } = await openMany(browser);
  await tab.evaluate(() => globalThis.hall.loseNode());
  await tab.waitForSelector('.gone-banner:not([hidden])');
  assert.match(await tab.textContent('.gone-banner'), /“remisd” is lost.*200/);
  await tab.waitForFunction(
    (count) => document.querySelectorAll('.tile.doubtful .doubt:not([hidden])').length === count,
    BOARDS,
  );
  await assertAccessible(tab);
  await close();
});

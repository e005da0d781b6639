// The results on the boards, saved by the arbiter as a table.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { assertAccessible, launch } from './browser.mjs';
import { inHall } from './made_up_hall.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const TAGS = {
  Round: '3.1',
  Board: '1',
  White: 'Smit; "A"',
  WhiteFideId: '1000001',
  Black: 'Jansen,\nPiet',
};

/** The lines that are saved for the first board, without the heading. */
async function saved(game, { node, ...more } = {}) {
  let text;
  await inHall(
    browser,
    { game: { headers: TAGS, ...game }, ...more },
    async (tab, hall) => {
      if (node) {
        hall.say('node/remisd/state', { node: 'remisd', session: 's', state: node }, 1);
        await tab.waitForSelector('.gone-banner:not([hidden])');
      }
      await tab.click('nav button:text-is("Settings")');
      await assertAccessible(tab);
      const coming = tab.waitForEvent('download');
      await tab.click('[data-act="results"]');
      const file = await coming;
      assert.equal(file.suggestedFilename(), 'results.csv');
      text = await readFile(await file.path(), 'utf8');
    },
    { hash: '' },
  );
  const [heading, first, second] = text.split('\n');
  assert.equal(heading, 'Round;Board;White;White FideId;Black;Black FideId;Result;Status;Provisional;Reason');
  assert.match(second, /^3;/, 'every board has its line');
  return first.replace(/^3;1;"Smit; ""A""";1000001;Jansen, Piet;;/, '');
}

test('no value runs as a formula in a spreadsheet', async () => {
  const headers = { ...TAGS, White: '=1+1', WhiteFideId: '-1850', Black: '\t@SUM(1)', BlackFideId: '-' };
  assert.equal(await saved({ headers, result: null }), "3;1;'=1+1;-1850;'@SUM(1);-;*;open;;");
});

const agreed = { score: '1/2-1/2', reason: 'agreement', confirmed: true };

test('only a certain result is a result, as in the table of the command', async () => {
  assert.equal(await saved({ result: agreed }), '1/2-1/2;confirmed;;agreement');
  assert.equal(await saved({ result: { ...agreed, confirmed: false } }), '*;unconfirmed;1/2-1/2;agreement');
  assert.equal(await saved({ result: null }), '*;open;;');
  const uncertain = { since_ply: 2 };
  assert.equal(await saved({ result: agreed, uncertain }), '1/2-1/2;confirmed;;agreement');
  const mate = { score: '1-0', reason: 'checkmate', confirmed: true };
  assert.equal(await saved({ result: mate, uncertain }), '*;uncertain;1-0;checkmate');
  // A board that was switched off after the game changes nothing, a computer out of reach does.
  const off = { availability: { state: 'offline' } };
  assert.equal(await saved({ result: agreed }, off), '1/2-1/2;confirmed;;agreement');
  assert.equal(await saved({ result: agreed }, { node: 'lost' }), '*;uncertain;1/2-1/2;agreement');
});

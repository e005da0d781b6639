// A refreshed question shows the current state, and a refusal is shown even if its question was
// closed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, launch } from './browser.mjs';
import { MOVES, alert, inHall } from './made_up_hall.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const claim = (number, by, move) => ({
  ...alert('claim_made', 'red', {
    arguments: {
      by,
      kind: 'threefold',
      basis: 'intended',
      move,
      verdict: 'incorrect',
      white_ms: by === 'black' ? 120_000 : 0,
      black_ms: by === 'white' ? 120_000 : 0,
      white_set_ms: null,
      black_set_ms: null,
    },
  }),
  id: `claim_made-${number}`,
  text: { en: `The claim of ${by}.` },
});
const LOOK = 'dialog.ask .moved button';

/** Moves the board to a later entry with these topics. */
function goOn(hall, topics) {
  hall.seq += 4;
  Object.assign(hall.topics, topics);
  hall.publish();
}

async function confirmed(tab, hall) {
  await tab.click('dialog.ask [type=submit]');
  await tab.waitForSelector('dialog.ask', { state: 'detached' });
  const { id, ...body } = hall.sent.at(-1).body;
  return body;
}

test('another claim is ruled on with itself in view, and chosen anew', () =>
  inHall(browser, { alerts: [claim(17, 'white', 'Nb5')] }, async (tab, hall) => {
    await tab.click('[data-key$="/rule_claim"]');
    await tab.check('input[value=incorrect]');
    assert.match(await tab.textContent('dialog.ask'), /The claim of white\..*Penalty: Black \+2:00.*White must play/s);
    goOn(hall, { alerts: { alerts: [claim(23, 'black', 'Qd8')] } });
    await tab.click(LOOK);
    await tab.waitForSelector(LOOK, { state: 'detached' });
    assert.match(await tab.textContent('dialog.ask'), /The claim of black\./);
    assert.equal(await tab.locator('dialog.ask input:checked').count(), 0);
    assert.equal(await tab.locator('dialog.ask').count(), 1);
    await assertAccessible(tab);
    await tab.check('input[value=incorrect]');
    assert.match(await tab.textContent('dialog.ask'), /Penalty: White \+2:00.*Black must play the announced move Qd8/s);
    assert.deepEqual(await confirmed(tab, hall), { on: 'claim', correct: false, if_seq: 44 });
  }));

const differing = (other, dropped, account = 'pgn') => ({
  ...alert('accounts_differ', 'amber', {
    arguments: {
      account,
      source: 'games.pgn',
      differs: 'moves',
      record: '2.Nf3 Nc6',
      other,
      word: null,
      dropped,
    },
  }),
  id: `accounts_differ-${account}.3.b1c3`,
  text: { en: 'Two versions.' },
});

test('a version that changes is looked at again, and the dialog says what is lost', () =>
  inHall(browser, { alerts: [differing('2.Nc3', 1)] }, async (tab, hall) => {
    await tab.click('[data-key$="/take_account"]');
    assert.match(await tab.textContent('dialog.ask'), /Counts: 2\.Nc3.*One later ply of the record is lost/s);
    goOn(hall, { alerts: { alerts: [differing('2.Nc3 d5', 57)] } });
    await tab.click(LOOK);
    await tab.waitForSelector(LOOK, { state: 'detached' });
    assert.match(await tab.textContent('dialog.ask'), /Counts: 2\.Nc3 d5.*57 later plies of the record are lost/s);
    await assertAccessible(tab);
    const choice = { alert: 'accounts_differ-pgn.3.b1c3', version: 'account', dropped: 57, if_seq: 44 };
    assert.deepEqual(await confirmed(tab, hall), choice);
  }));

test('another account that differs as well does not take the place of the one in question', () => {
  const other = differing('2.d4', 0, 'livechess');
  return inHall(browser, { alerts: [other, differing('2.Nc3', 0)] }, async (tab, hall) => {
    await tab.click('[data-key$="accounts_differ-pgn.3.b1c3/take_account"]');
    goOn(hall, { alerts: { alerts: [other, differing('2.f4', 0)] } });
    await tab.click(LOOK);
    await tab.waitForSelector(LOOK, { state: 'detached' });
    assert.match(await tab.textContent('dialog.ask'), /Counts: 2\.f4/s);
    const choice = { alert: 'accounts_differ-pgn.3.b1c3', version: 'account', if_seq: 44 };
    assert.deepEqual(await confirmed(tab, hall), choice);
  });
});

test('a word that is no legal move cannot be taken over', () => {
  const illegal = differing(null, 0);
  Object.assign(illegal.arguments, { differs: 'word', word: 'Nxe4' });
  return inHall(browser, { alerts: [illegal] }, async (tab, hall) => {
    await tab.waitForSelector('[data-key$="/keep_record"]');
    assert.equal(await tab.locator('[data-key$="/take_account"]').count(), 0);
    await tab.click('[data-key$="/keep_record"]');
    assert.match(await tab.textContent('dialog.ask'), /Does not count: “Nxe4”, which is not a legal move/s);
    const choice = { alert: 'accounts_differ-pgn.3.b1c3', version: 'record', if_seq: 40 };
    assert.deepEqual(await confirmed(tab, hall), choice);
  });
});

test('a correction keeps the moves that were made meanwhile, and what was typed', () =>
  inHall(browser, {}, async (tab, hall) => {
    await tab.click('[data-action=correct]');
    await tab.fill('dialog.ask input[type=text]', 'Nc3');
    const moves = [...MOVES, { uci: 'e2e4', san: 'e4' }, { uci: 'e7e5', san: 'e5' }];
    goOn(hall, { game: { moves, ply: 6 } });
    await tab.click(LOOK);
    await tab.waitForSelector(LOOK, { state: 'detached' });
    assert.match(await tab.textContent('dialog.ask option:checked'), /e5/);
    assert.deepEqual(await confirmed(tab, hall), { to_ply: 6, moves: ['Nc3'], if_seq: 44 });
  }));

test('a correction goes back to where it was to go, also when moves were made meanwhile', () =>
  inHall(browser, {}, async (tab, hall) => {
    await tab.click('[data-action=correct]');
    await tab.selectOption('dialog.ask select', '2');
    goOn(hall, { game: { moves: [...MOVES, { uci: 'e2e4', san: 'e4' }], ply: 5, turn: 'black' } });
    await tab.click(LOOK);
    await tab.waitForSelector(LOOK, { state: 'detached' });
    assert.match(await tab.textContent('dialog.ask .effects'), /e4/);
    assert.deepEqual(await confirmed(tab, hall), { to_ply: 2, moves: [], if_seq: 44 });
  }));

test('a refusal is said although its question was closed', () =>
  inHall(browser, {}, async (tab) => {
    let release;
    const released = new Promise((resolve) => {
      release = resolve;
    });
    await tab.route('**/api/command/**', async (route) => {
      await released;
      await route.fulfill({ status: 409, json: { ok: false, code: 'wrong_state', message: 'the game is over' } });
    });
    const sent = tab.waitForRequest('**/api/command/**');
    await tab.click('[data-action=pause]');
    await tab.click('dialog.ask [type=submit]');
    await sent;
    await tab.keyboard.press('Escape');
    await tab.waitForSelector('dialog.ask', { state: 'detached' });
    release();
    await tab.waitForSelector('.note-bad');
    assert.match(await tab.textContent('.note-bad'), /b1.*the game is over/s);
  }));

// Every alert and every action of the console: which command is sent for the arbiter's choice. The
// test replaces feed and daemon, so that it can produce each situation at will; the page and its
// server are real.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, launch, url } from './browser.mjs';
import { MOVES, START, alert, inHall } from './made_up_hall.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const claimArguments = {
  by: 'white',
  kind: 'threefold',
  basis: 'intended',
  move: 'Nb5',
  verdict: 'incorrect',
  plies: [76],
  count: 1,
  white_ms: 0,
  white_set_ms: null,
  black_ms: 120_000,
  black_set_ms: null,
};

const withHall = (options, use, place) => inHall(browser, options, use, place);

/**
 * Presses the confirm button and returns the command sent, without the fields common to all
 * commands.
 */
async function confirmed(tab, hall) {
  await tab.click('dialog.ask [type=submit]');
  await tab.waitForSelector('dialog.ask', { state: 'detached' });
  const { verb, body } = hall.sent.at(-1);
  assert.match(body.id, /^[0-9a-f-]{20,}$/);
  const { id, ...rest } = body;
  return [verb, rest];
}

/** Alert, remedy, the arbiter's choice, and the expected command. */
const REMEDIES = [
  [
    alert('fivefold', 'red', { arguments: { kind: 'fivefold', ply: 84 } }),
    'confirm_end',
    {},
    'ack',
    { alert: 'fivefold-17', if_seq: 40 },
  ],
  [
    alert('fivefold', 'red', { arguments: { kind: 'fivefold', ply: 84 } }),
    'overrule_end',
    {},
    'result',
    { score: '*', if_seq: 40 },
  ],
  [
    alert('claim_made', 'red', { arguments: claimArguments }),
    'rule_claim',
    { choose: ['correct'] },
    'ruling',
    { on: 'claim', correct: true, if_seq: 40 },
  ],
  [
    alert('claim_made', 'red', { arguments: claimArguments }),
    'rule_claim',
    { choose: ['incorrect'], says: /Penalty: Black \+2:00.*White must play the announced move Nb5/s },
    'ruling',
    { on: 'claim', correct: false, if_seq: 40 },
  ],
  [
    alert('claim_made', 'red', { arguments: claimArguments }),
    'rule_claim',
    { choose: ['not_admissible'], says: /No penalty/ },
    'ruling',
    { on: 'claim', correct: false, admissible: false, if_seq: 40 },
  ],
  [
    alert('claim_made', 'red', { arguments: { ...claimArguments, white_ms: -150_000, black_ms: 180_000 } }),
    'rule_claim',
    { choose: ['incorrect'], says: /White −2:30, Black \+3:00/ },
    'ruling',
    { on: 'claim', correct: false, if_seq: 40 },
  ],
  [
    alert('claim_made', 'red', { arguments: { ...claimArguments, white_ms: null, black_ms: 180_000 } }),
    'rule_claim',
    { choose: ['incorrect'], says: /White loses half of the remaining time.*Black \+3:00/ },
    'ruling',
    { on: 'claim', correct: false, if_seq: 40 },
  ],
  [
    alert('claim_made', 'red', { arguments: { by: 'black', kind: 'quickplay', verdict: 'arbiter_decides' } }),
    'rule_quickplay',
    { choose: ['postpone'], tick: true },
    'ruling',
    { on: 'quickplay', decision: 'postpone', bonus: true, if_seq: 40 },
  ],
  [
    alert('claim_made', 'red', { arguments: { by: 'black', kind: 'increment', verdict: 'none' } }),
    'rule_quickplay',
    { choose: ['increment'], says: /White gains two minutes/ },
    'ruling',
    { on: 'quickplay', decision: 'increment', if_seq: 40 },
  ],
  [
    alert('claim_contested', 'amber', { arguments: { by: 'white', square: 'c3', sure: 'yes' } }),
    'void_touches',
    { choose: ['white'] },
    'adjust',
    { player: 'white', if_seq: 40 },
  ],
  [
    alert('agreement_restricted', 'red', { arguments: { reason: 'consent' } }),
    'rule_agreement',
    { choose: ['no'] },
    'ruling',
    { on: 'agreement', consent: false, if_seq: 40 },
  ],
  [
    alert('flag_fall', 'red', { arguments: { player: 'white', opponent_can_mate: 'no' } }),
    'rule_flag',
    { says: /Black cannot mate/ },
    'ruling',
    { on: 'flag', player: 'white', if_seq: 40 },
  ],
  [
    alert('clock_adjustment', 'red', { arguments: claimArguments }),
    'clock_set',
    { says: /Black \+2:00/ },
    'ack',
    { alert: 'clock_adjustment-17' },
  ],
  [
    alert('left_undecided', 'red', { arguments: { game: 2, what: 'claim', by: 'white' } }),
    'earlier_result',
    { choose: ['1/2-1/2'], says: /game 2/ },
    'result',
    { score: '1/2-1/2', game: 2 },
  ],
  [
    alert('result_unconfirmed', 'amber', { arguments: { game: 2, kind: 'fivefold', score: '1/2-1/2' } }),
    'confirm_earlier',
    {},
    'ack',
    { alert: 'result_unconfirmed-17' },
  ],
  [
    alert('result_proposed', 'amber', { arguments: { score: '0-1', sign: 'kings' } }),
    'proposed_result',
    {},
    'result',
    { score: '0-1', if_seq: 40 },
  ],
  [
    alert('result_proposed', 'amber', { arguments: { score: '0-1', sign: 'kings' } }),
    'play_on',
    {},
    'ack',
    { alert: 'result_proposed-17', if_seq: 40 },
  ],
  [
    alert('result_proposed', 'amber', { arguments: { score: '0-1', sign: 'kings', result: '1-0' } }),
    'keep_result',
    { says: /The result .* stays/ },
    'ack',
    { alert: 'result_proposed-17', if_seq: 40 },
  ],
  [
    alert('board_mismatch', 'amber', { arguments: { candidates: ['Nf3 Nf6', 'Nf3 Nc6'], since_ply: 5 } }),
    'candidates',
    { choose: ['Nf3 Nc6'] },
    'correct',
    { to_ply: 4, moves: ['Nf3', 'Nc6'], if_seq: 40 },
  ],
  [
    alert('board_mismatch', 'amber', { arguments: { candidates: ['Nf3 Nf6', ''], since_ply: 5 } }),
    'candidates',
    { choose: [''], says: /None/ },
    'correct',
    { to_ply: 4, moves: [], if_seq: 40 },
  ],
  [
    alert('promotion_assumed', 'amber', { arguments: { plies: [4], moves: ['e8=Q'] } }),
    'promotion',
    {},
    'ack',
    { alert: 'promotion_assumed-17' },
  ],
  [
    alert('promotion_assumed', 'amber', { arguments: { plies: [4], moves: ['e8=Q'] } }),
    'correct',
    { type: ['e8=N'], says: /Taken back: Ng8/ },
    'correct',
    { to_ply: 3, moves: ['e8=N'], if_seq: 40 },
  ],
  [alert('clock_stopped', 'amber'), 'resume', { choose: ['black'] }, 'resume', { running: 'black', if_seq: 40 }],
];

for (const [about, remedy, { choose = [], tick = false, type = [], says }, verb, expected] of REMEDIES) {
  test(`${about.code}: ${remedy} ${choose.join(' ')}`, () =>
    withHall({ alerts: [about] }, async (tab, hall) => {
      await tab.click(`[data-key="${about.id}/${remedy}"]`);
      for (const value of choose) await tab.check(`dialog.ask input[value="${value}"]`);
      if (tick) await tab.check('dialog.ask .fields > .option input');
      for (const text of type) await tab.fill('dialog.ask input[type=text]', text);
      if (says) assert.match(await tab.textContent('dialog.ask .consequences'), says);
      assert.deepEqual(await confirmed(tab, hall), [verb, expected]);
    }));
}

/** Actions of the menu: the values filled in, and the expected command. */
const ACTIONS = [
  ['pause', async () => {}, 'pause', {}],
  [
    'adjust',
    async (tab) => {
      await tab.locator('.change').nth(1).locator('input[value=take]').check();
      await tab.locator('.change').nth(1).locator('input[type=text]').fill('1:30');
    },
    'ruling',
    { on: 'clock', white: { change: 'none' }, black: { change: 'add', ms: -90_000 }, if_seq: 40 },
  ],
  ['offer', async (tab) => tab.check('input[value=black]'), 'offer', { player: 'black', if_seq: 40 }],
  [
    'answer',
    async (tab) => {
      await tab.check('input[value=black]');
      await tab.check('input[value=accept]');
    },
    'accept',
    { player: 'black', if_seq: 40 },
  ],
  [
    'claim',
    async (tab) => tab.fill('dialog.ask input[type=text]', 'g1f3'),
    'claim',
    { player: 'white', kind: 'threefold', move: 'g1f3', if_seq: 40 },
  ],
  [
    'claim',
    async (tab) => tab.check('input[value=quickplay]'),
    'claim',
    { player: 'white', kind: 'quickplay', if_seq: 40 },
  ],
  ['resign', async (tab) => tab.check('input[value=black]'), 'resign', { player: 'black', if_seq: 40 }],
  [
    'touch',
    async (tab) => tab.fill('dialog.ask input[type=text]', 'E2'),
    'touch',
    { player: 'white', square: 'e2', if_seq: 40 },
  ],
  [
    'illegal-move',
    async (tab) => tab.check('input[value=white]'),
    'ruling',
    { on: 'illegal_move', player: 'white', if_seq: 40 },
  ],
  ['illegal-position', async () => {}, 'ruling', { on: 'illegal_position', if_seq: 40 }],
  [
    'both-flags',
    async (tab) => tab.check('input[value=yes]'),
    'ruling',
    { on: 'both_flags', last_period: true, if_seq: 40 },
  ],
  ['result', async (tab) => tab.check('input[value="1-0"]'), 'result', { score: '1-0', if_seq: 40 }],
  [
    'correct',
    async (tab) => {
      await tab.selectOption('dialog.ask select', '2');
      await tab.fill('dialog.ask input[type=text]', '2. e4 e5');
    },
    'correct',
    { to_ply: 2, moves: ['e4', 'e5'], if_seq: 40 },
  ],
  [
    'headers',
    async (tab) => tab.fill('dialog.ask input[type=text] >> nth=0', 'Smit, A.'),
    'headers',
    { headers: { White: 'Smit, A.' } },
  ],
  ['setup', async () => {}, 'setup', { fen: START, if_seq: 40 }],
  [
    'new',
    async (tab) => {
      await tab.selectOption('dialog.ask select >> nth=0', 'fide-2014');
      await tab.selectOption('dialog.ask select >> nth=1', 'blitz');
    },
    'new_game',
    { laws: 'fide-2014', rate: 'blitz', if_seq: 40 },
  ],
];

const TOUCHED = { by: 'white', square: 'e2', ply: 4, adjusting: false, by_arbiter: false, sure: true, time: '' };

/**
 * A game in which every entry of `ACTIONS` applies: rapid, a fallen flag, an open offer, a touched
 * piece.
 */
const OPEN_TO_ALL = {
  game: { rate: 'rapid', clocks: { white_ms: 0, black_ms: 4_000_000, running: null, flag: 'white' } },
  clock: { white_ms: 0, flag: 'white' },
  draw: { offer: { by: 'white', by_claim: false, ply: 4, times: 1 }, touched: [TOUCHED] },
};

test('every action of the menu sends its command', () =>
  withHall(OPEN_TO_ALL, async (tab, hall) => {
    for (const [id, fill, verb, expected] of ACTIONS) {
      await tab.click(`[data-action="${id}"]`);
      await tab.waitForSelector('dialog.ask');
      await fill(tab);
      assert.deepEqual(await confirmed(tab, hall), [verb, expected], id);
    }
  }));

test('moves are typed in the letters of the page’s language', () =>
  withHall(
    {},
    async (tab, hall) => {
      await tab.click('[data-action=claim]');
      await tab.fill('dialog.ask input[type=text]', 'Sf3');
      assert.match(await tab.textContent('dialog.ask .consequences'), /angekündigter Zug Sf3/);
      assert.deepEqual(await confirmed(tab, hall), [
        'claim',
        { player: 'white', kind: 'threefold', move: 'Nf3', if_seq: 40 },
      ]);
    },
    { lang: 'de' },
  ));

test('a board that moves on while he reads is looked at again before anything is done', () =>
  withHall({}, async (tab, hall) => {
    await tab.click('[data-action=offer]');
    await tab.check('input[value=black]');
    hall.seq = 44;
    hall.topics.game = { ply: 5, turn: 'black', moves: [...MOVES, { uci: 'e2e4', san: 'e4' }] };
    hall.publish();
    await tab.waitForSelector('dialog.ask .moved button');
    assert.match(await tab.textContent('dialog.ask .moved'), /e4, Black to move/);
    assert.equal(await tab.locator('dialog.ask [type=submit]').isDisabled(), true);
    await assertAccessible(tab);
    await tab.click('dialog.ask .moved button');
    assert.deepEqual(await confirmed(tab, hall), ['offer', { player: 'black', if_seq: 44 }]);
  }));

test('a command on its way is answered before the board is looked at again', () =>
  withHall({}, async (tab, hall) => {
    let answer;
    hall.held = new Promise((resolve) => {
      answer = resolve;
    });
    hall.answer = guardedBy(44);
    await tab.click('[data-action=offer]');
    await tab.check('input[value=black]');
    await tab.click('dialog.ask [type=submit]');
    hall.seq = 44;
    hall.topics.game = { ply: 5, turn: 'black', moves: [...MOVES, { uci: 'e2e4', san: 'e4' }] };
    hall.publish();
    await tab.waitForSelector('dialog.ask .moved button:disabled');
    answer();
    await tab.waitForSelector('dialog.ask .refused');
    await tab.click('dialog.ask .moved button:enabled');
    assert.deepEqual(
      hall.sent.map(({ body }) => body.if_seq),
      [40],
      'it is not sent again for a position that was not looked at',
    );
  }));

/** Answers like a daemon whose board is at this entry: a command that has not seen it is stale. */
const guardedBy = (seq) => (body) =>
  body.if_seq === seq
    ? { status: 200, json: { ok: true, id: body.id, seq: seq + 1 } }
    : { status: 409, json: { ok: false, id: body.id, code: 'stale', message: `the board is at seq ${seq}` } };

test('what the page has not seen yet is refused as stale, and nothing was done', () =>
  withHall({}, async (tab, hall) => {
    hall.answer = guardedBy(44);
    await tab.click('[data-action=result]');
    await tab.check('input[value="1-0"]');
    await tab.click('dialog.ask [type=submit]');
    await tab.waitForSelector('dialog.ask .refused');
    assert.match(await tab.textContent('dialog.ask .answer'), /Nothing was done.*the board is at seq 44/s);
    await assertAccessible(tab);
    hall.seq = 44;
    hall.publish();
    await hall.shown(tab);
    await tab.click('dialog.ask .answer button');
    assert.deepEqual(await confirmed(tab, hall), ['result', { score: '1-0', if_seq: 44 }]);
  }));

for (const lang of ['en', 'de', 'de-ch', 'nl']) {
  test(`the sheet of evidence speaks as the page does: ${lang}`, () =>
    withHall(
      { alerts: [alert('claim_made', 'red', { arguments: claimArguments })] },
      async (tab) => {
        const sheet = `evidence/b1?game=3&lang=${lang}`;
        assert.equal(await tab.getAttribute('[data-key=menu-evidence]', 'href'), sheet);
        await tab.click('[data-key$="/rule_claim"]');
        assert.equal(await tab.getAttribute('dialog.ask a[target=_blank]', 'href'), sheet);
      },
      { lang },
    ));
}

test('the sheet of evidence is of the claim that is being checked', () =>
  withHall(
    {
      alerts: [alert('claim_made', 'red', { arguments: claimArguments })],
      draw: {
        claim: {
          id: 377,
          by: 'black',
          kind: 'threefold',
          basis: 'appeared',
          article: '9.2.2',
          ply: 4,
          time: '2026-11-22T12:00:00.000Z',
        },
      },
    },
    async (tab) => {
      assert.equal(await tab.getAttribute('[data-key=menu-evidence]', 'href'), 'evidence/b1?claim=377&lang=en');
    },
  ));

test('touches and clocks are no reason to look again', () =>
  withHall({ alerts: [alert('claim_made', 'red', { arguments: claimArguments })] }, async (tab, hall) => {
    await tab.click('[data-key$="/rule_claim"]');
    await tab.check('input[value=incorrect]');
    // A daemon refuses a command that has not seen its newest entry. The page sees that entry a
    // moment later and asks again automatically.
    hall.answer = guardedBy(47);
    hall.seq = 47;
    hall.publish();
    await hall.shown(tab);
    assert.equal(await tab.locator('dialog.ask .moved button').count(), 0);
    assert.deepEqual(await confirmed(tab, hall), ['ruling', { on: 'claim', correct: false, if_seq: 47 }]);
  }));

test('a refusal of the Laws is said in words and with what the daemon says', () =>
  withHall({}, async (tab, hall) => {
    hall.answer = (body) => ({
      status: 409,
      json: { ok: false, id: body.id, code: 'not_admissible', message: 'before 30 moves (9.1.1)' },
    });
    await tab.click('[data-action=offer]');
    await tab.click('dialog.ask [type=submit]');
    await tab.waitForSelector('dialog.ask .refused');
    assert.match(await tab.textContent('dialog.ask .answer'), /do not allow it.*before 30 moves/s);
  }));

test('simple alarms are acknowledged on the tile; red ones elsewhere stay in view', async () => {
  const alerts = [alert('threefold_claimable', 'amber', { arguments: { by: 'white' } })];
  const elsewhere = [alert('fivefold', 'red', { escalated: true })];
  await withHall(
    { alerts, elsewhere },
    async (tab, hall) => {
      await tab.click('[data-board=b1] .ack');
      await tab.waitForFunction(() => document.querySelector('.notes')?.textContent.includes('Acknowledged'));
      assert.deepEqual(
        hall.sent.map(({ board, verb, body }) => [board, verb, body.alert]),
        [['b1', 'ack', 'threefold_claimable-17']],
      );
      assert.equal(await tab.locator('.tile').first().getAttribute('data-board'), 'b2');
      await tab.click('[data-board=b1] .open');
      await tab.waitForSelector('.elsewhere:not([hidden])');
      assert.match(await tab.textContent('.elsewhere'), /b2.*Fivefold/s);
      await assertAccessible(tab);
      await tab.click('.elsewhere a');
      await tab.waitForFunction(() => location.hash === '#board=b2');
    },
    { hash: '' },
  );
});

/**
 * Signs in at the server, which reads pairings only for an arbiter; the page sees the made-up
 * session.
 */
async function signInForReal(tab) {
  const answer = await tab.context().request.post(`${url}/api/session`, {
    headers: { origin: url },
    data: { role: 'arbiter', name: 'Anna Smit' },
  });
  assert.equal(answer.status(), 200, await answer.text());
}

test('a round is read, its problems named line by line, and begun board after board', () =>
  withHall(
    { game: { result: { score: '1-0', reason: 'resignation', confirmed: true } } },
    async (tab, hall) => {
      await signInForReal(tab);
      await tab.click('.round-button');
      await tab.fill(
        'dialog.round textarea',
        'Brett;Weiß;Schwarz;EloWeiß\n1;"Smit; Anna";Jansen, Piet;2310\n2;de Vries, Jan;;\n7;Muster, Max;Meier, Uli;x',
      );
      await tab.waitForSelector('.warnings');
      assert.deepEqual(await tab.locator('.problems li').allTextContents(), [
        'Line 3: no player for Black (against de Vries, Jan)',
      ]);
      assert.deepEqual(await tab.locator('.warnings li').allTextContents(), [
        'Line 4: “x” is not a rating',
        'Line 4: there is no board “7”',
      ]);
      assert.equal(await tab.locator('dialog.round [type=submit]').isDisabled(), true);
      await assertAccessible(tab);

      await tab.fill(
        'dialog.round textarea',
        '[Event "Open"]\n[White "Smit, Anna"]\n[Black "Jansen, Piet"]\n[WhiteElo "2310"]\n[Board "2"]\n\n*\n\n[White "Kok, Jo"]\n[Black "Bos, Eva"]\n[Board "1"]\n\n*\n',
      );
      // While another text is read, the pairings of the text before are not to be started.
      await tab.waitForSelector('dialog.round [type=submit]:enabled');
      let held;
      const asked = new Promise((resolve) => {
        held = resolve;
      });
      await tab.route('**/api/pairings*', (route) => held(route), { times: 1 });
      const text = await tab.inputValue('dialog.round textarea');
      await tab.fill('dialog.round textarea', `${text}\n`);
      const route = await asked;
      assert.ok(await tab.isDisabled('dialog.round [type=submit]'));
      await route.continue();
      await tab.waitForSelector('dialog.round [type=submit]:enabled');
      await tab.fill('dialog.round .pair input >> nth=1', '4');
      hall.answer = (body, verb) =>
        hall.sent.length === 1
          ? { status: 409, json: { ok: false, id: body.id, code: 'wrong_state', message: 'no' } }
          : { status: 200, json: { ok: true, id: body.id, seq: 50 } };
      await tab.click('dialog.round [type=submit]');
      await tab.waitForSelector('.outcome-done');
      assert.match(await tab.textContent('.outcome-refused'), /refused.*no/s);
      assert.deepEqual(
        hall.sent.map(({ board, verb, body }) => [board, verb, body.headers]),
        [
          [
            'b2',
            'new_game',
            { Event: 'Open', White: 'Smit, Anna', Black: 'Jansen, Piet', WhiteElo: '2310', Round: '4', Board: '2' },
          ],
          ['b1', 'new_game', { White: 'Kok, Jo', Black: 'Bos, Eva', Round: '4', Board: '1' }],
        ],
      );
      // Refused commands can be retried on their own.
      await tab.click('dialog.round [type=submit]');
      await tab.waitForFunction(() => document.querySelectorAll('.outcome-done').length === 2);
      assert.equal(hall.sent.length, 3);
    },
    { hash: '#board=b1' },
  ));

test('a file of a round is read in its encoding, and warnings do not keep it from being started', () =>
  withHall(
    {},
    async (tab, hall) => {
      await signInForReal(tab);
      await tab.click('.round-button');
      await tab.setInputFiles('dialog.round input[type=file]', {
        name: 'round.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          'Brett;Wei\xdf;Schwarz\r\n2;M\xfcller, J\xf6rg;Gro\xdf\r\n3;C;D\r\n4;E;spielfrei\r\n',
          'latin1',
        ),
      });
      await tab.waitForSelector('.warnings');
      assert.match(await tab.inputValue('dialog.round textarea'), /Müller, Jörg/);
      assert.deepEqual(await tab.locator('.warnings li').allTextContents(), [
        'Line 3: there is no board “3”',
        'Line 4: no opponent for E: not seated',
      ]);
      assert.equal(await tab.locator('.problems').count(), 0);
      await assertAccessible(tab);
      await tab.click('dialog.round [type=submit]');
      await tab.waitForSelector('.outcome-done');
      assert.deepEqual(
        hall.sent.map(({ board, verb, body }) => [board, verb, body.headers]),
        [['b2', 'new_game', { White: 'Müller, Jörg', Black: 'Groß', Board: '2' }]],
      );

      await tab.fill(
        'dialog.round textarea',
        '[White "A"]\n[Black "B"]\n[Board "2"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n*\n',
      );
      await tab.click('dialog.round [type=submit]');
      await tab.waitForFunction(() => document.querySelectorAll('.outcome-done').length === 1);
      assert.equal(hall.sent.at(-1).body.start_fen, '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
    },
    { hash: '#board=b1' },
  ));

/** The enabled actions of the menu. */
const lit = (tab) => tab.$$eval('[data-action]:enabled', (buttons) => buttons.map((button) => button.dataset.action));

const USUAL = ['adjust', 'offer', 'claim', 'resign', 'touch', 'illegal-move'];
const ALWAYS = ['result', 'correct', 'headers', 'setup', 'new'];
const RESULT = { score: '1/2-1/2', reason: 'threefold_claim', article: '9.2.2', confirmed: true };
const POSSIBLE = { by: 'white', kind: 'threefold', basis: 'appeared', article: '9.2.2' };

for (const [when, options, expected] of [
  ['nothing is open and the clock runs', { clock: { running: 'white' } }, ['pause', ...USUAL]],
  ['the clock is to be stopped', { clock: { paused: { reason: 'command', since: '' } } }, ['resume', ...USUAL]],
  ['an offer stands', { draw: { offer: { by: 'black', by_claim: false, ply: 4, times: 1 } } }, ['answer']],
  ['something was touched', { draw: { touched: [TOUCHED] } }, ['void']],
  ['a claim waits', { alerts: [alert('claim_made', 'red', { arguments: claimArguments })] }, ['rule-claim']],
  [
    'a claim of the last minutes waits',
    { alerts: [alert('claim_made', 'red', { arguments: { by: 'white', kind: 'quickplay' } })] },
    ['rule-quickplay'],
  ],
  ['an agreement waits', { alerts: [alert('agreement_restricted', 'red')] }, ['rule-agreement']],
  ['a flag is down', { clock: { flag: 'white' } }, ['flag', 'both-flags']],
  ['the Laws know it', { game: { rate: 'blitz' } }, ['illegal-position']],
])
  test(`what applies is lit where ${when}`, () =>
    withHall(options, async (tab) => {
      const found = new Set(await lit(tab));
      const own = [...USUAL, ...ALWAYS, 'pause', 'resume'];
      const special = expected.filter((id) => !own.includes(id));
      assert.deepEqual(
        [...found].filter((id) => !own.includes(id)),
        special,
      );
      for (const id of [...USUAL, ...ALWAYS]) assert.ok(found.has(id), id);
      for (const id of ['pause', 'resume'])
        if (options.clock?.running || options.clock?.paused) assert.equal(found.has(id), expected.includes(id), id);
    }));

test('in a game that a claim has drawn nothing is claimable, and only the record can be worked on', () =>
  withHall({ game: { result: RESULT }, draw: { claims: [POSSIBLE], arbiter_decides: [POSSIBLE] } }, async (tab) => {
    assert.deepEqual(await lit(tab), ALWAYS);
    const draws = await tab.textContent('.part-draws');
    assert.match(draws, /no more claims are possible/);
    assert.doesNotMatch(draws, /third time|on the board/);
    await assertAccessible(tab);
  }));

test('the menu follows the board', () =>
  withHall({}, async (tab, hall) => {
    assert.ok((await lit(tab)).includes('claim'));
    hall.seq = 41;
    hall.topics.game = { result: RESULT };
    hall.publish();
    await tab.waitForSelector('[data-action=claim]:disabled');
    hall.seq = 42;
    hall.topics.game = { result: null };
    hall.publish();
    await tab.waitForSelector('[data-action=claim]:enabled');
    // The button under the user's finger stays the same element.
    await tab.evaluate(() => (globalThis.button = document.querySelector('[data-action=claim]')));
    hall.seq = 43;
    hall.topics.draw = { touched: [TOUCHED] };
    hall.publish();
    await tab.waitForSelector('[data-action=void]:enabled');
    assert.ok(await tab.evaluate(() => globalThis.button.isConnected));
  }));

for (const [name, viewport] of [
  ['a laptop', { width: 1280, height: 720 }],
  ['a phone', { width: 390, height: 740 }],
])
  test(`a red card is in view after a claim was entered far below it: ${name}`, () =>
    withHall({}, async (tab, hall) => {
      await tab.setViewportSize(viewport);
      await tab.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await tab.evaluate(() => document.querySelector('[data-action=claim]').click());
      await tab.click('dialog.ask [type=submit]');
      await tab.waitForSelector('dialog.ask', { state: 'detached' });
      hall.seq = 41;
      hall.topics.alerts = { alerts: [alert('claim_made', 'red', { arguments: claimArguments })] };
      hall.publish();
      await tab.waitForFunction(() => {
        const card = document.querySelector('.part-alerts .alert')?.getBoundingClientRect();
        const bar = document.querySelector('.bar').getBoundingClientRect().bottom;
        return card !== undefined && card.top >= bar - 1 && card.bottom <= innerHeight;
      });
    }));

test('on a laptop every action of the usual ones is in view beside the board', () =>
  withHall({}, async (tab) => {
    const below = await tab.$$eval('[data-action]', (buttons) =>
      buttons.filter((button) => button.getBoundingClientRect().bottom > innerHeight).map((one) => one.dataset.action),
    );
    assert.deepEqual(below, []);
  }));

test('plies are named by their moves, and a count beyond fifty says so', () =>
  withHall({ draw: { repetition: { count: 3, plies: [0, 2, 4] }, halfmove_clock: 102 } }, async (tab) => {
    assert.deepEqual(await tab.locator('.part-draws .ply').allTextContents(), ['start', '1…Nf6', '2…Ng8']);
    const draws = await tab.textContent('.part-draws');
    assert.match(draws, /51 moves \(102 halfmoves\): 50 moves reached/);
    assert.doesNotMatch(draws, /of 50/);
  }));

test('a player who is replaced takes his FIDE id with him, or the dialog says that it stays', () =>
  withHall(
    { game: { headers: { White: 'Smit, Anna', Black: 'Jansen, Piet', WhiteFideId: '1000001' } } },
    async (tab, hall) => {
      await tab.click('[data-action=headers]');
      const field = (name) => tab.getByLabel(name, { exact: true });
      await field('White').fill('Berg, Otto');
      const says = /White’s FIDE id stays 1000001: change it too if this is another player/;
      assert.match(await tab.textContent('dialog.ask'), says);
      await field('White’s FIDE id').fill('');
      assert.doesNotMatch(await tab.textContent('dialog.ask'), says);
      await tab.click('dialog.ask [type=submit]');
      await tab.waitForSelector('dialog.ask', { state: 'detached' });
      assert.deepEqual(hall.sent.at(-1).body.headers, { White: 'Berg, Otto', WhiteFideId: '' });
    },
  ));

test('a name from right to left, or with hidden signs, turns nothing around it', () =>
  withHall({ game: { headers: { White: '\u202eכהן, דן', Black: 'Jansen\u2066, Piet' } } }, async (tab) => {
    await tab.waitForSelector('.part-position bdi');
    const names = await tab.locator('.part-position bdi').allTextContents();
    assert.deepEqual(names.sort(), ['Jansen, Piet', 'כהן, דן']);
    await tab.click('[data-action=result]');
    assert.match(await tab.textContent('dialog.ask .where'), /^Board b1 · \u2068כהן, דן\u2069 – Jansen, Piet$/);
  }));

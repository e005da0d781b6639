// The operator's page: with a made-up feed, so that any fault can be produced, and on the running
// hall of a competition.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, assertNoSideways, board, credentials, launch, openTab, url } from './browser.mjs';
import { inHall as inConsole } from './made_up_hall.mjs';

const NOW = '2026-11-22T12:00:00.000Z';
const at = (seconds) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const envelope = (name) => ({ site: 'hall', board: name, session: 's', seq: 4, time: NOW });

/** The topics of a board in order, changed by `more`. */
function boardTopics(name, more = {}) {
  const game = {
    game: 3,
    headers: { White: 'Smit, Anna', Black: 'Jansen, Piet', Round: '2.1' },
    moves: [],
    tracker: { state: 'following' },
    result: null,
    ...more.game,
  };
  const link = {
    up: true,
    kind: 'dgt',
    port: '/dev/ttyACM0',
    battery: 88,
    orientation: 'normal',
    counters: { reconnects: 2 },
    faulty_squares: [],
    ...more.link,
  };
  return [
    [`${name}/game`, { ...envelope(name), ...game }],
    [`${name}/link`, { ...envelope(name), ...link }],
    [`${name}/availability`, { ...envelope(name), state: 'online', ...more.availability }],
  ];
}

function nodeTopics({ health = {}, broadcast = {}, lichess = {}, heard = NOW } = {}) {
  const about = { site: 'hall', node: 'remisd', session: 's', time: heard };
  const round = { round: 2, id: 'AbCdEfGh', closed: false, behind: false, taken_at: NOW };
  return [
    ['node/remisd/state', { ...about, state: 'online' }],
    [
      'node/remisd/health',
      { ...about, alive: true, journal_answers: true, broker: { up: true, reconnects: 1 }, boards: [], ...health },
      heard,
    ],
    [
      'node/remisd/broadcast',
      {
        ...about,
        delays: {},
        phones: [{ name: 'notify.0' }],
        folder: { path: '/srv/pgn', written_at: NOW },
        lichess: { creates: true, dry_run: false, rounds: [round], boards: {}, orders: [], ...lichess },
        ...broadcast,
      },
    ],
  ];
}

/** Opens the page on a made-up feed, and waits until it shows the rows. */
async function inHall(topics, use, { lang = 'en', role = 'operator', answer, ...options } = {}) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options });
  const tab = await context.newPage();
  const troubles = [];
  tab.on('pageerror', (error) => troubles.push(error.message));
  const sent = [];
  const sockets = new Set();
  const asked = [];
  await tab.route('**/api/session', (route) =>
    route.fulfill({
      json: {
        schema: 'remisd/session/1',
        grants: [{ role, board: null, user: role, name: 'Otto Berg' }],
        open: [],
      },
    }),
  );
  await tab.route('**/api/command/**', async (route) => {
    const body = route.request().postDataJSON();
    const [, by, node, verb] = /command\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(route.request().url());
    sent.push({ by, node, verb, body });
    await route.fulfill(answer?.(body) ?? { status: 200, json: { schema: 'remisd/reply/1', id: body.id, ok: true } });
  });
  const say = (socket, frame) => socket.send(JSON.stringify(frame));
  const sendAll = (socket, all) => {
    for (const [topic, payload, received = NOW, unreadable] of all)
      say(socket, { type: 'value', topic, payload, received, unreadable });
  };
  await tab.routeWebSocket(/\/feed\?/, (socket) => {
    asked.push(socket.url());
    sockets.add(socket);
    say(socket, { type: 'hello', site: 'hall', audience: role, time: NOW, version: '0', delay_ms: 0, languages: [] });
    sendAll(socket, topics);
    say(socket, { type: 'ready' });
  });
  const hall = {
    sent,
    asked,
    say: (all) => sockets.forEach((socket) => sendAll(socket, all)),
    // Delayed heartbeats arrive together: the server's clock was not set.
    beat: (seconds) => {
      for (const socket of sockets)
        for (const second of [0, seconds]) say(socket, { type: 'beat', time: at(second), broker: true });
    },
  };
  await tab.goto(`${url}/operator?lang=${lang}`);
  await tab.waitForSelector('tr[data-board] .badge');
  try {
    await use(tab, hall);
    assert.deepEqual(troubles, []);
  } finally {
    await context.close();
  }
}

const rows = (tab) => tab.locator('tr[data-board]').evaluateAll((all) => all.map((row) => row.dataset.board));
const cell = (tab, name, column) => tab.textContent(`tr[data-board="${name}"] [data-column="${column}"]`);

/** Boards with a fault each. */
const faulty = [
  ...boardTopics('b1'),
  ...boardTopics('b2', { link: { battery: 15 } }),
  ...boardTopics('b3', { availability: { state: 'offline' }, link: { up: false, reason: 'no such device' } }),
  ...boardTopics('b10', { game: { headers: { White: 'Smit, Anna' } } }),
  ...nodeTopics({
    broadcast: { delays: { b1: { plies: 3, next_at: at(20), all_at: at(60) } } },
    lichess: {
      boards: {
        b1: { games: [{ id: 'g', round: 2, plies: 20, taken_at: NOW, replaced: [{ from_ply: 20, moves: 'Nbd7' }] }] },
        b2: { error: 'Cannot play Kx', games: [] },
      },
    },
  }),
];

test('the worst board comes first, with what is wrong and what to do', async () => {
  await inHall(faulty, async (tab) => {
    assert.deepEqual(await rows(tab), ['b2', 'b3', 'b1', 'b10']);
    assert.match(await cell(tab, 'b3', 'wrong'), /no such device.*Check the cable/);
    assert.match(await cell(tab, 'b2', 'wrong'), /Lichess refuses the game: Cannot play Kx.*Battery at 15 %.*Charge/);
    assert.match(await cell(tab, 'b10', 'wrong'), /No name: Black/);
    assert.match(await cell(tab, 'b1', 'wrong'), /Lichess still shows moves that were corrected/);
    assert.match(await cell(tab, 'b1', 'lichess'), /20 plies.*Still shown: 10… Nbd7/);
    assert.match(await cell(tab, 'b1', 'delay'), /3 plies held back/);
    assert.match(await cell(tab, 'b1', 'line'), /2 reconnects.*Battery 88 %.*Orientation: normal/);
    assert.match(await tab.textContent('.sum'), /Boards: 2 to repair, 2 to check, 0 fine/);
    assert.match(await tab.textContent('[data-fact="folder"]'), /\/srv\/pgn/);
    await assertAccessible(tab);
  });
});

test('a state of the broadcast that cannot be kept is named with what to do', async () => {
  const topics = nodeTopics({
    broadcast: { unkept: 'cannot use /data: no file system is mounted there' },
    lichess: { fault: 'orders are in lichess.json.damaged-1' },
  });
  await inHall([...boardTopics('b1'), ...topics], async (tab) => {
    const shown = await tab.textContent('main');
    assert.match(shown, /New games are not broadcast.*no file system is mounted there.*Check the disk of the journal/);
    assert.match(shown, /lichess\.json\.damaged-1.*rounds on Lichess/);
  });
});

test('a round says what was sent of it, and a dry run what was written', async () => {
  const round = (number, id, more = {}) => ({ round: number, id, closed: false, behind: false, ...more });
  const rounds = [round(2, 'AbCdEfGh', { taken_at: NOW }), round(3, 'IjKlMnOp')];
  const fact = (tab, id) => tab.textContent(`[data-fact="round-${id}"] dd`);
  await inHall([...boardTopics('b1'), ...nodeTopics({ lichess: { rounds } })], async (tab) => {
    assert.match(await fact(tab, 'AbCdEfGh'), /^up to date · \d\d:\d\d:\d\d$/);
    assert.equal(await fact(tab, 'IjKlMnOp'), 'no game of this round yet');
    assert.match(await cell(tab, 'b1', 'lichess'), /Nothing sent yet/);
  });
  await inHall([...boardTopics('b1'), ...nodeTopics({ lichess: { rounds, dry_run: true } })], async (tab) => {
    assert.match(await fact(tab, 'AbCdEfGh'), /^written at \d\d:\d\d:\d\d \(dry run\)$/);
    assert.equal(await fact(tab, 'IjKlMnOp'), 'no game of this round yet');
    assert.match(await cell(tab, 'b1', 'lichess'), /Dry run: nothing is sent/);
  });
  // After a restart nothing was pushed, but Lichess has games of the round.
  const games = [{ id: 'g', round: 3, plies: 20, taken_at: NOW }];
  const before = nodeTopics({ lichess: { rounds, boards: { b1: { games } } } });
  await inHall([...boardTopics('b1'), ...before], async (tab) => {
    assert.match(await fact(tab, 'IjKlMnOp'), /^up to date · \d\d:\d\d:\d\d$/);
  });
});

test('a failing upload names what helps against its reason', async () => {
  for (const [cause, remedy] of [
    ['host_key', /broadcast\.upload_host_keys/],
    ['certificate', /broadcast\.upload_ca_file/],
    ['login', /Correct the configuration as the reason says/],
    ['settings', /Correct the configuration as the reason says/],
    ['network', /Check the network and the server.*within ten minutes/],
    ['server', /Check the network and the server.*within ten minutes/],
  ]) {
    // A reason can quote the server, so its words decide nothing.
    const upload = { error: 'a certificate or a host key', cause };
    await inHall([...boardTopics('b1'), ...nodeTopics({ broadcast: { upload } })], async (tab) => {
      assert.match(await tab.textContent('.node .faults'), remedy);
    });
  }
  const folder = { error: 'http.public_password: no such file', cause: 'settings' };
  await inHall([...boardTopics('b1'), ...nodeTopics({ broadcast: { folder } })], async (tab) => {
    assert.match(await tab.textContent('.node .faults'), /Correct the configuration as the reason says/);
  });
});

test('a round with games that has no round on Lichess is named, with what helps', async () => {
  for (const [creates, remedy] of [
    [true, /the button below/],
    [false, /broadcast\.lichess\.rounds/],
  ]) {
    const lichess = { rounds: [], unassigned: 4, creates };
    await inHall([...boardTopics('b1'), ...nodeTopics({ lichess })], async (tab) => {
      const faults = await tab.textContent('.node .faults');
      assert.match(faults, /Nothing of round 4 is sent to Lichess/);
      assert.match(faults, remedy);
    });
  }
});

test('a board that recovers goes back to its place', async () => {
  await inHall(faulty, async (tab, hall) => {
    hall.say(boardTopics('b3'));
    await tab.waitForSelector('tr[data-board="b3"].good');
    assert.deepEqual(await rows(tab), ['b2', 'b1', 'b10', 'b3']);
  });
});

test('data that cannot be read is named, and without boards nothing is called fine', async () => {
  const gone = boardTopics('b1').map(([topic]) => [topic, null]);
  await inHall([...boardTopics('b1'), ...nodeTopics()], async (tab, hall) => {
    await tab.waitForSelector('tr[data-board="b1"].good');
    hall.say([['b1/link', null, NOW, true]]);
    await tab.waitForSelector('tr[data-board="b1"].red');
    assert.match(await cell(tab, 'b1', 'wrong'), /cannot be read: link/);
    hall.say(boardTopics('b1'));
    await tab.waitForSelector('tr[data-board="b1"].good');
    hall.say(gone);
    await tab.waitForFunction(() => document.querySelector('.sum')?.textContent === 'No data from any board');
  });
});

test('a computer that is silent for thirty seconds is out of reach, and so are its boards', async () => {
  await inHall([...boardTopics('b1'), ...nodeTopics()], async (tab, hall) => {
    await tab.waitForSelector('tr[data-board="b1"].good');
    hall.beat(29);
    await tab.waitForFunction(() => /\b29 s/.test(document.querySelector('.node')?.textContent));
    assert.equal(await tab.locator('tr[data-board="b1"].good').count(), 1);
    hall.beat(31);
    await tab.waitForSelector('tr[data-board="b1"].red');
    assert.match(await cell(tab, 'b1', 'wrong'), /Nothing heard from the computer for 3\d s.*Check power and network/);
    await tab.waitForSelector('.node.red');
  });
});

test('reset, close and create are sent after a confirmation alone', async () => {
  await inHall([...boardTopics('b1'), ...nodeTopics()], async (tab, hall) => {
    await tab.click('[data-act="reset-2"]');
    assert.match(await tab.textContent('dialog'), /Viewers see the round empty for a moment/);
    await assertAccessible(tab);
    await tab.keyboard.press('Escape');
    await tab.waitForSelector('dialog', { state: 'detached' });
    assert.deepEqual(hall.sent, []);

    await tab.click('[data-act="reset-2"]');
    await tab.click('dialog [type=submit]');
    await tab.waitForSelector('dialog', { state: 'detached' });
    await tab.click('[data-act="close-2"]');
    await tab.check('dialog input[type=checkbox]');
    await tab.click('dialog [type=submit]');
    await tab.waitForSelector('dialog', { state: 'detached' });
    await tab.click('[data-act="create"]');
    assert.equal(await tab.inputValue('dialog input[type=number]'), '3');
    await tab.fill('dialog input[maxlength="80"]', 'x');
    assert.ok(await tab.isDisabled('dialog [type=submit]'), 'a name has three characters');
    await tab.fill('dialog input[maxlength="80"]', 'Final');
    await tab.click('dialog [type=submit]');
    await tab.waitForSelector('dialog', { state: 'detached' });
    await tab.click('[data-act="create"]');
    await tab.fill('dialog input[maxlength="8"]', 'XyZ12345');
    await tab.click('dialog [type=submit]');
    await tab.waitForSelector('dialog', { state: 'detached' });
    await tab.click('[data-act="test"]');
    await tab.click('dialog [type=submit]');
    await tab.waitForSelector('dialog', { state: 'detached' });
    const sent = hall.sent.map(({ by, node, verb, body: { id, ...args } }) => [by, node, verb, args]);
    assert.deepEqual(sent, [
      ['operator', 'remisd', 'lichess_reset', { round: 2 }],
      ['operator', 'remisd', 'lichess_close', { round: 2, unfinished: true }],
      ['operator', 'remisd', 'lichess_create', { round: 3, name: 'Final', rated: true, again: false }],
      ['operator', 'remisd', 'lichess_create', { round: 3, adopt: 'XyZ12345' }],
      ['operator', 'remisd', 'notify_test', {}],
    ]);
  });
});

test('a refusal stays in the dialog with its reason', async () => {
  const refuse = (body) => ({
    status: 409,
    json: { schema: 'remisd/reply/1', id: body.id, ok: false, code: 'wrong_state', message: 'b1 has no result' },
  });
  const use = async (tab) => {
    await tab.click('[data-act="close-2"]');
    await tab.click('dialog [type=submit]');
    await tab.waitForFunction(() =>
      document.querySelector('dialog .trouble')?.textContent.includes('b1 has no result'),
    );
    assert.ok(!(await tab.isDisabled('dialog [type=submit]')));
  };
  await inHall([...boardTopics('b1'), ...nodeTopics()], use, { answer: refuse });
});

test('an order whose answer was lost is named with what to do', async () => {
  const order = { role: 'operator', id: '1', verb: 'lichess_create', round: 3, time: NOW, state: 'unknown' };
  await inHall([...boardTopics('b1'), ...nodeTopics({ lichess: { orders: [order] } })], async (tab, hall) => {
    assert.match(await tab.textContent('.node'), /may have created round 3.*Look at the tournament/);
    hall.say(nodeTopics({ lichess: { orders: [order, { ...order, id: '2', state: 'done', made: 'XyZ12345' }] } }));
    await tab.waitForSelector('[data-order="done"]');
    assert.equal(await tab.locator('.node .faults').count(), 0);
  });
});

test('a failed order is a fault until a later one is carried out, or for an hour', async () => {
  const order = {
    role: 'operator',
    id: '1',
    verb: 'lichess_reset',
    round: 2,
    time: NOW,
    state: 'failed',
    reason: 'no',
  };
  const orders = (...more) => nodeTopics({ lichess: { orders: [order, ...more] } });
  const faults = (tab) => tab.locator('.node .faults').count();
  await inHall([...boardTopics('b1'), ...orders()], async (tab, hall) => {
    assert.match(await tab.textContent('.node'), /An order for round 2 failed: no/);
    // An order for another round does not end it.
    hall.say(orders({ ...order, id: '2', round: 3, state: 'done' }));
    await tab.waitForSelector('[data-order="done"]');
    assert.equal(await faults(tab), 1);
    hall.say(orders({ ...order, id: '3', verb: 'lichess_close', state: 'done' }));
    await tab.waitForSelector('.node .faults', { state: 'detached' });
    hall.say(orders());
    await tab.waitForSelector('.node .faults');
    hall.say(nodeTopics({ heard: at(3590), lichess: { orders: [order] } }));
    hall.beat(3599);
    await tab.waitForFunction(() => document.querySelector('.node')?.textContent.includes('9 s'));
    assert.equal(await faults(tab), 1);
    hall.beat(3601);
    await tab.waitForSelector('.node .faults', { state: 'detached' });
    assert.equal(await tab.locator('[data-order="failed"]').count(), 1);
  });
});

test('a dry run, a halt and a computer that was not heard are named with what to do', async () => {
  const faults = (topics) => {
    let text = '';
    const use = async (tab) => void (text = await tab.textContent('.node .faults'));
    return inHall([...boardTopics('b1'), ...topics], use).then(() => text);
  };
  assert.match(
    await faults(nodeTopics({ lichess: { dry_run: true } })),
    /dry run, nothing is sent.*To send, remove broadcast/,
  );
  const halted = await faults(nodeTopics({ lichess: { halted_until: at(90) } }));
  assert.match(halted, /nothing is sent until \d.*tries again/);
  const [state, , broadcast] = nodeTopics();
  assert.match(await faults([state, broadcast]), /Nothing heard from the computer yet.*Check power and network/);
});

test('boards and computers whose topics are cleared leave the page', async () => {
  const gone = (topics) => topics.map(([topic]) => [topic, null]);
  const other = [['node/other/state', { site: 'hall', node: 'other', session: 't', time: NOW, state: 'online' }]];
  await inHall([...boardTopics('b1'), ...boardTopics('b2'), ...nodeTopics(), ...other], async (tab, hall) => {
    await tab.waitForSelector('.node[data-node="other"]');
    hall.say(gone([...boardTopics('b2'), ...other]));
    await tab.waitForSelector('tr[data-board="b2"]', { state: 'detached' });
    await tab.waitForSelector('.node[data-node="other"]', { state: 'detached' });
    assert.deepEqual(await rows(tab), ['b1']);
    hall.say(boardTopics('b2'));
    await tab.waitForSelector('tr[data-board="b2"]');
  });
});

test('a board without a session belongs to no computer', async () => {
  const [game] = boardTopics('b1');
  const other = [
    [
      'node/other/health',
      { session: 's', time: NOW, alive: true, journal_answers: true, broker: { up: true, reconnects: 0 }, boards: [] },
    ],
  ];
  await inHall([game, ...other], async (tab) => {
    await tab.waitForSelector('.node[data-node="other"]');
    assert.match(await cell(tab, 'b1', 'wrong'), /No computer serves this board/);
  });
});

test('games and tags of an earlier pairing that Lichess shows are named', async () => {
  const game = (more) => ({ id: 'remisd-hall-2-b1-5', round: 2, plies: 20, taken_at: NOW, ...more });
  const games = [
    game({ left_over: true }),
    game({ id: 'remisd-hall-2-b1-5.2', plies: 7, stale_tags: ['WhiteFideId'] }),
  ];
  await inHall([...boardTopics('b1'), ...nodeTopics({ lichess: { boards: { b1: { games } } } })], async (tab) => {
    const wrong = await cell(tab, 'b1', 'wrong');
    assert.match(wrong, /a game that is no longer sent: remisd-hall-2-b1-5Its pairing.*Send the round anew/);
    assert.match(wrong, /Lichess still shows what was removed: WhiteFideId/);
    const shown = await cell(tab, 'b1', 'lichess');
    assert.ok(shown.includes('7 plies') && !shown.includes('20 plies'), shown);
  });
});

test('an arbiter sees the page too, and commands as the arbiter', async () => {
  const use = async (tab, hall) => {
    assert.match(hall.asked[0], /audience=arbiter/);
    await tab.click('[data-act="test"]');
    await tab.click('dialog [type=submit]');
    await tab.waitForSelector('dialog', { state: 'detached' });
    assert.equal(hall.sent[0].by, 'arbiter');
  };
  await inHall([...boardTopics('b1'), ...nodeTopics()], use, { role: 'arbiter' });
});

test('the console offers to send a round anew that shows moves of its board that were corrected', async () => {
  await inConsole(browser, {}, async (tab, hall) => {
    assert.equal(await tab.locator('.lichess').count(), 0);
    const shows = (replaced) => ({
      lichess: { boards: { b1: { games: [{ id: 'g', round: 2, plies: 4, taken_at: NOW, replaced }] } } },
    });
    hall.say('node/remisd/broadcast', shows([{ from_ply: 3, moves: 'Nc3 Nc6' }]), 1);
    await tab.waitForSelector('.part-head .lichess');
    assert.match(await tab.textContent('.part-head .lichess'), /Nc3 Nc6/);
    await tab.click('.part-head .lichess button');
    assert.match(await tab.textContent('dialog.confirm'), /Viewers see the round empty for a moment/);
    assert.deepEqual(hall.sent, []);
    await tab.click('dialog.confirm [type=submit]');
    await tab.waitForSelector('dialog.confirm', { state: 'detached' });
    const [{ board: node, verb, body }] = hall.sent;
    assert.deepEqual([node, verb, body.round], ['remisd', 'lichess_reset', 2]);
    hall.say('node/remisd/broadcast', shows([]), 2);
    await tab.waitForSelector('.part-head .lichess', { state: 'detached' });
    const earlier = [{ id: 'g', round: 2, plies: 4, taken_at: NOW, left_over: true }];
    hall.say('node/remisd/broadcast', { lichess: { boards: { b1: { games: earlier } } } }, 3);
    await tab.waitForSelector('.part-head .lichess');
    assert.match(await tab.textContent('.part-head .lichess'), /a game of an earlier pairing/);
  });
});

for (const lang of ['en', 'de', 'nl']) {
  test(`nothing is wider than the page (${lang})`, async () => {
    for (const width of [1280, 800, 360])
      await inHall(faulty, assertNoSideways, { lang, viewport: { width, height: 800 } });
  });
}

/** What operators must not know in a competition. */
const NEVER = ['automatic_in', 'claims', 'repetition', 'arbiter_decides', 'finding'];
const TOPICS =
  /^([a-z0-9-]+\/(game|offer|clock|result|alerts|link|squares|availability|event)|node\/[a-z0-9-]+\/(state|health|broadcast))$/;

function* keys(value) {
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    yield key;
    yield* keys(inner);
  }
}

test('on a running hall the page shows its board, and receives only what operators may know', async () => {
  const { tab, seen, close } = await openTab(browser);
  await tab.goto(`${url}/operator${credentials('operator')}`);
  await tab.waitForSelector(`tr[data-board="${board}"] .badge`, { timeout: 60_000 });
  const has = (leaf) => (frames) => frames.some((frame) => frame.topic?.endsWith(leaf) && frame.payload !== null);
  for (const leaf of ['/broadcast', '/health', '/game', '/link']) await seen.until(has(leaf));
  const values = seen.frames.filter((frame) => frame.type === 'value' && frame.payload !== null);
  for (const { topic, payload } of values) {
    assert.match(topic, TOPICS);
    for (const key of keys(payload)) assert.ok(!NEVER.includes(key), `${topic} has ${key}`);
    if (topic.endsWith('/broadcast'))
      for (const phone of payload.phones)
        assert.deepEqual(
          Object.keys(phone).filter((key) => key !== 'test'),
          ['name'],
        );
  }
  assert.deepEqual(seen.troubles, []);
  await close();
});

// The overlay's standings, crosstable, boards in turn and QR code. The server's answers are made
// up: what they may contain is tested beside the code that makes them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openTab, url } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const NOW = '2026-11-22T12:00:00.000Z';

function game(board, table, players, score = null) {
  return {
    site: 'hall',
    board,
    session: 's',
    seq: 1,
    time: NOW,
    game: 1,
    headers: { White: players[0], Black: players[1], Round: `2.${table}`, Board: String(table) },
    fen: START,
    start_fen: START,
    laws: 'fide-2023',
    rate: 'standard',
    moves: [],
    ply: 0,
    turn: 'white',
    clocks: null,
    tracker: { state: 'following' },
    result: score === null ? null : { score, reason: 'resignation', confirmed: true },
  };
}

/** A feed of made-up boards; `say` sends one game. */
async function boards(tab, games) {
  const sockets = new Set();
  const say = (one) => {
    const frame = { type: 'value', topic: `${one.board}/game`, payload: one, received: NOW };
    for (const socket of sockets) socket.send(JSON.stringify(frame));
  };
  await tab.routeWebSocket(/\/feed\?/, (socket) => {
    sockets.add(socket);
    const hello = {
      type: 'hello',
      site: 'hall',
      audience: 'public',
      time: NOW,
      version: '0',
      delay_ms: 900_000,
      languages: ['en'],
    };
    socket.send(JSON.stringify(hello));
    for (const one of games) say(one);
    socket.send(JSON.stringify({ type: 'ready' }));
  });
  return say;
}

const meets = (opponent, color, code, points) => ({ opponent, color, code, points });

function standings(more = {}) {
  const row = (rank, start, name, points, ties, encounters, exact = true) => ({
    rank,
    start,
    title: start === 1 ? 'GM' : '',
    name,
    rating: 2000 + start,
    federation: 'NED',
    points,
    tie_breaks: ties,
    exact,
    encounters,
  });
  return {
    schema: 'remisd/standings/1',
    tournament: 'open',
    published_rounds: 1,
    name: 'Town Open',
    system: 'swiss',
    rounds: 2,
    tie_breaks: ['BH/C1', 'DE', 'SB'],
    not_computed: [],
    not_counted: [],
    rows: [
      row(
        1,
        1,
        'Alpha, Anna',
        '1.5',
        ['1', null, '0.25'],
        [meets(2, 'white', '1', '1'), meets(3, 'black', '=', '0.5')],
      ),
      row(2, 3, 'Gamma, G', '0.5', ['0', null, '0'], [null, meets(1, 'white', '=', '0.5')], false),
      row(3, 2, 'Beta, B', '0', ['0', null, '0'], [meets(1, 'black', '0', '0'), meets(4, 'white', null, null)]),
    ],
    ...more,
  };
}

const cells = (tab, selector) => tab.locator(selector).allTextContents();

test('the leader board shows points and tie-breaks, and marks what is not exact', async () => {
  const { tab, close } = await openTab(browser);
  await boards(tab, [game('b1', 1, ['Beta, B', 'Delta, D'])]);
  const asked = [];
  await tab.route(/api\/standings/, (route) => {
    asked.push(new URL(route.request().url()).search);
    return route.fulfill({ json: standings({ not_computed: ['ARO'], not_counted: ['b7'] }) });
  });
  await tab.goto(`${url}/overlay?layout=leaders&tournament=open&lang=en`);
  await tab.waitForSelector('.leaders tbody tr');
  assert.deepEqual(asked, ['?tournament=open']);
  assert.deepEqual(await cells(tab, '.leaders .rank.digits'), ['1', '2', '3']);
  assert.deepEqual(await cells(tab, '.leaders td.player .name'), ['Alpha, Anna', 'Gamma, G', 'Beta, B']);
  assert.deepEqual(await cells(tab, '.leaders td.points'), ['1½', '½', '0']);
  assert.deepEqual(await cells(tab, '.leaders th.tie'), ['BH/C1', 'SB']);
  assert.deepEqual(await cells(tab, '.leaders td.tie.approximate'), ['~0', '~0']);
  assert.equal(await tab.locator('.leaders .note').textContent(), 'Not counted: b7 · Not computed: ARO');
  await close();
});

test('standings are asked for again when a public result appears, and not by any other change', async () => {
  const { tab, close } = await openTab(browser);
  const players = ['Beta, B', 'Delta, D'];
  const say = await boards(tab, [game('b1', 1, players)]);
  let count = 0;
  await tab.route(/api\/standings/, (route) => {
    count += 1;
    const rows = standings().rows.map((row) => (row.start === 2 ? { ...row, points: String(count) } : row));
    return route.fulfill({ json: standings({ rows }) });
  });
  await tab.goto(`${url}/overlay?layout=leaders`);
  await tab.waitForSelector('.leaders tr[data-start="2"] td.points:text-is("1")');
  for (const [seq, change] of Object.entries({
    2: { turn: 'black' },
    3: { ply: 1, moves: [{ uci: 'e2e4', san: 'e4' }] },
    4: { clocks: { white_ms: 1000, black_ms: 2000, running: 'white' } },
    5: { headers: { ...game('b1', 1, players).headers, WhiteElo: '2000' } },
  })) {
    say({ ...game('b1', 1, players), ...change, seq: Number(seq) });
    await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  assert.equal(count, 1, 'nothing that the standings depend on has changed');
  say({ ...game('b1', 1, players, '1-0'), seq: 6 });
  await tab.waitForSelector('.leaders tr[data-start="2"] td.points:text-is("2")');
  assert.equal(count, 2);
  // A withdrawn result, another pairing and a new board do.
  for (const [more, expected] of [
    [game('b1', 1, players), '3'],
    [game('b1', 1, ['Beta, B', 'Alpha, A']), '4'],
    [game('b2', 1, ['Gamma, G', 'Alpha, A']), '5'],
  ]) {
    say({ ...more, seq: 10 + Number(expected) });
    await tab.waitForSelector(`.leaders tr[data-start="2"] td.points:text-is("${expected}")`);
  }
  assert.equal(count, 5);
  await close();
});

test('the crosstable of a Swiss has rounds, that of a round robin has opponents', async () => {
  const { tab, close } = await openTab(browser);
  await boards(tab, [game('b1', 1, ['Beta, B', 'Delta, D'])]);
  let answer = standings();
  await tab.route(/api\/standings/, (route) => route.fulfill({ json: answer }));
  await tab.goto(`${url}/overlay?layout=crosstable`);
  await tab.waitForSelector('.crosstable tbody tr');
  assert.deepEqual(await cells(tab, '.crosstable tr[data-start="1"] .cell'), ['3w1', '2b½']);
  assert.deepEqual(await cells(tab, '.crosstable tr[data-start="3"] .cell'), ['', '1w½']);
  assert.deepEqual(await cells(tab, '.crosstable .running'), ['?w·']);
  assert.deepEqual(await cells(tab, '.crosstable .rank.digits'), ['1', '2', '3']);
  // Two share the second rank; the cells name each by the number of the line.
  answer = standings();
  answer.rows[2].rank = 2;
  await tab.reload();
  await tab.waitForSelector('.crosstable tbody tr');
  assert.deepEqual(await cells(tab, '.crosstable .rank.digits'), ['1', '2', '3']);
  assert.deepEqual(await cells(tab, '.crosstable tr[data-start="1"] .cell'), ['3w1', '2b½']);
  answer = standings({ system: 'round_robin' });
  await tab.reload();
  await tab.waitForSelector('.crosstable .self');
  assert.deepEqual(await cells(tab, '.crosstable tr[data-start="1"] .cell'), ['', '½', '1']);
  assert.deepEqual(await cells(tab, '.crosstable tr[data-start="2"] .cell'), ['0', '', '']);
  await close();
});

test('boards are featured in the order of their tables, each for the same time', async () => {
  const { tab, close } = await openTab(browser);
  await tab.clock.install();
  await boards(tab, [game('b1', 3, ['E', 'F']), game('b2', 1, ['A', 'B'], '1-0'), game('b3', 2, ['C', 'D'])]);
  await tab.goto(`${url}/overlay?layout=featured&seconds=5&anim=0`);
  for (const id of ['b2', 'b3', 'b1', 'b2']) {
    await tab.waitForSelector(`.featured[data-board="${id}"] .view`, { state: 'attached' });
    await tab.clock.runFor(5000);
  }
  await close();
});

test('the QR code has the address of the public page, unless only this computer has it', async () => {
  const { tab, close } = await openTab(browser);
  await boards(tab, [game('b1', 1, ['A', 'B'])]);
  for (const local of ['1', url, 'http://localhost:9120/', 'http://[::1]/']) {
    await tab.goto(`${url}/overlay?layout=board&board=b1&lang=en&qr=${encodeURIComponent(local)}`);
    assert.match((await tab.textContent('.qr')) ?? '', /phones cannot open/);
    assert.equal(await tab.locator('.qr svg').count(), 0);
  }
  // The same pages under a name that phones know.
  await tab.route('http://hall.example/**', async (route) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await tab.request.fetch(`${url}${pathname}${search}`) });
  });
  await tab.goto('http://hall.example/overlay?layout=board&board=b1&qr=1');
  const code = await tab.waitForSelector('.qr svg');
  assert.match((await code.getAttribute('aria-label')) ?? '', /\/$/);
  assert.equal(await tab.locator('.qr').getAttribute('data-address'), 'http://hall.example/');
  const drawn = await tab.locator('.qr path').getAttribute('d');
  assert.ok(drawn !== null && drawn.length > 1000);
  await tab.goto(`${url}/overlay?board=b1&qr=javascript:alert(1)`);
  await tab.waitForSelector('.view');
  assert.equal(await tab.locator('.qr').count(), 0);
  await close();
});

/** Twenty players with long names, all rounds played. */
function field() {
  const rows = Array.from({ length: 20 }, (_, index) => ({
    rank: index + 1,
    start: index + 1,
    title: index % 3 === 0 ? 'WGM' : '',
    name: index % 2 === 0 ? 'Praggnanandhaa, Rameshbabu' : 'Li, Bo',
    rating: 2700 - index,
    federation: 'NED',
    points: '8.5',
    tie_breaks: ['41.25', null, '38'],
    exact: true,
    encounters: Array.from({ length: 9 }, (_, round) => meets(((index + round) % 20) + 1, 'white', '1', '1')),
  }));
  return standings({ name: 'Grand Open of the Town', rounds: 9, tie_breaks: ['BH/C1', 'DE', 'SB'], rows });
}

/** What a viewer sees of the texts: the part of each box that nothing clips, in pixels. */
const seen = (tab, selector) =>
  tab.locator(selector).evaluateAll((all) =>
    all.map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const text = range.getBoundingClientRect();
      let { left, right } = text;
      for (let box = element; box !== null; box = box.parentElement) {
        if (getComputedStyle(box).overflowX === 'visible') continue;
        const clip = box.getBoundingClientRect();
        left = Math.max(left, clip.left);
        right = Math.min(right, clip.right);
      }
      const shown = Math.max(0, Math.min(right, innerWidth) - Math.max(left, 0));
      return { text: element.textContent, shown, wide: text.width };
    }),
  );

for (const [width, height] of [
  [960, 1000],
  [1280, 720],
  [1920, 1080],
])
  test(`names are readable in the standings at ${width} × ${height}`, async () => {
    const { tab, close } = await openTab(browser, { viewport: { width, height } });
    await boards(tab, [game('b1', 1, ['Beta, B', 'Delta, D'])]);
    await tab.route(/api\/standings/, (route) => route.fulfill({ json: field() }));
    for (const layout of ['leaders', 'crosstable']) {
      await tab.goto(`${url}/overlay?layout=${layout}&lang=en`);
      await tab.waitForSelector(`.${layout} tbody tr`);
      const names = await seen(tab, '.tournament td.player .name');
      assert.ok(names.length >= 10, `${names.length} lines`);
      for (const { text, shown, wide } of names)
        assert.ok(shown >= Math.min(wide - 1, 150), `${layout}: ${text} has ${shown} of ${wide} px`);
      const [title] = await seen(tab, '.tournament th.player');
      assert.ok(title.shown >= Math.min(title.wide - 1, 150), `${layout}: the heading has ${title.shown} px`);
      const { right } = await tab
        .locator('.tournament table')
        .boundingBox()
        .then((box) => ({ right: box.x + box.width }));
      assert.ok(right <= width, `${layout}: the table ends at ${right}`);
    }
    await close();
  });

test('a tournament that the server does not have is named', async () => {
  const { tab, close } = await openTab(browser);
  await boards(tab, [game('b1', 1, ['Beta, B', 'Delta, D'])]);
  let status = 404;
  await tab.route(/api\/standings/, (route) => route.fulfill({ status, json: { ok: false } }));
  const note = (text) => tab.waitForSelector(`.note:text-is("${text}")`);
  await tab.goto(`${url}/overlay?layout=leaders&tournament=zzz&lang=en`);
  await note('There is no tournament zzz');
  await tab.goto(`${url}/overlay?layout=crosstable&lang=en`);
  await note('No tournament is configured');
  status = 503;
  await tab.goto(`${url}/overlay?layout=leaders&tournament=zzz&lang=en`);
  await note('No standings yet');
  await close();
});

test('names have the room of the columns in which no game has anything', async () => {
  const { tab, close } = await openTab(browser, { viewport: { width: 960, height: 1000 } });
  const players = ['Rapport, Richard', 'Praggnanandhaa, R'];
  const clocks = { white_ms: 5_397_000, black_ms: 5_398_000, running: null };
  const titled = (one) => ({ ...one, headers: { ...one.headers, WhiteTitle: 'GM', BlackTitle: 'GM' } });
  const over = [titled(game('b1', 1, players, '1-0')), titled(game('b2', 2, players, '0-1'))];
  const say = await boards(tab, over);
  await tab.goto(`${url}/overlay?layout=table&lang=en`);
  await tab.waitForSelector('.standings tbody tr');
  const assertWhole = async () => {
    for (const { text, shown, wide } of await seen(tab, '.of-white .name, .of-black .name'))
      assert.ok(shown >= wide - 1, `${text} has ${shown} of ${wide} px`);
  };
  await assertWhole();
  assert.equal(await tab.locator('.of-rating:visible, .of-clock:visible, .of-move:visible').count(), 0);
  // Clocks and moves of a game that goes on, with ratings: everything has its column again.
  const going = titled({ ...game('b1', 1, players), moves: [{ uci: 'e2e4', san: 'e4' }], clocks, seq: 2 });
  say({ ...going, headers: { ...going.headers, WhiteElo: '2700', BlackElo: '2750' } });
  await tab.waitForSelector('.of-rating:visible');
  assert.equal(await tab.locator('.of-move:visible').count(), 2);
  await assertWhole();
  await close();
});

test('the QR code covers nothing of the layouts', async () => {
  for (const [width, height] of [
    [720, 1000],
    [1920, 1080],
    [960, 1000],
  ]) {
    const { tab, close } = await openTab(browser, { viewport: { width, height } });
    const several = Array.from({ length: 30 }, (_, index) => game(`b${index + 1}`, index + 1, ['A', 'B']));
    await boards(tab, several);
    await tab.route(/api\/standings/, (route) => route.fulfill({ json: field() }));
    for (const [layout, parts] of Object.entries({
      board: '.view > *',
      boards: '.view > *',
      featured: '.view > *',
      ticker: '.item',
      table: 'tbody tr',
      leaders: 'tbody tr',
      crosstable: 'tbody tr',
    })) {
      await tab.goto(`${url}/overlay?layout=${layout}&qr=https%3A%2F%2Fexample.org%2F`);
      const code = await (await tab.waitForSelector('.qr svg')).boundingBox();
      await tab.waitForSelector(parts);
      const boxes = await tab
        .locator(parts)
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
      assert.ok(boxes.length > 0);
      for (const box of boxes) {
        const apart = box.right <= code.x || box.bottom <= code.y || box.top >= code.y + code.height;
        assert.ok(apart, `${layout} at ${width} × ${height}: ${JSON.stringify(box)} under ${JSON.stringify(code)}`);
      }
    }
    await close();
  }
});

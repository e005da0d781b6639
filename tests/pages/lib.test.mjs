// The pages' shared code without a browser: clocks, notation, words, layout, an overlay's address.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { load } from './bundle.mjs';

let lib;
before(async () => {
  lib =
    await load(`export * from './lib/clocks'; export * from './lib/lateness'; export * from './lib/notation'; export * from './lib/grid'; export * from './lib/fen'; export * from './lib/players';
    export * from './lib/vocabulary'; export * from './overlay/options'; export * from './lib/store'; export * from './lib/session'; export { readingOf } from './arbiter/times';
    export { Hall } from './arbiter/hall'; export { linesOf } from './arbiter/journal';
    export * from './lib/plain'; export { materialOf } from './lib/material'; export { Outcome } from './clock/outcome'; export { plyLabel } from './arbiter/subject'; export { headline, refusalText, subjectOf } from './arbiter/say'; export { readPairings } from './arbiter/pairings'; export { send } from './lib/command'; export { illegalPositionDraws } from './arbiter/laws'; export { offerOf, resultOf } from './overlay/facts'; export { en } from './arbiter/words/en'; export { de } from './arbiter/words/de'; export { nl } from './arbiter/words/nl';`);
});

/**
 * A moment in the daemon's time, and the same in that of a server whose clock is three minutes
 * fast.
 */
const daemon = (seconds) => new Date(Date.UTC(2026, 10, 22, 10, 0, 0) + seconds * 1000).toISOString();
const server = (seconds) => daemon(seconds + 180);

test('a payload that comes again with what the clock showed before gives nothing back', () => {
  const { remaining, readClock } = lib;
  const times = { white_ms: 5000, black_ms: 9000, running: 'white' };
  const left = (reading, seconds) => remaining(reading, 'white', Date.parse(server(seconds)));
  const first = readClock(times, { time: daemon(0), readAt: daemon(0), received: server(0) });
  assert.equal(left(first, 4), 1000);
  const again = readClock(times, { time: daemon(3), readAt: daemon(0), received: server(3) });
  assert.equal(left(again, 4), 1000);
  const next = readClock({ ...times, white_ms: 4000 }, { time: daemon(4), readAt: daemon(4), received: server(4) });
  assert.equal(left(next, 4), 4000);
  // The same times read again are a new reading: a clock may be set to its previous time.
  const set = readClock(times, { time: daemon(8), readAt: daemon(8), received: server(8) });
  assert.equal(left(set, 8), 5000);
});

test('a page that joins late shows the right time', () => {
  const { remaining, readClock } = lib;
  const times = { white_ms: 60_000, black_ms: 90_000, running: 'black' };
  // Read 40 s before the first payload that a page receives, which is all the page ever knows.
  const joined = readClock(times, { time: daemon(40), readAt: daemon(0), received: server(40) });
  assert.equal(remaining(joined, 'black', Date.parse(server(41))), 49_000);
  assert.equal(remaining(joined, 'white', Date.parse(server(41))), 60_000);
  // Read before the server started: by the daemon's own time, for the public after the delay.
  const retained = readClock(times, { time: daemon(40), readAt: daemon(0), received: null }, 15_000);
  assert.equal(remaining(retained, 'black', Date.parse(daemon(56))), 49_000);
});

test('a reading without its moment, or with one that cannot be, is as old as its payload', () => {
  const { readClock } = lib;
  const times = { white_ms: 60_000, black_ms: 90_000, running: 'black' };
  for (const readAt of [undefined, null, daemon(99), 'yesterday']) {
    assert.equal(
      readClock(times, { time: daemon(40), readAt, received: server(40) }).at,
      Date.parse(server(40)),
      readAt,
    );
  }
  assert.equal(readClock(null, { time: daemon(40), readAt: daemon(40), received: null }), null);
});

test('the console takes the newer of game and clock, each with its own moment', () => {
  const { readingOf } = lib;
  const times = { white_ms: 60_000, black_ms: 90_000, running: 'black' };
  const tile = { payload: { seq: 8, time: daemon(40), clocks: times, clocks_at: daemon(10) }, received: server(40) };
  const clock = (seq) => ({ payload: { seq, time: daemon(30), at: daemon(25), ...times }, received: server(30) });
  assert.equal(readingOf(tile, clock(7)).at.at, Date.parse(server(10)));
  assert.equal(readingOf(tile, clock(9)).at.at, Date.parse(server(25)));
  assert.equal(readingOf(undefined, clock(1)).at.at, Date.parse(server(25)));
  assert.equal(readingOf(tile).at.at, Date.parse(server(10)));
});

test('the clocks of a board that is not seen stand as they were when it was lost', () => {
  const { BoardStore, readingOf, halted, readClock, remaining } = lib;
  const times = { white_ms: 60_000, black_ms: 90_000, running: 'black' };
  const reading = readClock(times, { time: daemon(0), readAt: daemon(0), received: server(0) });
  for (const [lost, black] of [
    [server(20), 70_000],
    [server(-20), 90_000],
    ['never', 90_000],
  ]) {
    const stands = halted(reading, Date.parse(lost));
    assert.equal(stands.running, null);
    assert.equal(remaining(stands, 'black', Date.parse(server(3600))), black);
    assert.equal(remaining(stands, 'white', Date.parse(server(3600))), 60_000);
  }
  const tile = { payload: { seq: 8, time: daemon(0), clocks: times, clocks_at: daemon(0) }, received: server(0) };
  const stands = readingOf(tile, undefined, 's', Date.parse(server(30)));
  assert.equal(remaining(stands.at, 'black', Date.parse(server(3600))), 60_000);

  const store = new BoardStore();
  store.take('b1/availability', { state: 'online', session: 'seen', time: daemon(0) }, server(0));
  assert.equal(store.lostAt('b1'), null);
  // The node's will was retained by the broker on arrival.
  store.take('node/n/state', { state: 'lost', session: 'seen', node: 'n', time: daemon(-900) }, server(40));
  assert.equal(store.lostAt('b1'), Date.parse(server(40)));
  store.take('b1/availability', { state: 'offline', session: 'seen', time: daemon(30) }, server(31));
  assert.equal(store.lostAt('b1'), Date.parse(server(31)));
});

test('clocks round up, keep their shape and never go below zero', () => {
  const { formatClock, formatRecorded, remaining, readClock } = lib;
  assert.equal(formatClock(5_397_000), '1:29:57');
  assert.equal(formatClock(5_396_001), '1:29:57');
  assert.equal(formatClock(597_000), '09:57');
  assert.equal(formatClock(1), '00:01');
  assert.equal(formatClock(0), '00:00');
  assert.equal(formatClock(19_940, true), '19.9');
  assert.equal(formatClock(4_010, true), '04.0');
  assert.equal(formatClock(20_000, true), '00:20');
  assert.equal(formatClock(null), '–:––');
  assert.equal(formatRecorded(593_000), '0:09:53');
  assert.equal(formatRecorded(5_397_900), '1:29:57');
  const reading = readClock(
    { white_ms: 5000, black_ms: 9000, running: 'white' },
    { time: daemon(0), readAt: null, received: null },
    2000,
  );
  const start = Date.parse(daemon(2));
  assert.equal(remaining(reading, 'white', start - 500), 5000);
  assert.equal(remaining(reading, 'white', start + 1500), 3500);
  assert.equal(remaining(reading, 'white', start + 60_000), 0);
  assert.equal(remaining(reading, 'black', start + 60_000), 9000);
  assert.equal(remaining(null, 'white', start), null);
});

test('moves take the letters of a language, and are read with them', () => {
  const { sanIn, sanFrom } = lib;
  assert.equal(sanIn('Nbxd7+', 'de'), 'Sbxd7+');
  assert.equal(sanIn('Nf3', 'nl'), 'Pf3');
  assert.equal(sanIn('exd8=Q#', 'de'), 'exd8=D#');
  assert.equal(sanIn('O-O-O', 'nl'), 'O-O-O');
  assert.equal(sanIn('Bb5', 'figurine'), '♗b5');
  for (const [written, letters, english] of [
    ['Sf3', 'de', 'Nf3'],
    ['Nf3', 'de', 'Nf3'],
    ['Txe8+', 'de', 'Rxe8+'],
    ['e8D', 'de', 'e8=Q'],
    ['e8=D+', 'de', 'e8=Q+'],
    ['bxa8=S', 'de', 'bxa8=N'],
    ['Pf3', 'nl', 'Nf3'],
    ['0-0-0', 'nl', 'O-O-O'],
    ['0-0', 'de', 'O-O'],
    [' g1f3 ', 'de', 'g1f3'],
    ['e7e8q', 'en', 'e7e8q'],
    ['exd5', 'nl', 'exd5'],
    ['Lb5', 'nl', 'Bb5'],
  ])
    assert.equal(sanFrom(written, letters), english, `${written} in ${letters}`);
});

test('a board is told in words, also from four fields', () => {
  const { positionWords, turnOf, squaresOf } = lib;
  assert.equal(positionWords('4k3/8/8/8/8/8/4P3/4K2R b K -'), 'White: king e1, rook h1, pawn e2. Black: king e8.');
  assert.equal(positionWords('8/8/8/8/8/8/8/8'), 'No pieces');
  assert.equal(turnOf('8/8/8/8/8/8/8/8 b - -'), 'black');
  assert.deepEqual(squaresOf('e7e8q'), ['e7', 'e8']);
  assert.deepEqual(squaresOf(null), []);
});

test('a grid makes its cells as large as they can be', () => {
  const { bestGrid } = lib;
  const height = (width) => width * 1.3;
  assert.deepEqual(bestGrid(1, { width: 1000, height: 650 }, height, 0).columns, 1);
  assert.equal(bestGrid(2, { width: 1600, height: 900 }, height, 10).columns, 2);
  assert.equal(bestGrid(2, { width: 400, height: 1600 }, height, 10).columns, 1);
  for (const count of [1, 3, 9, 40, 200]) {
    const grid = bestGrid(count, { width: 1920, height: 1080 }, height, 12);
    assert.ok(grid.columns * grid.rows >= count);
    assert.ok(grid.columns * grid.width + (grid.columns - 1) * 12 <= 1920.5);
    assert.ok(grid.rows * height(grid.width) + (grid.rows - 1) * 12 <= 1081);
  }
  // As many in each row as fit.
  for (const [count, columns] of [
    [6, 3],
    [8, 4],
    [9, 5],
  ])
    assert.equal(bestGrid(count, { width: 1920, height: 1080 }, height, 12).columns, columns, count);
  assert.equal(bestGrid(9, { width: 900, height: 9000 }, height, 0, 3).columns, 3);
});

test('an overlay’s address is read, whatever stands in it', () => {
  const { readOptions } = lib;
  const usual = readOptions('');
  assert.deepEqual(
    [usual.layout, usual.theme, usual.size, usual.bottom, usual.animate, usual.boards],
    ['board', 'dark', null, 'white', true, []],
  );
  assert.ok(usual.shown.has('names') && !usual.shown.has('fifty') && !usual.shown.has('repetition'));
  const own = readOptions('?board=b1,b2,../x&theme=wood&size=480&flip=1&anim=0&show=names,clocks');
  assert.deepEqual(
    [own.boards, own.layout, own.theme, own.size, own.bottom, own.animate, [...own.shown]],
    [['b1', 'b2'], 'boards', 'wood', 480, 'black', false, ['names', 'clocks']],
  );
  for (const show of ['%2Bfifty,-opening', '+fifty,-opening']) {
    const { shown } = readOptions(`?show=${show}`);
    assert.ok(shown.has('fifty') && shown.has('names') && !shown.has('opening'), show);
  }
  assert.deepEqual([...readOptions('?show=none').shown], []);
  assert.equal(readOptions('?size=-3&layout=x&theme=%00').size, null);
});

test('players are taken from the tags, and from nothing', () => {
  const { playerOf, nameForms, tableOf } = lib;
  assert.deepEqual(playerOf({}, 'black'), { name: 'Black', named: false, title: '', rating: '', federation: '' });
  assert.deepEqual(playerOf({ White: '?', WhiteElo: '0', WhiteTitle: '-' }, 'white').name, 'White');
  assert.deepEqual(nameForms(playerOf({ White: 'Ju, Wenjun Anna-Lena' }, 'white')), [
    'Ju, Wenjun Anna-Lena',
    'Ju, Wenjun A. L.',
    'Ju, W. A. L.',
    'Ju, W.',
    'Ju',
  ]);
  assert.deepEqual(nameForms(playerOf({ White: 'Oosterbaan-de Wit, Els' }, 'white')), [
    'Oosterbaan-de Wit, Els',
    'Oosterbaan-de Wit, E.',
    'Oosterbaan-de Wit',
    'Oosterbaan-d.',
    'Oosterbaan',
  ]);
  assert.deepEqual(nameForms(playerOf({ White: '🦆' }, 'white')), ['🦆']);
  assert.equal(tableOf({ Board: '12' }, 'b3'), '12');
  assert.equal(tableOf(undefined, 'b007'), '7');
  assert.equal(tableOf({}, 'final'), 'final');
});

test('results, ages and numbers of moves are written out', () => {
  const { scoreText, points, moveNumber, ageWords, reasonWords } = lib;
  assert.equal(scoreText('1/2-1/2'), '½–½');
  assert.deepEqual([points('1-0', 'black'), points('1/2-1/2', 'white'), points('*', 'white')], ['0', '½', '']);
  assert.deepEqual([moveNumber(1), moveNumber(6)], ['1.', '3…']);
  assert.deepEqual([ageWords(7_400), ageWords(180_000), ageWords(8_000_000)], ['7 s', '3 min', '2 h']);
  assert.equal(reasonWords('of_a_later_version'), 'of a later version');
});

test('Swiss German has no ß, German has', async () => {
  const source = `export { v } from './lib/vocabulary';`;
  assert.equal((await load(source, 'de')).v('white'), 'Weiß');
  assert.equal((await load(source, 'de-ch')).v('white'), 'Weiss');
  assert.equal((await load(source, 'xx')).v('white'), 'White');
});

test('a board is not now’s when it or its node is gone', () => {
  const store = new lib.BoardStore();
  store.take('b1/availability', { state: 'online', session: 's' }, null);
  assert.equal(store.online('b1'), true);
  store.take('node/n/state', { state: 'lost', session: 's', node: 'n' }, null);
  assert.equal(store.online('b1'), false);
  store.take('node/n/state', { state: 'online', session: 's', node: 'n' }, null);
  store.take('b1/availability', { state: 'fault', session: 's' }, null);
  assert.equal(store.online('b1'), false);
  store.take('b1/availability', null, null);
  assert.deepEqual(store.boards(), []);
});

test('nobody vouches for a board of a node that is not there', () => {
  const { BoardStore, Hall } = lib;
  const state = (node, session, of = 'online') => [`node/${node}/state`, { state: of, session, node, time: daemon(0) }];
  const told = { state: 'online', session: 's', time: daemon(7) };
  const store = new BoardStore();
  const hall = new Hall(
    () => {},
    () => {},
  );
  const take = (topic, payload, received = server(8)) => {
    store.take(topic, payload, received);
    hall.take(topic, payload, received);
  };
  const seen = () => [store.lostAt('b1'), hall.boards.get('b1').lostAt, hall.boards.get('b1').doubt];
  take('b1/availability', told);
  assert.deepEqual(seen(), [null, null, null]);
  // Another computer's state, even if it is the only one; then the board's own after a restart.
  take(...state('n', 'other'));
  const at = Date.parse(server(8));
  assert.deepEqual(seen(), [at, at, 'node_offline']);
  take(...state('m', 's'));
  assert.deepEqual(seen(), [null, null, null]);
  take(...state('m', 'next'));
  assert.deepEqual(seen(), [at, at, 'node_offline']);
  take('b1/availability', { ...told, session: 'next' });
  assert.deepEqual(seen(), [null, null, null]);
});

test('a board is not now’s while the state of its node cannot be read', () => {
  const store = new lib.BoardStore();
  const said = (state, session = 's') => ({ state, session, node: 'n', time: daemon(0) });
  store.take('b1/availability', { state: 'online', session: 's', time: daemon(7) }, server(8));
  // Of the only node nothing but that is known.
  store.take('node/n/state', null, server(9), true);
  assert.equal(store.lostAt('b1'), Date.parse(server(8)));
  store.take('node/n/state', said('online'), server(10));
  assert.equal(store.lostAt('b1'), null);
  for (const at of [20, 30]) {
    store.take('node/n/state', null, server(at), true);
    assert.equal(store.lostAt('b1'), Date.parse(server(20)), 'since the first');
  }
  assert.deepEqual(
    [...store.nodes.values()].map((node) => store.stateOf(node)),
    ['unknown'],
  );
  store.take('node/n/state', said('online'), server(40));
  assert.equal(store.lostAt('b1'), null);
  assert.equal(store.stateOf(said('online')), 'online');
  store.take('node/n/state', said('lost'), server(41));
  store.take('node/n/state', null, server(42), true);
  assert.equal(store.lostAt('b1'), Date.parse(server(41)), 'it was lost before');
  store.take('node/n/state', said('online'), server(43));
  store.take('node/n/state', null, null, true);
  assert.equal(store.lostAt('b1'), 0, 'unreadable since before the server started');
  store.take('node/n/state', null, server(50));
  assert.deepEqual([store.lostAt('b1'), [...store.nodes.keys()]], [null, []]);
});

test('an offer or a result from before the game is none', () => {
  const { BoardStore, offerOf, resultOf } = lib;
  const live = { store: new BoardStore(), hello: { delay_ms: 0 } };
  const shown = (seq) => {
    live.store.take('b1/game', { session: 's', seq: 12, game: 10, result: null }, null);
    live.store.take('b1/offer', { session: 's', seq, by: 'white' }, null);
    live.store.take('b1/result', { session: 's', seq, score: '1-0' }, null);
    return [offerOf(live, 'b1'), resultOf(live, 'b1')?.score ?? null];
  };
  assert.deepEqual(shown(9), [null, null]);
  assert.deepEqual(shown(10), ['white', '1-0']);
});

test('an offer that was refused by a touch says of which piece', () => {
  const ended = { type: 'offer_ended', by: 'white', how: 'refused_by_touch', square: 'e4' };
  const lines = lib.linesOf({ seq: 1, time: daemon(0), input: { type: 'sensors' }, facts: [ended] });
  assert.deepEqual(lines, ['The offer by White has ended: refused by touching e4']);
});

const LANGUAGES = ['en', 'de', 'nl'];
const SENTENCES = `export * from './lib/words'; export { linesOf } from './arbiter/journal'; export { headline, subjectOf } from './arbiter/say'; export { en } from './arbiter/words/en';`;

/**
 * Fails on defects in a text for people: an unfilled placeholder, a missing word before or after a
 * punctuation mark.
 */
function assertWhole(text, about) {
  assert.notEqual(text, '', about);
  assert.doesNotMatch(text, /[{}]|undefined|null|NaN|\[object/, `${about}: ${text}`);
  assert.doesNotMatch(
    text,
    /^[\s:,.;’]|\s[:,.;](?!\S)|\s{2}|[:,;–]\s*$|\b(von|van|by|bei|voor|door)\s*[:,.;]|[’]s\s*:/,
    `${about}: ${text}`,
  );
}

test('every alert is named whole in every language, also where nobody knows of whom it is', async () => {
  for (const language of LANGUAGES) {
    const { en, headline, subjectOf } = await load(SENTENCES, language);
    const codes = Object.keys(en)
      .filter((key) => key.startsWith('headline.'))
      .map((key) => key.slice('headline.'.length));
    assert.ok(codes.length >= 37);
    for (const code of codes) {
      for (const args of [undefined, {}, { by: 'white' }, { player: 'black' }]) {
        assertWhole(headline({ code, arguments: args }), `${language} ${code}`);
        assertWhole(subjectOf({ code, arguments: args }), `${language} ${code}`);
      }
      assert.ok(`about.${code}` in en, `${code} has no name`);
    }
  }
});

test('an alarm that is closed is named, and says no more what to do', async () => {
  const entry = (seq, ...facts) => ({ seq, time: daemon(seq), input: { type: 'timer' }, facts });
  const raised = { type: 'alert_raised', id: 'claim_made-17', code: 'claim_made', arguments: { by: 'black' } };
  const closed = entry(2, { type: 'alert_cleared', id: 'claim_made-17' });
  const known = new Map([[raised.id, raised]]);
  for (const [language, withBy, without] of [
    ['en', 'Closed: Black’s claim', 'Closed: draw claim'],
    ['de', 'Erledigt: Remisantrag von Schwarz', 'Erledigt: Remisantrag'],
    ['nl', 'Afgehandeld: remiseclaim van zwart', 'Afgehandeld: remiseclaim'],
  ]) {
    const { linesOf } = await load(SENTENCES, language);
    assert.deepEqual(linesOf(closed, known), [withBy]);
    assert.deepEqual(linesOf(closed), [without]);
    assert.equal(linesOf(entry(1, raised)).length, 1);
  }
});

test('every entry of the journal reads whole in every language', async () => {
  const { readFileSync } = await import('node:fs');
  const schema = readFileSync(new URL('../../protocol/schema/event.json', import.meta.url), 'utf8');
  const types = [...schema.matchAll(/"const":\s*"([a-z_]+)"/g)].map(([, type]) => type);
  const fields = {
    by: 'white',
    ply: 7,
    to_ply: 6,
    game: 2,
    san: 'Nf3',
    move: { uci: 'g1f3', san: 'Nf3' },
    played: { uci: 'e2e4', san: 'e4' },
    square: 'e4',
    score: '1/2-1/2',
    reason: 'agreement',
    article: '9.1',
    nth: 2,
    left: 1,
    how: 'accepted',
    running: 'white',
    message: 'no',
    code: 'claim_made',
    arguments: { by: 'white' },
    id: 'claim_made-3',
    white: { change: 'none' },
    black: { change: 'add', ms: 120_000 },
  };
  for (const language of LANGUAGES) {
    const { en, linesOf } = await load(SENTENCES, language);
    const facts = types.filter((type) => `fact.${type}` in en || type === 'claim_ruled');
    assert.ok(facts.length >= 45, `${facts.length} facts`);
    for (const type of facts)
      for (const kind of ['threefold', 'quickplay'])
        for (const finding of ['correct', null])
          for (const announced of [{ uci: 'g1f3', san: 'Nf3' }, null]) {
            const fact = { ...fields, type, kind, finding, announced, ...(announced ? {} : { move: null }) };
            for (const line of linesOf({ seq: 1, time: daemon(0), input: { type: 'timer' }, facts: [fact] }))
              assertWhole(line, `${language} ${type}`);
          }
  }
});

test('the overlay says what a side is ahead by', () => {
  const { materialOf, readOptions } = lib;
  const both = (fen) => [materialOf(fen, 'white'), materialOf(fen, 'black')];
  assert.deepEqual(both('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'), ['', '']);
  assert.deepEqual(both('4k3/pp6/8/8/8/8/P7/R3K3 w - - 0 1'), ['♜ +4', '♟']);
  assert.deepEqual(both('4kb2/8/8/8/8/8/8/4KN2 w - - 0 1'), ['♞', '♝']);
  assert.ok(!readOptions('').shown.has('material') && readOptions('?show=%2Bmaterial').shown.has('material'));
});

test('plies are named by their moves', () => {
  const { plyLabel } = lib;
  const moves = ['Nf3', 'Nf6', 'Ng1'].map((san) => ({ san }));
  const game = { moves, start_fen: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' };
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((ply) => plyLabel(game, ply)),
    ['start', '1.Nf3', '1…Nf6', '2.Ng1', 'ply 4'],
  );
  const black = { moves, start_fen: '8/8/8/8/8/8/8/8 b - - 0 30' };
  assert.deepEqual([plyLabel(black, 1), plyLabel(black, 2)], ['30…Nf3', '31.Nf6']);
  assert.equal(plyLabel(undefined, 3), 'ply 3');
});

test('what turns or hides text is taken out of all that comes over the wire', () => {
  const { parsePlain, plain, isolated } = lib;
  const name = 'Smit\u202e, Anna\u2069\u0007\u200b';
  assert.equal(plain(name), 'Smit, Anna');
  assert.deepEqual(parsePlain(JSON.stringify({ White: name, moves: [{ san: 'Nf3' }], n: 1 })), {
    White: 'Smit, Anna',
    moves: [{ san: 'Nf3' }],
    n: 1,
  });
  assert.deepEqual(parsePlain('{"White":"a\\u202Eb\\u001bc\\u0085","x":"\\u00e4\\n"}'), { White: 'abc', x: 'ä\n' });
  assert.deepEqual(parsePlain('{"a":"Ó Súilleabháin, Tadhg","b":"½–½ ♘"}'), { a: 'Ó Súilleabháin, Tadhg', b: '½–½ ♘' });
  assert.equal(isolated('Smit, Anna'), 'Smit, Anna');
  assert.equal(isolated('כהן, דן'), '\u2068כהן, דן\u2069');
});

test('who offered or claimed is told what became of it', () => {
  const { Outcome } = lib;
  const offer = { by: 'white', by_claim: false };
  const clock = (more) => ({ paused: null, adjustment: null, ...more });
  const claimed = { offer: { by: 'black', by_claim: true }, clock: clock({ paused: { reason: 'claim', since: '' } }) };
  const told = (...standings) => {
    const outcome = new Outcome();
    for (const one of standings) outcome.take({ offer: undefined, clock: undefined, result: undefined, ...one });
    return [outcome.of('white'), outcome.of('black')];
  };
  assert.deepEqual(told({ offer }), ['Your draw offer stands.', 'White offers a draw.']);
  const accepted = ['Your offer was accepted.', 'You have accepted the offer.'];
  assert.deepEqual(told({ offer }, { clock: clock({ decided: 'agreement' }) }), accepted);
  const agreed = { score: '1/2-1/2', reason: 'agreement', confirmed: true };
  assert.deepEqual(told({ offer }, { result: agreed }), accepted);
  assert.deepEqual(told({ clock: clock({ decided: 'agreement' }) }), ['A draw was agreed.', 'A draw was agreed.']);
  assert.deepEqual(told({ offer }, { clock: clock() }), ['Your offer was not accepted.', '']);
  assert.deepEqual(told(claimed), ['Black claims a draw. The arbiter is checking it.', 'Your claim is being checked.']);
  const upheld = { score: '1/2-1/2', reason: 'threefold_claim', confirmed: true };
  assert.deepEqual(told(claimed, { clock: claimed.clock, result: upheld }), [
    '',
    'Your claim was ruled correct: the game is drawn.',
  ]);
  const penalty = { id: 'a', reason: 'incorrect_claim', white: { change: 'add', ms: 1 }, black: { change: 'none' } };
  const incorrect = ['', 'Your claim was ruled incorrect: the game continues.'];
  assert.deepEqual(told(claimed, { clock: clock({ adjustment: penalty }) }), incorrect);
  assert.deepEqual(told(claimed, { clock: clock({ adjustment: penalty }) }, { clock: clock() }), incorrect);
  assert.deepEqual(told(claimed, { clock: clock() }), ['', 'Your claim was not upheld: the game continues.']);
  // A later offer replaces the message about the claim.
  assert.deepEqual(told(claimed, { clock: clock() }, { offer, clock: clock() }), [
    'Your draw offer stands.',
    'White offers a draw.',
  ]);
});

/** Answers requests in the given order: a `Response`, or an error as if the connection broke. */
function answerWith(t, ...answers) {
  t.mock.method(globalThis, 'fetch', async () => {
    const answer = answers.shift();
    if (answer instanceof Response) return answer;
    throw new TypeError('fetch failed');
  });
}

const refusal = (status, code) =>
  new Response(code === undefined ? '' : JSON.stringify({ ok: false, code, message: '' }), { status });

test('a refused sign-in says why, also where only the status does', async (t) => {
  for (const [status, code, expected] of [
    [401, 'refused', 'refused'],
    [413, 'oversized', 'oversized'],
    [415, 'bad_request', 'bad_request'],
    [422, 'bad_request', 'bad_request'],
    [431, undefined, 'bad_request'],
    [503, undefined, 'no_broker'],
    [502, undefined, 'offline'],
  ]) {
    answerWith(t, refusal(status, code));
    const answer = await lib.signIn({ role: 'arbiter', user: 'arbiter', password: 'x' });
    assert.deepEqual(answer, { ok: false, code: expected, retryAfterS: null }, `${status}`);
    t.mock.restoreAll();
  }
});

test('an arbiter who is signed out and sends pairings hears that, also if the connection breaks', async (t) => {
  const { readPairings } = lib;
  const session = (...grants) => new Response(JSON.stringify({ grants, open: [] }));
  const arbiter = { role: 'arbiter', board: null, user: 'arbiter', name: null };
  for (const [answers, expected] of [
    [[refusal(401, 'not_signed_in')], 'signed_out'],
    [[refusal(403, 'foreign_origin')], 'foreign_origin'],
    [[refusal(413, 'oversized')], 'oversized'],
    [[null, session()], 'signed_out'],
    [[null, session({ ...arbiter, role: 'operator' })], 'signed_out'],
    [[null, session(arbiter)], 'offline'],
    [[null, null], 'offline'],
  ]) {
    answerWith(t, ...answers);
    assert.equal(await readPairings('1;A;B', ['b1']), expected);
    t.mock.restoreAll();
  }
  answerWith(t);
  const mebibyte = 'ä'.repeat(512 * 1024);
  assert.equal(await readPairings(mebibyte, ['b1']), 'offline');
  assert.equal(await readPairings(`${mebibyte}.`, ['b1']), 'oversized');
});

test('a refused command has words, of the console or of all pages', async (t) => {
  const { refusalText, send } = lib;
  for (const [status, code, expected, words] of [
    [401, 'not_signed_in', 'signed_out', /^You are signed out\. Reload/],
    [415, 'bad_request', 'bad_request', /^Something is missing/],
    [413, undefined, 'oversized', /^That is too long/],
    [409, 'wrong_state', 'wrong_state', /^Refused: it is not possible now/],
    [409, 'of_a_later_daemon', 'of_a_later_daemon', /^of a later daemon$/],
  ]) {
    answerWith(t, refusal(status, code));
    const reply = await send('arbiter', 'b1', 'offer', {});
    assert.equal(reply.code, expected);
    assert.match(refusalText(reply.code), words);
    t.mock.restoreAll();
  }
});

test('a button that an alert names is called so on the console', () => {
  for (const language of ['en', 'de', 'nl']) {
    const alerts = readFileSync(new URL(`../../src/words/${language}/alerts.ftl`, import.meta.url), 'utf8');
    const buttons = Object.entries(lib[language]).filter(([key]) => key.startsWith('remedy.'));
    const labels = buttons.map(([, label]) => label.replace(/ …$/, ''));
    const quoted = [...alerts.matchAll(language === 'de' ? /„([^“{]+)“/g : /“([^”{]+)”/g)].map(([, name]) => name);
    assert.ok(quoted.length > 0, language);
    for (const name of quoted) assert.ok(labels.includes(name), `${language}: ${name}`);
  }
});

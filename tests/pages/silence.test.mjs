// A daemon that has fallen silent although its state is still "online".

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from './bundle.mjs';

let lib;
before(async () => {
  lib = await load(`export { Hall } from './arbiter/hall';`);
});

const START = Date.UTC(2026, 10, 22, 10, 0, 0);
const at = (seconds) => new Date(START + seconds * 1000).toISOString();

/** A hall with one daemon and board b1, and functions that send health reports and heartbeats. */
function hallOf(node = 'remisd') {
  const changed = [];
  const hall = new lib.Hall(
    (board) => changed.push(board.name),
    () => {},
  );
  const session = `s-${node}`;
  hall.take(`node/${node}/state`, { node, session, time: at(0), state: 'online' }, at(0));
  hall.take('b1/availability', { session, seq: 1, time: at(0), state: 'online' }, at(0));
  const health = (seconds, received = at(seconds)) =>
    hall.take(`node/${node}/health`, { time: at(seconds), boards: [{ board: 'b1' }] }, received);
  const beat = (seconds) => hall.beat(START + seconds * 1000);
  return { hall, health, beat, changed, board: () => hall.boards.get('b1') };
}

test('a board of a daemon that says nothing for half a minute is not shown as live', () => {
  const { hall, health, beat, board, changed } = hallOf();
  health(0);
  beat(30);
  assert.equal(board().doubt, null);
  beat(31);
  assert.equal(board().doubt, 'node_silent');
  assert.equal(board().lostAt, START, 'its clock stands where it stood then');
  assert.deepEqual(hall.silentNodes(), ['remisd']);
  changed.length = 0;
  health(40);
  assert.equal(board().doubt, null);
  assert.deepEqual(hall.silentNodes(), []);
  assert.deepEqual(changed, ['b1'], 'and the page is notified');
});

test('what the broker had kept is as old as it says', () => {
  const { health, beat, board } = hallOf();
  health(0, null);
  beat(100);
  assert.equal(board().doubt, 'node_silent');
});

test('a daemon that says it has gone is not silent, and one that never reported is not judged', () => {
  const gone = hallOf();
  gone.health(0);
  gone.hall.take('node/remisd/state', { node: 'remisd', session: 's-remisd', time: at(0), state: 'lost' }, at(5));
  gone.beat(100);
  assert.equal(gone.board().doubt, 'node_lost');
  assert.deepEqual(gone.hall.silentNodes(), []);
  const mute = hallOf();
  mute.beat(100);
  assert.equal(mute.board().doubt, null);
});

// How much many boards and many viewers need: four daemons on a cluster, and thousands of viewers
// behind the bridge. protocol/scale.md has the figures of one machine.
//
// The boards are of the kind `commands`: two thousand pseudo-terminals would measure the simulator.

import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program, read } from '../samples/venue.mjs';
import { bridged } from './bridged.mjs';
import { Cluster, PORT } from './cluster.mjs';
import { until } from './kills.mjs';
import { measured, spread, table } from './load.mjs';
import { Client } from './mqtt.mjs';

const DAEMONS = 4;
/** In real play. */
const PLY_EVERY_S = 30;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => performance.now();

/** The moves of long games, as their players wrote them. */
function games() {
  const texts = read('tests/data/games/otb-2025.pgn').split(/\n(?=\[Event )/);
  const moves = (text) =>
    text
      .replace(/^\[.*$/gm, '')
      .replace(/\{[^}]*\}/g, '')
      .split(/\s+/)
      .map((word) => word.replace(/^\d+\.+/, ''))
      .filter((word) => /^[a-hKQRBNO]/.test(word));
  return texts.map(moves).filter((list) => list.length >= 60);
}

function startDaemon(folder, node, boards, urls, more = '') {
  mkdirSync(folder, { recursive: true });
  const tables = boards.map((board) => `[[board]]\nid = "${board}"\nkind = "commands"`);
  const journal = `[journal]\ndir = "${join(folder, 'journal')}"\nraw_kib = 0`;
  const config = [`[site]\nid = "hall"\nnode = "${node}"`, `[mqtt]\nurl = "${urls}"`, journal, more, ...tables];
  const file = join(folder, 'remisd.toml');
  writeFileSync(file, `${config.join('\n')}\n`);
  const log = openSync(join(folder, 'log'), 'a');
  const { REMISD, ...env } = process.env;
  return spawn(program, ['run', '--config', file], {
    env: { ...env, STATE_DIRECTORY: folder, REMISD_LOG: 'warn' },
    stdio: ['ignore', log, log],
  });
}

/** The players: each board gets its next ply every 30 seconds, evenly spread over all boards. */
class Players {
  static async open(hosts, boards) {
    const players = new Players();
    const all = games();
    players.boards = boards.map((name, index) => ({ name, moves: all[index % all.length], ply: 0 }));
    players.clients = await Promise.all(hosts.map((host, index) => Client.open(host, PORT, `players-${index}`)));
    players.sent = new Map();
    return players;
  }

  async play(seconds) {
    const gap = (PLY_EVERY_S * 1000) / this.boards.length;
    const begun = now();
    for (let turn = 0; ; turn += 1) {
      const due = begun + turn * gap;
      if (due > begun + seconds * 1000) break;
      if (due > now()) await pause(due - now());
      const board = this.boards[turn % this.boards.length];
      board.ply += 1;
      this.sent.set(`${board.name} ${board.ply}`, now());
      const client = this.clients[turn % this.clients.length];
      const body = { id: `${board.name}-${board.ply}`, ply: board.ply, move: board.moves[board.ply - 1], by: 'load' };
      client.publish(`chess/v1/hall/cmd/board/${board.name}/move`, JSON.stringify(body)).catch(() => {});
    }
  }
}

/** The board and the plies that an event reports as made. */
const made = ({ topic, payload }) => {
  const board = topic.split('/')[4];
  const { facts } = JSON.parse(payload);
  return facts.filter(({ type }) => type === 'move_made').map(({ ply }) => `${board} ${ply}`);
};

function diskOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.reduce((sum, file) => sum + readFileSync(join(file.parentPath ?? file.path, file.name)).length, 0);
}

/** Many boards over four daemons. */
export async function boards(folder, kind, { count, seconds }) {
  const cluster = await Cluster.start(folder, kind);
  const hosts = cluster.nodes.map(({ host }) => host);
  const daemons = [];
  try {
    const names = Array.from({ length: count }, (_, index) => `b${index + 1}`);
    const processes = new Map();
    for (let n = 0; n < DAEMONS; n += 1) {
      const own = names.filter((_, index) => index % DAEMONS === n);
      const urls = hosts
        .map((_, index) => hosts[(index + n) % hosts.length])
        .map((host) => `mqtt://${host}:${PORT}`)
        .join(', ');
      daemons.push(startDaemon(join(folder, `daemon-${n}`), `n${n}`, own, urls));
      processes.set(`remisd ${n + 1}, ${own.length} boards`, daemons[n]);
    }
    for (const node of cluster.nodes) processes.set(`broker ${node.number}`, node.process);
    const delays = [];
    const bare = [];
    const online = new Set();
    const players = await Players.open(hosts, names);
    let events = 0;
    let messages = 0;
    let bytes = 0;
    const hear = (message) => {
      messages += 1;
      bytes += message.payload.length;
      if (/\/availability$/.test(message.topic)) online.add(message.topic);
      if (/\/arbiter\/[^/]+\/event$/.test(message.topic)) {
        events += 1;
        for (const ply of made(message)) if (players.sent.has(ply)) delays.push(now() - players.sent.get(ply));
      }
      if (message.topic === 'bare/event') bare.push(now() - Number(message.payload.slice(0, 20)));
    };
    const begun = now();
    const reader = await Client.open(hosts.at(-1), PORT, 'arbiter', { onMessage: hear, aliveS: 60 });
    await reader.subscribe('chess/v1/hall/arbiter/+/+', 'bare/event');
    if (!(await until(() => online.size === count, 100_000))) throw new Error(`${online.size} boards are online`);
    console.log(`${count} boards are online after ${((now() - begun) / 1000).toFixed(1)} s`);
    await players.play(20);
    await pause(3_000);
    delays.length = 0;
    players.sent.clear();
    [events, messages, bytes] = [0, 0, 0];
    // A bare client sends as much as an event, ten times a second, on the same way.
    const pad = 'x'.repeat(700);
    const probe = setInterval(
      () => players.clients[0].publish('bare/event', String(now()).padEnd(20) + pad).catch(() => {}),
      100,
    );
    const rows = await measured(processes, () => players.play(seconds));
    clearInterval(probe);
    await until(() => delays.length >= players.sent.size, 10_000);
    console.log(table(rows));
    console.log(
      `plies sent ${players.sent.size}, reported ${delays.length}; events ${(events / seconds).toFixed(1)}/s`,
    );
    console.log(
      `the arbiter's reader got ${(messages / seconds).toFixed(0)} messages/s, ${(bytes / seconds / 1024).toFixed(0)} KiB/s`,
    );
    console.log(`from the move's command to its event: ${spread(delays)}`);
    console.log(`a bare client, the same way:         ${spread(bare)}`);
    const plies = players.boards.reduce((sum, { ply }) => sum + ply, 0);
    const disk = daemons.reduce((sum, _, n) => sum + diskOf(join(folder, `daemon-${n}`, 'journal')), 0);
    console.log(
      `journals: ${(disk / plies / 1024).toFixed(1)} KiB a ply over ${plies} plies, with the start of ${count} games`,
    );
    if (delays.length < players.sent.size) throw new Error('plies are missing');
  } finally {
    for (const daemon of daemons) daemon.kill('SIGKILL');
    await cluster.stop();
  }
}

/** Many viewers of one board, behind the bridge of config/mosquitto. */
export async function viewers(folder, { count, seconds }) {
  const outsideKind = {
    ...bridged,
    files: () => ({
      'mosquitto.conf': `user root\nlog_type error\nlistener ${PORT} 0.0.0.0\nallow_anonymous true\nset_tcp_nodelay true\nmax_queued_messages 20000\nmax_inflight_messages 300\n`,
    }),
  };
  const cluster = await Cluster.start(folder, outsideKind, { count: 2 });
  const [venue, outside] = cluster.nodes;
  const text = read('config/mosquitto/bridge.conf')
    .replace('127.0.0.1:1883', `${venue.host}:${PORT}`)
    .replace('broker.example.org:8883', `${outside.host}:${PORT}`)
    .replace(/^(bridge_cafile|remote_username|remote_password) .*$/gm, '')
    .replace('/var/lib/remisd-bridge/', `${folder}/`);
  const conf = join(folder, 'relay.conf');
  writeFileSync(conf, `user root\nlog_type error\n${text}`);
  const log = openSync(join(folder, 'relay.log'), 'a');
  const relay = spawn('/usr/sbin/mosquitto', ['-c', conf], { stdio: ['ignore', log, log] });
  const daemon = startDaemon(join(folder, 'daemon'), 'remisd', ['b1'], `mqtt://${venue.host}:${PORT}`);
  const all = [];
  try {
    const players = await Players.open([venue.host], ['b1']);
    const delays = [];
    const atVenue = [];
    const sent = new Map();
    let bytes = 0;
    const hear =
      (into) =>
      ({ topic, payload, retain }) => {
        bytes += payload.length;
        if (retain || !/\/game$/.test(topic)) return;
        const { moves } = JSON.parse(payload);
        const at = sent.get(moves.length);
        if (at !== undefined) into.push(now() - at);
      };
    const begun = now();
    for (let n = 0; n < count; n += 250) {
      const some = Array.from({ length: Math.min(250, count - n) }, (_, index) =>
        Client.open(outside.host, PORT, `viewer-${n + index}`, { aliveS: 120, onMessage: hear(delays) }),
      );
      all.push(...(await Promise.all(some)));
    }
    for (const viewer of all) await viewer.subscribe('chess/v1/hall/public/b1/+');
    console.log(`${count} viewers have connected in ${((now() - begun) / 1000).toFixed(1)} s`);
    const near = await Client.open(venue.host, PORT, 'near', { onMessage: hear(atVenue) });
    await near.subscribe('chess/v1/hall/public/b1/+');
    bytes = 0;
    const processes = new Map([
      ['remisd', daemon],
      ["the venue's broker", venue.process],
      ['the bridge', relay],
      ['the broker outside', outside.process],
    ]);
    let plies = 0;
    const rows = await measured(processes, async () => {
      const every = 2_000;
      for (const late = now() + seconds * 1000; now() < late; plies += 1) {
        const board = players.boards[0];
        board.ply += 1;
        sent.set(board.ply, now());
        const body = { id: `p${board.ply}`, ply: board.ply, move: board.moves[board.ply - 1], by: 'load' };
        await players.clients[0].publish('chess/v1/hall/cmd/board/b1/move', JSON.stringify(body));
        await pause(every);
      }
    });
    await until(() => delays.length >= plies * count, 10_000);
    console.log(table(rows));
    console.log(
      `${plies} plies, ${delays.length} of ${plies * count} deliveries of the game; ${(bytes / plies / count / 1024).toFixed(1)} KiB for each viewer and ply`,
    );
    console.log(`from the move's command to the venue's reader:  ${spread(atVenue)}`);
    console.log(`from the move's command to the viewers outside: ${spread(delays)}`);
    if (delays.length < plies * count) throw new Error('deliveries are missing');
  } finally {
    for (const viewer of all) viewer.end();
    for (const child of [daemon, relay]) child.kill('SIGKILL');
    await cluster.stop();
  }
}

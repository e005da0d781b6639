// Nodes are killed and started again while games are played.
//
// A reader of events that must miss none has two ways on a cluster, and both are judged here: it
// keeps its session and goes to another node, or it reads at every node. Readers of retained topics
// are judged by what a new subscriber finds at each living node.

import { join } from 'node:path';
import { Daemon } from './boards.mjs';
import { Console, consoleLine } from './console.mjs';
import { differences, judge, line } from './judge.mjs';
import { Cluster } from './cluster.mjs';
import { Witness, retainedAt } from './witness.mjs';

const ARBITER = 'chess/v1/hall/arbiter/+/event';
/** How old a value may be that another node still has. */
const ON_THE_WAY_MS = 1_000;
const PATIENCE_MS = 60_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until the condition holds; false if it never does. */
export async function until(condition, patienceMs = PATIENCE_MS) {
  for (const late = Date.now() + patienceMs; Date.now() < late; await pause(50)) if (await condition()) return true;
  return false;
}

/** A reproducible random number from 0 to below 1. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A cluster with a daemon and witnesses. */
export class Hall {
  static async open(folder, kind, { boards, speed, cluster = {} }) {
    const hall = new Hall();
    hall.cluster = await Cluster.start(folder, kind, cluster);
    const hosts = hall.cluster.nodes.map(({ host }) => host);
    hall.atNodes = hosts.map((host) => new Witness(`witness-${host}`, [host], ['chess/v1/hall/#']));
    hall.movers = [0, 1].map(
      (first) => new Witness(`mover-${first}`, [...hosts.slice(first), ...hosts.slice(0, first)], [ARBITER]),
    );
    const all = [...hall.atNodes, ...hall.movers];
    if (!(await until(() => all.every(({ up }) => up)))) throw new Error('a witness does not come');
    hall.daemon = await Daemon.start(join(folder, 'daemon'), hall.cluster.urls, { count: boards, speed });
    const games = () => [...hall.atNodes[0].values.keys()].filter((topic) => /arbiter\/.*\/game$/.test(topic)).length;
    if (!(await until(() => games() === boards || hall.daemon.ended)) || hall.daemon.ended)
      throw new Error(`only ${games()} boards play\n${hall.daemon.log}`);
    hall.console = await Console.start(join(folder, 'console'), hall.cluster.urls);
    return hall;
  }

  node(host) {
    return this.cluster.nodes.find((node) => node.host === host);
  }

  /** The witness at the daemon's own node. */
  get truth() {
    return this.atNodes.find(({ hosts }) => hosts[0] === this.daemon.broker);
  }

  /** Compares what new subscribers find at all living nodes; returns what differs for longer. */
  async compare(patienceMs = 15_000) {
    let wrong = [];
    const agreed = await until(async () => {
      wrong = [];
      if (!this.truth.up) return false;
      for (const { host, alive } of this.cluster.nodes) {
        if (!alive) continue;
        try {
          const from = Date.now() - ON_THE_WAY_MS;
          const found = await retainedAt(host, 'chess/v1/hall/#');
          wrong.push(...differences(this.truth, found, from).map((topic) => `${topic} at ${host}`));
        } catch (error) {
          wrong.push(`${host} refuses: ${error.message}`);
        }
      }
      return wrong.length === 0;
    }, patienceMs);
    return agreed ? [] : wrong;
  }

  /** The boards' entries on the disk. */
  entries() {
    return new Map(this.daemon.boards.map((board) => [board, this.daemon.entries(board)]));
  }

  /** Lets everything arrive, and judges each kind of reader. */
  async verdicts() {
    this.daemon.rest();
    await pause(3_000);
    const union = () => this.atNodes.flatMap(({ messages }) => messages).sort((a, b) => a.at - b.at);
    const complete = () => judge(this.entries(), union()).lost.length === 0;
    await until(complete, 120_000);
    const all = this.entries();
    const verdicts = [['at every node', judge(all, union())]];
    for (const mover of this.movers) verdicts.push([`${mover.name}, one session`, judge(all, mover.messages)]);
    const pair = this.movers.flatMap(({ messages }) => messages).sort((a, b) => a.at - b.at);
    verdicts.push(['both movers together', judge(all, pair)]);
    return verdicts;
  }

  async close() {
    for (const witness of [...this.atNodes, ...this.movers]) witness.stop();
    await this.console?.stop();
    await this.daemon.stop();
    await this.cluster.stop();
  }
}

export async function kills(folder, kind, { count, seed, boards, speed, cluster }) {
  const next = random(seed);
  const hall = await Hall.open(folder, kind, { boards, speed, cluster });
  const stale = [];
  let ofDaemon = 0;
  try {
    for (let kill = 1; kill <= count; kill += 1) {
      await pause(500 + next() * 3_000);
      const used = hall.daemon.broker;
      const isOfDaemon = next() < 0.6;
      const others = hall.cluster.nodes.filter(({ host }) => host !== used);
      const node = isOfDaemon ? hall.node(used) : others[Math.floor(next() * others.length)];
      ofDaemon += isOfDaemon ? 1 : 0;
      const at = Date.now();
      await hall.cluster.kill(node);
      const moved = await until(() => hall.daemon.broker !== node.host || !isOfDaemon);
      const took = Date.now() - at;
      await pause(next() * 2_000);
      const down = await hall.compare();
      const begun = Date.now();
      await hall.cluster.restart(node);
      const back = Date.now() - begun;
      const up = await hall.compare();
      stale.push(...down, ...up);
      const what = isOfDaemon ? `the daemon moved in ${took} ms` : 'the daemon stays';
      console.log(
        `kill ${kill}: node ${node.number}, ${moved ? what : 'THE DAEMON DOES NOT MOVE'}; back in ${back} ms; ` +
          `retained: ${[...down, ...up].slice(0, 3).join(', ') || 'equal at all nodes'}`,
      );
    }
    const verdicts = await hall.verdicts();
    for (const [name, verdict] of verdicts) console.log(line(name, verdict));
    const shown = hall.console.judge(hall.entries());
    console.log(consoleLine(shown));
    if (!shown.isOfUse) throw new Error(`the console trusts almost nothing: ${hall.console.error}`);
    console.log(
      `${count} kills, ${ofDaemon} of them of the daemon's node; retained values that differ: ${stale.length}`,
    );
    return { verdicts, stale: [...stale, ...shown.old] };
  } finally {
    await hall.close();
  }
}

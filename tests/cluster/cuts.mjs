// Nodes are cut off from each other while games are played; their clients stay connected. A node
// that finds itself alone must end, or its clients would be shown old values as new.

import { setTimeout as pause } from 'node:timers/promises';
import { line } from './judge.mjs';
import { Hall, random, until } from './kills.mjs';
import { connected } from './network.mjs';

/** After how long without `health` a console marks a node's boards: protocol/mqtt.md. */
const OUT_OF_REACH_MS = 30_000;
/** How far the clocks of a look and of a message may be apart. */
const LOOK_MS = 1_000;

/** What a console at a node says about the daemon: whether its boards are to be trusted. */
function trusts(witness, node) {
  const newest = (leaf) => witness.values.get(`chess/v1/hall/node/${node}/${leaf}`)?.at(-1);
  const [state, health] = [newest('state'), newest('health')];
  if (!witness.up || !state?.payload || !health) return false;
  const time = Date.parse(JSON.parse(health.payload).time);
  return JSON.parse(state.payload).state === 'online' && Date.now() - Math.min(health.at, time) <= OUT_OF_REACH_MS;
}

/** Looks, until it is stopped, for consoles that trust boards of which they have heard nothing for too long. */
function look(hall) {
  const wrong = [];
  let reached = new Map(hall.atNodes.map((witness) => [witness, Date.now()]));
  const timer = setInterval(() => {
    for (const witness of hall.atNodes) {
      const host = witness.hosts[0];
      const isReached = hall.reaches(host);
      if (isReached) reached.set(witness, Date.now());
      const alone = Date.now() - reached.get(witness);
      if (alone > OUT_OF_REACH_MS + LOOK_MS && trusts(witness, hall.daemon.node))
        wrong.push(`${host} after ${alone} ms`);
    }
  }, 200);
  return () => {
    clearInterval(timer);
    return wrong;
  };
}

export async function cuts(folder, kind, { count, seed, boards, speed, cluster }) {
  const next = random(seed);
  const hall = await Hall.open(folder, kind, { boards, speed, cluster });
  const apart = new Set();
  const key = (one, other) => [one.number, other.number].sort().join();
  hall.reaches = (host) => {
    const [own, there] = [hall.node(hall.daemon.broker), hall.node(host)];
    return own === there || !apart.has(key(own, there));
  };
  const stale = [];
  const stop = look(hall);
  const { nodes } = hall.cluster;
  try {
    for (let cut = 1; cut <= count; cut += 1) {
      await pause(2_000 + next() * 3_000);
      // Most often the daemon's node is alone, which is the worst place for it.
      const own = hall.node(hall.daemon.broker);
      const alone = next() < 0.6 ? own : nodes[Math.floor(next() * nodes.length)];
      const others = nodes.filter((node) => node !== alone);
      const at = Date.now();
      for (const other of others) {
        connected(alone.computer, other.computer, false);
        apart.add(key(alone, other));
      }
      const isOwn = alone === own;
      const ended = await until(() => !alone.alive, 45_000);
      const endedMs = Date.now() - at;
      const moved = !isOwn || (await until(() => hall.daemon.broker !== own.host, 45_000));
      const movedMs = Date.now() - at;
      const during = await hall.compare();
      await pause(next() * 5_000);
      for (const other of others) {
        connected(alone.computer, other.computer, true);
        apart.delete(key(alone, other));
      }
      await hall.cluster.accepts(alone);
      const after = await hall.compare();
      stale.push(...during, ...after);
      console.log(
        `cut ${cut}: node ${alone.number} ${ended ? `ended after ${endedMs} ms` : 'KEPT ITS CLIENTS'}; ` +
          `${isOwn ? (moved ? `the daemon moved after ${movedMs} ms` : 'THE DAEMON STAYED') : 'the daemon was elsewhere'}; ` +
          `retained: ${[...during, ...after].slice(0, 3).join(', ') || 'equal at all nodes'}`,
      );
    }
    const wrong = stop();
    const verdicts = await hall.verdicts();
    for (const [name, verdict] of verdicts) console.log(line(name, verdict));
    console.log(
      `${count} cuts; retained values that differ: ${stale.length}; trusted out of reach: ${wrong.slice(0, 3).join(', ') || 'never'}`,
    );
    return { verdicts, stale: [...stale, ...wrong] };
  } finally {
    stop();
    await hall.close();
  }
}

// What a client of a cluster can rely on: one question after the other, each at a running cluster.
// A broker that gives another answer is described in docs/operations.md.

import { rules } from './access.mjs';
import { Cluster, PORT } from './cluster.mjs';
import { until } from './kills.mjs';
import { Client } from './mqtt.mjs';
import { retainedAt } from './witness.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let number = 0;

/** A client at a node, with all that it has received. */
async function client(node, { id = `q${(number += 1)}`, ...more } = {}) {
  const received = [];
  const one = await Client.open(node.host, PORT, id, { ...more, onMessage: (message) => received.push(message) });
  return Object.assign(one, { received, id });
}
const texts = ({ received }) => received.map(({ payload }) => payload);
const arrives = (reader, payload, ms = 5_000) => until(() => texts(reader).includes(payload), ms);

/** The questions: each returns whether the answer is what MQTT promises, and what was seen. */
const QUESTIONS = {
  async 'a message reaches readers at all nodes'([first, second, third]) {
    const readers = [await client(second), await client(third)];
    for (const reader of readers) await reader.subscribe('q/a');
    await pause(300);
    await (await client(first)).publish('q/a', 'x');
    const seen = [await arrives(readers[0], 'x'), await arrives(readers[1], 'x')];
    return [seen.every(Boolean), seen];
  },
  async 'a subscription to the commands of 500 boards is answered within five seconds'([first]) {
    const one = await client(first, { aliveS: 60 });
    const begun = Date.now();
    await one.subscribe(...Array.from({ length: 500 }, (_, n) => `q/cmd/+/b${n}/+`));
    const ms = Date.now() - begun;
    one.leave();
    return [ms < 5_000, `${ms} ms`];
  },
  async 'a retained value, set at one node, is at all others, and so is its end'([first, second, third]) {
    const writer = await client(first);
    await writer.publish('q/kept', 'x', { retain: true });
    await pause(500);
    const there = (await retainedAt(third.host, 'q/kept')).get('q/kept');
    await (await client(second)).publish('q/kept', '', { retain: true });
    await pause(500);
    const after = (await retainedAt(first.host, 'q/kept')).get('q/kept');
    return [there === 'x' && after === undefined, { there, after }];
  },
  async 'the first reader of a node that has just come back gets what is retained'(nodes, cluster) {
    const node = nodes[2];
    const writer = await client(nodes[0]);
    for (let n = 0; n < 500; n += 1) await writer.publish(`q/many/${n}`, 'x', { retain: true });
    await cluster.kill(node);
    await cluster.restart(node);
    const counts = [];
    for (const wait of [0, 1_000, 3_000]) {
      await pause(wait);
      counts.push((await retainedAt(node.host, 'q/many/#')).size);
    }
    return [counts.every((count) => count === 500), `after 0, 1 and 4 s: ${counts} of 500`];
  },
  async 'a value that changes while a node is down is right when it is back'(nodes, cluster) {
    const writer = await client(nodes[0]);
    await writer.publish('q/old', 'old', { retain: true });
    await writer.publish('q/gone', 'old', { retain: true });
    await cluster.kill(nodes[1]);
    await writer.publish('q/old', 'new', { retain: true });
    await writer.publish('q/gone', '', { retain: true });
    await cluster.restart(nodes[1]);
    await pause(4_000);
    const found = await retainedAt(nodes[1].host, 'q/+');
    return [found.get('q/old') === 'new' && !found.has('q/gone'), [...found]];
  },
  async 'the will of a client that dies reaches readers at other nodes, and is retained'([first, second, third]) {
    const reader = await client(second);
    await reader.subscribe('q/will');
    const dying = await client(first, { will: { topic: 'q/will', payload: 'dead', retain: true } });
    dying.end();
    const heard = await arrives(reader, 'dead');
    const kept = (await retainedAt(third.host, 'q/will')).get('q/will');
    return [heard && kept === 'dead', { heard, kept }];
  },
  async 'a delayed will is not sent if the client is back at another node'([first, second, third]) {
    const reader = await client(third);
    await reader.subscribe('q/late');
    const settings = { id: 'q-late', session: 30, will: { topic: 'q/late', payload: 'dead', delay: 3 } };
    (await client(first, settings)).end();
    await pause(500);
    await client(second, { ...settings, will: undefined });
    const heard = await arrives(reader, 'dead', 6_000);
    return [!heard, { heard }];
  },
  async 'the will of a client is sent when its node dies'(nodes, cluster) {
    const reader = await client(nodes[0]);
    await reader.subscribe('q/both');
    await client(nodes[2], { will: { topic: 'q/both', payload: 'dead' } });
    await cluster.kill(nodes[2]);
    const heard = await arrives(reader, 'dead', 15_000);
    await cluster.restart(nodes[2]);
    return [heard, { heard }];
  },
  async 'the same client id at another node ends the first connection, and takes its session'([first, second, third]) {
    const one = await client(first, { id: 'q-id', session: 300 });
    await one.subscribe('q/taken');
    const two = await client(second, { id: 'q-id', session: 300 });
    const why = await Promise.race([one.closed, pause(5_000).then(() => 'still connected')]);
    await (await client(third)).publish('q/taken', 'x');
    const heard = await arrives(two, 'x');
    return [why !== 'still connected' && two.sessionPresent && heard, { why, present: two.sessionPresent, heard }];
  },
  async 'what comes while a client is away waits for it, also at another node'([first, second, third]) {
    const one = await client(first, { id: 'q-away', session: 300 });
    await one.subscribe('q/away');
    one.end();
    await pause(500);
    const writer = await client(second);
    for (let n = 0; n < 10; n += 1) await writer.publish('q/away', `x${n}`);
    const two = await client(third, { id: 'q-away', session: 300 });
    await two.subscribe('q/away');
    await until(() => texts(two).length >= 10, 5_000);
    return [texts(two).join() === Array.from({ length: 10 }, (_, n) => `x${n}`).join(), texts(two)];
  },
  async 'what comes while a client is away waits for it, also if its node dies'(nodes, cluster) {
    const one = await client(nodes[2], { id: 'q-dead', session: 300 });
    await one.subscribe('q/dead');
    await cluster.kill(nodes[2]);
    const writer = await client(nodes[1]);
    for (let n = 0; n < 10; n += 1) await writer.publish('q/dead', `x${n}`);
    const two = await client(nodes[0], { id: 'q-dead', session: 300 });
    await two.subscribe('q/dead');
    await arrives(two, 'x9');
    await cluster.restart(nodes[2]);
    return [texts(two).length === 10, { present: two.sessionPresent, got: texts(two) }];
  },
  async 'a message that is not acknowledged comes again'([first, second]) {
    const one = await client(first, { id: 'q-again', session: 300 });
    await one.subscribe('q/again');
    // A reader that dies before it acknowledges.
    one.socket.pause();
    await (await client(second)).publish('q/again', 'x');
    await pause(500);
    one.end();
    const two = await client(first, { id: 'q-again', session: 300 });
    return [await arrives(two, 'x'), texts(two)];
  },
  async 'one of a shared group at several nodes gets each message, once'(nodes) {
    const readers = [];
    for (const node of nodes) readers.push(await client(node));
    for (const reader of readers) await reader.subscribe('$share/g/q/share');
    await pause(500);
    const writer = await client(nodes[0]);
    for (let n = 0; n < 30; n += 1) await writer.publish('q/share', `x${n}`);
    await until(() => readers.flatMap(texts).length >= 30, 5_000);
    const all = readers.flatMap(texts);
    return [all.length === 30 && new Set(all).size === 30, readers.map((reader) => texts(reader).length)];
  },
  async 'a message expires'([first, second]) {
    const writer = await client(first);
    await writer.publish('q/short', 'x', { retain: true, expiryS: 1 });
    await writer.publish('q/long', 'x', { retain: true });
    await pause(3_000);
    const found = await retainedAt(second.host, 'q/+');
    return [!found.has('q/short') && found.has('q/long'), { short: found.get('q/short'), long: found.get('q/long') }];
  },
};

/** The access list: what each user may do, and what not. */
async function access(nodes) {
  const seen = [];
  const sign = (name, password = `pw-${name}`) => client(nodes[0], { user: name, password });
  const check = (what, right) => seen.push(`${right ? 'right' : 'WRONG'}: ${what}`);
  const refused = await sign('arbiter', 'wrong').then(
    () => false,
    () => true,
  );
  check('a wrong password is refused', refused);
  check(
    'an unknown user is refused',
    await sign('nobody').then(
      () => false,
      () => true,
    ),
  );
  const subscribes = [
    ['arbiter', 'chess/v1/hall/arbiter/+/+', true],
    ['arbiter', 'chess/v1/hall/node/+/state', true],
    ['public', 'chess/v1/hall/public/#', true],
    ['public', 'chess/v1/hall/arbiter/#', false],
    ['public', 'chess/v1/hall/+/b1/game', false],
    ['public', '#', false],
    ['public', 'chess/v1/hall/#', false],
    ['b1-white', 'chess/v1/hall/player/b1/#', true],
    ['b1-white', 'chess/v1/hall/player/b2/#', false],
    ['b1-white', 'chess/v1/hall/reply/b1-white/1', true],
    ['b1-white', 'chess/v1/hall/reply/arbiter/1', false],
    ['remisd', 'chess/v1/hall/cmd/+/b1/+', true],
  ];
  for (const [user, filter, allowed] of subscribes) {
    const one = await sign(user);
    const codes = await one.subscribe(filter).catch(() => [128]);
    check(`${user} ${allowed ? 'reads' : 'does not read'} ${filter}`, codes[0] < 128 === allowed);
    one.end();
  }
  const publishes = [
    ['remisd', 'chess/v1/hall/arbiter/b1/game', true],
    ['public', 'chess/v1/hall/public/b1/game', false],
    ['arbiter', 'chess/v1/hall/cmd/arbiter/b1/result', true],
    ['arbiter', 'chess/v1/hall/cmd/arbiter/b1/nonsense', false],
    ['b1-white', 'chess/v1/hall/cmd/white/b1/claim', true],
    ['b1-white', 'chess/v1/hall/cmd/arbiter/b1/result', false],
    ['b1-white', 'chess/v1/hall/cmd/white/b2/claim', false],
    ['remisd', 'chess/v1/hall/cmd/arbiter/b1/result', false],
  ];
  for (const [user, topic, allowed] of publishes) {
    const one = await sign(user);
    const code = await one.publish(topic, '{}').catch(() => 255);
    check(`${user} ${allowed ? 'writes' : 'does not write'} ${topic} (${code})`, code < 128 === allowed);
    one.end();
  }
  return seen;
}

export async function faults(folder, kind, { cluster = {} } = {}) {
  const guarded = kind.name === 'RMQTT' && cluster.acl;
  const running = await Cluster.start(
    folder,
    kind,
    guarded
      ? { ...cluster, acl: rules((name) => `pw-${name}`), probe: { user: 'remisd', password: 'pw-remisd' } }
      : cluster,
  );
  let wrong = 0;
  try {
    if (guarded) {
      const seen = await access(running.nodes);
      for (const what of seen) console.log(what);
      return seen.filter((what) => what.startsWith('WRONG')).length;
    }
    for (const [question, ask] of Object.entries(QUESTIONS)) {
      let answer;
      try {
        answer = await ask(running.nodes, running);
      } catch (error) {
        answer = [false, error.message.slice(0, 300)];
      }
      wrong += answer[0] ? 0 : 1;
      console.log(`${answer[0] ? 'right' : 'WRONG'}: ${question}: ${JSON.stringify(answer[1])}`);
    }
    return wrong;
  } finally {
    await running.stop();
  }
}

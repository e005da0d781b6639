// The bridge of config/mosquitto between two real brokers: the venue's, as `remisd setup` makes it,
// and one outside with TLS and the access list that the sample asks for.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Venue, certificate, commented, freePort, listening, program, read, sample } from './venue.mjs';

const CONF = 'config/mosquitto/bridge.conf';
const PUBLIC = 'chess/v1/hall/public';
/** Topics of everybody else, from protocol/mqtt.md. None of them may cross. */
const HIDDEN = [
  ...['arbiter', 'operator', 'hall', 'player'].map((audience) => `chess/v1/hall/${audience}/b1/game`),
  'chess/v1/hall/arbiter/b1/alerts',
  'chess/v1/hall/node/remisd/state',
  'chess/v1/hall/node/remisd/health',
  'chess/v1/hall/reply/arbiter/1',
];
/** What a hostile broker outside would like to write at the venue. */
const INJECTED = [
  'chess/v1/hall/cmd/arbiter/b1/result',
  'chess/v1/hall/arbiter/b1/game',
  `${PUBLIC}/b1/game`,
  'chess/v1/hall/node/remisd/state',
];
const PATIENCE_MS = 60_000;

const venue = new Venue();
const running = {};
let tls;
let outside;
let relay;

/** What a user needs to connect to a broker. */
const at = (port, user, password) => ['-h', 'localhost', '-p', String(port), '-u', user, '-P', password];
const here = (user) => at(venue.mqtt, user, venue.password(user));
const there = (user) => [...at(outside, user, user), '--cafile', tls.cert];
const daemon = () => at(venue.mqtt, 'remisd', venue.run('cat', [join(venue.folder, 'club', 'mqtt-password')]).trim());

/** Publishes lines, in order, on one connection. Each is sent and acknowledged. */
async function publish(who, topic, lines, more = []) {
  const child = spawn('mosquitto_pub', [...who, '-q', '1', '-l', '-t', topic, ...more], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  assert.deepEqual(await once(child, 'exit'), [0, null]);
}

/** A subscriber, with the messages that have come. It reconnects when the broker was away. */
class Subscriber {
  messages = [];
  #changed = () => {};

  static async open(who, topics, more = []) {
    const one = new Subscriber();
    const args = [...who, '-q', '1', '-F', '%t %r %p', ...topics.flatMap((topic) => ['-t', topic]), ...more];
    one.child = spawn('stdbuf', ['-oL', 'mosquitto_sub', '-d', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    venue.children.push(Object.assign(one.child, { name: 'mosquitto_sub', gone: once(one.child, 'exit') }));
    createInterface({ input: one.child.stdout }).on('line', (line) => {
      if (/^Subscribed/.test(line)) one.subscribed = true;
      if (/^\S+ [01] /.test(line) || /^\S+ [01]$/.test(line)) one.messages.push(line);
      one.#changed();
    });
    await one.until(() => one.subscribed);
    return one;
  }

  /** Waits until the condition holds. */
  async until(condition, what = condition) {
    const late = setTimeout(() => {
      console.log(this.messages.slice(-20));
      this.#changed = () => {};
      this.fail?.(new Error(`nothing fulfils ${what}`));
    }, PATIENCE_MS);
    await new Promise((resolve, reject) => {
      this.fail = reject;
      this.#changed = () => condition() && resolve();
      this.#changed();
    });
    clearTimeout(late);
  }

  has(text) {
    return this.messages.some((line) => line.endsWith(text));
  }
}

async function startOutside() {
  running.outside = await venue.begin('mosquitto', ['-c', join(venue.folder, 'outside.conf')]);
  await listening(outside);
}

/** The sample, with the places of the test. */
function relayConf(port) {
  const text = sample(CONF, [
    ['listener 1885', `listener ${relay}`],
    ['address 127.0.0.1:1883', `address 127.0.0.1:${venue.mqtt}`],
    ['PASSWORD-OF-PUBLIC', venue.password('public')],
    ['address broker.example.org:8883', `address localhost:${port}`],
    ['/etc/ssl/certs/ca-certificates.crt', tls.cert],
    ['PASSWORD-OF-VENUE-HALL', 'venue-hall'],
    ['restart_timeout 2 30', 'restart_timeout 1'],
    ['/var/lib/remisd-bridge/', `${venue.folder}/`],
  ]);
  return `user root\nlog_type error\npersistence_file relay.db\n${text}`;
}

async function startRelay(text = relayConf(outside)) {
  running.relay = await venue.begin('mosquitto', ['-c', venue.write('relay.conf', text)]);
  await listening(relay);
}

before(async () => {
  tls = certificate(venue);
  [outside, relay] = [await freePort(), await freePort()];
  await venue.broker();
  const users = ['venue-hall', 'viewer'];
  const passwords = venue.write('outside.passwd', users.map((user) => `${user}:${user}\n`).join(''));
  venue.run('mosquitto_passwd', ['-U', passwords]);
  const acl = ['user venue-hall', 'user viewer'].flatMap((user) => commented(CONF, user));
  const conf = [
    ...['user root', 'log_type error', `listener ${outside} 127.0.0.1`, `cafile ${tls.cert}`],
    ...[`certfile ${tls.cert}`, `keyfile ${tls.key}`, 'allow_anonymous false', `password_file ${passwords}`],
    ...[`acl_file ${venue.write('outside.acl', `${acl.join('\n')}\n`)}`, 'persistence true'],
    ...[`persistence_location ${venue.folder}/`, 'persistence_file outside.db', 'max_queued_messages 0'],
  ];
  venue.write('outside.conf', `${conf.join('\n')}\n`);
  await startOutside();
});
after(() => venue.close());

test('what was retained before the bridge came is outside, and nothing else', async () => {
  for (const topic of HIDDEN) await publish(daemon(), topic, ['hidden'], ['-r']);
  await publish(daemon(), `${PUBLIC}/b1/game`, ['first'], ['-r']);
  await startRelay();
  const viewer = await Subscriber.open(there('viewer'), ['#']);
  await viewer.until(() => viewer.has('first'));
  for (const topic of HIDDEN) await publish(daemon(), topic, ['hidden'], ['-r']);
  await publish(daemon(), `${PUBLIC}/b1/game`, ['second'], ['-r']);
  await viewer.until(() => viewer.has('second'));
  assert.deepEqual([...new Set(viewer.messages.map((line) => line.split(' ')[0]))], [`${PUBLIC}/b1/game`]);
  // The bridge holds nothing more than the user `public` may read, and lets nobody in.
  const late = await Subscriber.open(there('viewer'), ['#']);
  await late.until(() => late.messages.length > 0);
  assert.deepEqual(late.messages, [`${PUBLIC}/b1/game 1 second`]);
});

test('a topic that is cleared at the venue is cleared outside', async () => {
  await publish(daemon(), `${PUBLIC}/b1/result`, ['over'], ['-r']);
  const viewer = await Subscriber.open(there('viewer'), [`${PUBLIC}/#`]);
  await viewer.until(() => viewer.has('result 1 over') || viewer.has('result 0 over'));
  const clear = spawn('mosquitto_pub', [...daemon(), '-q', '1', '-r', '-n', '-t', `${PUBLIC}/b1/result`]);
  await once(clear, 'exit');
  await viewer.until(() => viewer.messages.some((line) => /result 0 ?$/.test(line)));
  const late = await Subscriber.open(there('viewer'), [`${PUBLIC}/#`]);
  await late.until(() => late.messages.length > 0);
  assert.ok(!late.has('over'), late.messages);
});

test('a hall outside shows the boards', async () => {
  const http = await freePort();
  const password = venue.write('viewer', 'viewer\n');
  const config = [
    ...['[site]', 'id = "hall"', '[mqtt]', `url = "mqtts://localhost:${outside}"`, `ca_file = "${tls.cert}"`],
    ...['[http]', `listen = "127.0.0.1:${http}"`, 'public_username = "viewer"', `public_password_file = "${password}"`],
  ];
  const file = venue.write('hall.toml', `${config.join('\n')}\n`);
  const env = { STATE_DIRECTORY: venue.folder, REMISD_LOG: 'error' };
  await venue.start(program, ['hall', '--config', file], { env });
  await listening(http);
  const feed = await fetch(`http://127.0.0.1:${http}/api/events?audience=public`);
  const value = { schema: 'remisd/availability/1', site: 'hall', board: 'b1', session: 's', seq: 1, state: 'online' };
  await publish(
    daemon(),
    `${PUBLIC}/b1/availability`,
    [JSON.stringify({ ...value, time: '2026-11-22T01:24:46.236Z' })],
    ['-r'],
  );
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of feed.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('"topic":"b1/availability"') && text.includes('"online"')) break;
  }
  assert.match(text, /"state":"online"/);
});

test('a lost line loses nothing, and the order stays', async () => {
  const viewer = await Subscriber.open(there('viewer'), [`${PUBLIC}/#`], ['-c', '-i', 'viewer-1']);
  await viewer.until(() => viewer.messages.length > 0);
  // The line is down, then the bridge is restarted with what waits in it.
  await venue.end(running.outside);
  const numbers = (from, to) => Array.from({ length: to - from }, (_, index) => `n${from + index}`);
  await publish(daemon(), `${PUBLIC}/b1/game`, numbers(0, 300), ['-r']);
  const held = await Subscriber.open(here('public'), [`${PUBLIC}/b1/game`]);
  await held.until(() => held.has('n299'));
  await venue.end(running.relay);
  await publish(daemon(), `${PUBLIC}/b1/game`, numbers(300, 400), ['-r']);
  await startOutside();
  await startRelay();
  await publish(daemon(), `${PUBLIC}/b1/game`, ['end'], ['-r']);
  await viewer.until(() => viewer.has('end'));
  const seen = [...new Set(viewer.messages.map((line) => line.split(' ')[2]).filter((text) => /^n\d+$/.test(text)))];
  assert.deepEqual(seen, numbers(0, 400));
  const late = await Subscriber.open(there('viewer'), [`${PUBLIC}/b1/game`]);
  await late.until(() => late.messages.length > 0);
  assert.deepEqual(late.messages, [`${PUBLIC}/b1/game 1 end`]);
});

test('the outside writes nothing at the venue through its broker', async () => {
  const arbiter = await Subscriber.open(here('arbiter'), ['chess/#']);
  const commands = await Subscriber.open(daemon(), ['chess/v1/+/cmd/#']);
  // The bridge's own user outside writes what it may and what it may not.
  for (const topic of [...INJECTED, `${PUBLIC}/b1/draw`]) await publish(there('venue-hall'), topic, ['injected']);
  await publish(daemon(), `${PUBLIC}/b1/offer`, ['afterwards'], ['-r']);
  await arbiter.until(() => arbiter.has('afterwards'));
  await publish(here('arbiter'), 'chess/v1/hall/cmd/arbiter/b1/ack', ['afterwards']);
  await commands.until(() => commands.has('afterwards'));
  assert.ok(!arbiter.has('injected'), arbiter.messages);
  assert.ok(!commands.has('injected'), commands.messages);
});

/** A broker that admits everybody, and sends what nobody has asked for. Resolves once it was heard. */
async function hostile() {
  const text = (word) => Buffer.concat([Buffer.from([0, word.length]), Buffer.from(word)]);
  const packet = (kind, ...parts) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([kind, body.length]), body]);
  };
  const acknowledged = new Set();
  const server = createServer((socket) => {
    let unread = Buffer.alloc(0);
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        const data = Buffer.concat([unread, chunk]);
        // A packet may come in two parts.
        unread = data.subarray(-3);
        // A CONNECT is the first packet.
        const isFirst = socket.bytesRead === chunk.length;
        if (isFirst && chunk[0] >> 4 === 1) {
          socket.write(packet(0x20, Buffer.from([0, 0])));
          for (const [index, topic] of INJECTED.entries())
            socket.write(packet(0x33, text(topic), Buffer.from([0, index + 1]), Buffer.from('injected')));
        }
        // PUBACK: the bridge has done with it what it will do.
        for (let place = 0; (place = data.indexOf(Buffer.from([0x40, 2, 0]), place)) >= 0; place += 4)
          acknowledged.add(data[place + 3]);
        if (acknowledged.size === INJECTED.length) server.emit('heard');
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('a hostile broker outside writes nothing at the venue', async (context) => {
  const server = await hostile();
  context.after(() => server.close());
  const heard = once(server, 'heard');
  const arbiter = await Subscriber.open(here('arbiter'), ['chess/#']);
  const commands = await Subscriber.open(daemon(), ['chess/v1/+/cmd/#']);
  await venue.end(running.relay);
  const plain = relayConf(server.address().port).replace(/^bridge_cafile .*$/m, '');
  await startRelay(plain);
  await heard;
  await publish(daemon(), `${PUBLIC}/b1/offer`, ['much later'], ['-r']);
  await arbiter.until(() => arbiter.has('much later'));
  await publish(here('arbiter'), 'chess/v1/hall/cmd/arbiter/b1/ack', ['much later']);
  await commands.until(() => commands.has('much later'));
  assert.ok(!arbiter.has('injected'), arbiter.messages);
  assert.ok(!commands.has('injected'), commands.messages);
});

test('the unit is valid', () => {
  const unit = venue.write('remisd-bridge.service', read('config/mosquitto/remisd-bridge.service'));
  venue.run('systemd-analyze', ['verify', '--man=no', unit]);
});

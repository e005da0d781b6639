// The web servers of config/nginx and config/caddy before a daemon: TLS, sign-in, both kinds of
// feeds, commands, and the address of the client.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { after, before, describe, test } from 'node:test';
import { NAME, Venue, certificate, commented, freePort, listening, sample } from './venue.mjs';

const venue = new Venue();
/** The failed sign-ins from one address after which it must wait: protocol/hall.md. */
const ATTEMPTS = 10;
/** Beats are two seconds apart: protocol/hall.md. With a buffer several would come together. */
const BEATS_APART_MS = 1000;
let tls;

/** nginx with the sample in its section `http`, as in Debian's /etc/nginx/nginx.conf. */
async function nginx(at) {
  const text = sample('config/nginx/remisd.conf', [
    ['listen [::]:80;', ''],
    ['listen [::]:443 ssl;', ''],
    ['listen 80;', `listen 127.0.0.1:${at.plain};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${at.secure} ssl;`],
    ['/etc/ssl/remisd/chess.example.org.pem', tls.cert],
    ['/etc/ssl/remisd/chess.example.org.key', tls.key],
    ['http://127.0.0.1:9120', `http://127.0.0.1:${venue.http}`],
  ]);
  venue.write('remisd.conf', text);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const conf = [
    // The folder is closed to other users.
    process.getuid() === 0 ? 'user root;' : '',
    'daemon off; pid nginx.pid; error_log stderr error; events {}',
    'http { access_log off; include remisd.conf;',
    ...temporary.map((name) => `${name}_temp_path ${name};`),
    '}',
  ];
  await venue.start('nginx', ['-p', venue.folder, '-e', 'stderr', '-c', venue.write('nginx.conf', conf.join('\n'))]);
}

/** Caddy with the sample below the global options of the test. */
async function caddy(at) {
  const text = sample('config/caddy/Caddyfile', [
    [`${NAME} {`, `https://${NAME}:${at.secure} {\n\tbind 127.0.0.1`],
    ['/etc/caddy/chess.example.org.pem', tls.cert],
    ['/etc/caddy/chess.example.org.key', tls.key],
    ['reverse_proxy 127.0.0.1:9120', `reverse_proxy 127.0.0.1:${venue.http}`],
  ]);
  const options = [`http_port ${at.plain}`, `https_port ${at.secure}`, 'admin off', 'default_bind 127.0.0.1'];
  const logs = 'log {\n\tlevel ERROR\n}';
  const file = venue.write('Caddyfile', `{\n${options.join('\n')}\n${logs}\n}\n${text}`);
  const env = { XDG_DATA_HOME: venue.folder, XDG_CONFIG_HOME: venue.folder, HOME: venue.folder };
  await venue.start('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { env });
}

before(async () => {
  tls = certificate(venue);
  await venue.broker();
  const [section, ...http] = commented('config/nginx/remisd.conf', '[http]');
  assert.deepEqual([section, ...http], commented('config/caddy/Caddyfile', '[http]'));
  await venue.daemon(http.filter((line) => !line.startsWith('listen')));
});
after(() => venue.close());

/** Sends a request; resolves with its response, whose body nobody has read. */
function ask(at, path, { method = 'GET', headers = {}, body, from = '127.0.0.1' } = {}) {
  const host = `${NAME}:${at.secure}`;
  return new Promise((resolve, reject) => {
    const request = https.request({
      ...{ host: '127.0.0.1', port: at.secure, servername: NAME, ca: tls.ca, localAddress: from },
      ...{ method, path, agent: false, headers: { Host: host, Origin: `https://${host}`, ...headers } },
    });
    request.on('response', resolve).on('error', reject);
    request.on('upgrade', (response, socket, head) => resolve({ response, socket, head }));
    request.end(body);
  });
}

/** Sends JSON; resolves with status, headers and the answer. */
async function post(at, path, value, options = {}) {
  const headers = { 'Content-Type': 'application/json', ...options.headers };
  const response = await ask(at, path, { ...options, method: 'POST', headers, body: JSON.stringify(value) });
  return { status: response.statusCode, headers: response.headers, text: await whole(response) };
}

async function whole(response) {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

async function signIn(at) {
  const user = { role: 'arbiter', user: 'arbiter', password: venue.password('arbiter'), name: 'Anna Smit' };
  const { status, headers, text } = await post(at, '/api/session', user);
  assert.equal(status, 200, text);
  return headers['set-cookie'];
}

/** The frames in server-sent events, each with the time at which it came. */
async function* events(response) {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.startsWith('data:')) yield { ...JSON.parse(line.slice(5)), at: Date.now() };
  }
}

/** The frames of a WebSocket: text without a mask, as a server sends it. */
async function* messages({ socket, head }) {
  let bytes = head;
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const short = bytes[1] & 0x7f;
      const begin = { 126: 4, 127: 10 }[short] ?? 2;
      if (bytes.length < begin) break;
      const length = begin === 2 ? short : begin === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
      if (bytes.length < begin + length) break;
      if ((bytes[0] & 0xf) === 1) yield JSON.parse(bytes.toString('utf8', begin, begin + length));
      bytes = bytes.subarray(begin + length);
    }
  }
}

/** Reads frames until `found` has everything; the names of what it still needs, if the feed ends. */
async function until(frames, found) {
  for await (const frame of frames) if (found(frame)) return;
  assert.fail('the feed has ended');
}

for (const [name, start, network] of [
  ['nginx', nginx, 2],
  ['caddy', caddy, 3],
]) {
  describe(name, () => {
    const at = {};
    before(async () => {
      Object.assign(at, { plain: await freePort(), secure: await freePort() });
      await start(at);
      await Promise.all([listening(at.plain), listening(at.secure)]);
    });

    test('pages come over TLS, and plain HTTP leads there', async () => {
      const page = await ask(at, '/arbiter');
      assert.equal(page.statusCode, 200);
      assert.match(page.headers['content-security-policy'], /script-src 'self'/);
      assert.match(await whole(page), /<html/);
      const options = { host: '127.0.0.1', port: at.plain, path: '/clock?board=b1', headers: { Host: NAME } };
      const plain = await new Promise((resolve, reject) => http.get(options, resolve).on('error', reject));
      plain.resume();
      assert.ok([301, 308].includes(plain.statusCode), `${plain.statusCode}`);
      assert.match(plain.headers.location, /^https:\/\/chess\.example\.org(:\d+)?\/clock\?board=b1$/);
    });

    test('an arbiter signs in, and the cookie is for TLS alone', async () => {
      const [cookie] = await signIn(at);
      assert.match(cookie, /; Secure/);
      const session = await ask(at, '/api/session', { headers: { Cookie: cookie.split(';')[0] } });
      assert.equal(JSON.parse(await whole(session)).grants[0].name, 'Anna Smit');
    });

    test('server-sent events come one by one', async () => {
      const response = await ask(at, '/api/events?audience=public');
      assert.equal(response.statusCode, 200);
      const beats = [];
      let moves = 0;
      await until(events(response), (frame) => {
        if (frame.type === 'beat') beats.push(frame.at);
        if (frame.type === 'value' && frame.topic === 'b1/game' && beats.length > 0) moves += 1;
        return beats.length >= 3 && moves > 1;
      });
      response.destroy();
      // Not all at the end: a beat that is read late is nearer to the next one, but not to both.
      const passed = beats.at(-1) - beats[0];
      assert.ok(passed >= BEATS_APART_MS, `${beats.length} beats within ${passed} ms`);
    });

    test('a WebSocket shows the arbiter the game', async () => {
      const cookies = (await signIn(at)).map((cookie) => cookie.split(';')[0]).join('; ');
      const key = randomBytes(16).toString('base64');
      const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
      const path = '/feed?audience=arbiter&boards=b1';
      const options = { headers: { ...headers, 'Sec-WebSocket-Key': key, Cookie: cookies } };
      const feed = await ask(at, path, options);
      assert.equal(feed.response?.statusCode, 101, `${feed.statusCode}`);
      const seen = new Set();
      await until(messages(feed), ({ type, topic }) => {
        seen.add(topic ?? type);
        return ['hello', 'ready', 'beat', 'b1/game', 'b1/event'].every((one) => seen.has(one));
      });
      feed.socket.destroy();
      const foreign = { ...options.headers, 'Sec-WebSocket-Key': key, Origin: 'https://elsewhere.example' };
      const refused = await ask(at, path, { headers: foreign });
      refused.resume();
      assert.equal(refused.statusCode, 403);
    });

    test('a command of the arbiter is answered', async () => {
      const cookies = (await signIn(at)).map((cookie) => cookie.split(';')[0]).join('; ');
      const headers = { Cookie: cookies };
      const command = { id: `${name}-1`, headers: { White: 'Smit, Anna' } };
      const { status, text } = await post(at, '/api/command/arbiter/b1/headers', command, { headers });
      assert.equal(status, 200, text);
      assert.equal(JSON.parse(text).ok, true, text);
    });

    test('the daemon tells clients apart, and nobody can pretend to be another', async () => {
      // Addresses of this computer that the other web server's clients do not have.
      const [guesser, other] = [`127.0.${network}.1`, `127.0.${network}.2`];
      const guess = (from, headers) =>
        post(at, '/api/session', { role: 'arbiter', user: 'arbiter', password: 'no' }, { from, headers });
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) assert.equal((await guess(guesser)).status, 401);
      assert.equal((await guess(guesser)).status, 429);
      assert.equal((await guess(guesser, { 'X-Forwarded-For': '192.0.2.77' })).status, 429);
      assert.equal((await guess(guesser, { Forwarded: 'for=192.0.2.77' })).status, 429);
      assert.equal((await guess(other)).status, 401);
    });

    test('state and metrics stay on the computer of the daemon', async () => {
      for (const path of ['/healthz', '/metrics']) {
        const refused = await ask(at, path);
        refused.resume();
        assert.equal(refused.statusCode, 404, path);
        const here = await fetch(`http://127.0.0.1:${venue.http}${path}`);
        assert.equal(here.status, 200, path);
      }
    });
  });
}

// The image of packaging/container, built with buildah from a base that has only the C library, and
// the command lines of compose.yaml in it: read-only, as its user, with the broker of Debian.
//
// Making an image needs buildah, and mounting one needs root: without them these tests are skipped.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { Venue, commented, freePort, listening, program, read, root } from './venue.mjs';

const COMPOSE = 'packaging/container/compose.yaml';
const DOCKERFILE = 'packaging/container/Dockerfile';
const venue = new Venue();
const buildable = process.getuid() === 0 && spawnSync('buildah', ['--version']).status === 0;
const skip = buildable ? false : 'no buildah, or not root';
const services = JSON.parse(
  execFileSync('/usr/bin/python3', ['-B', join(root, 'tests/samples/load_yaml.py'), join(root, COMPOSE)], {
    encoding: 'utf8',
  }),
).services;
const uid = Number(services.remisd.user.split(':')[0]);
const data = join(venue.folder, 'data');
let image;

/** Storage of its own, and no daemon and no kernel features that a test may lack. */
function buildah(...args) {
  const [storage, state] = ['storage', 'state'].map((name) => join(venue.folder, name));
  const own = ['--storage-driver', 'vfs', '--root', storage, '--runroot', state];
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot', TMPDIR: venue.folder };
  return venue.run('buildah', [...own, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** An image with these files, at their places. */
function imageOf(name, files) {
  const tree = join(venue.folder, name.replaceAll(/\W/g, '-'));
  for (const [from, to] of files) {
    mkdirSync(join(tree, dirname(to)), { recursive: true });
    cpSync(from, join(tree, to), { dereference: true });
  }
  const container = buildah('from', 'scratch');
  buildah('add', '--quiet', container, tree, '/');
  buildah('commit', '--quiet', '--rm', container, name);
}

/** The arguments that run the image's program as compose.yaml says, with a read-only root. */
function inside(words) {
  const { read_only, tmpfs, user, group_add, cap_drop, volumes } = services.remisd;
  assert.deepEqual([read_only, cap_drop, volumes[0]], [true, ['ALL'], './data:/data']);
  const mounts = [
    `mount --bind ${image} ${image}`,
    `mount --bind ${data} ${image}/data`,
    `mount --rbind /dev ${image}/dev`,
    `mount -t proc proc ${image}/proc`,
    ...tmpfs.map((path) => `mount -t tmpfs -o mode=1777 tmpfs ${image}${path}`),
    `mount -o remount,bind,ro ${image}`,
    `if touch ${image}/etc/written 2>/dev/null; then exit 1; fi`,
    `exec chroot --userspec=${user} --groups=${group_add[0]} ${image} "$@"`,
  ];
  return ['--mount', 'sh', '-ec', mounts.join('\n'), 'sh', ...words];
}

/** The words of the program with the environment of the image. */
function words(...args) {
  const config = JSON.parse(buildah('inspect', '--type', 'image', 'remisd')).OCIv1.config;
  assert.equal(config.User, services.remisd.user);
  assert.deepEqual(config.Cmd, services.remisd.command);
  process.env.REMISD_LOG = 'error';
  for (const pair of config.Env.filter((one) => !one.startsWith('PATH='))) {
    const [name, value] = pair.split('=');
    process.env[name] = value;
  }
  return [...config.Entrypoint, ...args];
}

before(() => {
  if (!buildable) return;
  const [base] = /^FROM (?!.* AS )(\S+)$/m.exec(read(DOCKERFILE)).slice(1);
  const libraries = [...venue.run('ldd', [program]).matchAll(/(\/\S+) \(/g)].map(([, path]) => [path, path]);
  imageOf(base, libraries);
  imageOf('localhost/built', [[program, '/src/target/release/remisd']]);
  const context = join(venue.folder, 'context');
  mkdirSync(context);
  // The first stage is taken as it would come out.
  const built = ['--build-context', 'build=container-image://localhost/built', '--pull-never'];
  buildah('build', ...built, '--tag', 'remisd', '--file', join(root, DOCKERFILE), context);
  image = buildah('mount', buildah('from', '--pull-never', 'localhost/remisd'));
  for (const folder of ['data', 'dev', 'proc', 'etc', 'tmp']) mkdirSync(join(image, folder), { recursive: true });
});
after(() => venue.close());

test('the first lines say what no test runs', () => {
  assert.match(read(DOCKERFILE).split('\n')[0], /No test runs the first one/);
  assert.match(read(COMPOSE).split('\n')[0], /No test starts this with Docker/);
});

test('both containers are read-only and without rights, and both are the same user', () => {
  for (const { user, read_only, cap_drop, security_opt } of Object.values(services)) {
    assert.deepEqual(
      [user, read_only, cap_drop, security_opt],
      ['65532:65532', true, ['ALL'], ['no-new-privileges:true']],
    );
    assert.ok(read(DOCKERFILE).includes(`\nUSER ${user}\n`));
  }
});

test('the first stage makes the program of this toolchain', () => {
  const [, version] = /^FROM docker\.io\/library\/rust:(\S+)-bookworm AS build$/m.exec(read(DOCKERFILE));
  assert.ok(read('Cargo.toml').includes(`rust-version = "${version}"`));
  const ignored = read(`${DOCKERFILE}.dockerignore`).trim().split('\n');
  // The volume has passwords and the record, and only its owner may read it.
  const volume = join(dirname(COMPOSE), services.remisd.volumes[0].split(':')[0]);
  for (const one of ['.git', 'target', volume]) assert.ok(ignored.includes(one), one);
  assert.ok(read('.gitignore').split('\n').includes(`/${volume}`));
});

test('a daemon in the image plays a game, and writes only to its volume', { skip }, async () => {
  const line = commented(COMPOSE, 'sudo install -d -o 65532 -g 65532 -m 700 data');
  const setup = line
    .find((one) => / remisd setup /.test(one))
    .split(' remisd ')[1]
    .split(' ');
  // The folder of the first line, for a user who may pass through to it.
  chmodSync(venue.folder, 0o711);
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, uid, uid);
  [venue.mqtt, venue.http] = [await freePort(), await freePort()];
  const places = ['--mqtt', `127.0.0.1:${venue.mqtt}`, '--http', `127.0.0.1:${venue.http}`, '--port', '/data/board'];
  venue.run('unshare', inside(words(...setup, ...places)), { stdio: ['ignore', 'pipe', 'inherit'] });
  for (const name of ['remisd.toml', 'passwords']) assert.equal(statSync(join(data, name)).uid, uid, name);

  const conf = readFileSync(join(data, 'mosquitto.conf'), 'utf8').replaceAll('/data/', `${data}/`);
  writeFileSync(join(data, 'here.conf'), `${conf}\nlog_type error\n`);
  const broker = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups'];
  await venue.start('setpriv', [...broker, 'mosquitto', '-c', join(data, 'here.conf')]);
  await listening(venue.mqtt);

  writeFileSync(join(data, 'game.pgn'), readFileSync(venue.games, 'utf8').slice(0, 4000));
  const board = ['simulate', 'dgt', '--pgn', '/data/game.pgn', '--link', '/data/board', '--speed', '4'];
  await venue.start('unshare', inside(words(...board)), { found: (one) => one });
  const config = join(data, 'remisd.toml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/(id = "b1"[^[]*)/, '$1\n[board.hand]\nspeed = 4\n\n'));
  await venue.start('unshare', inside(words(...services.remisd.command)));
  await listening(venue.http);

  const password = /^arbiter +(\S+)$/m.exec(readFileSync(join(data, 'passwords'), 'utf8'))[1];
  const listener = ['-h', '127.0.0.1', '-p', String(venue.mqtt), '-u', 'arbiter', '-P', password, '-W', '60'];
  const topic = 'chess/v1/hall/arbiter/b1/game';
  const told = await venue.start('mosquitto_sub', [...listener, '-t', topic], {
    found: (one) => (JSON.parse(one).ply >= 3 ? JSON.parse(one) : undefined),
  });
  assert.equal(told.moves[0].san, 'e4');
  assert.equal(statSync(join(data, 'journal', 'b1')).uid, uid);
  assert.equal((await fetch(`http://127.0.0.1:${venue.http}/arbiter`)).status, 200);
});

// The commands of docs/operations.md, as they stand, on a daemon that is playing. Only the places
// are those of the test, and `systemctl` and `chown` are replaced: there is no unit and no user.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { Venue, listening, program, read, root } from './venue.mjs';

const venue = new Venue();
const bin = join(venue.folder, 'bin');
const club = join(venue.folder, 'club');
/** The commands below a heading of the document. */
function blocks(heading) {
  const chapter = read('docs/operations.md')
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`));
  return [...chapter.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block);
}
const [backup, settings] = blocks('Backup');
const [restore] = blocks('Restore');
let pid;

/** Puts the commands of the test before those of the system. */
function stub(name, lines) {
  venue.run('install', ['-m', '755', venue.write(name, `#!/bin/bash\n${lines.join('\n')}\n`), join(bin, name)]);
}

/** Runs a block of the document. Returns what it has printed. */
function run(block, ...changes) {
  const places = [
    ['/var/lib/remisd', club],
    ['/var/backups/remisd', join(venue.folder, 'backups')],
    ['/etc/remisd', join(club, 'remisd.toml')],
    ['/etc/mosquitto', join(club, 'mosquitto.conf')],
    ...changes,
  ];
  const script = places.reduce((text, [from, to]) => text.replaceAll(from, to), block);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, REMISD_CONFIG: venue.config, REMISD_LOG: 'error' };
  return venue.run('bash', ['-euo', 'pipefail', '-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The next message of the arbiter's topic of the game that `found` accepts. */
function game(found) {
  const who = [
    '-h',
    '127.0.0.1',
    '-p',
    String(venue.mqtt),
    '-u',
    'arbiter',
    '-P',
    venue.password('arbiter'),
    '-W',
    '60',
  ];
  return venue.start('mosquitto_sub', [...who, '-t', 'chess/v1/hall/arbiter/b1/game'], {
    found: (line) => {
      const value = JSON.parse(line);
      return found(value) ? value : undefined;
    },
  });
}

/** The last link of the journal's first board, as `remisd journal verify` prints it. */
const verified = (text) => /^b1: whole, (\d+) entries.* chain ([0-9a-f]{64})$/m.exec(text);

/** The numbers of the entries of the first board in a journal. */
function numbers(journal) {
  const files = readdirSync(join(journal, 'b1')).filter((name) => name.endsWith('.jsonl'));
  const text = files.map((name) => readFileSync(join(journal, 'b1', name), 'utf8')).join('');
  return [...text.matchAll(/^[0-9a-f]{8} {"seq":(\d+),/gm)].map(([, number]) => Number(number));
}

before(async () => {
  await venue.broker();
  // At the pace of people: a restart takes no longer than a move.
  await venue.daemon([], 1);
  const child = venue.children.at(-1);
  pid = venue.write('pid', String(child.pid));
  mkdirSync(bin);
  mkdirSync(join(venue.folder, 'backups'));
  symlinkSync(program, join(bin, 'remisd'));
  stub('chown', ['[[ $* == "-R remisd:remisd "*/journal ]]']);
  stub('systemctl', [
    '[[ $2 == remisd ]] || exit 1',
    `daemon=$(cat ${pid})`,
    'case $1 in',
    // Until it has ended; its parent, this test, cannot fetch it meanwhile.
    'stop) kill $daemon; until [[ ! -e /proc/$daemon ]] || grep -q "^State:.Z" /proc/$daemon/status; do sleep 0.1; done ;;',
    `start) remisd run >/dev/null & echo $! >${pid} ;;`,
    '*) exit 1 ;;',
    'esac',
  ]);
});
after(async () => {
  const daemon = Number(readFileSync(pid, 'utf8'));
  if (existsSync(`/proc/${daemon}`)) process.kill(daemon);
  while (existsSync(`/proc/${daemon}`) && !/^State:\tZ/m.test(readFileSync(`/proc/${daemon}/status`, 'utf8')))
    await new Promise((resolve) => setTimeout(resolve, 50));
  await venue.close();
});

test('a backup of a running game is whole, and the settings are closed to others', async () => {
  await game(({ ply }) => ply >= 4);
  const [, entries] = verified(run(backup));
  assert.ok(Number(entries) > 4);
  const [copy] = readdirSync(join(venue.folder, 'backups'));
  assert.ok(existsSync(join(venue.folder, 'backups', copy, 'outbox.json')));
  run(settings);
  const archive = join(venue.folder, 'backups', 'settings.tar.gz');
  assert.match(venue.run('stat', ['-c', '%a', archive]), /^600$/m);
  assert.match(venue.run('tar', ['-tzf', archive]), /remisd\.toml/);
});

test('a copy of every moment is whole', () => {
  for (let moment = 0; moment < 20; moment += 1) assert.ok(verified(run(backup, ['%H%M%S', `%H%M%S-${moment}`])));
});

test('a restored journal is whole, and the game goes on', async () => {
  const before = await game(({ ply }) => ply >= 6);
  const copy = join(venue.folder, 'backups', 'newest');
  run(backup, ['$(date +%F-%H%M%S)', 'newest']);
  const [, kept, link] = verified(venue.run(program, ['journal', 'verify', '--journal', copy]));
  const last = Math.max(...numbers(copy));
  await game(({ seq }) => seq > last + 2);
  const [, restored, same] = verified(run(restore, ['COPY', copy]));
  assert.deepEqual([restored, same], [kept, link]);
  assert.ok(existsSync(join(club, 'journal.old', 'b1')));
  await listening(venue.http);
  const continued = await game(({ session, ply }) => session !== before.session && ply > before.ply);
  assert.equal(continued.game, before.game);
  // No number that readers have seen is given again.
  const { boards } = JSON.parse(readFileSync(join(club, 'journal.old', 'outbox.json'), 'utf8'));
  assert.ok(boards.b1 > last);
  const given = numbers(join(club, 'journal')).filter((number) => number > last);
  assert.ok(Math.min(...given) > boards.b1, `${given} after ${boards.b1}`);
  const states = await fetch(`http://127.0.0.1:${venue.http}/healthz`);
  assert.equal(states.status, 200);
});

test('documents name commands, files and headings that exist', () => {
  for (const path of ['docs/operations.md', 'SECURITY.md']) {
    const text = read(path);
    for (const [, command] of text.matchAll(/`remisd ([a-z]+)/g)) venue.run(program, ['help', command]);
    for (const [, target] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const [file, heading] = target.split('#');
      const at = file === '' ? join(root, path) : join(root, dirname(path), file);
      assert.ok(existsSync(at), `${path}: ${target}`);
      const slugs = () =>
        [...readFileSync(at, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, one]) =>
          one
            .toLowerCase()
            .replaceAll(' ', '-')
            .replaceAll(/[^a-z0-9-]/g, ''),
        );
      if (heading !== undefined) assert.ok(slugs().includes(heading), `${path}: ${target}`);
    }
  }
  // An address that nobody reads is worse than none.
  assert.doesNotMatch(read('SECURITY.md'), /@example\./);
});

// Runs the tests of the pages, each file at a demo of its own: the built program, its broker and a simulated board.
//
//   node tests/pages/run.mjs [FILE.test.mjs …]
//
// REMISD is the program (target/debug/remisd). The last line is the sum.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const program = process.env.REMISD ?? join(root, 'target', 'debug', 'remisd');
/** How often the demo's game is played, one after the other: more than any test looks at. */
const GAMES = 200;
/** How much faster than about a ply a second; a dialogue of rulings wants people's pace. */
const SPEED = 2;
const PACE = { 'console.test.mjs': 0.5 };

const folder = mkdtempSync(join(tmpdir(), 'remisd-pages-'));
const games = join(folder, 'games.pgn');
writeFileSync(games, `${readFileSync(join(root, 'src/cli/demo/robson-moranda-2019.pgn'), 'utf8')}\n`.repeat(GAMES));

/** Starts a demo; resolves to where its pages and its broker are. */
function demo(speed) {
  const child = spawn(
    program,
    ['demo', '--pgn', games, '--speed', String(speed), '--mqtt', '127.0.0.1:0', '--http', '127.0.0.1:0'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return new Promise((resolve, reject) => {
    const found = { child };
    child.once('exit', (code) => reject(new Error(`the demo has ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      found.url ??= /^ +pages +(http:\S+)/.exec(line)?.[1];
      found.mqtt ??= /^ +broker +mqtt:\/\/(\S+)/.exec(line)?.[1];
      if (found.url !== undefined && found.mqtt !== undefined) resolve(found);
    });
  });
}

/** Runs one file; returns how many of its tests passed and failed. */
async function run(file) {
  const { child, url, mqtt } = await demo(PACE[file] ?? SPEED);
  const tests = spawn(process.execPath, ['--test', '--test-reporter=tap', join(here, file)], {
    env: { ...process.env, REMISD_URL: url, REMISD_MQTT: mqtt },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const sums = { pass: 0, fail: 0 };
  for await (const line of createInterface({ input: tests.stdout })) {
    console.log(line);
    const sum = /^# (pass|fail) (\d+)/.exec(line);
    if (sum !== null) sums[sum[1]] = Number(sum[2]);
  }
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return sums;
}

const files = process.argv.slice(2);
if (files.length === 0)
  files.push(
    ...readdirSync(here)
      .filter((name) => name.endsWith('.test.mjs'))
      .sort(),
  );
let passed = 0;
let failed = 0;
for (const file of files) {
  console.log(`== ${file}`);
  const { pass, fail } = await run(file);
  passed += pass;
  // A file that could not even be read is one failure.
  failed += pass + fail === 0 ? 1 : fail;
}
rmSync(folder, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

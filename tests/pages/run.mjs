// Runs the tests of the pages, each file on its own stage: the built program, its broker and a
// simulated board. Three files run at the same time.
//
//   node tests/pages/run.mjs [FILE.test.mjs …]
//
// REMISD is the program (target/debug/remisd). The last line is the total.

import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { delayed, demo, nothing, rehearsal } from './stages.mjs';

const here = dirname(fileURLToPath(import.meta.url));
/** The broadcast delay of a daemon that has one: several plies of the simulated game. */
const DELAY_MS = 5000;

/** The stages of a file: usually a demo at two plies a second. */
const STAGES = {
  'console.test.mjs': [rehearsal],
  'setup.test.mjs': [nothing],
  'leak.test.mjs': [() => demo(2), () => delayed(DELAY_MS)],
};
const USUAL = [() => demo(2)];
/** Files that run at the same time. Most of them wait for the simulated game. */
const AT_ONCE = 3;
/** The longest files begin first, so that none of them runs alone at the end. */
const LONGEST = ['pages.test.mjs', 'console.test.mjs', 'console_rulings.test.mjs'];
/** The time limit of a file; the longest takes half of it. */
const PATIENCE_MS = 500_000;
/** How long a process may take to stop when asked. */
const FAREWELL_MS = 10_000;

/** Stops the tests of a file that has exceeded its time limit, including the browser. */
function endLate(file, tests) {
  console.log(`not ok - ${file} has not ended after ${PATIENCE_MS / 1000} s`);
  tests.kill('SIGTERM');
  setTimeout(() => tests.kill('SIGKILL'), FAREWELL_MS).unref();
}

/** Runs one file. Returns what it printed, and how many of its tests passed and failed. */
async function run(file, stage) {
  const { url, mqtt, delay, stop } = await stage();
  const tests = spawn(process.execPath, ['--test', '--test-reporter=tap', join(here, file)], {
    env: { ...process.env, REMISD_URL: url, REMISD_MQTT: mqtt, REMISD_DELAY_MS: String(delay) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: tests.stdout });
  const ended = new Promise((resolve) => tests.once('exit', resolve));
  const sums = { pass: 0, fail: 0 };
  const printed = [`== ${file}`];
  const deadline = setTimeout(endLate, PATIENCE_MS, file, tests);
  // Handles left open by a remaining browser are not waited for.
  tests.once('exit', () => setTimeout(() => lines.close(), FAREWELL_MS).unref());
  for await (const line of lines) {
    printed.push(line);
    const sum = /^# (pass|fail) (\d+)/.exec(line);
    if (sum !== null) sums[sum[1]] = Number(sum[2]);
  }
  const code = await ended;
  clearTimeout(deadline);
  tests.stdout.destroy();
  // Cancelled tests are in neither count, and a file that could not be read has no tests.
  if (sums.fail === 0 && (code !== 0 || sums.pass === 0)) sums.fail = 1;
  const stubborn = await stop(FAREWELL_MS);
  for (const name of stubborn) printed.push(`not ok - ${name} has not ended after SIGTERM`);
  sums.fail += stubborn.length;
  return { ...sums, printed };
}

const files = process.argv.slice(2);
if (files.length === 0)
  files.push(
    ...LONGEST,
    ...readdirSync(here)
      .filter((name) => name.endsWith('.test.mjs') && !LONGEST.includes(name))
      .sort(),
  );
const runs = files.flatMap((file) => (STAGES[file] ?? USUAL).map((stage) => ({ file, stage })));
let passed = 0;
let failed = 0;

/** Takes the next file until none is left. The output of a file is printed as one piece. */
async function work() {
  for (let next = runs.shift(); next !== undefined; next = runs.shift()) {
    const { pass, fail, printed } = await run(next.file, next.stage);
    console.log(printed.join('\n'));
    passed += pass;
    failed += fail;
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

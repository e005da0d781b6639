// The command line of tests/cluster/run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bridged, single } from './bridged.mjs';
import { cuts } from './cuts.mjs';
import { faults } from './faults.mjs';
import { kills } from './kills.mjs';
import * as scale from './scale.mjs';
import { rmqtt } from './rmqtt.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    cuts: { type: 'string', default: '10' },
    boards: { type: 'string', default: '20' },
    speed: { type: 'string', default: '4' },
    broker: { type: 'string', default: 'rmqtt' },
    acl: { type: 'boolean', default: false },
    many: { type: 'string', default: '2000' },
    viewers: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '60' },
    'no-health': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'remisd-cluster-'));
const numbers = Object.fromEntries(
  ['kills', 'seed', 'boards', 'speed', 'many', 'viewers', 'seconds', 'cuts'].map((key) => [key, Number(values[key])]),
);
console.log(`seed ${numbers.seed}, ${folder}`);
let failed = false;
// Without it, a node that is alone keeps its clients: for a look at what happens then.
const cluster = { health: !values['no-health'] };
for (const what of positionals.length === 0 ? ['kills'] : positionals) {
  const kind = { rmqtt, bridged, single }[values.broker];
  if (what === 'faults') {
    await faults(join(folder, what), kind, { cluster: { acl: values.acl } });
    continue;
  }
  if (what === 'scale') {
    await scale.boards(join(folder, 'boards'), kind, { count: numbers.many, seconds: numbers.seconds });
    continue;
  }
  if (what === 'viewers') {
    await scale.viewers(join(folder, 'viewers'), { count: numbers.viewers, seconds: numbers.seconds });
    continue;
  }
  const play = { kills, cuts }[what];
  if (play === undefined) throw new Error(`unknown: ${what}`);
  const { verdicts, stale } = await play(join(folder, what), kind, {
    ...numbers,
    count: what === 'cuts' ? numbers.cuts : numbers.kills,
    cluster,
  });
  failed ||=
    stale.length > 0 ||
    verdicts.some(([, { lost, doubled, disordered }]) => lost.length + doubled.length + disordered.length > 0);
}
if (!values.keep && !failed) rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);

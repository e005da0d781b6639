// What processes use, and how long messages take.

import { readFileSync } from 'node:fs';

/** Clock ticks a second, as Linux counts the time of processes. */
const TICKS = 100;
const PAGE_KIB = 4;

/** The CPU seconds and the resident MiB of a process. */
export function usage(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS, mib: (Number(fields[21]) * PAGE_KIB) / 1024 };
}

/** Measures processes, by name, while something happens. */
export async function measured(processes, happens) {
  const before = new Map([...processes].map(([name, { pid }]) => [name, usage(pid)]));
  const begun = process.hrtime.bigint();
  await happens();
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  return [...processes].map(([name, { pid }]) => {
    const { cpu, mib } = usage(pid);
    return { name, core: ((cpu - before.get(name).cpu) / seconds) * 100, mib };
  });
}

/** Median, 99th percentile and maximum of numbers. */
export function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  const text = (number) => `${number.toFixed(1)} ms`;
  return `n ${sorted.length}, p50 ${text(at(0.5))}, p99 ${text(at(0.99))}, max ${text(at(1))}`;
}

export const table = (rows) =>
  rows
    .map(
      ({ name, core, mib }) => `${name.padEnd(22)} ${core.toFixed(2).padStart(7)} % of a core, ${mib.toFixed(0)} MiB`,
    )
    .join('\n');

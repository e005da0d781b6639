// Builds every page into ../assets, where the server's build embeds them.
//
//   node build.mjs            writes the assets
//   node build.mjs --check    writes nothing; exit code 1 if the checked-in assets differ
//
// A page is a folder with page.html, page.ts and page.css; its assets are named after the page. The
// build needs no network, and the same sources produce the same bytes.

import { build } from 'esbuild';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flags } from './flags.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, '..', 'assets');

/** The pages: folder, and name of their assets. */
const pages = [
  ['start', 'index'],
  ['overlay', 'overlay'],
  ['display', 'display'],
  ['clock', 'clock'],
  ['arbiter', 'arbiter'],
  ['chief', 'chief'],
  ['operator', 'operator'],
  ['refused', 'refused'],
  ['setup', 'setup'],
].filter(([folder]) => existsSync(join(here, folder, 'page.html')));

async function assets() {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: pages.flatMap(([folder, name]) => [
      { in: `${folder}/page.ts`, out: name },
      { in: `${folder}/page.css`, out: name },
    ]),
    outdir: target,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  const made = new Map(outputFiles.map((file) => [file.path.slice(target.length + 1), Buffer.from(file.contents)]));
  for (const [folder, name] of pages) {
    made.set(`${name}.html`, readFileSync(join(here, folder, 'page.html')));
  }
  for (const [name, bytes] of flags()) made.set(name, bytes);
  made.set('icon.svg', readFileSync(join(here, 'lib', 'icon.svg')));
  return made;
}

const made = await assets();
if (process.argv.includes('--check')) {
  const there = existsSync(target) ? readdirSync(target) : [];
  const stale = [...made]
    .filter(([name, bytes]) => !there.includes(name) || !readFileSync(join(target, name)).equals(bytes))
    .map(([name]) => name);
  const odd = there.filter((name) => !made.has(name));
  for (const name of stale) console.error(`${name} is not what the sources make: run node build.mjs`);
  for (const name of odd) console.error(`${name} is made by no source`);
  process.exitCode = stale.length + odd.length > 0 ? 1 : 0;
} else {
  mkdirSync(target, { recursive: true });
  for (const [name, bytes] of made) writeFileSync(join(target, name), bytes);
}

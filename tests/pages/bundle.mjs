// Loads the pages' shared code without a browser, as a browser would load it.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const pages = fileURLToPath(new URL('../../src/hall/pages/', import.meta.url));
const { build } = createRequire(`${pages}package.json`)('esbuild');

/** Bundles a module of the pages and loads it as a browser in this language would. */
export async function load(source, language = 'en') {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: pages, loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  globalThis.document = { documentElement: {} };
  globalThis.location = new URL(`http://localhost/?lang=${language}`);
  globalThis.navigator ??= { languages: [] };
  globalThis.ResizeObserver = class {};
  // The comment makes the URL unique, so that each language gets its own module.
  return import(`data:text/javascript,${encodeURIComponent(`${outputFiles[0].text}\n// ${language}`)}`);
}

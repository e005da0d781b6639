// The flags that pages can show. Each is a separate asset, so a page loads only those of its
// players.
//
// Flags with plain stripes or a Nordic cross are drawn here in their own colours. All others come
// from country-flag-icons.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const icons = join(dirname(createRequire(import.meta.url).resolve('country-flag-icons/package.json')), '3x2');

/**
 * By country: `h` horizontal stripes and `v` vertical stripes, with their colours. `+` is a Nordic
 * cross (field, cross, and its edge or none), `x` a centred cross.
 */
const DRAWN = {
  AM: 'h d90012 0033a0 f2a800',
  AT: 'h ed2939 fff ed2939',
  BE: 'v 000 fae042 ed2939',
  BG: 'h fff 00966e d62612',
  BO: 'h d52b1e f9e300 007934',
  CI: 'v f77f00 fff 009e60',
  CO: 'h fcd116 fcd116 003893 ce1126',
  DE: 'h 000 d00 ffce00',
  DK: '+ c8102e fff',
  EE: 'h 0072ce 000 fff',
  FI: '+ fff 002f6c',
  FO: '+ fff ef303e 005eb9',
  FR: 'v 002654 fff ed2939',
  GA: 'h 009e60 fcd116 3a75c4',
  'GB-ENG': 'x fff ce1124',
  GN: 'v ce1126 fcd116 009460',
  HU: 'h cd2a3e fff 436f4d',
  ID: 'h ce1126 fff',
  IE: 'v 169b62 fff ff883e',
  IS: '+ 02529c dc1e35 fff',
  IT: 'v 009246 fff ce2b37',
  LT: 'h fdb913 006a44 c1272d',
  LU: 'h ed2939 fff 00a1de',
  LV: 'h 9e3039 9e3039 fff 9e3039 9e3039',
  MC: 'h ce1126 fff',
  ML: 'v 14b53a fcd116 ce1126',
  MU: 'h ea2839 1a206d ffd500 00a551',
  NG: 'v 008751 fff 008751',
  NL: 'h ae1c28 fff 21468b',
  NO: '+ ba0c2f 00205b fff',
  PE: 'v d91023 fff d91023',
  PL: 'h fff dc143c',
  RO: 'v 002b7f fcd116 ce1126',
  SE: '+ 006aa7 fecc00',
  SL: 'h 1eb53a fff 0072c6',
  TH: 'h a51931 f4f5f8 2d2a4a 2d2a4a f4f5f8 a51931',
  UA: 'h 0057b7 ffd700',
  YE: 'h ce1126 fff 000',
};

function drawn(recipe) {
  const [kind, ...colours] = recipe.split(' ');
  const bar = (x, y, width, height, colour) =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#${colour}"/>`;
  const across = (wide, colour) =>
    bar((kind === 'x' ? 15 : 11) - wide / 2, 0, wide, 20, colour) + bar(0, 10 - wide / 2, 30, wide, colour);
  const [field, cross, edge] = colours;
  let shapes;
  if (kind === 'h') {
    shapes = colours.map((colour, i) => bar(0, (i * 20) / colours.length, 30, 20 / colours.length, colour)).join('');
  } else if (kind === 'v') {
    shapes = colours.map((colour, i) => bar((i * 30) / colours.length, 0, 30 / colours.length, 20, colour)).join('');
  } else {
    shapes = bar(0, 0, 30, 20, field) + (edge ? across(6, edge) + across(3, cross) : across(4, cross));
  }
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20">${shapes}</svg>\n`);
}

/** The assets of all federations: `flag-NL.svg` and its bytes. */
export function flags() {
  const federations = JSON.parse(readFileSync(new URL('lib/federations.json', import.meta.url), 'utf8'));
  const countries = [...new Set(Object.values(federations))].sort();
  return new Map(
    countries.map((country) => [
      `flag-${country}.svg`,
      DRAWN[country] ? drawn(DRAWN[country]) : readFileSync(join(icons, `${country}.svg`)),
    ]),
  );
}

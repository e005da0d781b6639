/** A player's federation: its code, and where it can be drawn with a few stripes, its flag. */

import { setAttribute } from './dom';

/** `h` stripes one below another, `v` side by side, with their colours; `+` a cross (field, cross, its edge or none). */
const FLAGS: Record<string, string> = {
  ARM: 'h d90012 0033a0 f2a800',
  AUT: 'h ed2939 fff ed2939',
  BEL: 'v 000 fae042 ed2939',
  BOL: 'h d52b1e f9e300 007934',
  BUL: 'h fff 00966e d62612',
  CIV: 'v f77f00 fff 009e60',
  COL: 'h fcd116 fcd116 003893 ce1126',
  DEN: '+ c8102e fff',
  ENG: 'x fff ce1124',
  EST: 'h 0072ce 000 fff',
  FAI: '+ fff ef303e 005eb9',
  FIN: '+ fff 002f6c',
  FRA: 'v 002654 fff ed2939',
  GAB: 'h 009e60 fcd116 3a75c4',
  GER: 'h 000 d00 ffce00',
  GUI: 'v ce1126 fcd116 009460',
  HUN: 'h cd2a3e fff 436f4d',
  INA: 'h ce1126 fff',
  IRL: 'v 169b62 fff ff883e',
  ISL: '+ 02529c dc1e35 fff',
  ITA: 'v 009246 fff ce2b37',
  LAT: 'h 9e3039 9e3039 fff 9e3039 9e3039',
  LTU: 'h fdb913 006a44 c1272d',
  LUX: 'h ed2939 fff 00a1de',
  MLI: 'v 14b53a fcd116 ce1126',
  MNC: 'h ce1126 fff',
  MRI: 'h ea2839 1a206d ffd500 00a551',
  NED: 'h ae1c28 fff 21468b',
  NGR: 'v 008751 fff 008751',
  NOR: '+ ba0c2f 00205b fff',
  PER: 'v d91023 fff d91023',
  POL: 'h fff dc143c',
  ROU: 'v 002b7f fcd116 ce1126',
  SLE: 'h 1eb53a fff 0072c6',
  SWE: '+ 006aa7 fecc00',
  THA: 'h a51931 f4f5f8 2d2a4a 2d2a4a f4f5f8 a51931',
  UKR: 'h 0057b7 ffd700',
  YEM: 'h ce1126 fff 000',
};

function drawing(code: string): string | null {
  const [kind = '', ...colours] = (FLAGS[code] ?? '').split(' ');
  if (kind === '') return null;
  const [field = 'fff', cross = '000', edge] = colours;
  const bar = (x: number, y: number, width: number, height: number, colour: string): string =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#${colour}"/>`;
  let shapes: string;
  if (kind === 'h')
    shapes = colours.map((colour, i) => bar(0, (i * 20) / colours.length, 30, 20 / colours.length, colour)).join('');
  else if (kind === 'v')
    shapes = colours.map((colour, i) => bar((i * 30) / colours.length, 0, 30 / colours.length, 20, colour)).join('');
  else {
    const across = (wide: number, colour: string): string =>
      bar((kind === 'x' ? 15 : 11) - wide / 2, 0, wide, 20, colour) + bar(0, 10 - wide / 2, 30, wide, colour);
    shapes = bar(0, 0, 30, 20, field) + (edge === undefined ? across(4, cross) : across(6, edge) + across(3, cross));
  }
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20">${shapes}</svg>`)}`;
}

/** Shows a federation's flag in an `img`; returns whether there is a drawing of it. */
export function setFlag(image: HTMLImageElement, federation: string): boolean {
  const source = /^[A-Z]{3}$/.test(federation) ? drawing(federation) : null;
  setAttribute(image, 'src', source);
  image.hidden = source === null;
  return source !== null;
}

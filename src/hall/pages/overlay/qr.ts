/** A QR code with the address of the public page. */

import qrcode from 'qrcode-generator';
import { h } from '../lib/dom';

/** The longest address; a longer one makes modules that no camera reads from a screen. */
const LONGEST = 300;
const SVG = 'http://www.w3.org/2000/svg';
/** The empty border that the standard asks for, in modules. */
const QUIET = 4;

/** The address that `qr=` names: `1` is this server's start page; null if it is no web address. */
export function qrAddress(code: string | null, base: string): string | null {
  if (code === null || code === '' || code === '0') return null;
  if (code === '1') return new URL('.', base).href;
  const url = URL.canParse(code) ? new URL(code) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && code.length <= LONGEST ? code : null;
}

/** Whether only this computer has the address: no phone can follow it. */
export function isLocal(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
}

/** The corner at the right and at the foot that the code or its note takes, in pixels: 0 without one. */
export function corner(): { width: number; height: number } {
  const code = document.querySelector('.qr')?.getBoundingClientRect();
  if (code === undefined) return { width: 0, height: 0 };
  // The layouts keep the same distance as the code does from the edge.
  const gap = innerHeight - code.bottom;
  return { width: innerWidth - code.left + gap, height: innerHeight - code.top + gap };
}

/** Makes a note in the place of the code. */
export const makeNote = (text: string): HTMLElement => h('aside', { class: 'qr note', role: 'status' }, text);

/** Makes the code as an image with a text for screen readers. */
export function makeQr(address: string, label: string): HTMLElement {
  const code = qrcode(0, 'M');
  code.addData(address);
  code.make();
  const count = code.getModuleCount();
  let path = '';
  for (let row = 0; row < count; row += 1)
    for (let column = 0; column < count; column += 1)
      if (code.isDark(row, column)) path += `M${column + QUIET} ${row + QUIET}h1v1h-1z`;
  const svg = document.createElementNS(SVG, 'svg');
  const size = count + 2 * QUIET;
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${label} ${address}`);
  svg.setAttribute('shape-rendering', 'crispEdges');
  const dark = document.createElementNS(SVG, 'path');
  dark.setAttribute('d', path);
  svg.append(dark);
  return h('aside', { class: 'qr', 'data-address': address }, svg);
}

// The signs of the alert levels: an octagon, a triangle, a square. Shape, colour and a word
// together, so that none of them is needed on its own.

import type { Level } from './payloads';

const SVG = 'http://www.w3.org/2000/svg';

const SHAPES: Record<Level, string> = {
  red: 'M7.6 1.5h8.8l6.1 6.1v8.8l-6.1 6.1H7.6L1.5 16.4V7.6z',
  amber: 'M12 2l10.8 19.5H1.2z',
  grey: 'M3 3h18v18H3z',
};

const STROKES: Record<Level, string> = {
  red: 'M12 6.5v7M12 17v.01',
  amber: 'M12 9v6M12 18.2v.01',
  grey: 'M8 12h8',
};

/** The sign of an alert level; its name is beside it in words. */
export function sign(level: Level): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', `sign sign-${level}`);
  svg.setAttribute('aria-hidden', 'true');
  svg.append(path(SHAPES[level], 'shape'), path(STROKES[level], 'mark'));
  return svg;
}

function path(d: string, name: string): SVGElement {
  const element = document.createElementNS(SVG, 'path');
  element.setAttribute('d', d);
  element.setAttribute('class', name);
  return element;
}

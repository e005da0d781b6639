// The six pieces as outlines in a 45 × 45 square, with two drawing styles. Phones would render
// Unicode pieces as coloured pictures.

export type Role = 'p' | 'n' | 'b' | 'r' | 'q' | 'k';

interface Outline {
  /** The outline, filled and stroked. */
  body: string;
  /** The inner lines, only stroked. */
  lines: string;
}

const BASE = 'M10 39.5v-2.6c0-1.6 1.3-2.9 2.9-2.9h19.2c1.6 0 2.9 1.3 2.9 2.9v2.6z';

const OUTLINES: Record<Role, Outline> = {
  p: {
    body: 'M22.5 9a5.2 5.2 0 0 1 3.3 9.2c2.6 1.2 4.1 3.3 4.1 5.9 0 1.9-.7 3.4-1.9 4.6 3.4 1.9 5.7 5.6 5.7 10.8H11.3c0-5.2 2.3-8.9 5.7-10.8a6.3 6.3 0 0 1-1.9-4.6c0-2.6 1.5-4.7 4.1-5.9A5.2 5.2 0 0 1 22.5 9z',
    lines: '',
  },
  r: {
    body: `M11 8.5h5v3.2h4V8.5h5v3.2h4V8.5h5v7.2l-3.4 3.1v11.4l2.4 3.8h-21l2.4-3.8V18.8l-3.4-3.1z${BASE}`,
    lines: 'M14.4 18.8h16.2M14.4 30.2h16.2',
  },
  b: {
    body: `M22.5 5a2.7 2.7 0 0 1 1.8 4.7c4.7 3 7.9 7.7 7.9 12.3 0 2.8-1.2 5-3.1 6.6l.9 5.4H15l.9-5.4c-1.9-1.6-3.1-3.8-3.1-6.6 0-4.6 3.2-9.3 7.9-12.3A2.7 2.7 0 0 1 22.5 5z${BASE}`,
    lines: 'M22.5 15.5v8.5M18.3 19.5h8.4M15.9 28.6h13.2',
  },
  n: {
    body: 'M12.5 39.5c-.4-7.7 2.7-11.7 8.3-16.2-2.3.2-4.3 1.2-5.9 3.1-1 1.2-2.1 2.3-3.6 2.3-1.9 0-3.5-1.6-3.4-3.5.1-1.5.9-2.7 1.7-3.9l3.9-6.3c.3-2.5 1.1-4.5 2.6-6.3l.5-4.2 4 2.9c10.1.4 15.9 8.9 15.9 21.1v11z',
    lines: 'M15.8 14.7h.01M25.8 12.5c4 3.2 6 8.5 6 15.5',
  },
  q: {
    body: `M8.5 10a2.4 2.4 0 0 1 1.3 4.4l4.2 7 1.3-10.9a2.4 2.4 0 1 1 2.3.2l3 10 .9-11.9a2.4 2.4 0 1 1 2 0l.9 11.9 3-10a2.4 2.4 0 1 1 2.3-.2L31 21.4l4.2-7A2.4 2.4 0 1 1 36.5 15L33 29.5l.7 4.5H11.3l.7-4.5L8.5 14.8A2.4 2.4 0 0 1 8.5 10z${BASE}`,
    lines: 'M12 29.5c7-1.5 14-1.5 21 0',
  },
  k: {
    body: `M21 4h3v2.8h2.8v3H24v3c1.7 1 2.9 2.9 3.4 5.3 2.2-1.4 8.6-2 9.6 3 .8 3.7-1.6 6.6-4.5 8.9l.7 4H11.8l.7-4C9.6 27.7 7.2 24.8 8 21.1c1-5 7.4-4.4 9.6-3 .5-2.4 1.7-4.3 3.4-5.3v-3h-2.8v-3H21z${BASE}`,
    lines: 'M22.5 29V19.5M12.5 30c6.7-1.4 13.3-1.4 20 0',
  },
};

/** Draws a piece into a square of the given size with its upper left corner at x, y. */
export function drawPiece(ctx: CanvasRenderingContext2D, piece: string, x: number, y: number, size: number): void {
  const outline = OUTLINES[piece.toLowerCase() as Role];
  if (!outline) return;
  const white = piece !== piece.toLowerCase();
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size / 45, size / 45);
  ctx.lineWidth = 1.6;
  ctx.lineJoin = ctx.lineCap = 'round';
  ctx.fillStyle = white ? '#fff' : '#23201d';
  ctx.strokeStyle = white ? '#23201d' : '#0f0d0c';
  const body = new Path2D(outline.body);
  ctx.fill(body);
  ctx.stroke(body);
  ctx.strokeStyle = white ? '#23201d' : '#e8e4de';
  ctx.stroke(new Path2D(outline.lines));
  ctx.restore();
}

const sprites = new Map<number, HTMLCanvasElement>();
const ORDER = 'PNBRQKpnbrqk';

/** A sprite sheet of all pieces at one size, drawn once; tiles then only copy squares. */
export function spritesAt(size: number): HTMLCanvasElement {
  let sheet = sprites.get(size);
  if (!sheet) {
    sheet = document.createElement('canvas');
    sheet.width = size * ORDER.length;
    sheet.height = size;
    const ctx = sheet.getContext('2d');
    if (ctx) [...ORDER].forEach((piece, i) => drawPiece(ctx, piece, i * size, 0, size));
    sprites.set(size, sheet);
  }
  return sheet;
}

/** The index of a piece in the sprite sheet, in squares. */
export function spriteIndex(piece: string): number {
  return ORDER.indexOf(piece);
}

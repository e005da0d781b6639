// A position on a canvas. Only squares that differ are redrawn, so two hundred boards cost little.

import { nameOf, squaresOf, type Squares } from './position';
import { spriteIndex, spritesAt } from './pieces';

const LIGHT = '#f0dfc0';
const DARK = '#b58a63';
const LAST = 'rgba(205, 190, 30, .55)';

/** Marks on squares other than those of the last move. */
export type Marks = Record<string, 'fault' | 'touched'>;

const MARK_COLOURS = { fault: '#c1121f', touched: '#1d5fbf' };

export class Diagram {
  readonly canvas = document.createElement('canvas');
  private readonly square: number;
  private shown: string[] = [];
  private turned = false;

  /** `pixels` is the side length of the board on the screen, a multiple of eight. */
  constructor(
    pixels: number,
    private readonly coordinates = false,
  ) {
    const density = Math.min(globalThis.devicePixelRatio || 1, 2);
    this.square = Math.round((pixels / 8) * density);
    this.canvas.width = this.canvas.height = this.square * 8;
    this.canvas.className = 'diagram';
    this.canvas.setAttribute('aria-hidden', 'true');
  }

  /** White is at the bottom unless the board is turned. */
  turn(turned: boolean): void {
    if (turned === this.turned) return;
    this.turned = turned;
    this.shown = [];
  }

  show(position: string | Squares, lastUci?: string | null, marks: Marks = {}): void {
    const squares = typeof position === 'string' ? squaresOf(position) : position;
    const ctx = this.canvas.getContext('2d');
    if (!ctx) return;
    const last = lastUci ? [lastUci.slice(0, 2), lastUci.slice(2, 4)] : [];
    for (let i = 0; i < 64; i++) {
      const name = nameOf(i);
      const state = `${squares[i] ?? ''}|${last.includes(name) ? 'l' : ''}|${marks[name] ?? ''}`;
      if (this.shown[i] === state) continue;
      this.shown[i] = state;
      this.drawSquare(ctx, i, squares[i] ?? '', last.includes(name), marks[name]);
    }
  }

  private drawSquare(ctx: CanvasRenderingContext2D, i: number, man: string, last: boolean, mark?: Marks[string]): void {
    const size = this.square;
    const place = this.turned ? 63 - i : i;
    const x = (place % 8) * size;
    const y = Math.floor(place / 8) * size;
    const dark = ((i % 8) + Math.floor(i / 8)) % 2 === 1;
    ctx.fillStyle = dark ? DARK : LIGHT;
    ctx.fillRect(x, y, size, size);
    if (last) {
      ctx.fillStyle = LAST;
      ctx.fillRect(x, y, size, size);
    }
    if (this.coordinates) this.drawCoordinates(ctx, i, place, dark);
    const sprite = spriteIndex(man);
    if (man && sprite >= 0) ctx.drawImage(spritesAt(size), sprite * size, 0, size, size, x, y, size, size);
    if (mark) this.drawMark(ctx, x, y, mark);
  }

  private drawCoordinates(ctx: CanvasRenderingContext2D, i: number, place: number, dark: boolean): void {
    const size = this.square;
    const name = nameOf(i);
    ctx.fillStyle = dark ? '#fff6e6' : '#6b4526';
    ctx.font = `600 ${Math.round(size * 0.2)}px system-ui, sans-serif`;
    const x = (place % 8) * size;
    const y = Math.floor(place / 8) * size;
    if (place % 8 === 0) ctx.fillText(name[1] ?? '', x + size * 0.05, y + size * 0.22);
    if (place >= 56) ctx.fillText(name[0] ?? '', x + size * 0.82, y + size * 0.94);
  }

  /** A fault is a cross in a frame, a touched piece a ring: shape as well as colour. */
  private drawMark(ctx: CanvasRenderingContext2D, x: number, y: number, mark: Marks[string]): void {
    const size = this.square;
    const width = Math.max(2, size / 12);
    ctx.strokeStyle = MARK_COLOURS[mark];
    ctx.lineWidth = width;
    ctx.beginPath();
    if (mark === 'touched') {
      ctx.arc(x + size / 2, y + size / 2, size / 2 - width, 0, 2 * Math.PI);
    } else {
      ctx.rect(x + width / 2, y + width / 2, size - width, size - width);
      ctx.moveTo(x + size * 0.72, y + size * 0.1);
      ctx.lineTo(x + size * 0.9, y + size * 0.28);
      ctx.moveTo(x + size * 0.9, y + size * 0.1);
      ctx.lineTo(x + size * 0.72, y + size * 0.28);
    }
    ctx.stroke();
  }
}

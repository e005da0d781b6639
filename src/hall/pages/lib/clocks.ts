/**
 * Chess clocks that count down by themselves between two messages.
 *
 * The times in a payload are those at its moment. The running side loses what has passed since then on the server's
 * clock; what the browser's own clock shows does not matter.
 */

import type { Side } from './topics';

export interface ClockReading {
  white_ms: number | null;
  black_ms: number | null;
  running: Side | null;
  /** When these were the times: the server's clock, in milliseconds since 1970. */
  at: number;
}

interface Times {
  white_ms: number | null;
  black_ms: number | null;
  running: Side | null;
}

/** The last reading of each board. */
const lastReadings = new Map<string, ClockReading>();

/**
 * A reading from a payload: its moment is when the server received it, else its own time, for `public` `delayMs` later.
 *
 * A payload may come again with what the clock showed before, because something else in it has changed: that is no
 * new reading, and the running side does not get back what has passed since.
 */
export function readClock(board: string, times: Times | null | undefined, time: string, received: string | null, delayMs = 0): ClockReading | null {
  if (!times) return null;
  const at = received === null ? Date.parse(time) + delayMs : Date.parse(received);
  const reading = { white_ms: times.white_ms, black_ms: times.black_ms, running: times.running, at };
  const last = lastReadings.get(board);
  const same = last !== undefined && last.white_ms === reading.white_ms && last.black_ms === reading.black_ms && last.running === reading.running;
  if (same && last.at <= at) return last;
  lastReadings.set(board, reading);
  return reading;
}

/** What a side has left at a moment, never below zero; null where no clock tells. */
export function remaining(reading: ClockReading | null, side: Side, now: number): number | null {
  const ms = side === 'white' ? reading?.white_ms : reading?.black_ms;
  if (reading === null || ms === null || ms === undefined) return null;
  const passed = reading.running === side ? Math.max(0, now - reading.at) : 0;
  return Math.max(0, ms - passed);
}

/**
 * `1:29:57`, `09:57`, and with `tenths` `19.4` below twenty seconds. Whole seconds are rounded up, as clocks do:
 * 0:00 stands only when nothing is left.
 */
export function formatClock(ms: number | null, tenths = false): string {
  if (ms === null) return '–:––';
  if (tenths && ms < 20_000) return (Math.floor(ms / 100) / 10).toFixed(1).padStart(4, '0');
  const seconds = Math.ceil(ms / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** `PT1H29M57S`, for the `datetime` of a `<time>`; screen readers speak it properly. */
export function isoDuration(ms: number | null): string {
  const seconds = Math.ceil((ms ?? 0) / 1000);
  return `PT${Math.floor(seconds / 3600)}H${Math.floor(seconds / 60) % 60}M${seconds % 60}S`;
}

const TICK_MS = 100;
const tickers = new Set<() => void>();
let lastTick = 0;
let asked = false;

function frame(now: number): void {
  asked = false;
  // A frame comes a little early or late: half of one is no reason to wait for the next.
  if (now - lastTick >= TICK_MS - 8) {
    lastTick = now;
    for (const tick of tickers) tick();
  }
  ask();
}

function ask(): void {
  if (asked || tickers.size === 0) return;
  asked = true;
  requestAnimationFrame(frame);
}

/** Calls `tick` on animation frames, ten times a second at most. Returns what stops it. */
export function onTick(tick: () => void): () => void {
  tickers.add(tick);
  ask();
  return () => tickers.delete(tick);
}

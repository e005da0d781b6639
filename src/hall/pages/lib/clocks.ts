/**
 * Chess clocks that count down by themselves between two messages.
 *
 * The times in a payload are those at the moment when the clock was read. The running side loses what has passed since
 * then on the server's clock; what the browser's own clock shows does not matter.
 */

import { lateness } from './lateness';
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

/** How a reading came here. */
export interface Told {
  /** The payload's own time: the daemon's clock. */
  time: string;
  /** When the clock was read, by the daemon's clock too; absent where no clock has told it. */
  readAt: string | null | undefined;
  /** When the server got the payload; null if it was there before the server was. */
  received: string | null;
  /** The daemon's start that the payload is of, where it is known. */
  session?: string | undefined;
}

/**
 * A reading from a payload. Its moment is when the payload was sent, as far as `lateness` knows, else the payload's own time,
 * for `public` `delayMs` later; null where nothing is delayed.
 *
 * A payload may come because something else in it has changed, long after the clock was read. So the reading is older than
 * its payload, by a difference of two times of one clock: what daemon and server disagree about does not matter.
 */
export function readClock(
  times: Times | null | undefined,
  { time, readAt, received, session }: Told,
  delayMs: number | null = null,
): ClockReading | null {
  if (!times) return null;
  // It was sent after its entry, and after what it tells of the clock.
  const sent = readAt && Date.parse(readAt) > Date.parse(time) ? readAt : time;
  const moment =
    received === null ? Date.parse(time) + (delayMs ?? 0) : lateness.sentAt(session, sent, received, delayMs);
  const age = readAt ? Math.max(0, Date.parse(time) - Date.parse(readAt)) : 0;
  return { white_ms: times.white_ms, black_ms: times.black_ms, running: times.running, at: moment - (age || 0) };
}

/** Where a board is not seen since `lost`, its clocks stand as they were then: what they do now nobody knows. */
export function halted(reading: ClockReading, lost: number): ClockReading {
  const at = Number.isFinite(lost) ? Math.max(lost, reading.at) : reading.at;
  const left = (side: Side) => remaining(reading, side, at);
  return { white_ms: left('white'), black_ms: left('black'), running: null, at };
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

/** What a clock showed or is to show, in a text or a column of times, with its hours: `0:09:53`. As on the sheet of evidence. */
export function formatRecorded(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
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

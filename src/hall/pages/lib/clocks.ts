/**
 * Chess clocks that count down on their own between two messages.
 *
 * The times in a payload are those at which the clock was read. The running side loses what has
 * passed since then on the server's clock; the browser's own clock does not matter.
 */

import { lateness } from './lateness';
import type { Side } from './topics';

export interface ClockReading {
  white_ms: number | null;
  black_ms: number | null;
  running: Side | null;
  /** When the clock showed these times, on the server's clock, in milliseconds since 1970. */
  at: number;
}

interface Times {
  white_ms: number | null;
  black_ms: number | null;
  running: Side | null;
}

/** The origin of a reading. */
export interface ReadingOrigin {
  /** The payload's own time, on the daemon's clock. */
  time: string;
  /** When the clock was read, also on the daemon's clock; absent if no clock has reported. */
  readAt: string | null | undefined;
  /** When the server received the payload; null if the broker had retained it. */
  received: string | null;
  /** The run of the daemon that sent the payload, if known. */
  session?: string | undefined;
}

/**
 * A reading from a payload.
 *
 * Its moment is when the payload was sent, as far as `lateness` knows. Otherwise it is the
 * payload's own time, plus `delayMs` for `public`. `delayMs` is null where nothing is delayed.
 *
 * A payload may arrive because something else in it has changed, long after the clock was read. The
 * reading is then older than its payload, by the difference of two times of the daemon's clock. An
 * offset between daemon and server therefore does not matter.
 */
export function readClock(
  times: Times | null | undefined,
  { time, readAt, received, session }: ReadingOrigin,
  delayMs: number | null = null,
): ClockReading | null {
  if (!times) return null;
  // It was sent after its journal entry and after its clock reading.
  const sent = readAt && Date.parse(readAt) > Date.parse(time) ? readAt : time;
  const moment =
    received === null ? Date.parse(time) + (delayMs ?? 0) : lateness.sentAt(session, sent, received, delayMs);
  const age = readAt ? Math.max(0, Date.parse(time) - Date.parse(readAt)) : 0;
  return { white_ms: times.white_ms, black_ms: times.black_ms, running: times.running, at: moment - (age || 0) };
}

/**
 * The clocks of a board not seen since `lost`: they show their times at that moment, because their
 * present state is unknown.
 */
export function halted(reading: ClockReading, lost: number): ClockReading {
  const at = Number.isFinite(lost) ? Math.max(lost, reading.at) : reading.at;
  const left = (side: Side) => remaining(reading, side, at);
  return { white_ms: left('white'), black_ms: left('black'), running: null, at };
}

/** What a side has left at a moment, never below zero; null without a clock. */
export function remaining(reading: ClockReading | null, side: Side, now: number): number | null {
  const ms = side === 'white' ? reading?.white_ms : reading?.black_ms;
  if (reading === null || ms === null || ms === undefined) return null;
  const passed = reading.running === side ? Math.max(0, now - reading.at) : 0;
  return Math.max(0, ms - passed);
}

/**
 * Formats a time: `1:29:57`, `09:57`, and with `tenths` `19.4` below twenty seconds.
 *
 * Whole seconds are rounded up, as on chess clocks: 0:00 shows only when nothing is left.
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

/** A clock time in a text or a column, always with hours, as on the evidence sheet: `0:09:53`. */
export function formatRecorded(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** `PT1H29M57S`, for the `datetime` of a `<time>`; screen readers read it properly. */
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
  // A frame may be early or late by half a frame; do not wait for the next one.
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

/**
 * Calls `tick` on animation frames, at most ten times a second. Returns a function that stops it.
 */
export function onTick(tick: () => void): () => void {
  tickers.add(tick);
  ask();
  return () => tickers.delete(tick);
}

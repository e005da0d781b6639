// Clock times in the console: the newer of two topics, changes, and typed times.

import { formatClock, formatRecorded, halted, readClock, type ClockReading, type ReadingOrigin } from '../lib/clocks';
import type { Seen } from './hall';
import type { ClockTopic, Clocks, Side, Tile, TimeChange } from './payloads';
import { side, t } from './say';

/** The reading of the clocks, and the side whose flag has fallen. */
export interface Reading {
  at: ClockReading;
  flag: Side | null;
}

/**
 * The newer reading of the game and of the clock's own topic.
 *
 * `session` is the session of the board, which a tile lacks. Since `lost` the board has not been
 * seen, so its clocks are halted.
 */
export function readingOf(
  tile?: Seen<Tile>,
  clock?: Seen<ClockTopic>,
  session?: string,
  lost: number | null = null,
): Reading | null {
  const newer = newerOf(tile, clock, session);
  return newer === null || lost === null ? newer : { ...newer, at: halted(newer.at, lost) };
}

function newerOf(tile?: Seen<Tile>, clock?: Seen<ClockTopic>, session?: string): Reading | null {
  const own = clock?.payload;
  const useOwn = own && own.white_ms !== null && (!tile?.payload.clocks || own.seq >= tile.payload.seq);
  if (useOwn)
    return reading(own, { time: own.time, readAt: own.at, received: clock.received, session: own.session ?? session });
  const game = tile?.payload;
  return game?.clocks
    ? reading(game.clocks, {
        time: game.time,
        readAt: game.clocks_at,
        received: tile?.received ?? null,
        session: game.session ?? session,
      })
    : null;
}

function reading(clocks: Clocks, origin: ReadingOrigin): Reading | null {
  const at = readClock(clocks, origin);
  return at && { at, flag: clocks.flag ?? null };
}

/** `+2:00`, `−0:30`. */
export function changeText(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${formatClock(Math.abs(ms)).replace(/^0(?=\d)/, '')}`;
}

/** `White +2:00`; null if nothing changes. */
export function changeOf(of: Side, change: TimeChange): string | null {
  switch (change.change) {
    case 'none':
      return null;
    case 'add':
      return change.ms === 0 ? null : `${side(of)} ${changeText(change.ms)}`;
    case 'set':
      return t('time.set', { side: side(of), time: formatRecorded(change.ms) });
    case 'unknown':
      return t('time.half', { side: side(of) });
  }
}

/** Milliseconds of `1:29:57`, `4:05` or `90` (seconds); null for anything else. */
export function parseTime(typed: string): number | null {
  const parts = typed.trim().split(':');
  if (parts.length > 3 || parts.some((part) => !/^\d{1,4}$/.test(part))) return null;
  return parts.reduce((seconds, part) => seconds * 60 + Number(part), 0) * 1000;
}

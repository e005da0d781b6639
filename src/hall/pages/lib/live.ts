/**
 * A feed with a store of its boards: redraws changes once per frame and tracks how old the data is.
 */

import { openFeed, type Feed, type FeedAsk, type Hello, type StaleCause } from './feed';
import { halted, readClock, type ClockReading } from './clocks';
import { BoardStore } from './store';
import { ageWords, v } from './vocabulary';

export interface LiveHandlers {
  /** Draw these boards: all of them at the start and whenever the state of a node changes. */
  draw(boards: ReadonlySet<string>): void;
  /** The note on the age of the data has changed; it is empty while the data is fresh. */
  age?(note: string): void;
  ready?(): void;
  ended?(code: string): void;
}

export class Live {
  readonly store = new BoardStore();
  hello: Hello | null = null;
  private readonly feed: Feed;
  private readonly changed = new Set<string>();
  private scheduled = false;
  /** Whether all retained values have arrived; before that, nothing complete can be drawn. */
  private whole = false;

  constructor(
    ask: FeedAsk,
    private readonly on: LiveHandlers,
  ) {
    this.feed = openFeed(ask, {
      hello: (hello) => {
        this.hello = hello;
        this.whole = false;
      },
      value: (topic, payload, received, isUnreadable) => {
        const board = this.store.take(topic, payload, received, isUnreadable);
        if (board !== null) this.change([board]);
        else this.change(this.store.boards());
      },
      ready: () => {
        this.whole = true;
        this.on.ready?.();
        this.change(this.store.boards());
      },
      stale: (isStale, sinceMs, cause) => this.grow(isStale, sinceMs, cause),
      ended: (code) => this.on.ended?.(code),
    });
  }

  close(): void {
    this.feed.close();
  }

  /** The server's time; while the server is unreachable, when it was last heard. */
  now(): number {
    return this.feed.now();
  }

  /** The clocks according to the board's game. */
  gameClock(board: string): ClockReading | null {
    const game = this.store.get(board, 'game');
    if (game === null) return null;
    const { clocks, clocks_at: readAt, time, session } = game.payload;
    const delay = this.hello?.audience === 'public' ? this.hello.delay_ms : null;
    return this.seen(board, readClock(clocks, { time, readAt, received: game.received, session }, delay));
  }

  /** The clocks according to the board's own topic. */
  ownClock(board: string): ClockReading | null {
    const clock = this.store.get(board, 'clock');
    if (clock === null) return null;
    const { at: readAt, time, session } = clock.payload;
    return this.seen(board, readClock(clock.payload, { time, readAt, received: clock.received, session }));
  }

  /** A reading, halted at the moment when the board was lost. */
  private seen(board: string, reading: ClockReading | null): ClockReading | null {
    const lost = this.store.lostAt(board);
    return reading === null || lost === null ? reading : halted(reading, lost);
  }

  private grow(isStale: boolean, sinceMs: number, cause: StaleCause): void {
    this.on.age?.(isStale ? v(cause === 'server' ? 'stale_server' : 'stale_broker', { age: ageWords(sinceMs) }) : '');
  }

  private change(boards: readonly string[]): void {
    for (const board of boards) this.changed.add(board);
    if (this.scheduled || !this.whole) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      const now = new Set(this.changed);
      this.changed.clear();
      this.on.draw(now);
    });
  }
}

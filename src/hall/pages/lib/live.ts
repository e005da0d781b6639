/** A feed with its boards behind it: draws once a frame what has changed, and knows how old it all is. */

import { openFeed, type Feed, type FeedAsk, type Hello, type StaleCause } from './feed';
import { halted, readClock, type ClockReading } from './clocks';
import { BoardStore } from './store';
import { ageWords, v } from './vocabulary';

export interface LiveHandlers {
  /** Draw these boards; at the beginning, and whenever a node's state changes, all of them. */
  draw(boards: ReadonlySet<string>): void;
  /** The note of how old everything is changes; empty while it is fresh. */
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
  /** Whether all that is retained has come: before that there is nothing whole to draw. */
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
      value: (topic, payload, received) => {
        const board = this.store.take(topic, payload, received);
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

  /** The server's time; while it is not heard, the time when it last was. */
  now(): number {
    return this.feed.now();
  }

  /** The clocks as the board's game tells them. */
  gameClock(board: string): ClockReading | null {
    const game = this.store.get(board, 'game');
    if (game === null) return null;
    const { clocks, clocks_at: readAt, time, session } = game.payload;
    const delay = this.hello?.audience === 'public' ? this.hello.delay_ms : null;
    return this.seen(board, readClock(clocks, { time, readAt, received: game.received, session }, delay));
  }

  /** The clocks as the board's own topic tells them. */
  ownClock(board: string): ClockReading | null {
    const clock = this.store.get(board, 'clock');
    if (clock === null) return null;
    const { at: readAt, time, session } = clock.payload;
    return this.seen(board, readClock(clock.payload, { time, readAt, received: clock.received, session }));
  }

  /** A reading as far as the board is seen. */
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

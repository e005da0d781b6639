/**
 * The feed of topics from the server, over a self-healing connection: a WebSocket, or server-sent
 * events where a proxy blocks WebSockets.
 *
 * After every connection all retained values are sent again, and any that are missing are cleared.
 * A page therefore need not know whether its connection was ever lost. It only shows how old its
 * values are while nothing arrives.
 */

import type { Audience } from './topics';
import { lateness } from './lateness';
import { parsePlain } from './plain';
import { readSession, mayRead } from './session';

export interface FeedAsk {
  audience: Audience;
  boards?: readonly string[];
  view?: 'tiles';
  /** The folder of another site's pages, relative to this page. */
  at?: string;
}

export interface Hello {
  site: string;
  audience: Audience;
  time: string;
  version: string;
  delay_ms: number;
  languages: string[];
}

/** Why values are stale: the server is unreachable, or the server has lost the broker. */
export type StaleCause = 'server' | 'broker';

export interface FeedHandlers {
  hello?(hello: Hello): void;
  /**
   * A value of a topic. `payload` is null when the topic is cleared. `received` is when the server
   * got it, or null if the broker had retained it. `isUnreadable` says that there is a payload that the
   * server cannot read; `payload` is then null.
   */
  value(topic: string, payload: unknown, received: string | null, isUnreadable: boolean): void;
  /** All retained values have arrived. */
  ready?(): void;
  beat?(time: string, broker: boolean): void;
  /**
   * Called once a second while values are stale (`isStale`), and once when the feed is fresh again.
   */
  stale?(isStale: boolean, sinceMs: number, cause: StaleCause): void;
  /** The feed has ended for good: a sign-in is needed. */
  ended?(code: string): void;
}

export interface Feed {
  close(): void;
  /** Resumes an ended feed after a new sign-in. Values that no longer exist are then cleared. */
  reopen(): void;
  /**
   * The server's clock, in milliseconds since 1970. While the server or its broker is unreachable,
   * this is when it was last heard: clocks must not run on into the unknown.
   */
  now(): number;
}

export const SILENCE_MS = 6000;
/** Shorter outages of the broker connection are not shown. */
export const BROKER_LOST_MS = 2500;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;
/** How long a connection may take to open. */
const PATIENCE_MS = 10_000;
/**
 * A frame cannot arrive before it was sent. If the server's time is ahead by more than this, its
 * clock was set.
 */
const CLOCK_SET_MS = 2000;
/** Frames closer together than this were held up, and do not show that a clock was set. */
const HELD_UP_MS = 1000;
/** A timer that is late by this much was held back by a sleeping computer or a hidden tab. */
const SLEPT_MS = 5000;

type Frame =
  | ({ type: 'hello' } & Hello)
  | { type: 'value'; topic: string; payload: unknown; received: string | null; unreadable?: true }
  | { type: 'ready' }
  | { type: 'beat'; time: string; broker: boolean }
  | { type: 'ended'; code: string };

/**
 * Follows the server's clock. A frame's time is older than now by its latency, so the least delayed
 * of the last frames is closest to the truth.
 */
class ServerClock {
  private offsets: number[] = [];
  private last = { time: 0, heard: 0 };

  /**
   * Takes the time of a frame. Returns by how much the clock was set forward since the last frames,
   * or 0.
   */
  set(time: string): number {
    const frame = { time: Date.parse(time), heard: performance.now() };
    const offset = frame.time - frame.heard;
    if (Number.isNaN(offset)) return 0;
    const leap = this.offsets.length > 0 ? offset - Math.max(...this.offsets) : 0;
    // A computer that slept, along with its clock, then receives the missed beats one after
    // another.
    const passed = frame.heard - this.last.heard;
    const wasSet = passed > HELD_UP_MS && frame.time - this.last.time - passed > CLOCK_SET_MS;
    this.last = frame;
    this.offsets.push(offset);
    if (this.offsets.length > 8) this.offsets.shift();
    return wasSet && leap > CLOCK_SET_MS ? leap : 0;
  }

  forget(): void {
    this.offsets = [];
  }

  now(): number {
    return this.offsets.length === 0 ? Date.now() : performance.now() + Math.max(...this.offsets);
  }
}

function address(path: string, ask: FeedAsk): URL {
  const url = new URL(`${ask.at ?? ''}${path}`, document.baseURI);
  url.searchParams.set('audience', ask.audience);
  if (ask.boards && ask.boards.length > 0) url.searchParams.set('boards', ask.boards.join(','));
  if (ask.view) url.searchParams.set('view', ask.view);
  return url;
}

/** A connection to the server, by either transport. */
interface Line {
  readonly opening: boolean;
  close(): void;
}

interface LineHandlers {
  frame(frame: Frame): void;
  closed(): void;
}

function socketLine(ask: FeedAsk, on: LineHandlers): Line {
  const url = address('feed', ask);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(url.href);
  socket.onmessage = (message) => parse(message.data, on);
  socket.onclose = () => on.closed();
  return {
    get opening() {
      return socket.readyState === WebSocket.CONNECTING;
    },
    close: () => socket.close(),
  };
}

function eventLine(ask: FeedAsk, on: LineHandlers): Line {
  const source = new EventSource(address('api/events', ask).href);
  source.onmessage = (message) => parse(message.data, on);
  source.onerror = () => {
    // It would reconnect on its own and ignore our back-off.
    source.close();
    on.closed();
  };
  return {
    get opening() {
      return source.readyState === EventSource.CONNECTING;
    },
    close: () => source.close(),
  };
}

class Connection implements Feed {
  private line: Line | null = null;
  /** Consecutive attempts without a hello. */
  private refusals = 0;
  private readonly clock = new ServerClock();
  private readonly known = new Set<string>();
  private unseen = new Set<string>();
  private retryMs = FIRST_RETRY_MS;
  private retryTimer: number | undefined;
  private watchTimer: number | undefined;
  private lastHeard = performance.now();
  private lastWatch = performance.now();
  private connectedAt = 0;
  private brokerLostAt: number | null = null;
  private whole = false;
  private wasStale = false;
  /** While the server is not heard: its time when it was last heard. */
  private stoppedAt: number | null = null;
  private closed = true;

  constructor(
    private readonly ask: FeedAsk,
    private readonly on: FeedHandlers,
  ) {
    this.reopen();
  }

  reopen(): void {
    if (!this.closed) return;
    this.closed = false;
    this.lastWatch = performance.now();
    this.retryMs = FIRST_RETRY_MS;
    this.watchTimer = window.setInterval(() => this.watch(), 1000);
    document.addEventListener('visibilitychange', this.woken);
    window.addEventListener('online', this.woken);
    window.addEventListener('pageshow', this.woken);
    this.connect();
  }

  now(): number {
    return this.stoppedAt ?? this.clock.now();
  }

  close(): void {
    this.closed = true;
    window.clearInterval(this.watchTimer);
    window.clearTimeout(this.retryTimer);
    document.removeEventListener('visibilitychange', this.woken);
    window.removeEventListener('online', this.woken);
    window.removeEventListener('pageshow', this.woken);
    this.drop();
  }

  private connect(): void {
    window.clearTimeout(this.retryTimer);
    this.drop();
    this.connectedAt = performance.now();
    let greeted = false;
    const handlers: LineHandlers = {
      frame: (frame) => {
        if (this.line !== line) return;
        if (!greeted) this.refusals = 0;
        greeted = true;
        this.hear(frame);
      },
      closed: () => {
        if (this.line !== line) return;
        this.line = null;
        if (greeted) return this.retryLater();
        this.refusals++;
        void this.askWhy();
      },
    };
    // Every third attempt uses the other transport.
    const line = this.refusals % 3 === 2 ? eventLine(this.ask, handlers) : socketLine(this.ask, handlers);
    this.line = line;
  }

  /** Abandons the connection, so that no more events arrive from it. */
  private drop(): void {
    const line = this.line;
    this.line = null;
    this.whole = false;
    line?.close();
  }

  private retryLater(): void {
    if (this.closed) return;
    this.whole = false;
    window.clearTimeout(this.retryTimer);
    this.retryTimer = window.setTimeout(() => this.connect(), this.retryMs * (0.75 + Math.random() / 2));
    this.retryMs = Math.min(this.retryMs * 2, LAST_RETRY_MS);
  }

  /**
   * Browsers do not report why a connection was refused, but the session shows it.
   *
   * Another tab may have signed in again. Then the browser has a new key, and connections opened
   * with the old key end.
   */
  private async askWhy(): Promise<void> {
    const session = this.ask.audience === 'public' ? null : await readSession(this.ask.at);
    if (this.closed || this.line !== null) return;
    if (session !== null && !mayRead(session, this.ask.audience, this.ask.boards?.[0])) this.end('signed_out');
    else this.retryLater();
  }

  private end(code: string): void {
    this.close();
    this.stoppedAt ??= this.clock.now() - (performance.now() - this.lastHeard);
    this.wasStale = true;
    this.on.ended?.(code);
  }

  private hear(frame: Frame): void {
    this.lastHeard = performance.now();
    switch (frame.type) {
      case 'hello':
        this.clock.forget();
        this.clock.set(frame.time);
        this.unseen = new Set(this.known);
        this.on.hello?.(frame);
        break;
      case 'value':
        this.take(frame.topic, frame.payload, frame.received, frame.unreadable === true);
        break;
      case 'ready':
        for (const topic of this.unseen) this.take(topic, null, null);
        this.unseen.clear();
        this.retryMs = FIRST_RETRY_MS;
        this.whole = true;
        this.on.ready?.();
        this.reportSilence();
        break;
      case 'beat':
        this.follow(frame.time);
        if (frame.broker) this.brokerLostAt = null;
        else this.brokerLostAt ??= performance.now();
        this.on.beat?.(frame.time, frame.broker);
        this.reportSilence();
        break;
      case 'ended':
        if (frame.code !== 'signed_out') return this.end(frame.code);
        this.drop();
        void this.askWhy();
        break;
    }
  }

  /**
   * Takes the time of a beat. If the server's clock was set forward, earlier times are shifted with
   * it.
   */
  private follow(time: string): void {
    const leap = this.clock.set(time);
    if (leap === 0) return;
    lateness.leap(Date.parse(time), leap);
    if (this.stoppedAt !== null) this.stoppedAt += leap;
  }

  private take(topic: string, payload: unknown, received: string | null, isUnreadable = false): void {
    this.unseen.delete(topic);
    // Events are not retained, so a missing event clears nothing.
    if (!topic.endsWith('/event')) {
      if (payload === null && !isUnreadable) this.known.delete(topic);
      else this.known.add(topic);
    }
    lateness.hear(topic, payload, received, this.ask.audience);
    this.on.value(topic, payload, received, isUnreadable);
  }

  private watch(): void {
    const now = performance.now();
    const slept = now - this.lastWatch > SLEPT_MS;
    this.lastWatch = now;
    // Also in hidden tabs: an alert may have to sound.
    const dead = this.line !== null && now - this.lastHeard > SILENCE_MS * 2 && now - this.connectedAt > PATIENCE_MS;
    // Timers of a hidden tab fire once a minute, as if it had slept each time.
    if (slept && document.visibilityState !== 'hidden') this.woken();
    else if (dead) {
      this.drop();
      this.retryLater();
    }
    this.reportSilence();
  }

  private reportSilence(): void {
    const now = performance.now();
    const silent = now - this.lastHeard;
    const withoutBroker = this.brokerLostAt === null ? 0 : now - this.brokerLostAt;
    const stale = silent > SILENCE_MS || withoutBroker > BROKER_LOST_MS;
    if (stale) {
      const byServer = silent > SILENCE_MS;
      const since = byServer ? silent : withoutBroker;
      this.stoppedAt ??= this.clock.now() - since;
      this.on.stale?.(true, since, byServer ? 'server' : 'broker');
      this.wasStale = true;
    } else if (this.wasStale && this.whole) {
      this.wasStale = false;
      this.stoppedAt = null;
      this.on.stale?.(false, 0, 'server');
    }
  }

  /**
   * After a pause somebody is looking again: skip the back-off and distrust a silent connection.
   */
  private readonly woken = (): void => {
    if (this.closed || document.visibilityState === 'hidden') return;
    if (this.line !== null && performance.now() - this.lastHeard < SILENCE_MS / 2) return;
    this.retryMs = FIRST_RETRY_MS;
    // A connection that is still opening gets its time.
    if (this.line?.opening !== true) this.connect();
  };
}

function parse(data: unknown, on: LineHandlers): void {
  let frame: Frame;
  try {
    frame = parsePlain(String(data)) as Frame;
  } catch {
    return; // not JSON, hence not one of our frames
  }
  on.frame(frame);
}

/** Opens a feed. It survives lost connections until it is closed or a sign-in is needed. */
export function openFeed(ask: FeedAsk, on: FeedHandlers): Feed {
  return new Connection(ask, on);
}

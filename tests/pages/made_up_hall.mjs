// A hall of two made-up boards for the arbiter's console. It replaces feed and daemon, so that any
// situation can be produced.

import assert from 'node:assert/strict';
import { url } from './browser.mjs';

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
export const MOVES = [
  ['g1f3', 'Nf3'],
  ['g8f6', 'Nf6'],
  ['f3g1', 'Ng1'],
  ['f6g8', 'Ng8'],
].map(([uci, san]) => ({ uci, san, clock_ms: 5_000_000 }));
const NOW = '2026-11-22T12:00:00.000Z';

const later = (seconds) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

/** A hall of two boards as the arbiter sees it; `alerts` and the other topics are those of b1. */
export class Hall {
  constructor({ alerts = [], game = {}, draw = {}, clock = {}, availability = {}, elsewhere = [] } = {}) {
    this.seq = 40;
    this.topics = { alerts: { alerts }, elsewhere: { alerts: elsewhere }, game, draw, clock, availability };
    this.sockets = new Set();
    this.sent = [];
    this.beats = [];
    /** Commands are answered after this. */
    this.held = null;
    this.answer = (body) => ({
      status: 200,
      json: { schema: 'remisd/reply/1', id: body.id, ok: true, seq: this.seq + 1 },
    });
  }

  envelope(board) {
    return { site: 'hall', board, session: 's', seq: this.seq, time: NOW };
  }

  game() {
    return {
      ...this.envelope('b1'),
      game: 3,
      headers: { White: 'Smit, Anna', Black: 'Jansen, Piet' },
      fen: START,
      start_fen: START,
      laws: 'fide-2023',
      rate: 'standard',
      moves: MOVES,
      ply: 4,
      turn: 'white',
      clocks: { white_ms: 5_000_000, black_ms: 4_000_000, running: null },
      tracker: { state: 'following' },
      result: null,
      ...this.topics.game,
    };
  }

  draw() {
    return {
      ...this.envelope('b1'),
      game: 3,
      ply: 4,
      turn: 'white',
      fen: START,
      laws: 'fide-2023',
      halfmove_clock: 4,
      repetition: { count: 2, plies: [0, 4] },
      automatic_in: { occurrences: 3, plies: 146 },
      automatic: null,
      claims: [],
      claim: null,
      offer: null,
      touched: [],
      lost: [],
      must_play: null,
      ...this.topics.draw,
    };
  }

  frames(opened) {
    const { moves, start_fen, laws, rate, ...tile } = this.game();
    const link = {
      up: true,
      kind: 'dgt',
      port: '/dev/ttyACM0',
      battery: this.seq,
      confidence: 'certain',
      orientation: 'normal',
      faulty_squares: [],
      counters: {},
    };
    const clock = {
      ...this.envelope('b1'),
      white_ms: 5_000_000,
      black_ms: 4_000_000,
      running: null,
      paused: null,
      adjustment: null,
      ...this.topics.clock,
    };
    const shared = [
      ['b1/alerts', { ...this.envelope('b1'), ...this.topics.alerts }],
      ['b1/clock', clock],
      ['b1/availability', { ...this.envelope('b1'), state: 'online', ...this.topics.availability }],
    ];
    // The last message shows by its content that all others have arrived: see `shown`.
    const last = ['b1/link', { ...this.envelope('b1'), ...link }];
    if (opened) return [...shared, ['b1/game', this.game()], ['b1/draw', this.draw()], last];
    return [
      ...shared,
      ['b1/tile', { ...tile, last: moves.at(-1) }],
      ['b2/tile', { ...tile, ...this.envelope('b2'), last: null, ply: 0 }],
      ['b2/alerts', { ...this.envelope('b2'), ...this.topics.elsewhere }],
      last,
    ];
  }

  /** A closed context does not notify its sockets. */
  close() {
    this.beats.forEach(clearInterval);
  }

  tell(socket, frame) {
    socket.send(JSON.stringify(frame));
  }

  /** Sends everything again, as after a change. */
  publish() {
    for (const [socket, opened] of this.sockets) {
      for (const [topic, payload] of this.frames(opened))
        this.tell(socket, { type: 'value', topic, payload, received: NOW });
    }
  }

  /** Sends one topic, received this many seconds after the start. */
  say(topic, payload, seconds) {
    const time = later(seconds);
    for (const [socket] of this.sockets)
      this.tell(socket, { type: 'value', topic, payload: { ...payload, time }, received: time });
  }

  /**
   * Advances the server's clock to this many seconds after the start; the delayed heartbeats arrive
   * together.
   */
  beat(seconds) {
    for (const [socket] of this.sockets)
      for (const second of [0, seconds]) this.tell(socket, { type: 'beat', time: later(second), broker: true });
  }

  /** Stops the heartbeats. */
  fallSilent() {
    this.beats.forEach(clearInterval);
  }

  /**
   * Waits until the opened board shows the last update: its battery percentage equals the sequence
   * number.
   */
  shown(tab) {
    return tab.waitForFunction(
      (battery) => document.querySelector('.part-device')?.textContent.includes(battery),
      `${this.seq} %`,
    );
  }

  /** Replaces the server's feed, session and commands for a tab. */
  async serve(tab) {
    await tab.route('**/api/session', (route) =>
      route.fulfill({
        json: {
          schema: 'remisd/session/1',
          grants: [{ role: 'arbiter', board: null, user: 'arbiter', name: 'Anna Smit' }],
          open: [],
        },
      }),
    );
    await tab.route('**/api/command/**', async (route) => {
      const body = route.request().postDataJSON();
      const [, board, verb] = /command\/arbiter\/([^/]+)\/([^/]+)$/.exec(route.request().url());
      this.sent.push({ board, verb, body });
      await this.held;
      await route.fulfill(this.answer(body, verb));
    });
    await tab.routeWebSocket(/\/feed\?/, (socket) => {
      const opened = /boards=b1/.test(socket.url());
      const pair = [socket, opened];
      this.sockets.add(pair);
      this.tell(socket, {
        type: 'hello',
        site: 'hall',
        audience: 'arbiter',
        time: NOW,
        version: '0.1.0',
        delay_ms: 0,
        languages: ['en'],
      });
      for (const [topic, payload] of this.frames(opened))
        this.tell(socket, { type: 'value', topic, payload, received: NOW });
      this.tell(socket, { type: 'ready' });
      const beat = setInterval(() => this.tell(socket, { type: 'beat', time: NOW, broker: true }), 2000);
      this.beats.push(beat);
      socket.onClose(() => {
        clearInterval(beat);
        this.sockets.delete(pair);
      });
    });
  }
}

/** An alert of the first board. */
export const alert = (code, level, more = {}) => ({
  id: `${code}-17`,
  code,
  level,
  since: NOW,
  article: '9.5.3',
  arguments: {},
  text: { en: `What is so: ${code}.` },
  acknowledged_by: null,
  ...more,
});

/** Opens the console on a made-up hall; fails on any error of the page. */
export async function inHall(browser, options, use, { hash = '#board=b1', lang = 'en', prepare } = {}) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  const troubles = [];
  tab.on('pageerror', (error) => troubles.push(error.message));
  const hall = new Hall(options);
  await hall.serve(tab);
  await prepare?.(tab);
  await tab.goto(`${url}/arbiter?lang=${lang}${hash}`);
  // The last message has a battery of 40 %, and `ready` comes after it.
  if (hash)
    await tab.waitForFunction(
      () =>
        document.querySelector('.part-device')?.textContent.includes('40 %') &&
        document.querySelector('.part-head .hint') === null,
    );
  else await tab.waitForSelector('[data-board=b1] .battery:not(:empty)');
  try {
    await use(tab, hall);
    assert.deepEqual(troubles, []);
  } finally {
    hall.close();
    await context.close();
  }
}

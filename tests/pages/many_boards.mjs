// A console with many boards. A stand-in for the server's feed sends their data, so that only the
// page is at work. The caller decides what happens at the boards.

import { openTab, url } from './browser.mjs';

export const BOARDS = 200;

const SESSION = {
  schema: 'remisd/session/1',
  grants: [{ role: 'arbiter', board: null, user: 'arbiter', name: 'Anna Smit' }],
  open: [],
};

/** The moves of every board, repeated, by the ply modulo four; board n starts with n − 1 plies. */
const SANS = ['Ng8', 'Nf3', 'Nf6', 'Ng1'];

/** A tile's text for a board's last move after this many rounds. */
export function told(number, rounds) {
  const ply = number - 1 + rounds;
  return `${Math.ceil(ply / 2)}${ply % 2 === 1 ? '.' : '…'} ${SANS[ply % SANS.length]}`;
}

/** The name of a board by its number, counted from 1. */
export function nameOf(number) {
  return `b${String(number).padStart(3, '0')}`;
}

/**
 * Runs in the page: a WebSocket that reports many boards. `globalThis.hall` controls them: `play()`
 * plays a ply at each board, `playOn()` a ply a second at each from now on, `alarm(i)` raises an
 * alarm at one, `loseNode()` loses the node.
 */
function standIn(boards) {
  const PLIES = [
    ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w', { uci: 'f6g8', san: 'Ng8' }],
    ['rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b', { uci: 'g1f3', san: 'Nf3' }],
    ['rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w', { uci: 'g8f6', san: 'Nf6' }],
    ['rnbqkb1r/pppppppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR b', { uci: 'f3g1', san: 'Ng1' }],
  ];
  const name = (i) => `b${String(i + 1).padStart(3, '0')}`;
  const now = () => new Date().toISOString();
  const seqs = new Array(boards).fill(10);
  const rounds = new Array(boards).fill(0);
  const envelope = (i) => ({ site: 'hall', board: name(i), session: 's', seq: ++seqs[i], time: now() });
  const tile = (i) => {
    const ply = i + rounds[i];
    const [placed, last] = PLIES[ply % PLIES.length];
    const turn = ply % 2 ? 'black' : 'white';
    return {
      ...envelope(i),
      schema: 'remisd/tile/1',
      game: 1,
      headers: { White: `Van der Weijden-Hoogeveen, Maximiliaan ${i}`, Black: `Özdemir, Ayşe ${i}` },
      fen: `${placed} KQkq - ${ply} ${Math.floor(ply / 2) + 1}`,
      ply,
      turn,
      last: ply === 0 ? null : last,
      clocks: { white_ms: 5_400_000 - ply * 900, black_ms: 5_300_000 - ply * 800, running: turn },
      clocks_at: now(),
      tracker: { state: 'following' },
      uncertain: null,
      proposed_result: null,
      result: null,
    };
  };
  const link = (i) => ({
    ...envelope(i),
    up: true,
    kind: 'dgt',
    port: '/dev/ttyACM0',
    battery: 87,
    confidence: rounds[i] % 2 ? 'moving' : 'certain',
    orientation: 'normal',
    counters: {},
    faulty_squares: [],
  });
  const alert = (level, code, i, more = {}) => ({
    id: `${code}-${i}`,
    code,
    level,
    since: new Date(Date.now() - i * 1000).toISOString(),
    article: '9.6.1',
    arguments: { by: 'white', ply: 84 },
    text: { en: `A text that says what is so at this board and what is to be done about it, number ${i}.` },
    acknowledged_by: null,
    ...more,
  });
  const alertsOf = (i) => {
    if (i === 150) return [alert('red', 'fivefold', i, { escalated: true })];
    if (i % 50 === 7) return [alert('red', 'claim_made', i)];
    if (i % 20 === 3) return [alert('amber', 'threefold_claimable', i)];
    if (i % 33 === 5) return [alert('grey', 'clock_mismatch', i)];
    return i % 41 === 2 ? [alert('red', 'fivefold', i, { acknowledged_by: 'Piet' })] : [];
  };
  const node = (state) => ({
    schema: 'remisd/state/1',
    site: 'hall',
    node: 'remisd',
    session: 's',
    state,
    time: now(),
  });

  globalThis.WebSocket = class extends EventTarget {
    constructor() {
      super();
      this.readyState = 1;
      setTimeout(() => this.begin(), 20);
    }
    send() {}
    close() {}
    deliver(frame) {
      this.onmessage?.({ data: JSON.stringify(frame) });
    }
    value(topic, payload) {
      this.deliver({ type: 'value', topic, payload, received: now() });
    }
    begin() {
      const hello = {
        site: 'hall',
        audience: 'arbiter',
        time: now(),
        version: '0.1.0',
        delay_ms: 0,
        languages: ['en'],
      };
      this.deliver({ type: 'hello', ...hello });
      this.value('node/remisd/state', node('online'));
      for (let i = 0; i < boards; i++) {
        this.value(`${name(i)}/availability`, { ...envelope(i), state: 'online' });
        this.value(`${name(i)}/link`, link(i));
        this.value(`${name(i)}/tile`, tile(i));
        this.value(`${name(i)}/alerts`, { ...envelope(i), alerts: alertsOf(i) });
      }
      this.deliver({ type: 'ready' });
      setInterval(() => this.deliver({ type: 'beat', time: now(), broker: true }), 2000);
      globalThis.hall = {
        play: () => {
          for (let i = 0; i < boards; i++) this.ply(i);
        },
        playOn: () => this.playOn(),
        alarm: (i) => this.value(`${name(i)}/alerts`, { ...envelope(i), alerts: [alert('red', 'fivefold', i)] }),
        loseNode: () => this.value('node/remisd/state', node('lost')),
      };
    }
    ply(i) {
      rounds[i]++;
      this.value(`${name(i)}/tile`, tile(i));
      this.value(`${name(i)}/link`, link(i));
    }
    playOn() {
      let plies = 0;
      // A twentieth of the boards twenty times a second, so each plays a ply a second.
      setInterval(() => {
        for (let k = 0; k < boards / 20; k++, plies++) this.ply(plies % boards);
        // Occasionally an alarm is raised or cleared, so that the order changes.
        if (plies % boards !== 0) return;
        const i = (plies / boards) % boards;
        const alerts = Math.floor(plies / boards / 10) % 2 ? [] : [alert('red', 'fivefold', i)];
        this.value(`${name(i)}/alerts`, { ...envelope(i), alerts });
      }, 50);
    }
  };
  globalThis.WebSocket.CONNECTING = 0;
}

/**
 * Opens a console with this many boards and waits until all are shown; `prepare` is applied to the
 * tab first.
 */
export async function openMany(browser, { boards = BOARDS, prepare, ...options } = {}) {
  const opened = await openTab(browser, { viewport: { width: 1440, height: 900 }, ...options });
  const { tab } = opened;
  await tab.route('**/api/session', (route) => route.fulfill({ json: SESSION }));
  await prepare?.(tab);
  await tab.addInitScript(standIn, boards);
  await tab.goto(`${url}/arbiter?lang=en`);
  await tab.waitForFunction((count) => document.querySelectorAll('.tile').length === count, boards);
  return opened;
}

// A console on the cluster: `remisd hall`, and a reader of its feed that trusts a board as the arbiter's
// page does. Whatever it trusts must not be older than those rules promise.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, request } from 'node:http';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { load } from '../pages/bundle.mjs';
import { listening, program } from '../samples/venue.mjs';

const PORT = 9120;
const RETRY_MS = 500;
const LOOK_MS = 1_000;
/** What the page itself judges with. */
const { Hall, SILENT_MS, SILENCE_MS, BROKER_LOST_MS } = await load(
  `export { Hall, SILENT_MS } from './arbiter/hall'; export { SILENCE_MS, BROKER_LOST_MS } from './lib/feed';`,
);
/** How old a trusted value may be: the last `health` just in time, and a look. */
const OLDEST_MS = SILENT_MS + LOOK_MS;
/** The facts that change a leaf which the console shows. */
const CHANGES = {
  tile: new Set(['game_started', 'move_made', 'ended', 'result_set']),
  alerts: new Set(['alert_raised', 'alert_cleared']),
};

export class Console {
  /** What it showed at each look: the time, and of each trusted board the `seq` of its leaves. */
  looks = [];
  hall = new Hall(
    () => {},
    () => {},
  );
  known = new Set();
  isReady = false;
  heard = 0;
  brokerLostAt = 0;
  #stopped = false;

  static async start(folder, urls) {
    const console = new Console();
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'hall.toml');
    const journal = `[journal]\ndir = "${folder}"`;
    writeFileSync(config, `[mqtt]\nurl = "${urls}"\n[http]\nlisten = "127.0.0.1:${PORT}"\n${journal}\n`);
    const log = openSync(join(folder, 'hall.log'), 'a');
    console.process = spawn(program, ['hall', '--config', config], { stdio: ['ignore', 'ignore', log] });
    console.gone = once(console.process, 'exit');
    await listening(PORT);
    console.#read();
    console.timer = setInterval(() => console.#look(), LOOK_MS);
    return console;
  }

  async #read() {
    while (!this.#stopped) {
      await this.#feed().catch((error) => (this.error = error));
      this.isReady = false;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #feed() {
    this.cookie ??= await signIn();
    const asked = get({
      port: PORT,
      path: '/api/events?audience=arbiter&view=tiles',
      headers: { cookie: this.cookie },
    });
    this.asked = asked;
    const [answer] = await once(asked, 'response');
    if (answer.statusCode === 401) this.cookie = undefined;
    for await (const line of createInterface({ input: answer }))
      if (line.startsWith('data:')) this.#take(JSON.parse(line.slice(5)));
  }

  #take(frame) {
    this.heard = Date.now();
    if (frame.type === 'hello') this.unseen = new Set(this.known);
    if (frame.type === 'value') {
      this.unseen.delete(frame.topic);
      if (frame.payload === null) this.known.delete(frame.topic);
      else this.known.add(frame.topic);
      this.hall.take(frame.topic, frame.payload, frame.received);
    }
    if (frame.type === 'ready') {
      for (const topic of this.unseen) this.hall.take(topic, null, null);
      this.isReady = true;
    }
    if (frame.type === 'beat') this.brokerLostAt = frame.broker ? 0 : this.brokerLostAt || Date.now();
  }

  /** Whether the page would show the values of a board without a warning. */
  #trusts(board) {
    const now = Date.now();
    if (!this.isReady || now - this.heard > SILENCE_MS) return false;
    if (this.brokerLostAt !== 0 && now - this.brokerLostAt > BROKER_LOST_MS) return false;
    return board.doubt === null;
  }

  #look() {
    this.hall.beat(Date.now());
    const seq = (seen) => seen?.payload.seq ?? 0;
    const shown = this.hall
      .byNumber()
      .filter((board) => board.tile && this.#trusts(board))
      .map((board) => [board.name, { tile: seq(board.tile), alerts: seq(board.alerts) }]);
    this.looks.push({ at: Date.now(), shown });
  }

  /** The trusted values that were older than they may be, from the record of each board. */
  judge(entries) {
    const result = { looks: 0, trusted: 0, old: [] };
    const changes = new Map([...entries].map(([board, all]) => [board, leavesOf(all)]));
    for (const { at, shown } of this.looks) {
      result.looks += entries.size;
      result.trusted += shown.length;
      for (const [board, leaves] of shown)
        for (const leaf of Object.keys(CHANGES)) {
          const missed = changes.get(board)[leaf].find(({ seq }) => seq > leaves[leaf]);
          if (missed && at - missed.time > OLDEST_MS) result.old.push({ board, leaf, at, ms: at - missed.time });
        }
    }
    // A console that trusts nothing is never wrong, and of no use.
    result.isOfUse = result.trusted > result.looks / 10;
    return result;
  }

  async stop() {
    this.#stopped = true;
    clearInterval(this.timer);
    this.asked?.destroy();
    this.process.kill('SIGTERM');
    await this.gone;
  }
}

/** The times of the entries that change each leaf, oldest first. */
function leavesOf(entries) {
  const leaves = { tile: [], alerts: [] };
  for (const { seq, time, facts } of entries)
    for (const [leaf, kinds] of Object.entries(CHANGES))
      if (facts.some(({ type }) => kinds.has(type))) leaves[leaf].push({ seq, time: Date.parse(time) });
  return leaves;
}

/** Signs in as an arbiter, where the broker asks nobody for a password. Returns the cookie. */
async function signIn() {
  const headers = { 'content-type': 'application/json', origin: `http://127.0.0.1:${PORT}`, host: `127.0.0.1:${PORT}` };
  const asked = request({ port: PORT, path: '/api/session', method: 'POST', headers });
  asked.end(JSON.stringify({ role: 'arbiter', name: 'Console' }));
  const [answer] = await once(asked, 'response');
  answer.resume();
  if (answer.statusCode !== 200) throw new Error(`the sign-in is answered with ${answer.statusCode}`);
  return answer.headers['set-cookie'].map((cookie) => cookie.split(';')[0]).join('; ');
}

/** One line for people. */
export function consoleLine({ looks, trusted, old }) {
  const worst = old.reduce((worst, one) => (one.ms > (worst?.ms ?? 0) ? one : worst), undefined);
  const share = ((100 * trusted) / Math.max(1, looks)).toFixed(1);
  const what = worst ? `${old.length}, worst ${worst.board} ${worst.leaf} for ${worst.ms} ms` : 'never';
  return `console: ${looks} looks at a board, ${share} % trusted; trusted and older than ${OLDEST_MS} ms: ${what}`;
}

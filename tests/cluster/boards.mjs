// A daemon with simulated boards, and the record that it keeps on the disk.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { program, read } from '../samples/venue.mjs';

/** The games of each board: more than any run needs. */
const GAMES = 40;
/** How long a daemon may take to stop when asked. */
const FAREWELL_MS = 20_000;

export class Daemon {
  /** Starts a daemon whose boards are played so many times faster than by people. */
  static async start(folder, urls, { count, speed, node = 'remisd', more = '' }) {
    const daemon = new Daemon();
    mkdirSync(folder, { recursive: true });
    Object.assign(daemon, { folder, node, hands: [], boards: [] });
    const games = read('tests/data/games/otb-2025.pgn').split(/\n(?=\[Event )/);
    for (let number = 1; number <= count; number += 1) {
      const board = `b${number}`;
      daemon.boards.push(board);
      const own = games.slice((number * GAMES) % games.length).slice(0, GAMES);
      const pgn = join(folder, `${board}.pgn`);
      writeFileSync(pgn, `${own.join('\n')}\n`);
      const link = join(folder, `tty-${board}`);
      const words = ['simulate', 'dgt', '--pgn', pgn, '--link', link, '--speed', String(speed), '--seed', `${number}`];
      const hand = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
      const lines = createInterface({ input: hand.stdout });
      await once(lines, 'line');
      daemon.hands.push(hand);
    }
    daemon.config = join(folder, 'remisd.toml');
    const tables = [
      '[site]\nid = "hall"',
      `node = "${node}"`,
      `[mqtt]\nurl = "${urls}"`,
      '[laws]\nconfirm = "automatic"',
      `[journal]\ndir = "${join(folder, 'journal')}"\nraw_kib = 0`,
      ...daemon.boards.map(
        (board) =>
          `[[board]]\nid = "${board}"\nkind = "dgt"\nport = "${join(folder, `tty-${board}`)}"\n` +
          `[board.hand]\nspeed = ${speed}`,
      ),
      more,
    ];
    writeFileSync(daemon.config, `${tables.join('\n')}\n`);
    daemon.launch();
    return daemon;
  }

  launch() {
    const log = openSync(join(this.folder, 'remisd.log'), 'a');
    const { REMISD, ...rest } = process.env;
    const env = { ...rest, STATE_DIRECTORY: this.folder, REMISD_LOG: 'info' };
    this.process = spawn(program, ['run', '--config', this.config], { env, stdio: ['ignore', 'ignore', log] });
    this.gone = once(this.process, 'exit');
    this.gone.then(() => (this.ended = true));
  }

  get log() {
    return readFileSync(join(this.folder, 'remisd.log'), 'utf8');
  }

  /** The host of the node that the daemon has used last. */
  get broker() {
    return [...this.log.matchAll(/connected to the broker.*?mqtt:\/\/([\d.]+):/g)].at(-1)?.[1];
  }

  /** Stops the hands, so the daemon has nothing new to say. */
  rest() {
    for (const hand of this.hands) hand.kill('SIGTERM');
  }

  async stop() {
    this.rest();
    this.process.kill('SIGTERM');
    const late = setTimeout(() => this.process.kill('SIGKILL'), FAREWELL_MS);
    await this.gone;
    clearTimeout(late);
  }

  /** All entries of a board, oldest first, as they are on the disk. */
  entries(board) {
    const folder = join(this.folder, 'journal', board);
    const segments = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    const entries = [];
    for (const segment of segments.sort()) {
      const text = readFileSync(join(folder, segment), 'utf8');
      // The last line may be half written.
      const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
      for (const line of whole.filter((one) => one !== '')) {
        const { entry } = JSON.parse(line.slice(line.indexOf(' ') + 1));
        if (entry !== undefined) entries.push(entry);
      }
    }
    return entries;
  }
}

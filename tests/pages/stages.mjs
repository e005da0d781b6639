// The stages for the pages' tests: the built program with a broker and a simulated board, as a demo
// or as a separate daemon.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const program = process.env.REMISD ?? join(root, 'target', 'debug', 'remisd');
/** How often the game is played in sequence: more than any test needs. */
const GAMES = 200;

/** A folder with the games, and the processes of a stage. */
export class Stage {
  folder = mkdtempSync(join(tmpdir(), 'remisd-pages-'));
  games = join(this.folder, 'games.pgn');
  children = [];

  constructor(game = readFileSync(join(root, 'src/cli/demo/robson-moranda-2019.pgn'), 'utf8')) {
    writeFileSync(this.games, `${game}\n`.repeat(GAMES));
  }

  /**
   * Starts a process. `found` is called with each line that it prints, until it returns a value.
   */
  async start(command, args, { env, found } = {}) {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    this.children.push(child);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.gone = ended;
    child.name = `${command} ${args[0]}`;
    if (found === undefined) return child.stdout.resume();
    const wanted = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const what = found(line);
        if (what !== undefined) resolve(what);
      });
    });
    const code = ended.then((number) => Promise.reject(new Error(`${child.name} has ended with ${number}`)));
    return Promise.race([wanted, code]);
  }

  /** Stops all processes, newest first. Returns those that exceeded the limit and were killed. */
  async stop(farewellMs) {
    const stubborn = [];
    for (const child of this.children.reverse()) {
      const kill = setTimeout(() => {
        stubborn.push(child.name);
        child.kill('SIGKILL');
      }, farewellMs);
      child.kill('SIGTERM');
      await child.gone;
      clearTimeout(kill);
    }
    rmSync(this.folder, { recursive: true });
    return stubborn;
  }
}

/**
 * Below the ports that Linux assigns by itself (32768 and above), so that no other connection or
 * listener takes a port between its choice and the start of the program.
 */
const PORTS = { first: 12_000, after: 32_000 };

/** A port without a listener. */
export async function freePort() {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.after);
    const server = createServer();
    const free = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

/** How long a process may take to listen. */
const START_MS = 60_000;

/** Waits until a port has a listener. */
export function listening(port) {
  const late = Date.now() + START_MS;
  return new Promise((resolve, reject) => {
    const attempt = () => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve();
      });
      socket.once('error', (error) => (Date.now() < late ? setTimeout(attempt, 50) : reject(error)));
    };
    attempt();
  });
}

/** A demo at this speed; 1 is about a ply a second. */
export const demo = (speed) => show(new Stage(), speed, 0);

/** No hall, for tests that start what they need. */
export const nothing = () => ({ url: '', mqtt: '', delay: 0, stop: () => [] });

/** The ply after which White can first claim in a rehearsal. */
export const CLAIMABLE_PLY = 10;
/** How long White waits there: longer than any dialogue takes on a busy machine. */
const CLAIMABLE_S = 45;
/** The speed of a rehearsal: fivefold repetition stands long enough to be confirmed. */
const REHEARSAL_SPEED = 0.5;

/** A demo of a short game that ends by fivefold repetition. */
export function rehearsal() {
  const around = '2. Nf3 Nc6 3. Ng1 Nb8';
  const game = `[White "White, Anna"]\n[Black "Black, Bea"]\n[Result "1/2-1/2"]\n\n1. e4 e5 ${`${around} `.repeat(4)}1/2-1/2\n`;
  return show(new Stage(game), REHEARSAL_SPEED, CLAIMABLE_S);
}

/** A demo of the stage's games at this speed, with a player who waits where he can first claim. */
async function show(stage, speed, waitS) {
  const where = {};
  const args = [
    'demo',
    '--pgn',
    stage.games,
    '--speed',
    String(speed),
    '--wait',
    String(waitS),
    '--mqtt',
    '127.0.0.1:0',
    '--http',
    '127.0.0.1:0',
  ];
  await stage.start(program, args, {
    found: (line) => {
      where.url ??= /^ +pages +(http:\S+)/.exec(line)?.[1];
      where.mqtt ??= /^ +broker +mqtt:\/\/(\S+)/.exec(line)?.[1];
      return where.url && where.mqtt ? where : undefined;
    },
  });
  return { ...where, delay: 0, stop: (farewellMs) => stage.stop(farewellMs) };
}

/**
 * A daemon with Mosquitto and this delay for the public. The board plays about two plies a second.
 */
export async function delayed(delayMs) {
  const SPEED = 4;
  const stage = new Stage();
  const [mqtt, http] = [await freePort(), await freePort()];
  const conf = join(stage.folder, 'mosquitto.conf');
  writeFileSync(conf, `listener ${mqtt} 127.0.0.1\nallow_anonymous true\nlog_type error\n`);
  await stage.start('mosquitto', ['-c', conf], { env: { PATH: `${process.env.PATH}:/usr/sbin` } });
  await listening(mqtt);
  const simulate = ['simulate', 'dgt', '--pgn', stage.games, '--speed', String(SPEED)];
  const device = await stage.start(program, simulate, { found: (line) => line });
  const config = join(stage.folder, 'remisd.toml');
  const settings = {
    site: ['id = "hall"', 'node = "remisd"'],
    mqtt: [`url = "mqtt://127.0.0.1:${mqtt}"`],
    laws: ['confirm = "automatic"'],
    audience: ['profile = "competition"', `delay_ms = ${delayMs}`],
    journal: [`dir = ${JSON.stringify(join(stage.folder, 'journal'))}`],
    http: [`listen = "127.0.0.1:${http}"`],
    '[board]': ['id = "b1"', 'kind = "dgt"', `port = ${JSON.stringify(device)}`],
    'board.hand': [`speed = ${SPEED}`],
  };
  const tables = Object.entries(settings).map(([name, lines]) => [`[${name}]`, ...lines].join('\n'));
  writeFileSync(config, `${tables.join('\n\n')}\n`);
  await stage.start(program, ['run', '--config', config], { env: { STATE_DIRECTORY: stage.folder } });
  await listening(http);
  return {
    url: `http://127.0.0.1:${http}`,
    mqtt: `127.0.0.1:${mqtt}`,
    delay: delayMs,
    stop: (farewellMs) => stage.stop(farewellMs),
  };
}

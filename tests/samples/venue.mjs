// A venue for the tests of the samples: the built program, set up by `remisd setup`, with a guarded
// broker and a simulated board. And the samples, with names and places of the test.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stage, freePort, listening, program, root } from '../pages/stages.mjs';

export { freePort, listening, program, root };

/** The name of the server in the samples. */
export const NAME = 'chess.example.org';
/** How long a process may take to stop when asked. */
const FAREWELL_MS = 10_000;
/** Brokers and web servers are installed where only the PATH of root looks. */
process.env.PATH += ':/usr/sbin:/sbin';
process.env.LC_ALL = 'C.UTF-8';

/** The text of a file of the project. */
export const read = (path) => readFileSync(join(root, path), 'utf8');

/** The text of a sample with `changes`, a list of [before, after]. Each must occur in it. */
export function sample(path, changes) {
  return changes.reduce((text, [before, after]) => {
    assert.ok(text.includes(before), `${path} has no ${before}`);
    return text.replaceAll(before, after);
  }, read(path));
}

/** The lines of a sample's comment that begin with `first`, up to the empty line, uncommented. */
export function commented(path, first) {
  const lines = read(path).split('\n');
  const begin = lines.findIndex((line) => /^# {3}/.test(line) && line.slice(4) === first);
  assert.ok(begin >= 0, `${path} has no comment ${first}`);
  const length = lines.slice(begin).findIndex((line) => !/^# {3}/.test(line));
  return lines.slice(begin, begin + length).map((line) => line.slice(4));
}

/** A folder with processes in it, and what `remisd setup` has written. */
export class Venue extends Stage {
  mqtt = 0;
  http = 0;
  config = join(this.folder, 'club', 'remisd.toml');

  /** Writes a file into the folder. Returns its path. */
  write(name, text) {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  /** Runs a command to its end. Returns what it has printed. */
  run(command, args, options = {}) {
    return execFileSync(command, args, { encoding: 'utf8', cwd: this.folder, ...options });
  }

  /** Sets up a broker with users, and starts it. */
  async broker() {
    await this.setUp('hall');
    await this.startBroker();
  }

  /** Writes the files of a broker and a daemon for this site. */
  async setUp(site) {
    [this.mqtt, this.http] = [await freePort(), await freePort()];
    const at = ['--mqtt', `127.0.0.1:${this.mqtt}`, '--http', `127.0.0.1:${this.http}`];
    const where = ['--site', site, '--dir', join(this.folder, 'club'), '--port', join(this.folder, 'board')];
    this.run(program, ['setup', ...where, ...at], { stdio: ['ignore', 'pipe', 'pipe'] });
    appendFileSync(join(this.folder, 'club', 'mosquitto.conf'), 'log_type error\n');
  }

  async startBroker() {
    const conf = join(this.folder, 'club', 'mosquitto.conf');
    await this.start('mosquitto', ['-c', conf], { env: { PATH: process.env.PATH } });
    await listening(this.mqtt);
  }

  /** The password of a user. */
  password(user) {
    const users = readFileSync(join(this.folder, 'club', 'passwords'), 'utf8');
    return new RegExp(`^${user} +(\\S+)$`, 'm').exec(users)[1];
  }

  /**
   * Adds lines to the section [http], then starts the daemon and a board, which is played so many
   * times faster than by people.
   */
  async daemon(http = [], speed = 4) {
    const board = ['simulate', 'dgt', '--pgn', this.games, '--speed', String(speed)];
    await this.start(program, [...board, '--link', join(this.folder, 'board')], { found: (line) => line });
    const config = readFileSync(this.config, 'utf8').replace('[http]\n', ['[http]', ...http, ''].join('\n'));
    writeFileSync(this.config, `${config}\n[board.hand]\nspeed = ${speed}\n`);
    const env = { STATE_DIRECTORY: this.folder, REMISD_LOG: 'error' };
    await this.start(program, ['run', '--config', this.config], { env });
    await listening(this.http);
  }

  /** Starts a process. Returns its handle, for `end`. */
  async begin(command, args) {
    await this.start(command, args);
    return this.children.at(-1);
  }

  /** Stops one process. */
  async end(child) {
    child.kill('SIGTERM');
    await child.gone;
    this.children.splice(this.children.indexOf(child), 1);
  }

  /** Stops everything; every process must stop when asked. */
  async close() {
    assert.deepEqual(await this.stop(FAREWELL_MS), []);
  }
}

/** A certificate for NAME and its key, signed by itself, in PEM. */
export function certificate(venue) {
  const [cert, key] = [join(venue.folder, 'cert.pem'), join(venue.folder, 'key.pem')];
  // Some programs refuse a server whose certificate may certify others.
  const own = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  const names = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME},DNS:localhost`, ...own];
  const into = ['-keyout', key, '-out', cert, '-days', '2'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  venue.run('openssl', ['req', '-x509', ...kind, ...names, ...into], { stdio: 'ignore' });
  return { cert, key, ca: readFileSync(cert) };
}

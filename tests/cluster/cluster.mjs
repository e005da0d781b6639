// Three brokers that are to be one: a node on each computer of a private network.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from './mqtt.mjs';
import { Computer, address, makeSwitch } from './network.mjs';

export const PORT = 1883;
const START_MS = 90_000;

export class Cluster {
  nodes = [];

  /** Starts a cluster of this `kind`: the files of each node, and the command that starts one. */
  static async start(folder, kind, { count = kind.count ?? 3, ...options } = {}) {
    const cluster = new Cluster();
    cluster.kind = kind;
    cluster.probe = options.probe;
    makeSwitch();
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    for (const number of numbers) {
      const node = { number, host: address(number), computer: await Computer.start(number), alive: false, exits: [] };
      node.folder = join(folder, `node-${number}`);
      for (const [name, text] of Object.entries(kind.files(number, numbers, options))) {
        mkdirSync(dirname(join(node.folder, name)), { recursive: true });
        writeFileSync(join(node.folder, name), text);
      }
      cluster.nodes.push(node);
    }
    for (const node of cluster.nodes) await cluster.restart(node);
    // Clients of an early node may come before the others know it.
    for (const node of cluster.nodes) await cluster.accepts(node);
    return cluster;
  }

  get urls() {
    return this.nodes.map(({ host }) => `mqtt://${host}:${PORT}`).join(', ');
  }

  /** Starts a node and waits until it accepts a client and its subscription. */
  async restart(node) {
    this.launch(node);
    await this.accepts(node);
  }

  launch(node) {
    const out = openSync(join(node.folder, 'log'), 'a');
    const [command, words] = node.computer.inside(...this.kind.command);
    node.process = spawn(command, words, { cwd: node.folder, stdio: ['ignore', out, out] });
    node.alive = true;
    node.gone = once(node.process, 'exit').then(([code, signal]) => {
      node.alive = false;
      node.exits.push({ code, signal, at: Date.now() });
    });
  }

  /** Waits until a node serves clients. A node that ends by itself is started again, as by a unit. */
  async accepts(node, patienceMs = START_MS) {
    const late = Date.now() + patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      if (!node.alive) this.launch(node);
      try {
        const probe = await Client.open(node.host, PORT, `probe-${node.number}-${attempt}-${Date.now()}`, this.probe);
        await probe.subscribe('probe');
        probe.leave();
        return;
      } catch (error) {
        if (Date.now() > late)
          throw new Error(`node ${node.number} does not come: ${error.message}\n${this.tail(node)}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  async kill(node) {
    node.process.kill('SIGKILL');
    await node.gone;
  }

  tail(node) {
    return readFileSync(join(node.folder, 'log'), 'utf8').split('\n').slice(-20).join('\n');
  }

  async stop() {
    for (const node of this.nodes) {
      if (node.alive) await this.kill(node);
      node.computer.stop();
    }
  }
}

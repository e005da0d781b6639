// Subscribers that keep what they have received: at one node, or with a fail-over of their own.

import { Client } from './mqtt.mjs';
import { PORT } from './cluster.mjs';
import { kept } from './judge.mjs';

const RETRY_MS = 100;
/** How many payloads of a topic are kept: more than may come while a node is compared. */
const VALUES = 40;
/** For how long a broker shall keep the session of a witness. */
const SESSION_S = 3_600;

export class Witness {
  /** The arbiter's events, as far as they are judged. */
  messages = [];
  /** The last payloads of each topic, each with the time since when it was the newest. */
  values = new Map();
  connections = 0;
  present = 0;
  up = false;
  #stopped = false;

  /** Subscribes at the first of `hosts` that is there, and at the next one when it is lost. */
  constructor(name, hosts, filters, { onMessage } = {}) {
    Object.assign(this, { name, hosts, filters, onMessage });
    this.run();
  }

  async run() {
    for (let attempt = 0; !this.#stopped; attempt += 1) {
      this.host = this.hosts[attempt % this.hosts.length];
      try {
        const settings = { session: SESSION_S, aliveS: 2, onMessage: (message) => this.#take(message) };
        this.client = await Client.open(this.host, PORT, this.name, settings);
        this.connections += 1;
        this.present += this.client.sessionPresent ? 1 : 0;
        await this.client.subscribe(...this.filters);
        this.up = true;
        this.since = Date.now();
        attempt = this.hosts.indexOf(this.host);
        await this.client.closed;
      } catch {
        // The next one, then.
      }
      this.up = false;
      this.client?.end();
      if (!this.#stopped) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  #take(message) {
    const entry = { ...message, at: Date.now(), host: this.host, connection: this.connections };
    this.onMessage?.(entry);
    if (/\/event$/.test(message.topic)) {
      const event = kept(message, entry.at);
      if (event !== null) this.messages.push(event);
      return;
    }
    const values = this.values.get(message.topic) ?? [{ payload: '', at: 0 }];
    if (values.at(-1).payload !== message.payload) values.push({ payload: message.payload, at: entry.at });
    this.values.set(message.topic, values.slice(-VALUES));
  }

  stop() {
    this.#stopped = true;
    this.client?.end();
  }
}

/** What a new subscriber gets from a node: payloads by topic, until nothing more comes. */
export async function retainedAt(host, filter, quietMs = 700) {
  const found = new Map();
  let heard = Date.now();
  const onMessage = ({ topic, payload, retain }) => {
    // What is published meanwhile has no such mark.
    if (!retain) return;
    heard = Date.now();
    found.set(topic, payload);
  };
  const id = `look-${host}-${Math.random().toString(36).slice(2)}`;
  const client = await Client.open(host, PORT, id, { onMessage });
  await client.subscribe(filter);
  while (Date.now() - heard < quietMs) await new Promise((resolve) => setTimeout(resolve, 50));
  client.leave();
  return found;
}

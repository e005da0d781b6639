// A client of MQTT 5 with exactly what these tests need. It knows nothing of remisd, so it judges
// the daemon and the broker from outside.

import { connect } from 'node:net';

const [CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, PINGRESP, DISCONNECT] = [
  1, 2, 3, 4, 8, 9, 12, 13, 14,
];
const SESSION_EXPIRY = 0x11;
const WELCOME_MS = 5_000;

function varint(number) {
  const bytes = [];
  do {
    bytes.push((number % 128) | (number > 127 ? 128 : 0));
    number = Math.floor(number / 128);
  } while (number > 0);
  return Buffer.from(bytes);
}
const u16 = (number) => Buffer.from([number >> 8, number & 255]);
const text = (string) => {
  const bytes = Buffer.from(string);
  return Buffer.concat([u16(bytes.length), bytes]);
};
function packet(kind, flags, ...parts) {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([(kind << 4) | flags]), varint(body.length), body]);
}
/** Reads a variable length integer: its value and the place after it, or nothing if it is incomplete. */
function readVarint(bytes, place) {
  let value = 0;
  for (let shift = 1; place < bytes.length; shift *= 128) {
    const byte = bytes[place++];
    value += (byte & 127) * shift;
    if (byte < 128) return [value, place];
  }
  return undefined;
}

/** One connection. It does not reconnect: whoever holds it learns of the end through `closed`. */
export class Client {
  #rest = Buffer.alloc(0);
  #waiting = new Map();
  #id = 0;
  #heard = Date.now();
  #beat;

  /**
   * Connects. `more` may have `session` (seconds for which the broker keeps it), `user`, `password`,
   * `will` ({topic, payload, retain, delay}), `aliveS`, `clean`, and `onMessage`.
   */
  static open(host, port, id, more = {}) {
    return new Promise((resolve, reject) => {
      const client = new Client(host, port, id, more);
      const late = setTimeout(() => client.end('no welcome'), WELCOME_MS);
      client.opened = (present) => {
        clearTimeout(late);
        client.sessionPresent = present;
        resolve(client);
      };
      client.closed.then((why) => {
        clearTimeout(late);
        reject(new Error(why));
      });
    });
  }

  constructor(host, port, id, { session = 0, user, password, will, aliveS = 5, clean = session === 0, onMessage }) {
    this.onMessage = onMessage ?? (() => {});
    this.closed = new Promise((resolve) => (this.close = resolve));
    this.socket = connect({ host, port, noDelay: true });
    this.socket.on('error', (error) => this.end(error.message));
    this.socket.on('close', () => this.end('the connection is closed'));
    this.socket.on('data', (data) => this.#take(data));
    this.socket.on('connect', () => {
      const flags =
        (clean ? 2 : 0) |
        (will ? 0x0c | (will.retain ? 0x20 : 0) : 0) |
        (user === undefined ? 0 : 0x80) |
        (password === undefined ? 0 : 0x40);
      const expiry = Buffer.concat([Buffer.from([SESSION_EXPIRY]), u16(session >> 16), u16(session & 0xffff)]);
      const parts = [text('MQTT'), Buffer.from([5, flags]), u16(aliveS), varint(expiry.length), expiry, text(id)];
      if (will) {
        const delay = Buffer.concat([Buffer.from([0x18]), u16(0), u16(will.delay ?? 0)]);
        parts.push(varint(delay.length), delay, text(will.topic), text(will.payload));
      }
      if (user !== undefined) parts.push(text(user));
      if (password !== undefined) parts.push(text(password));
      this.socket.write(packet(CONNECT, 0, ...parts));
    });
    this.#beat = setInterval(() => {
      if (Date.now() - this.#heard > aliveS * 1500) this.end('the broker is silent');
      else this.socket.write(packet(PINGREQ, 0));
    }, aliveS * 500);
  }

  /** Ends the connection without a word, as a crash does. */
  end(why = 'ended') {
    clearInterval(this.#beat);
    this.socket.destroy();
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
    this.close(why);
  }

  /** Takes leave: no will is published. */
  leave() {
    this.socket.write(packet(DISCONNECT, 0));
    this.socket.end();
    this.end('left');
  }

  #ask(kind, flags, ...parts) {
    do this.#id = (this.#id % 65_535) + 1;
    while (this.#waiting.has(this.#id));
    const id = this.#id;
    this.socket.write(packet(kind, flags, ...parts.map((part) => (part === 'id' ? u16(id) : part))));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Subscribes at QoS 1. Resolves with the reason code of each filter. */
  subscribe(...filters) {
    const each = filters.map((filter) => Buffer.concat([text(filter), Buffer.from([1])]));
    return this.#ask(SUBSCRIBE, 2, 'id', Buffer.from([0]), ...each);
  }

  /** Publishes at QoS 1. Resolves with the reason code of the acknowledgement. */
  publish(topic, payload, { retain = false, expiryS, response, correlation } = {}) {
    const properties = [];
    if (expiryS !== undefined) properties.push(Buffer.from([2]), u16(expiryS >> 16), u16(expiryS & 0xffff));
    if (response !== undefined) properties.push(Buffer.from([8]), text(response));
    if (correlation !== undefined) properties.push(Buffer.from([9]), text(correlation));
    const all = Buffer.concat(properties);
    const flags = 2 | (retain ? 1 : 0);
    return this.#ask(PUBLISH, flags, text(topic), 'id', varint(all.length), all, Buffer.from(payload));
  }

  #take(data) {
    this.#heard = Date.now();
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    let place = 0;
    while (place < this.#rest.length) {
      const length = readVarint(this.#rest, place + 1);
      if (length === undefined || length[1] + length[0] > this.#rest.length) break;
      this.#packet(this.#rest[place], this.#rest.subarray(length[1], length[1] + length[0]));
      place = length[1] + length[0];
    }
    this.#rest = this.#rest.subarray(place);
  }

  #packet(head, body) {
    switch (head >> 4) {
      case CONNACK:
        if (body[1] !== 0) return this.end(`refused with ${body[1]}`);
        return this.opened?.((body[0] & 1) === 1);
      case PUBLISH:
        return this.#message(head, body);
      case PUBACK:
        return this.#answer(body.readUInt16BE(0), body[2] ?? 0);
      case SUBACK: {
        const [length, begin] = readVarint(body, 2);
        return this.#answer(body.readUInt16BE(0), [...body.subarray(begin + length)]);
      }
      case DISCONNECT:
        return this.end(`disconnected with ${body[0] ?? 0}`);
      default:
        return head >> 4 === PINGRESP ? undefined : this.end(`a packet of kind ${head >> 4}`);
    }
  }

  #answer(id, what) {
    this.#waiting.get(id)?.resolve(what);
    this.#waiting.delete(id);
  }

  #message(head, body) {
    const length = body.readUInt16BE(0);
    const qos = (head >> 1) & 3;
    const after = 2 + length + (qos > 0 ? 2 : 0);
    const [properties, begin] = readVarint(body, after);
    this.onMessage({
      topic: body.toString('utf8', 2, 2 + length),
      payload: body.toString('utf8', begin + properties),
      retain: (head & 1) === 1,
      again: (head & 8) === 8,
    });
    if (qos > 0) this.socket.write(packet(PUBACK, 0, body.subarray(2 + length, 4 + length)));
  }
}

/** Commands to a board, resent with the same id until answered, so that none is executed twice. */

import { refusalOf } from './refusal';
import type { Role } from './topics';

export type Reply =
  | { ok: true; id: string; seq: number | null; recorded: boolean }
  | { ok: false; id: string; code: string; message: string };

export interface SendOptions {
  /** The folder of another site's pages, relative to this page. */
  at?: string;
  /** How long to keep resending without an answer. */
  patienceMs?: number;
  /** Called before each further attempt. */
  onRetry?(attempt: number): void;
}

/** Transient failures, worth another attempt with the same id. */
const PASSING = new Set(['no_answer', 'offline', 'no_broker']);

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A unique id for a command. Pages on plain HTTP have no `randomUUID`. */
function freshId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Sends a command and waits for the board's answer. It never throws: a lost connection is also
 * reported as a reply.
 */
export async function send(
  role: Role,
  board: string,
  verb: string,
  args: Record<string, unknown> = {},
  options: SendOptions = {},
): Promise<Reply> {
  const id = freshId();
  const until = performance.now() + (options.patienceMs ?? 20_000);
  for (let attempt = 1, pause = 500; ; attempt++, pause = Math.min(pause * 2, 4000)) {
    const reply = await once(`${options.at ?? ''}api/command/${role}/${encodeURIComponent(board)}/${verb}`, id, args);
    if (reply.ok || !PASSING.has(reply.code) || performance.now() + pause > until) return reply;
    options.onRetry?.(attempt);
    await wait(pause);
  }
}

async function once(address: string, id: string, args: Record<string, unknown>): Promise<Reply> {
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...args, id }),
      // Slightly longer than the server waits for the daemon.
      signal: AbortSignal.timeout(8000),
    });
    return understand(answer.status, await answer.json().catch(() => null), id);
  } catch {
    return { ok: false, id, code: 'offline', message: '' };
  }
}

function understand(status: number, body: unknown, id: string): Reply {
  const reply = (body ?? {}) as { ok?: boolean; message?: string; seq?: number; recorded?: boolean };
  if (status === 200 && reply.ok !== false)
    return { ok: true, id, seq: reply.seq ?? null, recorded: reply.recorded !== false };
  return { ok: false, id, code: refusalOf(status, body), message: reply.message ?? '' };
}

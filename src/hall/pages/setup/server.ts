/** What the page asks its server, `remisd setup --web`. */

/** The answers as they are typed. */
export interface Answers {
  site: string;
  language: string;
  profile: string;
  open: string[];
  boards: { id: string; port: string }[];
  mqtt: string;
  http: string;
}

/** An answer that cannot be used; `field` is its place, such as `boards.1.id`. */
export interface Problem {
  field: string;
  code: string;
  detail: string;
}

/** A serial port, and the board on it, as `remisd ports --probe --json` lists them. */
export interface Port {
  name: string;
  device: string;
  access: { may: 'open' } | { may: 'denied'; group: string | null };
  board?: { kind: string; serial: string | null; version: string | null };
  problem?: string;
}

/** What would be written. */
export interface Plan {
  files: string[];
  users: string[];
}

/** What has been written. */
export interface Result {
  files: string[];
  users: { user: string; password: string }[];
  boards: string[];
  /** The commands that start broker and daemon. */
  start: string[];
  /** The address of the pages for other computers. */
  pages: string;
  /** The file with the passwords. */
  passwords: string;
  without_port: string[];
  open_files: { needed: number; limit: number } | null;
  system: boolean;
  plain_broker: boolean;
  plain_pages: boolean;
  as_root: boolean;
}

export type Answer<T> =
  | { ok: true; value: T }
  /** `code` comes from the server, or is `offline` if it is unreachable. */
  | { ok: false; code: string; problems: Problem[] };

/** How long the server may take: it asks every port at the same time. */
const PATIENCE_MS = 60_000;

/** Sends a request. Without a body it is a `GET`. */
export async function ask<T>(path: string, body?: unknown): Promise<Answer<T>> {
  try {
    const answer = await fetch(`api/${path}`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const value = answer.status === 204 ? null : ((await answer.json().catch(() => null)) as unknown);
    if (answer.ok) return { ok: true, value: value as T };
    const { code = 'internal', problems = [] } = (value ?? {}) as { code?: string; problems?: Problem[] };
    return { ok: false, code, problems };
  } catch {
    return { ok: false, code: 'offline', problems: [] };
  }
}

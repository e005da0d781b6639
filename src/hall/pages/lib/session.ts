/**
 * Who is signed in in this browser, and for which roles.
 *
 * `at` is the folder of a site's pages, relative to this page; empty for the page's own site.
 */

import { refusalOf } from './refusal';
import type { Audience, Role } from './topics';

export interface Grant {
  role: Role;
  board: string | null;
  user: string | null;
  name: string | null;
}

export interface Session {
  grants: Grant[];
  /** The roles that need no password. */
  open: Role[];
}

export interface Attempt {
  role: Role;
  board?: string | undefined;
  user?: string | undefined;
  password?: string | undefined;
  name?: string | undefined;
}

export type SignIn =
  | { ok: true; session: Session }
  /** `code` comes from the server, or is `offline` if it is unreachable. */
  | { ok: false; code: string; retryAfterS: number | null };

/** How long the server may take to report the session, and to ask the broker about a sign-in. */
const PATIENCE_MS = 8000;
const SIGN_IN_PATIENCE_MS = 20_000;

/** The session, or null if the server is unreachable. */
export async function readSession(at = ''): Promise<Session | null> {
  try {
    const answer = await fetch(`${at}api/session`, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.ok ? ((await answer.json()) as Session) : null;
  } catch {
    return null;
  }
}

/** Why the server does not read the broker for the public. Only the first one prevents sign-ins. */
export type BrokerFault = 'unreachable' | 'no_public_user' | 'public_user_refused';

/** Whether the server reads the broker for the public; null if the server is unreachable. */
export async function readSite(at = ''): Promise<{ broker_fault: BrokerFault | null } | null> {
  try {
    const answer = await fetch(`${at}api/site`, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.ok ? ((await answer.json()) as { broker_fault: BrokerFault | null }) : null;
  } catch {
    return null;
  }
}

/** Tries to sign in; the server stores the session in a cookie that scripts cannot read. */
export async function signIn(attempt: Attempt, at = ''): Promise<SignIn> {
  try {
    const answer = await fetch(`${at}api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(attempt),
      signal: AbortSignal.timeout(SIGN_IN_PATIENCE_MS),
    });
    if (answer.ok) return { ok: true, session: (await answer.json()) as Session };
    const code = refusalOf(answer.status, await answer.json().catch(() => null));
    const retryAfter = Number(answer.headers.get('retry-after') ?? 'x');
    return { ok: false, code, retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null };
  } catch {
    return { ok: false, code: 'offline', retryAfterS: null };
  }
}

/** Signs out of a role, or of all. Returns whether the server has answered. */
export async function signOut(role?: Role, at = ''): Promise<boolean> {
  const how = { method: 'DELETE', signal: AbortSignal.timeout(PATIENCE_MS) };
  const answer = await fetch(`${at}api/session${role ? `?role=${role}` : ''}`, how).catch(() => null);
  return answer?.ok === true;
}

/** The grant for a role (and board), if there is one. */
export function grantFor(session: Session, role: Role, board?: string): Grant | undefined {
  return session.grants.find((grant) => grant.role === role && (grant.board === null || grant.board === board));
}

/** Whether the session may open a feed of this audience. */
export function mayRead(session: Session, audience: Audience, board?: string): boolean {
  switch (audience) {
    case 'public':
      return true;
    case 'player':
      return (['white', 'black', 'clock'] as const).some((role) => grantFor(session, role, board) !== undefined);
    default:
      return grantFor(session, audience) !== undefined;
  }
}

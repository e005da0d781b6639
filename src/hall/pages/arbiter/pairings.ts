// The pairings of a round, as the server reads them from a file or pasted text.

import { refusalOf } from '../lib/refusal';
import { grantFor, readSession } from '../lib/session';

/** One game of the round and its board. */
export interface Seat {
  board: string;
  /** Its line in the text, counted from 1. */
  line: number;
  headers: Record<string, string>;
  /** The starting position; null for the standard one. */
  start_fen: string | null;
}

/** A remark about a line of the text. */
export interface Finding {
  line: number;
  trouble: string;
  detail: string;
}

export interface Round {
  seats: Seat[];
  /** Problems that make a start unsafe. */
  problems: Finding[];
  /** Remarks that do not prevent a start. */
  warnings: Finding[];
  /** The submitted data as text. */
  text: string;
}

/** The longest file that the server takes, in bytes. */
const LONGEST = 1024 * 1024;
/** How long the server may take to read a large file. */
const PATIENCE_MS = 10_000;

/** The pairings for these boards, in order, or else an error code. */
export async function readPairings(source: Blob | string, boards: readonly string[]): Promise<Round | string> {
  // The server refuses it unread, and may close the connection before its answer is heard.
  if (new Blob([source]).size > LONGEST) return 'oversized';
  try {
    const answer = await fetch(`api/pairings?boards=${encodeURIComponent(boards.join(','))}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: source,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.ok) return (await answer.json()) as Round;
    return refusalOf(answer.status, await answer.json().catch(() => null));
  } catch {
    // So it does when nobody is signed in any more.
    const session = await readSession();
    return session === null || grantFor(session, 'arbiter') ? 'offline' : 'signed_out';
  }
}

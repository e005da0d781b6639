// The pairings of a round, as the server reads them from a file or pasted text.

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

/** How long the server may take to read a large file. */
const PATIENCE_MS = 10_000;

/** The pairings for these boards, in order, or else an error code. */
export async function readPairings(source: Blob | string, boards: readonly string[]): Promise<Round | string> {
  try {
    const answer = await fetch(`api/pairings?boards=${encodeURIComponent(boards.join(','))}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: source,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.ok) return (await answer.json()) as Round;
    const byStatus: Record<number, string> = { 401: 'signed_out', 413: 'oversized' };
    return byStatus[answer.status] ?? 'offline';
  } catch {
    return 'offline';
  }
}

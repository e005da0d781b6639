// The pairings of a round, as the server reads them out of a file or of pasted text.

/** One game of the round at its board. */
export interface Seat {
  board: string;
  /** Where it stands in the text, counted from 1. */
  line: number;
  headers: Record<string, string>;
  /** The position that it begins with; null for the usual array. */
  start_fen: string | null;
}

/** Something to be known about a line of the text. */
export interface Finding {
  line: number;
  trouble: string;
  detail: string;
}

export interface Round {
  seats: Seat[];
  /** What makes a start unsafe. */
  problems: Finding[];
  /** What only has to be known. */
  warnings: Finding[];
  /** What was sent, as text. */
  text: string;
}

/** How long the server may take to read a large file. */
const PATIENCE_MS = 10_000;

/** What stands in a file or text for these boards, in their order; else the code of what went wrong. */
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

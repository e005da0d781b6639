/**
 * The name of the opening, requested from the server while the game may still reach a named one.
 */

import type { Game } from '../lib/topics';

/** The longest named lines end before this ply. */
const LAST_PLY = 40;
/** How long the server may take. */
const PATIENCE_MS = 10_000;
/** After how long a name that was not answered is asked for again. */
const ASK_AGAIN_MS = 10_000;
const ARRAY = /^rnbqkbnr\/pppppppp\/8\/8\/8\/8\/PPPPPPPP\/RNBQKBNR w/;

const answers = new Map<string, string>();
const requested = new Set<string>();

/** The name as far as known; `arrived` is called when an answer changes it. */
export function openingOf(game: Game, arrived: () => void): string {
  if (!ARRAY.test(game.start_fen) || game.moves.length === 0) return '';
  const key = game.moves
    .slice(0, LAST_PLY)
    .map((move) => move.uci)
    .join(',');
  if (!requested.has(key)) {
    requested.add(key);
    void ask(key).then((name) => {
      if (name !== null) {
        answers.set(key, name);
        return arrived();
      }
      setTimeout(() => {
        requested.delete(key);
        arrived();
      }, ASK_AGAIN_MS);
    });
  }
  return answers.get(key) ?? nearest(key);
}

/** Until the answer arrives, the name for the previous moves stays. */
function nearest(key: string): string {
  for (let line = key; line !== ''; line = line.slice(0, Math.max(0, line.lastIndexOf(',')))) {
    const name = answers.get(line);
    if (name !== undefined) return name;
  }
  return '';
}

/** Null if the server does not answer. */
async function ask(moves: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(`api/opening?moves=${moves}`, { signal });
    if (!answer.ok) throw new Error(answer.statusText);
    const opening = (await answer.json()) as { eco?: string; name?: string };
    return opening.name === undefined ? '' : [opening.eco, opening.name].filter(Boolean).join(' ');
  } catch {
    return null;
  }
}

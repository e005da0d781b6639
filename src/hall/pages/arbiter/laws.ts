// The penalties for illegal moves by edition (protocol/laws.md), which the daemon does not publish
// in advance. The penalty for an incorrect claim comes with the alert `claim_made`.

/** The penalty: time for the opponent, and from a certain number on the loss of the game. */
export interface IllegalMoveRule {
  bonusMs: number;
  /** The number of the illegal move that loses; 0 if none does. */
  losesAt: number;
  /** The arbiter acts only on the opponent's claim. */
  onClaim?: boolean;
  /** The game is drawn if the opponent cannot mate. */
  drawException?: boolean;
}

type Rate = 'standard' | 'rapid' | 'blitz';
type Table = Record<Rate, IllegalMoveRule>;

const rule = (minutes: number, losesAt: number, more: Partial<IllegalMoveRule> = {}): IllegalMoveRule => ({
  bonusMs: minutes * 60_000,
  losesAt,
  ...more,
});
const fair = { drawException: true };

const RESTORED = rule(0, 0);
const CLAIMED = rule(0, 1, { onClaim: true });
const THIRD = rule(2, 3);
const FAIR_THIRD = rule(2, 3, fair);
const FAIR_SECOND = rule(2, 2, fair);
const FAIR_FIRST = rule(0, 1, fair);
const MINUTE = rule(1, 2, fair);

interface Edition {
  supervised: Table;
  unsupervised: Table;
}

const both = (table: Table): Edition => ({ supervised: table, unsupervised: table });
const supervised2014: Table = { standard: FAIR_SECOND, rapid: FAIR_SECOND, blitz: MINUTE };
const first2014: Edition = {
  supervised: supervised2014,
  unsupervised: { standard: FAIR_SECOND, rapid: FAIR_FIRST, blitz: FAIR_FIRST },
};

const ILLEGAL_MOVES: Record<string, Edition> = {
  'fide-1997': both({ standard: RESTORED, rapid: RESTORED, blitz: CLAIMED }),
  'fide-2001': both({ standard: THIRD, rapid: THIRD, blitz: CLAIMED }),
  'fide-2005': both({ standard: THIRD, rapid: THIRD, blitz: CLAIMED }),
  'fide-2009': {
    supervised: { standard: FAIR_THIRD, rapid: FAIR_THIRD, blitz: FAIR_THIRD },
    unsupervised: { standard: FAIR_THIRD, rapid: { ...FAIR_THIRD, onClaim: true }, blitz: { ...CLAIMED, ...fair } },
  },
  'fide-2014': first2014,
  'fide-2017': first2014,
  'fide-2018': both(supervised2014),
  'fide-2023': both({ standard: FAIR_SECOND, rapid: MINUTE, blitz: MINUTE }),
};

/**
 * The rules that may apply: one if supervision makes no difference, else the supervised one first.
 */
export function illegalMoveRules(edition: string, rate: Rate): IllegalMoveRule[] {
  const table = ILLEGAL_MOVES[edition];
  if (!table) return [];
  const [first, second] = [table.supervised[rate], table.unsupervised[rate]];
  return first === second ? [first] : [first, second];
}

/**
 * Whether an illegal position that remains after the next move draws (A.4.4 of 2017 and its
 * counterparts).
 */
export function illegalPositionDraws(edition: string, rate: Rate): boolean {
  return rate !== 'standard' && edition >= 'fide-2014';
}

/** The editions, the newest first. */
export const EDITIONS = Object.keys(ILLEGAL_MOVES).reverse();

/** The number of an edition's article on illegal moves. */
export function illegalMoveArticle(edition: string): string {
  if (edition <= 'fide-2005') return '7.4';
  return edition === 'fide-2009' ? '7.4b' : edition === 'fide-2014' ? '7.5b' : '7.5.5';
}

/**
 * Cleans texts from the wire before a page shows them.
 *
 * Names are entered by other people. Invisible characters, and those that change the direction of
 * text, could make a name look like another one or reverse a result.
 */

/**
 * Control characters except tab and line feed, and characters that change, embed, override or
 * isolate a text direction.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
/** The same characters as JSON escapes. */
const ESCAPED = /\\u(?:00[01789][0-9a-f]|061c|20[0-6][0-9a-f]|feff|fff[9ab])/i;

/** A text without these characters. */
export function plain(text: string): string {
  return text.replace(HIDDEN, '');
}

/**
 * Parses JSON from the wire and cleans every string in it. Most messages contain nothing to remove
 * and take the fast path.
 */
export function parsePlain(json: string): unknown {
  HIDDEN.lastIndex = 0;
  if (!HIDDEN.test(json) && !ESCAPED.test(json)) return JSON.parse(json) as unknown;
  return JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? plain(value) : value)) as unknown;
}

/** Letters of scripts written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name within a sentence, isolated so that a right-to-left name does not reorder its
 * surroundings. Elements use `<bdi>` instead.
 */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

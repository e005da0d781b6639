/**
 * Texts from the wire as a page may show them. Names come from whoever entered them: a character that turns the direction of
 * what follows, or that no one sees, could make a name look like another one, or a result like its opposite.
 */

/** Control characters other than tab and line feed, and those that turn, embed, override or isolate a direction. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
/** The same as JSON may write them. */
const ESCAPED = /\\u(?:00[01789][0-9a-f]|061c|20[0-6][0-9a-f]|feff|fff[9ab])/i;

/** A text without what must not be in it. */
export function plain(text: string): string {
  return text.replace(HIDDEN, '');
}

/** JSON from the wire; every text in it is plain. Most has nothing to be taken out, and costs no more than before. */
export function parsePlain(json: string): unknown {
  HIDDEN.lastIndex = 0;
  if (!HIDDEN.test(json) && !ESCAPED.test(json)) return JSON.parse(json) as unknown;
  return JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? plain(value) : value)) as unknown;
}

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name within a sentence: one from right to left does not turn what stands around it. Elements do that with `<bdi>`. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

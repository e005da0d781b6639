// The console's texts in the arbiter's language.

import { sanIn } from '../lib/notation';
import { isolated } from '../lib/plain';
import { language, ownText, words } from '../lib/words';
import { codeWords, scoreText as ownScore } from '../lib/vocabulary';
import { de } from './words/de';
import { en, type Key } from './words/en';
import { nl } from './words/nl';
import type { Alert, Score, Side } from './payloads';

export type { Key };

const say = words<Key>({ en, de, nl });

/** The text of a key, with `{name}` filled in. */
export function t(key: Key, args: Record<string, string | number> = {}): string {
  const text = say(key, args);
  // Dutch writes colours in lower case, except at the start of a sentence.
  return language === 'nl'
    ? text.replace(/^(wit|zwart)\b/, (colour) => colour[0]!.toUpperCase() + colour.slice(1))
    : text;
}

/** The text of a key built from data, or the data itself if there is no such key. */
export function named(kind: string, value: string, args: Record<string, string | number> = {}): string {
  const key = `${kind}.${value}`;
  return key in en ? t(key as Key, args) : value.replaceAll('_', ' ');
}

/** Why a command was refused, in the console's words, or else in those of all pages. */
export function refusalText(code: string): string {
  const key = `refusal.${code}`;
  return key in en ? t(key as Key) : codeWords(code);
}

/** A colour for use within a sentence; empty if it is not a colour. */
export function side(of: Side | string | null | undefined): string {
  return of === 'white' || of === 'black' ? say(`side.${of}`) : '';
}

/** The alert's text in the page's language, or else the first one published. */
export function textOf(alert: Alert): string {
  return ownText(alert.text) || alert.code;
}

/** What names an alert; its arguments may be unknown. */
export interface Named {
  code: string;
  arguments?: Record<string, unknown> | undefined;
}

function whose({ arguments: values = {} }: Named): string {
  const { by, player } = values as { by?: string; player?: string };
  return side(by ?? player);
}

/** Under which name an alert has its words: one code may stand for two matters. */
function wordOf({ code, arguments: values = {} }: Named): string {
  const { reason } = values as { reason?: string };
  return code === 'board_mismatch' && reason === 'start_array' ? reason : code;
}

/** A short text that says what to do, legible at arm's length. */
export function headline(alert: Named): string {
  const by = whose(alert);
  const code = wordOf(alert);
  const words = en[`headline.${code}` as Key];
  // If the player is unknown, only name the alert.
  if (by === '' && typeof words === 'string' && words.includes('{by}')) return begun(subjectOf(alert));
  return named('headline', code, { by });
}

/** What the alert is about, without what to do: for a closed alert. */
export function subjectOf(alert: Named): string {
  const by = whose(alert);
  const code = wordOf(alert);
  const own = `${code}_by`;
  return by !== '' && `about.${own}` in en ? named('about', own, { by }) : named('about', code);
}

const begun = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Who has seen the alert and when, to be appended; empty while it is not acknowledged. */
export function seenText(alert: Alert): string {
  if (alert.acknowledged_by === null) return '';
  const at = alert.acknowledged_at ? `, ${timeOfDay(alert.acknowledged_at)}` : '';
  return ` · ${t('alarm.seen_by', { by: isolated(alert.acknowledged_by) })}${at}`;
}

/** The time of day of a timestamp, in the local time zone. */
export function timeOfDay(time: string): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}

/** A move with the letters of the language. */
export const san = (english: string): string => sanIn(english);

/** A score as written at the board. */
export const scoreText = (score: string): string => ownScore(score as Score);

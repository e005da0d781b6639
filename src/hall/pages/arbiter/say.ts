// The console's words in the language that the arbiter has chosen.

import { sanIn } from '../lib/notation';
import { isolated } from '../lib/plain';
import { language, ownText, words } from '../lib/words';
import { scoreText as ownScore } from '../lib/vocabulary';
import { de } from './words/de';
import { en, type Key } from './words/en';
import { nl } from './words/nl';
import type { Alert, Score, Side } from './payloads';

export type { Key };

const say = words<Key>({ en, de, nl });

/** The words of a key, with `{name}` filled in. */
export function t(key: Key, args: Record<string, string | number> = {}): string {
  const text = say(key, args);
  // Dutch writes colours small, save where a sentence begins with one.
  return language === 'nl'
    ? text.replace(/^(wit|zwart)\b/, (colour) => colour[0]!.toUpperCase() + colour.slice(1))
    : text;
}

/** The words of a key that is put together from data; the data itself where there are none. */
export function named(kind: string, value: string, args: Record<string, string | number> = {}): string {
  const key = `${kind}.${value}`;
  return key in en ? t(key as Key, args) : value.replaceAll('_', ' ');
}

/** A colour as it stands within a sentence; nothing for what is none. */
export function side(of: Side | string | null | undefined): string {
  return of === 'white' || of === 'black' ? say(`side.${of}`) : '';
}

/** The alert's text in the page's language, else in the first that was published. */
export function textOf(alert: Alert): string {
  return ownText(alert.text) || alert.code;
}

/** What is read of an alert to name it; the arguments may not be known. */
export interface Named {
  code: string;
  arguments?: Record<string, unknown> | undefined;
}

function whose({ arguments: told = {} }: Named): string {
  const { by, player } = told as { by?: string; player?: string };
  return side(by ?? player);
}

/** The alert in few words that say what to do, to be read from an arm's length. */
export function headline(alert: Named): string {
  const by = whose(alert);
  const words = en[`headline.${alert.code}` as Key];
  // Who it is about may not be known: then it is only named.
  if (by === '' && typeof words === 'string' && words.includes('{by}')) return begun(subjectOf(alert));
  return named('headline', alert.code, { by });
}

/** What the alert is about, without what is to be done: for one that is closed. */
export function subjectOf(alert: Named): string {
  const by = whose(alert);
  const own = `${alert.code}_by`;
  return by !== '' && `about.${own}` in en ? named('about', own, { by }) : named('about', alert.code);
}

const begun = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Who has seen it and when, after what stands before it; nothing while nobody has. */
export function seenText(alert: Alert): string {
  if (alert.acknowledged_by === null) return '';
  const at = alert.acknowledged_at ? `, ${timeOfDay(alert.acknowledged_at)}` : '';
  return ` · ${t('alarm.seen_by', { by: isolated(alert.acknowledged_by) })}${at}`;
}

/** The time of day of a timestamp, in the hall's own time. */
export function timeOfDay(time: string): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}

/** A move in the language's own letters. */
export const san = (english: string): string => sanIn(english);

/** A score as it is written at the board. */
export const scoreText = (score: string): string => ownScore(score as Score);

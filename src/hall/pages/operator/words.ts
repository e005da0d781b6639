/** The words of the operator's page. */

import { language, words, type Dictionary } from '../lib/words';
import { de } from './words_de';
import { en, type Word } from './words_en';
import { nl } from './words_nl';

const DICTIONARY: Dictionary<Word> = { en, de, nl };

export const t = words(DICTIONARY);

const CLOCK = new Intl.DateTimeFormat(language, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A time of day, in the browser's time zone. */
export function clockTime(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '–' : CLOCK.format(at);
}

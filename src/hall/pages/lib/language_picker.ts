/** A menu of languages, each named in its own language. */

import { h } from './dom';
import { chooseLanguage, LANGUAGES, LANGUAGE_NAMES, languageTag, type LanguageTag } from './words';
import { v } from './vocabulary';

/**
 * Makes the menu. A choice reloads the page in that language and applies to all pages from then on.
 */
export function languagePicker(): HTMLElement {
  const menu = h(
    'select',
    { 'aria-label': v('language'), onchange: () => chooseLanguage(menu.value as LanguageTag) },
    ...LANGUAGES.map((tag) =>
      h('option', { value: tag, lang: tag, selected: tag === languageTag }, LANGUAGE_NAMES[tag]),
    ),
  );
  return h('div', { class: 'language' }, menu);
}

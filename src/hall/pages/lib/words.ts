/** The language of a page, and its words. */

export type Language = 'en' | 'de' | 'nl';
export type LanguageTag = Language | 'de-ch';

export const LANGUAGES: readonly LanguageTag[] = ['en', 'de', 'de-ch', 'nl'];
export const LANGUAGE_NAMES: Record<LanguageTag, string> = {
  en: 'English',
  de: 'Deutsch',
  'de-ch': 'Deutsch (Schweiz)',
  nl: 'Nederlands',
};

export type Entry = string | { one: string; other: string };
export type Dictionary<K extends string> = Record<Language, Record<K, Entry>>;
export type Arguments = Record<string, string | number>;
export type Translate<K extends string> = (key: K, args?: Arguments) => string;

const STORED = 'remisd.language';

function known(tag: string | null): LanguageTag | null {
  const lower = (tag ?? '').toLowerCase();
  const swiss = lower === 'de-ch' || lower === 'de-li' ? 'de-ch' : lower.split('-')[0];
  return LANGUAGES.find((language) => language === swiss) ?? null;
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // storage is blocked in some embedded browsers
  }
}

function choose(): LanguageTag {
  const asked = new URLSearchParams(location.search).get('lang');
  for (const tag of [asked, stored(), ...(navigator.languages ?? [])]) {
    const language = known(tag);
    if (language !== null) return language;
  }
  return 'en';
}

/**
 * The page's language: from `?lang=`, or else the last choice, or else the browser's, or else
 * English.
 */
export const languageTag: LanguageTag = choose();
export const language: Language = languageTag === 'de-ch' ? 'de' : languageTag;

document.documentElement.lang = languageTag === 'de-ch' ? 'de-CH' : languageTag;

/** Stores a language for all pages and reloads the page in it. */
export function chooseLanguage(tag: LanguageTag): void {
  try {
    localStorage.setItem(STORED, tag);
  } catch {
    // The choice then applies to this page only.
  }
  const url = new URL(location.href);
  url.searchParams.set('lang', tag);
  history.replaceState(null, '', url);
  location.reload();
}

const plural = new Intl.PluralRules(language);

/** A text in the spelling of the page's language: Swiss German has no ß. */
export function spelled(text: string): string {
  return languageTag === 'de-ch' ? text.replaceAll('ß', 'ss') : text;
}

/**
 * The words of a dictionary in the page's language.
 *
 * `{name}` is replaced by an argument. If an entry has `one` and `other`, the argument `count`
 * decides.
 */
export function words<K extends string>(dictionary: Dictionary<K>): Translate<K> {
  const own = dictionary[language];
  return (key, args = {}) => {
    const entry = own[key];
    const text =
      typeof entry === 'string' ? entry : entry[plural.select(Number(args['count'] ?? 0)) === 'one' ? 'one' : 'other'];
    return spelled(
      text.replace(/\{(\w+)\}/g, (whole, name: string) => (args[name] === undefined ? whole : String(args[name]))),
    );
  };
}

/** The best match among texts in several languages; the first one if none matches. */
export function ownText(texts: Record<string, string> | null | undefined): string {
  if (!texts) return '';
  const exact = texts[languageTag];
  if (exact !== undefined) return exact;
  const near = texts[language];
  return near === undefined ? (texts['en'] ?? Object.values(texts)[0] ?? '') : spelled(near);
}

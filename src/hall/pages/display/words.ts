/** The words of the hall display. */

import { words, type Dictionary } from '../lib/words';

type Word = 'title' | 'table' | 'page' | 'nothing' | 'connecting' | 'offline' | 'failed';

const DICTIONARY: Dictionary<Word> = {
  en: {
    title: 'Boards in the hall',
    table: 'Board {table}',
    page: 'Page {page} of {pages}',
    nothing: 'No boards yet',
    connecting: 'Connecting…',
    offline: 'no data',
    failed: 'Signing in again in {count} s: {reason}',
  },
  de: {
    title: 'Bretter im Saal',
    table: 'Brett {table}',
    page: 'Seite {page} von {pages}',
    nothing: 'Noch keine Bretter',
    connecting: 'Verbindung wird aufgebaut …',
    offline: 'keine Daten',
    failed: 'Neuer Anmeldeversuch in {count} s: {reason}',
  },
  nl: {
    title: 'Borden in de zaal',
    table: 'Bord {table}',
    page: 'Pagina {page} van {pages}',
    nothing: 'Nog geen borden',
    connecting: 'Verbinden…',
    offline: 'geen gegevens',
    failed: 'Nieuwe aanmeldpoging over {count} s: {reason}',
  },
};

export const t = words(DICTIONARY);

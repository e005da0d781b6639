/** The words of the page that explains a refusal. */

import { words, type Dictionary } from '../lib/words';

type Word =
  'missing' | 'missing_text' | 'refused' | 'sign_in' | 'pages' | 'start' | 'arbiter' | 'display' | 'clock' | 'overlay';

const DICTIONARY: Dictionary<Word> = {
  en: {
    missing: 'Page not found',
    missing_text: 'There is no page at this address:',
    refused: 'This page cannot be shown',
    sign_in: 'Sign in on the arbiter page first, then open this address again.',
    pages: 'Pages',
    start: 'Start page',
    arbiter: 'Arbiter console',
    display: 'Hall display',
    clock: 'Clock and players',
    overlay: 'Overlay',
  },
  de: {
    missing: 'Seite nicht gefunden',
    missing_text: 'Unter dieser Adresse gibt es keine Seite:',
    refused: 'Diese Seite kann nicht gezeigt werden',
    sign_in: 'Melden Sie sich erst auf der Schiedsrichterseite an und öffnen Sie dann diese Adresse erneut.',
    pages: 'Seiten',
    start: 'Startseite',
    arbiter: 'Schiedsrichterkonsole',
    display: 'Saalanzeige',
    clock: 'Uhr und Spieler',
    overlay: 'Overlay',
  },
  nl: {
    missing: 'Pagina niet gevonden',
    missing_text: 'Op dit adres is er geen pagina:',
    refused: 'Deze pagina kan niet worden getoond',
    sign_in: 'Meld u eerst aan op de arbiterpagina en open daarna dit adres opnieuw.',
    pages: 'Pagina’s',
    start: 'Startpagina',
    arbiter: 'Arbiterconsole',
    display: 'Zaalscherm',
    clock: 'Klok en spelers',
    overlay: 'Overlay',
  },
};

export const t = words(DICTIONARY);

/** The words of the overlay. */

import { words, type Dictionary } from '../lib/words';

type Word =
  | 'offer'
  | 'repetition'
  | 'fifty'
  | 'counted_after'
  | 'no_board'
  | 'waiting'
  | 'offline'
  | 'table'
  | 'to_move'
  | 'standings'
  | 'player';

const DICTIONARY: Dictionary<Word> = {
  en: {
    offer: 'offers a draw',
    repetition: '{count}× this position',
    fifty: '{count} of 50 moves',
    counted_after: 'after {move}',
    no_board: 'No board yet',
    waiting: 'Board {board}: nothing yet',
    offline: 'Board not seen',
    table: 'Board {table}',
    to_move: 'to move',
    standings: 'Results by board',
    player: 'Player',
  },
  de: {
    offer: 'bietet Remis an',
    repetition: '{count}× diese Stellung',
    fifty: '{count} von 50 Zügen',
    counted_after: 'nach {move}',
    no_board: 'Noch kein Brett',
    waiting: 'Brett {board}: noch nichts',
    offline: 'Brett nicht zu sehen',
    table: 'Brett {table}',
    to_move: 'am Zug',
    standings: 'Ergebnisse nach Brettern',
    player: 'Spieler',
  },
  nl: {
    offer: 'biedt remise aan',
    repetition: '{count}× deze stelling',
    fifty: '{count} van 50 zetten',
    counted_after: 'na {move}',
    no_board: 'Nog geen bord',
    waiting: 'Bord {board}: nog niets',
    offline: 'Bord niet te zien',
    table: 'Bord {table}',
    to_move: 'aan zet',
    standings: 'Uitslagen per bord',
    player: 'Speler',
  },
};

export const t = words(DICTIONARY);

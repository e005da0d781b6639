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
  | 'player'
  | 'leaders'
  | 'crosstable'
  | 'points'
  | 'no_standings'
  | 'no_tournament'
  | 'no_such_tournament'
  | 'not_counted'
  | 'not_computed'
  | 'qr'
  | 'qr_local';

const DICTIONARY: Dictionary<Word> = {
  en: {
    offer: 'offers a draw',
    repetition: '{count}× this position',
    fifty: '{count} of 50 moves',
    counted_after: 'after {move}',
    no_board: 'No board yet',
    waiting: 'Board {board}: nothing yet',
    offline: 'No data from the board',
    table: 'Board {table}',
    to_move: 'to move',
    standings: 'Results by board',
    player: 'Player',
    leaders: 'Standings',
    crosstable: 'Crosstable',
    points: 'Pts',
    no_standings: 'No standings yet',
    no_tournament: 'No tournament is configured',
    no_such_tournament: 'There is no tournament {id}',
    not_counted: 'Not counted: {boards}',
    not_computed: 'Not computed: {codes}',
    qr: 'Follow the games at',
    qr_local: 'No QR code: phones cannot open an address of this computer. Give an address for them: qr=https://…',
  },
  de: {
    offer: 'bietet Remis an',
    repetition: '{count}× diese Stellung',
    fifty: '{count} von 50 Zügen',
    counted_after: 'nach {move}',
    no_board: 'Noch kein Brett',
    waiting: 'Brett {board}: noch nichts',
    offline: 'Keine Daten vom Brett',
    table: 'Brett {table}',
    to_move: 'am Zug',
    standings: 'Ergebnisse nach Brettern',
    player: 'Spieler',
    leaders: 'Rangliste',
    crosstable: 'Kreuztabelle',
    points: 'Pkt',
    no_standings: 'Noch keine Rangliste',
    no_tournament: 'Kein Turnier ist eingerichtet',
    no_such_tournament: 'Es gibt kein Turnier {id}',
    not_counted: 'Nicht gezählt: {boards}',
    not_computed: 'Nicht berechnet: {codes}',
    qr: 'Die Partien verfolgen auf',
    qr_local:
      'Kein QR-Code: Telefone können eine Adresse dieses Rechners nicht öffnen. Geben Sie eine für sie an: qr=https://…',
  },
  nl: {
    offer: 'biedt remise aan',
    repetition: '{count}× deze stelling',
    fifty: '{count} van 50 zetten',
    counted_after: 'na {move}',
    no_board: 'Nog geen bord',
    waiting: 'Bord {board}: nog niets',
    offline: 'Geen gegevens van het bord',
    table: 'Bord {table}',
    to_move: 'aan zet',
    standings: 'Uitslagen per bord',
    player: 'Speler',
    leaders: 'Stand',
    crosstable: 'Kruistabel',
    points: 'Pnt',
    no_standings: 'Nog geen stand',
    no_tournament: 'Er is geen toernooi ingesteld',
    no_such_tournament: 'Er is geen toernooi {id}',
    not_counted: 'Niet meegeteld: {boards}',
    not_computed: 'Niet berekend: {codes}',
    qr: 'Volg de partijen op',
    qr_local:
      'Geen QR-code: telefoons kunnen een adres van deze computer niet openen. Geef er een voor hen op: qr=https://…',
  },
};

export const t = words(DICTIONARY);

/** Words shared by several pages: colours, pieces, results, states, answers. */

import { spelled, words, type Dictionary, language } from './words';
import type { Score, Side } from './topics';

type Word =
  | Side
  | 'king'
  | 'queen'
  | 'rook'
  | 'bishop'
  | 'knight'
  | 'pawn'
  | 'empty_board'
  | 'position'
  | 'online'
  | 'offline'
  | 'unconfigured'
  | 'fault'
  | 'lost'
  | 'unknown'
  | 'following'
  | 'mismatch'
  | 'blind'
  | 'resting'
  | 'language'
  | 'stale_server'
  | 'stale_broker'
  | 'seconds'
  | 'minutes'
  | 'hours'
  | 'uncertain'
  | 'uncertain_since'
  | 'arbiter'
  | 'operator'
  | 'hall'
  | 'clock'
  | 'cancel'
  | 'sign_in'
  | 'sign_out'
  | 'page_failed'
  | 'reload';

const DICTIONARY: Dictionary<Word> = {
  en: {
    white: 'White',
    black: 'Black',
    king: 'king',
    queen: 'queen',
    rook: 'rook',
    bishop: 'bishop',
    knight: 'knight',
    pawn: 'pawn',
    empty_board: 'No pieces',
    position: 'Position',
    online: 'online',
    offline: 'offline',
    unconfigured: 'not contacted yet',
    fault: 'fault',
    lost: 'lost',
    unknown: 'unknown',
    following: 'following',
    mismatch: 'position differs',
    blind: 'no data',
    resting: 'idle',
    language: 'Language',
    stale_server: 'No connection for {age}',
    stale_broker: 'No data for {age}',
    seconds: '{count} s',
    minutes: '{count} min',
    hours: '{count} h',
    uncertain: 'Moves uncertain',
    uncertain_since: 'Uncertain from {move} on',
    arbiter: 'Arbiter',
    operator: 'Operator',
    hall: 'Hall',
    clock: 'Clock',
    cancel: 'Cancel',
    sign_in: 'Sign in',
    sign_out: 'Sign out',
    page_failed: 'This page has failed: what it shows may be out of date.',
    reload: 'Reload',
  },
  de: {
    white: 'Weiß',
    black: 'Schwarz',
    king: 'König',
    queen: 'Dame',
    rook: 'Turm',
    bishop: 'Läufer',
    knight: 'Springer',
    pawn: 'Bauer',
    empty_board: 'Keine Figuren',
    position: 'Stellung',
    online: 'verbunden',
    offline: 'nicht verbunden',
    unconfigured: 'noch nicht angesprochen',
    fault: 'gestört',
    lost: 'verloren',
    unknown: 'unbekannt',
    following: 'wird verfolgt',
    mismatch: 'Stellung weicht ab',
    blind: 'keine Daten',
    resting: 'ruht',
    language: 'Sprache',
    stale_server: 'Seit {age} keine Verbindung',
    stale_broker: 'Seit {age} keine Daten',
    seconds: '{count} s',
    minutes: '{count} min',
    hours: '{count} h',
    uncertain: 'Züge unsicher',
    uncertain_since: 'Unsicher ab {move}',
    arbiter: 'Schiedsrichter',
    operator: 'Operator',
    hall: 'Saal',
    clock: 'Uhr',
    cancel: 'Abbrechen',
    sign_in: 'Anmelden',
    sign_out: 'Abmelden',
    page_failed: 'Diese Seite hat einen Fehler: Was sie zeigt, ist vielleicht nicht aktuell.',
    reload: 'Neu laden',
  },
  nl: {
    white: 'Wit',
    black: 'Zwart',
    king: 'koning',
    queen: 'dame',
    rook: 'toren',
    bishop: 'loper',
    knight: 'paard',
    pawn: 'pion',
    empty_board: 'Geen stukken',
    position: 'Stelling',
    online: 'verbonden',
    offline: 'niet verbonden',
    unconfigured: 'nog geen contact',
    fault: 'storing',
    lost: 'verloren',
    unknown: 'onbekend',
    following: 'wordt gevolgd',
    mismatch: 'stelling wijkt af',
    blind: 'geen gegevens',
    resting: 'rust',
    language: 'Taal',
    stale_server: 'Al {age} geen verbinding',
    stale_broker: 'Al {age} geen gegevens',
    seconds: '{count} s',
    minutes: '{count} min',
    hours: '{count} u',
    uncertain: 'Zetten onzeker',
    uncertain_since: 'Onzeker vanaf {move}',
    arbiter: 'Arbiter',
    operator: 'Operator',
    hall: 'Zaal',
    clock: 'Klok',
    cancel: 'Annuleren',
    sign_in: 'Aanmelden',
    sign_out: 'Afmelden',
    page_failed: 'Deze pagina heeft een fout: wat zij toont is misschien verouderd.',
    reload: 'Opnieuw laden',
  },
};

/** The shared words. */
export const v = words(DICTIONARY);

/** A colour within a sentence: Dutch writes it in lower case there. */
export function sideWithin(side: Side): string {
  return language === 'nl' ? v(side).toLowerCase() : v(side);
}

const REASONS: Record<typeof language, Record<string, string>> = {
  en: {
    checkmate: 'checkmate',
    stalemate: 'stalemate',
    dead_position: 'dead position',
    fivefold: 'fivefold repetition',
    seventy_five_move: '75-move rule',
    threefold_claim: 'threefold repetition, claimed',
    fifty_move_claim: '50-move rule, claimed',
    agreement: 'by agreement',
    resignation: 'resignation',
    flag_fall: 'on time',
    illegal_move: 'illegal move',
    illegal_position: 'illegal position',
    quickplay: 'claim in the quickplay finish',
    arbiter: 'arbiter’s decision',
  },
  de: {
    checkmate: 'Matt',
    stalemate: 'Patt',
    dead_position: 'tote Stellung',
    fivefold: 'fünfmalige Stellungswiederholung',
    seventy_five_move: '75-Züge-Regel',
    threefold_claim: 'dreimalige Stellungswiederholung, Antrag',
    fifty_move_claim: '50-Züge-Regel, Antrag',
    agreement: 'Übereinkunft',
    resignation: 'Aufgabe',
    flag_fall: 'Zeitüberschreitung',
    illegal_move: 'regelwidriger Zug',
    illegal_position: 'regelwidrige Stellung',
    quickplay: 'Antrag in der Endspurtphase',
    arbiter: 'Entscheidung des Schiedsrichters',
  },
  nl: {
    checkmate: 'mat',
    stalemate: 'pat',
    dead_position: 'dode stelling',
    fivefold: 'vijfmaal dezelfde stelling',
    seventy_five_move: '75-zettenregel',
    threefold_claim: 'driemaal dezelfde stelling, claim',
    fifty_move_claim: '50-zettenregel, claim',
    agreement: 'overeenkomst',
    resignation: 'opgave',
    flag_fall: 'tijdsoverschrijding',
    illegal_move: 'onreglementaire zet',
    illegal_position: 'onreglementaire stelling',
    quickplay: 'claim bij versneld beëindigen',
    arbiter: 'beslissing van de arbiter',
  },
};

/** Why a game has its result, in words; a reason of a later version is shown as its code. */
export function reasonWords(reason: string): string {
  return spelled(REASONS[language][reason] ?? reason.replaceAll('_', ' '));
}

/** A score as printed: `½–½`. */
export function scoreText(score: Score): string {
  return score.replaceAll('1/2', '½').replace('-', '–');
}

/** The points of one side in a score: `1`, `½` or `0`; empty while there is no result. */
export function points(score: Score, side: Side): string {
  const parts = score.split('-');
  return ((side === 'white' ? parts[0] : parts[1]) ?? '').replace('1/2', '½').replace('*', '');
}

const CODES: Record<typeof language, Record<string, string>> = {
  en: {
    unknown_verb: 'The board does not know this command.',
    role_may_not: 'You may not do this.',
    bad_payload: 'The command was not understood.',
    oversized: 'That is too long.',
    retained: 'The command was refused.',
    stale: 'The game has moved on. Look again.',
    bad_value: 'This value cannot be used.',
    not_found: 'It no longer exists.',
    wrong_state: 'That is not possible now.',
    not_admissible: 'The Laws or the regulations do not allow it.',
    no_answer: 'The board does not respond. Tell the arbiter.',
    offline: 'The server cannot be reached. Tell the arbiter.',
    no_broker: 'The broker cannot be reached. Tell the arbiter.',
    signed_out: 'You are signed out. Sign in again.',
    refused_by_broker: 'The broker does not allow this.',
    refused: 'User or password is wrong, or this user may not do this.',
    too_many: 'Too many attempts. Wait a moment.',
    bad_request: 'Something is missing, too long or not allowed here.',
    foreign_origin: 'This page comes from an address that the server does not expect.',
    name_of_another_role:
      'This user name belongs to a device at a board: answers to the commands of this role would not arrive. Use another user.',
    open_broker:
      'The broker requires no password, and this server can be reached from other computers. Set up the broker’s access rules.',
    foreign_host: 'The server is not known by this name: see http.names.',
    too_many_feeds: 'Too many pages are open.',
    internal: 'The server has failed.',
  },
  de: {
    unknown_verb: 'Das Brett kennt diesen Befehl nicht.',
    role_may_not: 'Das dürfen Sie nicht.',
    bad_payload: 'Der Befehl wurde nicht verstanden.',
    oversized: 'Das ist zu lang.',
    retained: 'Der Befehl wurde abgelehnt.',
    stale: 'Inzwischen wurde weitergespielt. Sehen Sie nach.',
    bad_value: 'Dieser Wert ist nicht möglich.',
    not_found: 'Das gibt es nicht mehr.',
    wrong_state: 'Das geht jetzt nicht.',
    not_admissible: 'Die Regeln oder die Turnierordnung lassen das nicht zu.',
    no_answer: 'Das Brett antwortet nicht. Rufen Sie den Schiedsrichter.',
    offline: 'Der Server ist nicht erreichbar. Rufen Sie den Schiedsrichter.',
    no_broker: 'Der Broker ist nicht erreichbar. Rufen Sie den Schiedsrichter.',
    signed_out: 'Sie sind abgemeldet. Melden Sie sich neu an.',
    refused_by_broker: 'Der Broker lässt das nicht zu.',
    refused: 'Benutzer oder Passwort ist falsch, oder dieser Benutzer darf das nicht.',
    too_many: 'Zu viele Versuche. Warten Sie ein wenig.',
    bad_request: 'Eine Angabe fehlt, ist zu lang oder hier nicht erlaubt.',
    foreign_origin: 'Diese Seite kommt von einer anderen Adresse, als der Server erwartet.',
    name_of_another_role:
      'Dieser Benutzername gehört einem Gerät am Brett: Antworten auf die Befehle dieser Rolle kämen nicht an. Nehmen Sie einen anderen Benutzer.',
    open_broker:
      'Der Broker verlangt kein Passwort, und dieser Server ist von anderen Rechnern erreichbar. Richten Sie die Zugriffsrechte des Brokers ein.',
    foreign_host: 'Der Server ist unter diesem Namen nicht bekannt: siehe http.names.',
    too_many_feeds: 'Es sind zu viele Seiten offen.',
    internal: 'Im Server ist ein Fehler aufgetreten.',
  },
  nl: {
    unknown_verb: 'Het bord kent deze opdracht niet.',
    role_may_not: 'Dat mag u niet.',
    bad_payload: 'De opdracht is niet begrepen.',
    oversized: 'Dat is te lang.',
    retained: 'De opdracht is geweigerd.',
    stale: 'Er is intussen verder gespeeld. Kijk opnieuw.',
    bad_value: 'Deze waarde kan niet.',
    not_found: 'Dat is er niet meer.',
    wrong_state: 'Dat kan nu niet.',
    not_admissible: 'De regels of het reglement staan dat niet toe.',
    no_answer: 'Het bord reageert niet. Roep de arbiter.',
    offline: 'De server is niet bereikbaar. Roep de arbiter.',
    no_broker: 'De broker is niet bereikbaar. Roep de arbiter.',
    signed_out: 'U bent afgemeld. Meld u opnieuw aan.',
    refused_by_broker: 'De broker staat dit niet toe.',
    refused: 'Gebruiker of wachtwoord klopt niet, of deze gebruiker mag dit niet.',
    too_many: 'Te veel pogingen. Wacht even.',
    bad_request: 'Er ontbreekt iets, of iets is te lang of hier niet toegestaan.',
    foreign_origin: 'Deze pagina komt van een ander adres dan de server verwacht.',
    name_of_another_role:
      'Deze gebruikersnaam hoort bij een apparaat aan een bord: antwoorden op de opdrachten van deze rol komen niet aan. Neem een andere gebruiker.',
    open_broker:
      'De broker vraagt geen wachtwoord, en deze server is vanaf andere computers bereikbaar. Stel de toegangsrechten van de broker in.',
    foreign_host: 'De server is onder deze naam niet bekend: zie http.names.',
    too_many_feeds: 'Er zijn te veel pagina’s open.',
    internal: 'Er is een serverfout opgetreden.',
  },
};

/** The meaning of an answer's code. */
export function codeWords(code: string): string {
  return spelled(CODES[language][code] ?? code.replaceAll('_', ' '));
}

/** An age in the largest suitable unit: `42 s`, `7 min`. */
export function ageWords(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return v('seconds', { count: seconds });
  if (seconds < 7200) return v('minutes', { count: Math.floor(seconds / 60) });
  return v('hours', { count: Math.floor(seconds / 3600) });
}

/** A ply as players count: ply 5 is `3.`, ply 6 is `3…`. */
export function moveNumber(ply: number): string {
  return `${Math.ceil(ply / 2)}${ply % 2 === 1 ? '.' : '…'}`;
}

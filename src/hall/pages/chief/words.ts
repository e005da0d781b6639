// The texts of the chief arbiter's page that the console does not have.

import { words, type Dictionary } from '../lib/words';

type Word =
  | 'title'
  | 'sites'
  | 'open'
  | 'boards'
  | 'ended'
  | 'loading'
  | 'signed_out'
  | 'refused'
  | 'no_node'
  | 'no_health'
  | 'catching_up'
  | 'not_heard'
  | 'lost'
  | 'old'
  | 'old_unknown'
  | 'quiet_elsewhere'
  | 'none_heard'
  | 'still_in'
  | 'no_server';

const DICTIONARY: Dictionary<Word> = {
  en: {
    title: 'All sites',
    sites: 'Sites',
    open: 'Open the console',
    boards: { one: '{count} board', other: '{count} boards' },
    ended: { one: '{count} game has ended', other: '{count} games have ended' },
    loading: 'Loading …',
    signed_out: 'You are not signed in here: new alerts are not shown.',
    refused: 'Sign-in failed, so new alerts are not shown: {reason}',
    no_node: 'Nothing has been heard of this site yet.',
    no_health: 'The computer “{node}” has not reported yet.',
    catching_up: 'Older messages are still arriving.',
    not_heard: 'Alerts of these sites may be missing or old: {sites}.',
    lost: 'These sites are no longer heard: {sites}.',
    old: 'Old: as of {time}',
    old_unknown: 'Old',
    quiet_elsewhere: 'No alerts at the other sites.',
    none_heard: 'No site is heard, so alerts are unknown.',
    still_in: 'Sign-out failed at: {sites}. Try again.',
    no_server: 'No connection to the server',
  },
  de: {
    title: 'Alle Spielorte',
    sites: 'Spielorte',
    open: 'Konsole öffnen',
    boards: { one: '{count} Brett', other: '{count} Bretter' },
    ended: { one: '{count} Partie beendet', other: '{count} Partien beendet' },
    loading: 'Wird geladen …',
    signed_out: 'Hier sind Sie nicht angemeldet: Neue Alarme werden nicht gezeigt.',
    refused: 'Anmeldung fehlgeschlagen, neue Alarme werden nicht gezeigt: {reason}',
    no_node: 'Von diesem Spielort war noch nichts zu hören.',
    no_health: 'Der Rechner „{node}“ hat sich noch nicht gemeldet.',
    catching_up: 'Ältere Nachrichten treffen noch ein.',
    not_heard: 'Alarme dieser Spielorte können fehlen oder veraltet sein: {sites}.',
    lost: 'Diese Spielorte sind nicht mehr zu hören: {sites}.',
    old: 'Veraltet: Stand {time}',
    old_unknown: 'Veraltet',
    quiet_elsewhere: 'Keine Alarme an den anderen Spielorten.',
    none_heard: 'Von keinem Spielort kommt etwas an: Alarme sind unbekannt.',
    still_in: 'Das Abmelden ist an diesen Spielorten fehlgeschlagen: {sites}. Bitte noch einmal versuchen.',
    no_server: 'Keine Verbindung zum Server',
  },
  nl: {
    title: 'Alle speellocaties',
    sites: 'Speellocaties',
    open: 'Console openen',
    boards: { one: '{count} bord', other: '{count} borden' },
    ended: { one: '{count} partij afgelopen', other: '{count} partijen afgelopen' },
    loading: 'Laden …',
    signed_out: 'Hier bent u niet aangemeld: nieuwe alarmen worden niet getoond.',
    refused: 'Aanmelden mislukt, nieuwe alarmen worden niet getoond: {reason}',
    no_node: 'Van deze speellocatie is nog niets gehoord.',
    no_health: 'De computer “{node}” heeft zich nog niet gemeld.',
    catching_up: 'Oudere berichten komen nog binnen.',
    not_heard: 'Alarmen van deze speellocaties kunnen ontbreken of verouderd zijn: {sites}.',
    lost: 'Van deze speellocaties is niets meer te horen: {sites}.',
    old: 'Verouderd: stand van {time}',
    old_unknown: 'Verouderd',
    quiet_elsewhere: 'Geen alarmen op de andere speellocaties.',
    none_heard: 'Van geen enkele speellocatie komt iets binnen: alarmen zijn onbekend.',
    still_in: 'Afmelden is hier mislukt: {sites}. Probeer het opnieuw.',
    no_server: 'Geen verbinding met de server',
  },
};

export const t = words(DICTIONARY);

/** The words of the clock page. */

import { words, type Dictionary } from '../lib/words';

export type Word =
  | 'title'
  | 'which_board'
  | 'board'
  | 'no_boards'
  | 'you_are'
  | 'as_clock'
  | 'connecting'
  | 'failed'
  | 'offline_board'
  | 'running'
  | 'stopped'
  | 'flag'
  | 'paused_claim'
  | 'paused_by'
  | 'paused_white'
  | 'paused_black'
  | 'paused_arbiter'
  | 'paused_clock'
  | 'paused'
  | 'adjustment'
  | 'by_arbiter'
  | 'for_incorrect_claim'
  | 'for_illegal_move'
  | 'for_quickplay'
  | 'for_increment'
  | 'for_arbiter'
  | 'for_withdrawn'
  | 'offer'
  | 'accept'
  | 'decline'
  | 'claim'
  | 'resign'
  | 'pause'
  | 'offered'
  | 'you_offered'
  | 'offered_by_claim'
  | 'claim_title'
  | 'claim_what'
  | 'threefold'
  | 'fifty_move'
  | 'claim_when'
  | 'on_board'
  | 'with_move'
  | 'move'
  | 'move_hint'
  | 'move_missing'
  | 'claim_warning'
  | 'claim_now'
  | 'resign_title'
  | 'resign_warning'
  | 'resign_now'
  | 'accept_title'
  | 'accept_warning'
  | 'accept_now'
  | 'sending'
  | 'again'
  | 'done_offer'
  | 'done_accept'
  | 'done_decline'
  | 'done_claim'
  | 'done_resign'
  | 'done_pause'
  | 'not_recorded'
  | 'panel'
  | 'clocks'
  | 'your_offer_accepted'
  | 'you_accepted'
  | 'agreed'
  | 'offer_over'
  | 'claim_checked'
  | 'claim_by_other'
  | 'claim_correct'
  | 'claim_incorrect'
  | 'claim_not_granted'
  | 'stop_agreed'
  | 'stop_resigned';

const DICTIONARY: Dictionary<Word> = {
  en: {
    title: 'Clock',
    which_board: 'Which board?',
    board: 'Board {board}',
    no_boards: 'No board is known yet.',
    you_are: 'You have {side}',
    as_clock: 'Both players',
    connecting: 'Connecting…',
    failed: '{reason} Next attempt in {count} s.',
    offline_board: 'The board is not connected.',
    running: 'running',
    stopped: 'stopped',
    flag: 'flag down',
    paused_claim: 'Stop the clock: a claim is being checked.',
    paused_by: 'Stop the clock: requested by {by}.',
    paused_white: 'Stop the clock: requested by White.',
    paused_black: 'Stop the clock: requested by Black.',
    paused_arbiter: 'Stop the clock: requested by the arbiter.',
    paused_clock: 'Stop the clock: requested by a player.',
    paused: 'Stop the clock.',
    adjustment: 'Set the clock: {changes} ({reason}).',
    by_arbiter: 'as the arbiter says',
    for_incorrect_claim: 'incorrect claim',
    for_illegal_move: 'illegal move',
    for_quickplay: 'quickplay finish',
    for_increment: 'increment granted',
    for_arbiter: 'arbiter’s decision',
    for_withdrawn: 'ruling withdrawn',
    offer: 'Offer a draw',
    accept: 'Accept',
    decline: 'Decline',
    claim: 'Claim a draw',
    resign: 'Resign',
    pause: 'Stop the clock',
    offered: '{side} offers a draw.',
    you_offered: 'Your draw offer stands.',
    offered_by_claim: '{side} has claimed a draw, which is also an offer.',
    claim_title: 'Claim a draw',
    claim_what: 'What do you claim?',
    threefold: 'The same position for the third time',
    fifty_move: 'Fifty moves without a pawn move or capture',
    claim_when: 'When?',
    on_board: 'The position on the board',
    with_move: 'With the move I have written down',
    move: 'Your written move',
    move_hint: 'As on your scoresheet: Nf3, exd5, O-O, or g1f3. Do not make it on the board.',
    move_missing: 'Write your move here.',
    claim_warning: 'A claim cannot be withdrawn.',
    claim_now: 'Claim',
    resign_title: 'Resign?',
    resign_warning: '{side} loses the game. This cannot be undone.',
    resign_now: 'Resign',
    accept_title: 'Accept the draw?',
    accept_warning: 'The game ends in a draw. This cannot be undone.',
    accept_now: 'Accept',
    sending: 'Sending…',
    again: 'No answer yet, trying again…',
    done_offer: 'The draw has been offered.',
    done_accept: 'The draw has been accepted.',
    done_decline: 'The offer has been declined.',
    done_claim: 'The claim has been made. The arbiter has been informed.',
    done_resign: 'The resignation has been recorded.',
    done_pause: 'The clock is to be stopped.',
    not_recorded: 'It is not yet on the disk: keep your scoresheet.',
    panel: 'What {side} can say',
    clocks: 'Clocks',
    your_offer_accepted: 'Your offer was accepted.',
    you_accepted: 'You have accepted the offer.',
    agreed: 'A draw was agreed.',
    offer_over: 'Your offer was not accepted.',
    claim_checked: 'Your claim is being checked.',
    claim_by_other: '{side} claims a draw. The arbiter is checking it.',
    claim_correct: 'Your claim was ruled correct: the game is drawn.',
    claim_incorrect: 'Your claim was ruled incorrect: the game continues.',
    claim_not_granted: 'Your claim was not upheld: the game continues.',
    stop_agreed: 'A draw was agreed. Stop the clock; the arbiter confirms the result.',
    stop_resigned: 'The game was resigned. Stop the clock; the arbiter confirms the result.',
  },
  de: {
    title: 'Uhr',
    which_board: 'Welches Brett?',
    board: 'Brett {board}',
    no_boards: 'Noch ist kein Brett bekannt.',
    you_are: 'Sie haben {side}',
    as_clock: 'Beide Spieler',
    connecting: 'Verbindung wird aufgebaut …',
    failed: '{reason} Nächster Versuch in {count} s.',
    offline_board: 'Das Brett ist nicht verbunden.',
    running: 'läuft',
    stopped: 'steht',
    flag: 'Blättchenfall',
    paused_claim: 'Uhr anhalten: Ein Antrag wird geprüft.',
    paused_by: 'Uhr anhalten: verlangt von {by}.',
    paused_white: 'Uhr anhalten: verlangt von Weiß.',
    paused_black: 'Uhr anhalten: verlangt von Schwarz.',
    paused_arbiter: 'Uhr anhalten: verlangt vom Schiedsrichter.',
    paused_clock: 'Uhr anhalten: verlangt von einem Spieler.',
    paused: 'Uhr anhalten.',
    adjustment: 'Uhr einstellen: {changes} ({reason}).',
    by_arbiter: 'nach Ansage des Schiedsrichters',
    for_incorrect_claim: 'nicht berechtigter Antrag',
    for_illegal_move: 'regelwidriger Zug',
    for_quickplay: 'Endspurtphase',
    for_increment: 'Zeitzugabe gewährt',
    for_arbiter: 'Entscheidung des Schiedsrichters',
    for_withdrawn: 'Entscheidung zurückgenommen',
    offer: 'Remis anbieten',
    accept: 'Annehmen',
    decline: 'Ablehnen',
    claim: 'Remis beantragen',
    resign: 'Aufgeben',
    pause: 'Uhr anhalten',
    offered: '{side} bietet Remis an.',
    you_offered: 'Ihr Remisangebot gilt.',
    offered_by_claim: '{side} hat Remis beantragt; das gilt auch als Angebot.',
    claim_title: 'Remis beantragen',
    claim_what: 'Was beantragen Sie?',
    threefold: 'Dieselbe Stellung zum dritten Mal',
    fifty_move: 'Fünfzig Züge ohne Bauern- und Schlagzüge',
    claim_when: 'Wann?',
    on_board: 'Die Stellung auf dem Brett',
    with_move: 'Mit dem Zug, den ich aufgeschrieben habe',
    move: 'Ihr aufgeschriebener Zug',
    move_hint: 'Wie auf dem Partieformular: Sf3, exd5, 0-0, oder g1f3. Führen Sie ihn nicht aus.',
    move_missing: 'Schreiben Sie Ihren Zug hierher.',
    claim_warning: 'Ein Antrag kann nicht zurückgezogen werden.',
    claim_now: 'Beantragen',
    resign_title: 'Aufgeben?',
    resign_warning: '{side} verliert die Partie. Das kann nicht zurückgenommen werden.',
    resign_now: 'Aufgeben',
    accept_title: 'Remis annehmen?',
    accept_warning: 'Die Partie endet remis. Das kann nicht zurückgenommen werden.',
    accept_now: 'Annehmen',
    sending: 'Wird gesendet …',
    again: 'Noch keine Antwort, neuer Versuch …',
    done_offer: 'Remis ist angeboten.',
    done_accept: 'Das Remis ist angenommen.',
    done_decline: 'Das Angebot ist abgelehnt.',
    done_claim: 'Der Antrag ist gestellt. Der Schiedsrichter ist benachrichtigt.',
    done_resign: 'Die Aufgabe ist eingetragen.',
    done_pause: 'Die Uhr ist anzuhalten.',
    not_recorded: 'Es steht noch nicht auf dem Datenträger: Bewahren Sie Ihr Partieformular auf.',
    panel: 'Was {side} sagen kann',
    clocks: 'Uhren',
    your_offer_accepted: 'Ihr Angebot wurde angenommen.',
    you_accepted: 'Sie haben das Angebot angenommen.',
    agreed: 'Remis wurde vereinbart.',
    offer_over: 'Ihr Angebot wurde nicht angenommen.',
    claim_checked: 'Ihr Antrag wird geprüft.',
    claim_by_other: '{side} beantragt Remis. Der Schiedsrichter prüft den Antrag.',
    claim_correct: 'Ihr Antrag war berechtigt: Die Partie ist remis.',
    claim_incorrect: 'Ihr Antrag war nicht berechtigt: Die Partie geht weiter.',
    claim_not_granted: 'Ihrem Antrag wurde nicht stattgegeben: Die Partie geht weiter.',
    stop_agreed: 'Remis vereinbart. Uhr anhalten; der Schiedsrichter bestätigt das Ergebnis.',
    stop_resigned: 'Die Partie wurde aufgegeben. Uhr anhalten; der Schiedsrichter bestätigt das Ergebnis.',
  },
  nl: {
    title: 'Klok',
    which_board: 'Welk bord?',
    board: 'Bord {board}',
    no_boards: 'Er is nog geen bord bekend.',
    you_are: 'U speelt met {side}',
    as_clock: 'Beide spelers',
    connecting: 'Verbinden…',
    failed: '{reason} Volgende poging over {count} s.',
    offline_board: 'Het bord is niet verbonden.',
    running: 'loopt',
    stopped: 'staat stil',
    flag: 'vlag gevallen',
    paused_claim: 'Zet de klok stil: een claim wordt gecontroleerd.',
    paused_by: 'Zet de klok stil: gevraagd door {by}.',
    paused_white: 'Zet de klok stil: gevraagd door wit.',
    paused_black: 'Zet de klok stil: gevraagd door zwart.',
    paused_arbiter: 'Zet de klok stil: gevraagd door de arbiter.',
    paused_clock: 'Zet de klok stil: gevraagd door een speler.',
    paused: 'Zet de klok stil.',
    adjustment: 'Stel de klok in: {changes} ({reason}).',
    by_arbiter: 'zoals de arbiter zegt',
    for_incorrect_claim: 'onterechte claim',
    for_illegal_move: 'onreglementaire zet',
    for_quickplay: 'versneld beëindigen',
    for_increment: 'extra tijd per zet toegekend',
    for_arbiter: 'beslissing van de arbiter',
    for_withdrawn: 'beslissing ingetrokken',
    offer: 'Remise aanbieden',
    accept: 'Aannemen',
    decline: 'Afwijzen',
    claim: 'Remise claimen',
    resign: 'Opgeven',
    pause: 'Klok stilzetten',
    offered: '{side} biedt remise aan.',
    you_offered: 'Uw remiseaanbod is van kracht.',
    offered_by_claim: '{side} heeft remise geclaimd; dat is ook een aanbod.',
    claim_title: 'Remise claimen',
    claim_what: 'Wat claimt u?',
    threefold: 'Driemaal dezelfde stelling',
    fifty_move: 'Vijftig zetten zonder pionzet en zonder slaan',
    claim_when: 'Wanneer?',
    on_board: 'De stelling op het bord',
    with_move: 'Met de zet die ik heb opgeschreven',
    move: 'Uw opgeschreven zet',
    move_hint: 'Zoals op het notatieformulier: Pf3, exd5, 0-0, of g1f3. Voer hem niet uit.',
    move_missing: 'Schrijf hier uw zet.',
    claim_warning: 'Een claim kan niet worden ingetrokken.',
    claim_now: 'Claimen',
    resign_title: 'Opgeven?',
    resign_warning: '{side} verliest de partij. Dit kan niet ongedaan worden gemaakt.',
    resign_now: 'Opgeven',
    accept_title: 'Remise aannemen?',
    accept_warning: 'De partij eindigt in remise. Dit kan niet ongedaan worden gemaakt.',
    accept_now: 'Aannemen',
    sending: 'Verzenden…',
    again: 'Nog geen antwoord, nieuwe poging…',
    done_offer: 'Remise is aangeboden.',
    done_accept: 'De remise is aangenomen.',
    done_decline: 'Het aanbod is afgewezen.',
    done_claim: 'De claim is ingediend. De arbiter is op de hoogte gesteld.',
    done_resign: 'De opgave is vastgelegd.',
    done_pause: 'De klok moet worden stilgezet.',
    not_recorded: 'Het staat nog niet op de schijf: bewaar uw notatieformulier.',
    panel: 'Wat {side} kan zeggen',
    clocks: 'Klokken',
    your_offer_accepted: 'Uw aanbod is aangenomen.',
    you_accepted: 'U hebt het aanbod aangenomen.',
    agreed: 'Er is remise overeengekomen.',
    offer_over: 'Uw aanbod is niet aangenomen.',
    claim_checked: 'Uw claim wordt gecontroleerd.',
    claim_by_other: '{side} claimt remise. De arbiter controleert de claim.',
    claim_correct: 'Uw claim was terecht: de partij is remise.',
    claim_incorrect: 'Uw claim was onterecht: de partij gaat verder.',
    claim_not_granted: 'Uw claim is niet toegewezen: de partij gaat verder.',
    stop_agreed: 'Remise overeengekomen. Klok stilzetten; de arbiter bevestigt de uitslag.',
    stop_resigned: 'De partij is opgegeven. Klok stilzetten; de arbiter bevestigt de uitslag.',
  },
};

export const t = words(DICTIONARY);

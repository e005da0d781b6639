/** The words of the page of `remisd setup --web`. */

import { words, type Dictionary } from '../lib/words';

export type Word =
  | 'title'
  | 'code'
  | 'code_hint'
  | 'enter'
  | 'wrong_code'
  | 'ended'
  | 'boards'
  | 'boards_hint'
  | 'refresh'
  | 'looking'
  | 'found'
  | 'name'
  | 'port'
  | 'add'
  | 'remove'
  | 'remove_board'
  | 'no_port'
  | 'not_asked'
  | 'board_there'
  | 'no_board'
  | 'denied'
  | 'hall'
  | 'site'
  | 'site_hint'
  | 'language'
  | 'language_hint'
  | 'profile'
  | 'profile_hint'
  | 'profile_competition'
  | 'profile_club'
  | 'profile_casual'
  | 'open'
  | 'open_player'
  | 'open_hall'
  | 'open_public'
  | 'open_operator'
  | 'network'
  | 'network_hint'
  | 'addresses'
  | 'http'
  | 'mqtt'
  | 'address_hint'
  | 'users'
  | 'users_hint'
  | 'u_arbiter'
  | 'u_operator'
  | 'u_public'
  | 'u_hall'
  | 'u_white'
  | 'u_black'
  | 'u_clock'
  | 'files'
  | 'files_hint'
  | 'write'
  | 'above'
  | 'p_name'
  | 'p_choice'
  | 'p_address'
  | 'p_twice'
  | 'p_port'
  | 'p_boards'
  | 'p_not_club'
  | 'p_overlap'
  | 'p_in_use'
  | 'p_exists'
  | 'p_not_written'
  | 'written'
  | 'once'
  | 'start'
  | 'print'
  | 'passwords'
  | 'passwords_hint'
  | 'codes'
  | 'codes_hint'
  | 'base'
  | 'codes_sign_in'
  | 'codes_local'
  | 'page_start'
  | 'page_arbiter'
  | 'page_operator'
  | 'page_display'
  | 'page_clock'
  | 'note_files'
  | 'note_files_system'
  | 'note_port'
  | 'note_broker'
  | 'note_pages'
  | 'note_root';

const DICTIONARY: Dictionary<Word> = {
  en: {
    title: 'Set-up',
    code: 'Code',
    code_hint: 'The terminal in which “remisd setup --web” runs shows it. It opens this page once.',
    enter: 'Open',
    wrong_code: 'This is not the code, or it has been used. To get a new one, start “remisd setup --web” again.',
    ended: 'The set-up has ended. To go on, start “remisd setup --web” again.',
    boards: 'Boards',
    boards_hint:
      'Switch the boards on and connect them. Each port is asked which board is there. The name is what the pages show: 1 to 32 of a-z, 0-9 and -.',
    refresh: 'Look again',
    looking: 'Looking …',
    found: { one: '{count} board answers.', other: '{count} boards answer.' },
    name: 'Name',
    port: 'Port',
    add: 'Add a board',
    remove: 'Remove',
    remove_board: 'Remove {board}',
    no_port: 'No port yet: enter it later in remisd.toml.',
    not_asked: 'This port has not been asked yet: “Look again”.',
    board_there: 'A DGT board answers, serial number {serial}, version {version}.',
    no_board: 'No board answers.',
    denied: 'This user may not open the port: join the group {group}.',
    hall: 'Hall',
    site: 'Name of the site',
    site_hint: 'A part of every topic: 1 to 32 of a-z, 0-9 and -.',
    language: 'Language of the published texts',
    language_hint: 'Each page has its own choice of language.',
    profile: 'What players may know',
    profile_hint: 'Counters and claims help a player.',
    profile_competition: 'Competition: only the arbiter sees counters and claims',
    profile_club: 'Club: also those that you choose',
    profile_casual: 'Casual: everybody sees them',
    open: 'Also these see them',
    open_player: 'Players’ tablets',
    open_hall: 'Screens in the hall',
    open_public: 'The public',
    open_operator: 'Operators',
    network: 'Tablets and phones in the network may open the pages',
    network_hint: 'Otherwise only this computer. The connection is not encrypted: use it in a network that you trust.',
    addresses: 'Addresses',
    http: 'Address of the pages',
    mqtt: 'Address of the broker',
    address_hint: '127.0.0.1 is this computer only, 0.0.0.0 the whole network.',
    users: 'Users and passwords',
    users_hint: 'Each gets a new password. They are shown once, when the files have been written.',
    u_arbiter: 'the arbiter',
    u_operator: 'looks after boards and broadcast',
    u_public: 'reads for the public pages',
    u_hall: 'a screen in the hall',
    u_white: 'White’s tablet at {board}',
    u_black: 'Black’s tablet at {board}',
    u_clock: 'the tablet for both players at {board}',
    files: 'Files',
    files_hint: 'Nothing that exists is changed.',
    write: 'Write the files',
    above: { one: '{count} answer above cannot be used.', other: '{count} answers above cannot be used.' },
    p_name: '“{detail}” is not a name: use 1 to 32 of a-z, 0-9 and -.',
    p_choice: '“{detail}” cannot be chosen.',
    p_address: '“{detail}” is not an address with a port, such as 127.0.0.1:9120.',
    p_twice: '“{detail}” is given twice.',
    p_port: '“{detail}” is not the path of a port.',
    p_boards: 'There are {detail} boards: 1 to 999 are possible.',
    p_not_club: 'Only the profile “club” opens audiences one by one.',
    p_overlap: '{detail} is the port of the broker: choose another one.',
    p_in_use: '{detail} is in use by another program: choose another port.',
    p_exists: '{detail} exists. Move it away to get a new one.',
    p_not_written: 'Cannot write {detail}.',
    written: 'The files are written',
    once: 'This page cannot be opened again. Print it, or keep it open.',
    start: 'Start broker and daemon',
    print: 'Print',
    passwords: 'Passwords',
    passwords_hint:
      'They are also in {file}. Hand them out, then delete that file: neither daemon nor broker reads it.',
    codes: 'Codes for tablets and phones',
    codes_hint: 'The pages are there once broker and daemon run.',
    base: 'Address of this computer in the network',
    codes_sign_in: 'The codes of tablets and screens also sign in. Whoever photographs such a code can sign in, too.',
    codes_local:
      'Only this computer can open the pages. For tablets and phones set “listen” under [http] in remisd.toml to 0.0.0.0:9120, and enter the address of this computer here.',
    page_start: 'Start page',
    page_arbiter: 'Arbiter console',
    page_operator: 'Operator’s page',
    page_display: 'Hall display',
    page_clock: 'Tablet at {board}',
    note_files: 'The broker needs up to {needed} connections: run “ulimit -n {limit}” before you start it.',
    note_files_system:
      'The broker needs up to {needed} connections: run “systemctl edit mosquitto”, and put LimitNOFILE={limit} under [Service].',
    note_port: 'No port is known yet for {boards}. “remisd ports --probe” lists the ports; put them into remisd.toml.',
    note_broker: 'The broker listens on the network without encryption: give its listener a certificate.',
    note_pages: 'The pages listen on the network without encryption: put a web server with TLS in front.',
    note_root:
      'You are root, so the broker of this directory runs as root. For a hall, install the packages and leave out --dir.',
  },
  de: {
    title: 'Einrichtung',
    code: 'Code',
    code_hint: 'Das Terminal, in dem „remisd setup --web“ läuft, zeigt ihn. Er öffnet diese Seite einmal.',
    enter: 'Öffnen',
    wrong_code:
      'Das ist nicht der Code, oder er ist verbraucht. Einen neuen bekommen Sie, wenn Sie „remisd setup --web“ neu starten.',
    ended: 'Die Einrichtung ist beendet. Um weiterzumachen, starten Sie „remisd setup --web“ neu.',
    boards: 'Bretter',
    boards_hint:
      'Schalten Sie die Bretter ein und schließen Sie sie an. Jeder Anschluss wird gefragt, welches Brett dort ist. Den Namen zeigen die Seiten: 1 bis 32 Zeichen aus a-z, 0-9 und -.',
    refresh: 'Neu suchen',
    looking: 'Suche …',
    found: { one: '{count} Brett antwortet.', other: '{count} Bretter antworten.' },
    name: 'Name',
    port: 'Anschluss',
    add: 'Brett hinzufügen',
    remove: 'Entfernen',
    remove_board: '{board} entfernen',
    no_port: 'Noch kein Anschluss: Tragen Sie ihn später in remisd.toml ein.',
    not_asked: 'Dieser Anschluss ist noch nicht gefragt worden: „Neu suchen“.',
    board_there: 'Ein DGT-Brett antwortet, Seriennummer {serial}, Version {version}.',
    no_board: 'Kein Brett antwortet.',
    denied: 'Dieser Benutzer darf den Anschluss nicht öffnen: Treten Sie der Gruppe {group} bei.',
    hall: 'Saal',
    site: 'Name des Spielorts',
    site_hint: 'Ein Teil jedes Topics: 1 bis 32 Zeichen aus a-z, 0-9 und -.',
    language: 'Sprache der veröffentlichten Texte',
    language_hint: 'Jede Seite hat ihre eigene Sprachwahl.',
    profile: 'Was Spieler wissen dürfen',
    profile_hint: 'Zähler und Anträge helfen einem Spieler.',
    profile_competition: 'Wettkampf: Nur der Schiedsrichter sieht Zähler und Anträge',
    profile_club: 'Verein: auch die, die Sie auswählen',
    profile_casual: 'Zwanglos: Alle sehen sie',
    open: 'Auch diese sehen sie',
    open_player: 'Tablets der Spieler',
    open_hall: 'Bildschirme im Saal',
    open_public: 'Die Öffentlichkeit',
    open_operator: 'Operatoren',
    network: 'Tablets und Telefone im Netz dürfen die Seiten öffnen',
    network_hint:
      'Sonst nur dieser Rechner. Die Verbindung ist nicht verschlüsselt: Nutzen Sie sie in einem Netz, dem Sie vertrauen.',
    addresses: 'Adressen',
    http: 'Adresse der Seiten',
    mqtt: 'Adresse des Brokers',
    address_hint: '127.0.0.1 ist nur dieser Rechner, 0.0.0.0 das ganze Netz.',
    users: 'Benutzer und Passwörter',
    users_hint: 'Jeder bekommt ein neues Passwort. Gezeigt werden sie einmal, wenn die Dateien geschrieben sind.',
    u_arbiter: 'der Schiedsrichter',
    u_operator: 'betreut Bretter und Übertragung',
    u_public: 'liest für die öffentlichen Seiten',
    u_hall: 'ein Bildschirm im Saal',
    u_white: 'das Tablet von Weiß an {board}',
    u_black: 'das Tablet von Schwarz an {board}',
    u_clock: 'das Tablet beider Spieler an {board}',
    files: 'Dateien',
    files_hint: 'Nichts, was es schon gibt, wird verändert.',
    write: 'Dateien schreiben',
    above: {
      one: '{count} Angabe weiter oben ist nicht verwendbar.',
      other: '{count} Angaben weiter oben sind nicht verwendbar.',
    },
    p_name: '„{detail}“ ist kein Name: 1 bis 32 Zeichen aus a-z, 0-9 und -.',
    p_choice: '„{detail}“ steht nicht zur Wahl.',
    p_address: '„{detail}“ ist keine Adresse mit Port wie 127.0.0.1:9120.',
    p_twice: '„{detail}“ kommt zweimal vor.',
    p_port: '„{detail}“ ist nicht der Pfad eines Anschlusses.',
    p_boards: 'Es sind {detail} Bretter: Möglich sind 1 bis 999.',
    p_not_club: 'Nur das Profil „Verein“ öffnet einzelne Gruppen.',
    p_overlap: '{detail} ist der Port des Brokers: Wählen Sie einen anderen.',
    p_in_use: '{detail} belegt ein anderes Programm: Wählen Sie einen anderen Port.',
    p_exists: '{detail} gibt es schon. Für eine neue Datei verschieben Sie sie.',
    p_not_written: 'Kann nicht schreiben: {detail}.',
    written: 'Die Dateien sind geschrieben',
    once: 'Diese Seite lässt sich nicht noch einmal öffnen. Drucken Sie sie, oder lassen Sie sie offen.',
    start: 'Broker und Dienst starten',
    print: 'Drucken',
    passwords: 'Passwörter',
    passwords_hint:
      'Sie stehen auch in {file}. Teilen Sie sie aus und löschen Sie dann diese Datei: Weder Dienst noch Broker liest sie.',
    codes: 'Codes für Tablets und Telefone',
    codes_hint: 'Die Seiten sind da, sobald Broker und Dienst laufen.',
    base: 'Adresse dieses Rechners im Netz',
    codes_sign_in:
      'Die Codes der Tablets und Bildschirme melden auch an. Wer einen solchen Code fotografiert, kann sich ebenfalls anmelden.',
    codes_local:
      'Nur dieser Rechner kann die Seiten öffnen. Für Tablets und Telefone setzen Sie „listen“ unter [http] in remisd.toml auf 0.0.0.0:9120 und tragen hier die Adresse dieses Rechners ein.',
    page_start: 'Startseite',
    page_arbiter: 'Schiedsrichterkonsole',
    page_operator: 'Seite des Operators',
    page_display: 'Saalanzeige',
    page_clock: 'Tablet an {board}',
    note_files: 'Der Broker braucht bis zu {needed} Verbindungen: Führen Sie vor dem Start „ulimit -n {limit}“ aus.',
    note_files_system:
      'Der Broker braucht bis zu {needed} Verbindungen: Führen Sie „systemctl edit mosquitto“ aus, und setzen Sie unter [Service] LimitNOFILE={limit}.',
    note_port:
      'Noch kein Anschluss ist bekannt für {boards}. „remisd ports --probe“ zeigt die Anschlüsse; tragen Sie sie in remisd.toml ein.',
    note_broker: 'Der Broker ist im Netz ohne Verschlüsselung erreichbar: Geben Sie ihm ein Zertifikat.',
    note_pages: 'Die Seiten sind im Netz ohne Verschlüsselung erreichbar: Stellen Sie einen Webserver mit TLS davor.',
    note_root:
      'Sie sind root, deshalb läuft der Broker dieses Verzeichnisses als root. Für einen Saal installieren Sie die Pakete und lassen --dir weg.',
  },
  nl: {
    title: 'Instellen',
    code: 'Code',
    code_hint: 'De terminal waarin “remisd setup --web” draait, toont hem. Hij opent deze pagina één keer.',
    enter: 'Openen',
    wrong_code: 'Dit is niet de code, of hij is al gebruikt. Voor een nieuwe start u “remisd setup --web” opnieuw.',
    ended: 'Het instellen is beëindigd. Start “remisd setup --web” opnieuw om verder te gaan.',
    boards: 'Borden',
    boards_hint:
      'Zet de borden aan en sluit ze aan. Elke poort wordt gevraagd welk bord er is. De naam is wat de pagina’s tonen: 1 tot 32 tekens uit a-z, 0-9 en -.',
    refresh: 'Opnieuw zoeken',
    looking: 'Zoeken …',
    found: { one: '{count} bord antwoordt.', other: '{count} borden antwoorden.' },
    name: 'Naam',
    port: 'Poort',
    add: 'Bord toevoegen',
    remove: 'Verwijderen',
    remove_board: '{board} verwijderen',
    no_port: 'Nog geen poort: vul die later in remisd.toml in.',
    not_asked: 'Deze poort is nog niet gevraagd: “Opnieuw zoeken”.',
    board_there: 'Een DGT-bord antwoordt, serienummer {serial}, versie {version}.',
    no_board: 'Er antwoordt geen bord.',
    denied: 'Deze gebruiker mag de poort niet openen: word lid van de groep {group}.',
    hall: 'Zaal',
    site: 'Naam van de speellocatie',
    site_hint: 'Een deel van elk topic: 1 tot 32 tekens uit a-z, 0-9 en -.',
    language: 'Taal van de gepubliceerde teksten',
    language_hint: 'Elke pagina heeft een eigen taalkeuze.',
    profile: 'Wat spelers mogen weten',
    profile_hint: 'Tellers en claims helpen een speler.',
    profile_competition: 'Wedstrijd: alleen de arbiter ziet tellers en claims',
    profile_club: 'Club: ook wie u kiest',
    profile_casual: 'Vrij: iedereen ziet ze',
    open: 'Ook deze zien ze',
    open_player: 'Tablets van de spelers',
    open_hall: 'Schermen in de zaal',
    open_public: 'Het publiek',
    open_operator: 'Operators',
    network: 'Tablets en telefoons in het netwerk mogen de pagina’s openen',
    network_hint:
      'Anders alleen deze computer. De verbinding is niet versleuteld: gebruik haar in een netwerk dat u vertrouwt.',
    addresses: 'Adressen',
    http: 'Adres van de pagina’s',
    mqtt: 'Adres van de broker',
    address_hint: '127.0.0.1 is alleen deze computer, 0.0.0.0 het hele netwerk.',
    users: 'Gebruikers en wachtwoorden',
    users_hint: 'Ieder krijgt een nieuw wachtwoord. Ze worden één keer getoond, als de bestanden geschreven zijn.',
    u_arbiter: 'de arbiter',
    u_operator: 'zorgt voor borden en uitzending',
    u_public: 'leest voor de openbare pagina’s',
    u_hall: 'een scherm in de zaal',
    u_white: 'de tablet van wit bij {board}',
    u_black: 'de tablet van zwart bij {board}',
    u_clock: 'de tablet van beide spelers bij {board}',
    files: 'Bestanden',
    files_hint: 'Niets wat er al is, verandert.',
    write: 'Bestanden schrijven',
    above: {
      one: '{count} antwoord hierboven is niet bruikbaar.',
      other: '{count} antwoorden hierboven zijn niet bruikbaar.',
    },
    p_name: '“{detail}” is geen naam: 1 tot 32 tekens uit a-z, 0-9 en -.',
    p_choice: '“{detail}” kan niet worden gekozen.',
    p_address: '“{detail}” is geen adres met poort zoals 127.0.0.1:9120.',
    p_twice: '“{detail}” komt twee keer voor.',
    p_port: '“{detail}” is niet het pad van een poort.',
    p_boards: 'Er zijn {detail} borden: 1 tot 999 zijn mogelijk.',
    p_not_club: 'Alleen het profiel “Club” opent groepen afzonderlijk.',
    p_overlap: '{detail} is de poort van de broker: kies een andere.',
    p_in_use: '{detail} is in gebruik bij een ander programma: kies een andere poort.',
    p_exists: '{detail} bestaat al. Verplaats het voor een nieuw bestand.',
    p_not_written: 'Kan niet schrijven: {detail}.',
    written: 'De bestanden zijn geschreven',
    once: 'Deze pagina kan niet nog eens worden geopend. Druk haar af, of laat haar open.',
    start: 'Broker en dienst starten',
    print: 'Afdrukken',
    passwords: 'Wachtwoorden',
    passwords_hint: 'Ze staan ook in {file}. Deel ze uit en verwijder dat bestand dan: dienst noch broker leest het.',
    codes: 'Codes voor tablets en telefoons',
    codes_hint: 'De pagina’s zijn er zodra broker en dienst draaien.',
    base: 'Adres van deze computer in het netwerk',
    codes_sign_in:
      'De codes van tablets en schermen melden ook aan. Wie zo’n code fotografeert, kan zich ook aanmelden.',
    codes_local:
      'Alleen deze computer kan de pagina’s openen. Zet voor tablets en telefoons “listen” onder [http] in remisd.toml op 0.0.0.0:9120 en vul hier het adres van deze computer in.',
    page_start: 'Startpagina',
    page_arbiter: 'Arbiterconsole',
    page_operator: 'Pagina van de operator',
    page_display: 'Zaalscherm',
    page_clock: 'Tablet bij {board}',
    note_files: 'De broker heeft tot {needed} verbindingen nodig: voer vóór het starten “ulimit -n {limit}” uit.',
    note_files_system:
      'De broker heeft tot {needed} verbindingen nodig: voer “systemctl edit mosquitto” uit en zet onder [Service] LimitNOFILE={limit}.',
    note_port:
      'Er is nog geen poort bekend voor {boards}. “remisd ports --probe” toont de poorten; zet ze in remisd.toml.',
    note_broker: 'De broker is in het netwerk zonder versleuteling bereikbaar: geef hem een certificaat.',
    note_pages: 'De pagina’s zijn in het netwerk zonder versleuteling bereikbaar: zet er een webserver met TLS voor.',
    note_root:
      'U bent root, dus de broker van deze map draait als root. Installeer voor een zaal de pakketten en laat --dir weg.',
  },
};

export const t = words(DICTIONARY);

/** What a user is for: `b1-clock` is the tablet at b1. */
export function userText(user: string): string {
  const [, board, device] = /^(.+)-(white|black|clock)$/.exec(user) ?? [];
  return t(`u_${device ?? user}` as Word, { board: board ?? '' });
}

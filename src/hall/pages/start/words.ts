/** The words of the start page. */

import { words, type Dictionary } from '../lib/words';

export type Word =
  | 'lead'
  | 'pages'
  | 'arbiter'
  | 'arbiter_for'
  | 'operator'
  | 'operator_for'
  | 'chief'
  | 'chief_for'
  | 'site_for'
  | 'display'
  | 'display_for'
  | 'clock'
  | 'clock_for'
  | 'overlay'
  | 'overlay_for'
  | 'boards'
  | 'board'
  | 'no_moves'
  | 'open_overlay'
  | 'open_clock'
  | 'builder'
  | 'builder_for'
  | 'which'
  | 'all_boards'
  | 'layout'
  | 'theme'
  | 'size'
  | 'size_hint'
  | 'language_of'
  | 'viewers'
  | 'shown'
  | 'flip'
  | 'still'
  | 'link'
  | 'copy'
  | 'copied'
  | 'open'
  | 'preview'
  | 'l_board'
  | 'l_boards'
  | 'l_ticker'
  | 'l_table'
  | 'l_featured'
  | 'l_leaders'
  | 'l_crosstable'
  | 'tournament'
  | 'qr'
  | 'qr_hint'
  | 't_dark'
  | 't_light'
  | 't_navy'
  | 't_wood'
  | 't_contrast'
  | 's_names'
  | 's_titles'
  | 's_ratings'
  | 's_flags'
  | 's_clocks'
  | 's_result'
  | 's_offer'
  | 's_opening'
  | 's_repetition'
  | 's_fifty'
  | 's_coordinates'
  | 's_lastmove'
  | 's_material'
  | 'health'
  | 'server'
  | 'broker'
  | 'broker_up'
  | 'broker_down'
  | 'broker_refuses'
  | 'node'
  | 'delay'
  | 'no_delay'
  | 'delay_of'
  | 'site'
  | 'version'
  | 'reached'
  | 'not_reached'
  | 'next'
  | 'next_server'
  | 'next_broker'
  | 'next_no_user'
  | 'next_refused_user'
  | 'next_none'
  | 'next_unplugged'
  | 'about'
  | 'source'
  | 'licence'
  | 'aid'
  | 'loading';

const DICTIONARY: Dictionary<Word> = {
  en: {
    lead: 'Chessboards that know the rules on draws',
    pages: 'Pages',
    arbiter: 'Arbiter console',
    arbiter_for: 'All boards by urgency, alerts, claims and rulings. Sign-in required.',
    operator: 'Operator’s page',
    operator_for: 'What is wrong with boards and broadcast, and what to do. Sign-in required.',
    chief: 'All sites',
    chief_for: 'For the chief arbiter: the alerts of all sites. Sign-in required.',
    site_for: 'The pages of this site.',
    display: 'Hall display',
    display_for: 'All boards for a screen in the hall, without anything that players may not know. Sign-in required.',
    clock: 'Clock and players',
    clock_for: 'A tablet beside a board: times, draw offers, claims. Sign-in required.',
    overlay: 'Overlay',
    overlay_for: 'For broadcasts with OBS or in a browser: transparent, set up by its address.',
    boards: 'Boards',
    board: 'Board {board}',
    no_moves: 'No moves yet',
    open_overlay: 'Overlay',
    open_clock: 'Clock',
    builder: 'Make an overlay',
    builder_for: 'Choose what it shows, then enter the address as a browser source.',
    which: 'Boards',
    all_boards: 'All boards',
    layout: 'Layout',
    theme: 'Theme',
    size: 'Size in pixels',
    size_hint: 'Empty: as large as fits.',
    language_of: 'Language',
    viewers: 'As in the browser',
    shown: 'Show',
    flip: 'Black at the bottom',
    still: 'No animation',
    link: 'Address',
    copy: 'Copy',
    copied: 'Copied',
    open: 'Open',
    preview: 'Preview',
    l_board: 'One board',
    l_boards: 'Several boards',
    l_ticker: 'Ticker',
    l_table: 'Table',
    l_featured: 'Boards in turn',
    l_leaders: 'Standings',
    l_crosstable: 'Crosstable',
    tournament: 'Tournament',
    qr: 'QR code',
    qr_hint: 'An address, or 1 for this page; empty for none',
    t_dark: 'Dark',
    t_light: 'Light',
    t_navy: 'Navy',
    t_wood: 'Wood',
    t_contrast: 'High contrast',
    s_names: 'Names',
    s_titles: 'Titles',
    s_ratings: 'Ratings',
    s_flags: 'Federations',
    s_clocks: 'Clocks',
    s_result: 'Result',
    s_offer: 'Draw offers',
    s_opening: 'Opening',
    s_repetition: 'Repetitions',
    s_fifty: '50-move count',
    s_coordinates: 'Coordinates',
    s_lastmove: 'Last move',
    s_material: 'Material',
    health: 'Status',
    server: 'Server',
    broker: 'Broker',
    broker_up: 'connected',
    broker_down: 'unreachable',
    broker_refuses: 'refuses this server’s public user',
    node: 'Daemon {node}',
    delay: 'Broadcast delay',
    no_delay: 'none',
    delay_of: '{count} s',
    site: 'Site',
    version: 'Version',
    reached: 'reachable',
    not_reached: 'unreachable',
    next: 'What to do next',
    next_server: 'This page cannot reach its server. Is remisd still running? The page keeps trying.',
    next_broker:
      'The server cannot reach the MQTT broker. Check that the broker is running and that “url” and certificates under [mqtt] in remisd.toml are correct. The server’s log names the reason.',
    next_no_user:
      'The broker admits nobody without a user, so this page shows no boards. Pages with a sign-in work. Set “public_username” and “public_password_file” under [http] in remisd.toml to a broker user that may read the public topics, such as “public”, then restart the server.',
    next_refused_user:
      'The broker refuses the user in “public_username” under [http] in remisd.toml, or its password, so this page shows no boards. Pages with a sign-in work. Correct user and password there or at the broker, then restart the server.',
    next_none:
      'No board is known yet. Enter one under [[board]] in remisd.toml, check it with “remisd check”, see what is plugged in with “remisd ports --probe”, and start “remisd run”. “remisd demo” shows everything without a board.',
    next_unplugged:
      'Not connected: {boards}. Check the board’s cable and power; “remisd ports --probe” shows which board responds where.',
    about: 'About',
    source: 'Source code',
    licence: 'Licence',
    aid: 'An aid for the arbiter, not approved by FIDE.',
    loading: 'Loading…',
  },
  de: {
    lead: 'Schachbretter, die die Remisregeln kennen',
    pages: 'Seiten',
    arbiter: 'Schiedsrichterkonsole',
    arbiter_for: 'Alle Bretter nach Dringlichkeit, Alarme, Anträge, Entscheidungen. Nur nach Anmeldung.',
    operator: 'Seite des Operators',
    operator_for: 'Was an Brettern und Übertragung nicht stimmt, und was zu tun ist. Nur nach Anmeldung.',
    chief: 'Alle Spielorte',
    chief_for: 'Für den Hauptschiedsrichter: die Alarme aller Spielorte. Nur nach Anmeldung.',
    site_for: 'Die Seiten dieses Spielorts.',
    display: 'Saalanzeige',
    display_for:
      'Alle Bretter für einen Bildschirm im Saal, ohne das, was Spieler nicht wissen dürfen. Nur nach Anmeldung.',
    clock: 'Uhr und Spieler',
    clock_for: 'Ein Tablet neben dem Brett: Zeiten, Remisangebote, Anträge. Nur nach Anmeldung.',
    overlay: 'Overlay',
    overlay_for: 'Für Übertragungen mit OBS oder im Browser: transparent, alles steht in der Adresse.',
    boards: 'Bretter',
    board: 'Brett {board}',
    no_moves: 'Noch keine Züge',
    open_overlay: 'Overlay',
    open_clock: 'Uhr',
    builder: 'Overlay zusammenstellen',
    builder_for: 'Wählen Sie aus, was es zeigt, und tragen Sie die Adresse in eine Browserquelle ein.',
    which: 'Bretter',
    all_boards: 'Alle Bretter',
    layout: 'Anordnung',
    theme: 'Farben',
    size: 'Größe in Pixeln',
    size_hint: 'Leer: so groß wie möglich.',
    language_of: 'Sprache',
    viewers: 'Wie der Browser',
    shown: 'Zeigen',
    flip: 'Schwarz unten',
    still: 'Keine Animation',
    link: 'Adresse',
    copy: 'Kopieren',
    copied: 'Kopiert',
    open: 'Öffnen',
    preview: 'Vorschau',
    l_board: 'Ein Brett',
    l_boards: 'Mehrere Bretter',
    l_ticker: 'Laufleiste',
    l_table: 'Tabelle',
    l_featured: 'Bretter nacheinander',
    l_leaders: 'Rangliste',
    l_crosstable: 'Kreuztabelle',
    tournament: 'Turnier',
    qr: 'QR-Code',
    qr_hint: 'Eine Adresse, oder 1 für diese Seite; leer: keiner',
    t_dark: 'Dunkel',
    t_light: 'Hell',
    t_navy: 'Marine',
    t_wood: 'Holz',
    t_contrast: 'Hoher Kontrast',
    s_names: 'Namen',
    s_titles: 'Titel',
    s_ratings: 'Wertungszahlen',
    s_flags: 'Föderationen',
    s_clocks: 'Uhren',
    s_result: 'Ergebnis',
    s_offer: 'Remisangebote',
    s_opening: 'Eröffnung',
    s_repetition: 'Wiederholungen',
    s_fifty: '50-Züge-Zähler',
    s_coordinates: 'Koordinaten',
    s_lastmove: 'Letzter Zug',
    s_material: 'Material',
    health: 'Status',
    server: 'Server',
    broker: 'Broker',
    broker_up: 'verbunden',
    broker_down: 'nicht erreichbar',
    broker_refuses: 'lehnt den öffentlichen Benutzer dieses Servers ab',
    node: 'Dienst {node}',
    delay: 'Übertragungsverzögerung',
    no_delay: 'keine',
    delay_of: '{count} s',
    site: 'Spielort',
    version: 'Version',
    reached: 'erreichbar',
    not_reached: 'nicht erreichbar',
    next: 'Was nun zu tun ist',
    next_server: 'Diese Seite erreicht ihren Server nicht. Läuft remisd noch? Die Seite versucht es weiter.',
    next_broker:
      'Der Server erreicht den MQTT-Broker nicht. Prüfen Sie, ob der Broker läuft und ob „url“ und Zertifikate unter [mqtt] in remisd.toml stimmen. Das Log des Servers nennt den Grund.',
    next_no_user:
      'Der Broker lässt niemanden ohne Benutzer zu, daher zeigt diese Seite keine Bretter. Seiten mit Anmeldung funktionieren. Tragen Sie unter [http] in remisd.toml als „public_username“ und „public_password_file“ einen Benutzer des Brokers ein, der die öffentlichen Topics lesen darf, etwa „public“, und starten Sie den Server neu.',
    next_refused_user:
      'Der Broker lehnt den Benutzer in „public_username“ unter [http] in remisd.toml oder dessen Passwort ab, daher zeigt diese Seite keine Bretter. Seiten mit Anmeldung funktionieren. Berichtigen Sie Benutzer und Passwort dort oder beim Broker, und starten Sie den Server neu.',
    next_none:
      'Noch ist kein Brett bekannt. Tragen Sie eines unter [[board]] in remisd.toml ein, prüfen Sie mit „remisd check“, sehen Sie mit „remisd ports --probe“ nach, was angeschlossen ist, und starten Sie „remisd run“. „remisd demo“ zeigt alles ohne Brett.',
    next_unplugged:
      'Nicht verbunden: {boards}. Prüfen Sie Kabel und Strom des Brettes; „remisd ports --probe“ zeigt, welches Brett wo antwortet.',
    about: 'Über remisd',
    source: 'Quelltext',
    licence: 'Lizenz',
    aid: 'Ein Hilfsmittel für den Schiedsrichter, von der FIDE nicht zugelassen.',
    loading: 'Wird geladen …',
  },
  nl: {
    lead: 'Schaakborden die de remiseregels kennen',
    pages: 'Pagina’s',
    arbiter: 'Arbiterconsole',
    arbiter_for: 'Alle borden op urgentie, alarmen, claims en beslissingen. Alleen na aanmelden.',
    operator: 'Pagina van de operator',
    operator_for: 'Wat er mis is met borden en uitzending, en wat te doen. Alleen na aanmelden.',
    chief: 'Alle speellocaties',
    chief_for: 'Voor de hoofdarbiter: de alarmen van alle speellocaties. Alleen na aanmelden.',
    site_for: 'De pagina’s van deze speellocatie.',
    display: 'Zaalscherm',
    display_for: 'Alle borden voor een scherm in de zaal, zonder wat spelers niet mogen weten. Alleen na aanmelden.',
    clock: 'Klok en spelers',
    clock_for: 'Een tablet naast het bord: tijden, remiseaanbod, claims. Alleen na aanmelden.',
    overlay: 'Overlay',
    overlay_for: 'Voor uitzendingen met OBS of in een browser: transparant, alles staat in het adres.',
    boards: 'Borden',
    board: 'Bord {board}',
    no_moves: 'Nog geen zetten',
    open_overlay: 'Overlay',
    open_clock: 'Klok',
    builder: 'Overlay samenstellen',
    builder_for: 'Kies wat het toont en zet het adres in een browserbron.',
    which: 'Borden',
    all_boards: 'Alle borden',
    layout: 'Lay-out',
    theme: 'Kleuren',
    size: 'Grootte in pixels',
    size_hint: 'Leeg: zo groot mogelijk.',
    language_of: 'Taal',
    viewers: 'Zoals de browser',
    shown: 'Tonen',
    flip: 'Zwart onder',
    still: 'Geen animatie',
    link: 'Adres',
    copy: 'Kopiëren',
    copied: 'Gekopieerd',
    open: 'Openen',
    preview: 'Voorbeeld',
    l_board: 'Eén bord',
    l_boards: 'Meer borden',
    l_ticker: 'Ticker',
    l_table: 'Tabel',
    l_featured: 'Borden om beurten',
    l_leaders: 'Stand',
    l_crosstable: 'Kruistabel',
    tournament: 'Toernooi',
    qr: 'QR-code',
    qr_hint: 'Een adres, of 1 voor deze pagina; leeg: geen',
    t_dark: 'Donker',
    t_light: 'Licht',
    t_navy: 'Marine',
    t_wood: 'Hout',
    t_contrast: 'Hoog contrast',
    s_names: 'Namen',
    s_titles: 'Titels',
    s_ratings: 'Ratings',
    s_flags: 'Federaties',
    s_clocks: 'Klokken',
    s_result: 'Uitslag',
    s_offer: 'Remiseaanbod',
    s_opening: 'Opening',
    s_repetition: 'Herhalingen',
    s_fifty: '50-zettenteller',
    s_coordinates: 'Coördinaten',
    s_lastmove: 'Laatste zet',
    s_material: 'Materiaal',
    health: 'Status',
    server: 'Server',
    broker: 'Broker',
    broker_up: 'verbonden',
    broker_down: 'niet bereikbaar',
    broker_refuses: 'weigert de openbare gebruiker van deze server',
    node: 'Dienst {node}',
    delay: 'Uitzendvertraging',
    no_delay: 'geen',
    delay_of: '{count} s',
    site: 'Speellocatie',
    version: 'Versie',
    reached: 'bereikbaar',
    not_reached: 'niet bereikbaar',
    next: 'Wat nu te doen',
    next_server: 'Deze pagina kan haar server niet bereiken. Draait remisd nog? De pagina blijft het proberen.',
    next_broker:
      'De server kan de MQTT-broker niet bereiken. Kijk of de broker draait en of “url” en certificaten onder [mqtt] in remisd.toml kloppen. De log van de server noemt de reden.',
    next_no_user:
      'De broker laat niemand zonder gebruiker toe, daarom toont deze pagina geen borden. Pagina’s met aanmelden werken. Zet onder [http] in remisd.toml bij “public_username” en “public_password_file” een gebruiker van de broker die de openbare topics mag lezen, zoals “public”, en herstart de server.',
    next_refused_user:
      'De broker weigert de gebruiker in “public_username” onder [http] in remisd.toml, of het wachtwoord ervan, daarom toont deze pagina geen borden. Pagina’s met aanmelden werken. Corrigeer gebruiker en wachtwoord daar of bij de broker, en herstart de server.',
    next_none:
      'Er is nog geen bord bekend. Zet er een onder [[board]] in remisd.toml, controleer met “remisd check”, kijk met “remisd ports --probe” wat is aangesloten, en start “remisd run”. “remisd demo” toont alles zonder bord.',
    next_unplugged:
      'Niet verbonden: {boards}. Controleer kabel en stroom van het bord; “remisd ports --probe” toont welk bord waar reageert.',
    about: 'Over remisd',
    source: 'Broncode',
    licence: 'Licentie',
    aid: 'Een hulpmiddel voor de arbiter, niet goedgekeurd door de FIDE.',
    loading: 'Laden…',
  },
};

export const t = words(DICTIONARY);

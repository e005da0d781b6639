# Das Beweisblatt zu einem Antrag: Überschriften, Beschriftungen, Befunde. Der Schiedsrichter zeigt es den Spielern.

evidence-title = Beweisblatt zum Remisantrag
evidence-title-position = Stellung auf dem Brett
evidence-board = Brett { $board }

## Der Befund in großen Buchstaben, und was daraus folgt

evidence-record = Aufzeichnung
evidence-ruling = Entscheidung des Schiedsrichters
evidence-not-written = Der angekündigte Zug ist nicht aufgeschrieben
evidence-finding-none = Diesen Antrag kann nur der Schiedsrichter beurteilen
evidence-finding-illegal = Der angekündigte Zug { $move } ist regelwidrig
evidence-finding-fifty = { $halfmoves ->
    [one] Ein Halbzug
   *[other] { $halfmoves } Halbzüge
 } ohne Bauern- und Schlagzüge (nötig: { $needed })
evidence-no-claim = Kein Antrag gestellt

evidence-drawn = Die Partie ist remis{ article }.
evidence-goes-on = Die Partie geht weiter{ article }.
evidence-set-clock = Uhr einstellen: { $changes }.
evidence-clock-stays = Die Bedenkzeiten bleiben unverändert.
evidence-must-play = Der angekündigte Zug { $move } muss ausgeführt werden.
evidence-other-move = Der angekündigte Zug { $move } ist regelwidrig: Mit dieser Figur muss ein anderer, regelgemäßer Zug ausgeführt werden, wenn es einen gibt. Als regelwidriger Zug zählt das nicht.
evidence-write-first = Der angekündigte Zug { $move } steht nicht auf dem Partieformular, es ist also noch nichts zu prüfen. Erst aufschreiben lassen, dann entscheiden. Keine Zeitstrafe.
evidence-if-written = Sobald er aufgeschrieben ist: { $verdict ->
    [correct] Der Antrag ist nach den Zügen der Partie berechtigt.
   *[other] Der Antrag ist nach den Zügen der Partie nicht berechtigt.
 }
evidence-if-rejected = Wird dem Antrag nicht stattgegeben:
evidence-why-castling = Zählt ein zwangsläufig verlorenes Rochaderecht nicht, so kam die Stellung oft genug vor, sonst nicht. Diese Ausgabe der Regeln wird unterschiedlich ausgelegt{ article }.
evidence-why-not-completed = Der letzte Zug ist ausgeführt, aber die Uhr nicht gedrückt: Der fünfzigste Zug ist nicht abgeschlossen{ article }.
evidence-right-lost = Das Recht auf den Antrag war schon verloren{ article }: Der Antrag wird nicht geprüft und kostet nichts. Die Partie geht weiter.
evidence-if-right-lost = Ist das Recht verloren, so ist der Antrag unzulässig: keine Zeitstrafe, die Partie geht weiter.
evidence-why-touched = Nach den Zügen der Partie ist der Antrag berechtigt. Davor wurde aber eine Figur berührt oder gezogen: entscheiden, ob das Recht auf den Antrag verloren ist{ article }.
evidence-why-flag = Beim Antrag war ein Fallblättchen schon gefallen: entscheiden, was zuerst bemerkt wurde{ article }.
evidence-why-quickplay = Einen Antrag in der Endspurtphase beurteilt der Schiedsrichter{ article }.
evidence-available = Jetzt wäre ein Antrag berechtigt: { $claims }.
evidence-available-none = Jetzt wäre kein Antrag berechtigt.
evidence-announced-ends = Der angekündigte Zug würde die Partie selbst beenden.
evidence-over = Die Partie war vor dem Antrag zu Ende: { $when }, { end-by }{ article }.
evidence-decision = { $decision ->
    [correct] Antrag berechtigt
    [incorrect] Antrag nicht berechtigt
    [not_admissible] Antrag unzulässig
   *[none] Noch nicht entschieden
 }
evidence-ruled-before = Frühere Entscheidung, nach einer seitdem berichtigten Aufzeichnung: { $decision ->
    [correct] Antrag berechtigt
    [not_admissible] Antrag unzulässig
   *[other] Antrag nicht berechtigt
 }, { $who }, { $time }.
evidence-by-record = { $verdict ->
    [correct] Laut Aufzeichnung ist der Antrag berechtigt
   *[other] Laut Aufzeichnung ist der Antrag nicht berechtigt
 }.
evidence-increment = Beide Spieler erhalten von nun an zusätzlich fünf Sekunden je Zug.
evidence-result = Ergebnis: { $score }, { result-by }.
evidence-uncertain = Unsicher: mit beiden Partieformularen vergleichen.
evidence-clock-unknown = { player-color } je nach Stand der Uhr

## Die Partie

evidence-game = Partie
evidence-event = Turnier
evidence-site = Ort
evidence-round = Runde
evidence-table = Brett
evidence-date = Datum
evidence-laws = Regeln
evidence-laws-of = FIDE { $year } ({ $edition }), { rate-of-play }
rate-of-play = { $rate ->
    [standard] Turnierschach
    [rapid] Schnellschach
    [blitz] Blitzschach
   *[other] { $rate }
 }
evidence-unknown = nicht bekannt

## Der Antrag

evidence-claim = Antrag
evidence-by = Antragsteller
evidence-what = Grund
evidence-ground = { $kind ->
    [threefold] dieselbe Stellung zum dritten Mal{ article }
    [fifty_move] 50 Züge ohne Bauern- und Schlagzüge{ article }
    [quickplay] Endspurtphase{ article }
    [increment] Endspurtphase, zusätzlich fünf Sekunden je Zug{ article }
   *[other] { $kind }{ article }
 }
evidence-basis = Bezogen auf
evidence-on-board = die Stellung auf dem Brett
evidence-intended = den angekündigten Zug { $move }
evidence-when = Gestellt
evidence-after = nach { $made }
evidence-at-start = in der Ausgangsstellung
evidence-clocks = Restbedenkzeit
evidence-clock-pair = Weiß { $white }, Schwarz { $black }
evidence-touched = Davor berührt
evidence-touched-piece = Figur auf { $square }, { $time }; { $source ->
    [arbiter] vom Schiedsrichter gesehen
    [unsure] laut Sensoren nur einen Augenblick nicht auf ihrem Feld: unsicher
   *[other] laut Sensoren: kein Beweis für Absicht
 }
evidence-clock-ran = Die Uhr lief, als der Antrag gestellt wurde.

## Die Vorkommen

evidence-occurrences = { $count ->
    [0] Die Stellung kam nie vor
    [one] Die Stellung kam einmal vor
   *[other] Die Stellung kam { $count } Mal vor
 }{ occurrences-needed }
occurrences-needed = { $needed ->
    [none] {""}
   *[other] {" "}(nötig: { $needed })
 }
evidence-nth = Nr. { $n }
evidence-start-position = Ausgangsstellung
evidence-would-be = angekündigt, nicht ausgeführt
evidence-to-move = { $by ->
    [white] Weiß am Zug
    [black] Schwarz am Zug
   *[other] { $by } am Zug
 }
evidence-castling = Rochade: { $rights }
evidence-castling-of = { player-color } ({ $rooks })
evidence-castling-none = keine
evidence-en-passant = En passant: { $square }
evidence-en-passant-none = nein
evidence-counts-if = zählt nur ohne das Rochaderecht
evidence-more-occurrences = Außerdem nach { $places }.
evidence-diagram = Stellung nach Halbzug { $ply }, { evidence-to-move }.

## Warum nicht gleich

evidence-unlike = Sieht gleich aus, zählt nicht{ article }
evidence-unlike-turn = { $by ->
    [white] Weiß war am Zug
    [black] Schwarz war am Zug
   *[other] { $by } war am Zug
 }
evidence-unlike-castling-then = { player-color } hatte noch das Rochaderecht mit dem Turm auf { $rooks }
evidence-unlike-castling-now = { player-color } hatte kein Rochaderecht mit dem Turm auf { $rooks }
evidence-unlike-ep-then = ein Bauer konnte auf { $square } en passant geschlagen werden
evidence-unlike-ep-now = kein Bauer konnte auf { $square } en passant geschlagen werden
evidence-unlike-none = Keine andere Stellung der Partie sieht gleich aus.
evidence-unlike-more = { $count ->
    [one] Noch eine Stellung
   *[other] Noch { $count } Stellungen
 } dieser Art.

## 50 Züge

evidence-fifty = Züge ohne Bauern- und Schlagzüge
evidence-fifty-count = { $halfmoves ->
    [one] Ein Halbzug
   *[other] { $halfmoves } Halbzüge
 } (nötig: { $needed }): { $white } von Weiß, { $black } von Schwarz.
evidence-fifty-missing = { $halfmoves ->
    [one] Ein Halbzug fehlt.
   *[other] { $halfmoves } Halbzüge fehlen.
 }
evidence-fifty-since = Gezählt ab { $made }: { $what ->
    [capture] Schlagzug
    [pawn] Bauernzug
   *[other] Schlagzug eines Bauern
 }
evidence-fifty-start = Gezählt ab der Ausgangsstellung.
evidence-before = Vor { $made }
evidence-then = Nach { $made }
evidence-claimed = Beim Antrag

## Die Züge

evidence-score = Züge der Partie
evidence-number = Nr.
evidence-no-moves = Noch kein Zug ausgeführt.
evidence-legend-boxed = umrahmt: die Stellung kam vor (mit Nummer)
evidence-legend-unlike = ≠ sieht gleich aus, zählt nicht
evidence-legend-offer = (=) Remisangebot
evidence-legend-gap = ? während eines Ausfalls des Bretts ausgeführt
evidence-legend-claim = ◆ Antrag
evidence-legend-announced = [ ] angekündigt, nicht ausgeführt
evidence-legend-clock = klein: Restbedenkzeit des Spielers

## Was sonst geschah

evidence-incidents = Anträge, Zeitstrafen, regelwidrige Züge
evidence-nothing = Davor wurde nichts aufgezeichnet.
evidence-after-ply = Halbzug { $ply }
evidence-illegal = { $nth }. regelwidriger Zug von { player-color }
evidence-adjusted = Uhr: { $changes } ({ adjustment-reason })
adjustment-reason = { $reason ->
    [incorrect_claim] Antrag nicht berechtigt
    [illegal_move] regelwidriger Zug
    [quickplay] Endspurtphase
    [increment] zusätzlich fünf Sekunden je Zug
    [arbiter] Entscheidung des Schiedsrichters
    [withdrawn] Entscheidung zurückgenommen
   *[other] { $reason }
 }
evidence-earlier-claim = früherer Antrag { $id } von { player-color }: { evidence-ground-short }
evidence-ground-short = { $kind ->
    [threefold] Stellungswiederholung
    [fifty_move] 50 Züge
    [quickplay] Endspurtphase
    [increment] zusätzlich fünf Sekunden je Zug
   *[other] { $kind }
 }
evidence-earlier-ruling = Antrag { $id }: { $decision ->
    [correct] berechtigt
    [not_admissible] unzulässig
   *[other] nicht berechtigt
 }
evidence-not-played = { by-color } hat { $announced } angekündigt, aber { $played } gespielt
evidence-version-chosen = { $version ->
    [record] Aufzeichnung gegen { $source } beibehalten
   *[account] Fassung von { $source } übernommen
 }, ab Halbzug { $ply }, von { $who }
evidence-corrected = Aufzeichnung bis Halbzug { $ply } zurückgenommen und berichtigt von { $who }
evidence-illegal-moves = Regelwidrige Züge bisher: Weiß { $white }, Schwarz { $black }.

## Was nicht sicher ist

evidence-doubts = Unsicher
evidence-notes = Hinweise
evidence-doubt-set-up = Die Stellung wurde während der Partie neu eingegeben. Was davor auf dem Brett war, wird nicht gezählt.
evidence-doubt-gap = Während eines Ausfalls des Bretts ausgeführt und danach rekonstruiert; Stellungen dazwischen sind nicht bekannt: { $places }.
evidence-doubt-assumed = { $count ->
    [one] Die Umwandlungsfigur ist
   *[other] Die Umwandlungsfiguren sind
 } angenommen, weil das Brett eine Dame nicht sicher erkennen konnte; die Spieler fragen: { $places }.
evidence-doubt-mismatch = Die Stellung auf dem Brett weicht von der Aufzeichnung ab, { $when } ({ $reason ->
    [no_legal_move] kein regelgemäßer Zug führt dorthin
    [pawn_not_promoted] ein Bauer steht auf der letzten Reihe
    [piece_missing] eine Figur fehlt
    [ambiguous] mehrere Züge sind möglich
    [earlier_position] das Brett zeigt eine frühere Stellung: Figuren wurden zurückgesetzt
   *[other] { $reason }
 }): { $squares }.{ $doubted_since ->
    [none] {""}
   *[other] {" "}Ab { $doubted_since } wurden Züge möglicherweise falsch erkannt.
 }
evidence-doubt-square = { $square }: { $expected } erwartet, { $seen } gesehen
evidence-doubt-square-empty = nichts
evidence-doubt-not-agreed = Das Brett war nicht zu sehen oder widersprach der Aufzeichnung und hat seither nicht mit ihr übereingestimmt: Züge { $when } können falsch gelesen sein oder fehlen.
evidence-doubt-source = Das Programm, das die Partie geschrieben hat, ist bei den Zügen ab { $since } nicht sicher.
evidence-doubt-account = { $source } weicht ab { $since } ab, und keine Fassung war gewählt: hier { $record ->
    [none] das Ende der Partie
   *[other] { $record }
 }, dort { $other ->
    [none] das Ende der Partie
   *[other] { $other }
 }.
evidence-doubt-written-by = Geschrieben von { $source }, nicht von den Sensoren eines Bretts gelesen. Berührte Figuren sind nicht bekannt.
evidence-doubt-missing = Im Journal fehlen die Einträge { $from } bis { $to }.
evidence-doubt-corrected = Seit dem Antrag hat { $who } die Züge { $when } berichtigt. Dieses Blatt zeigt sie so, wie sie beim Antrag aufgezeichnet waren.
evidence-doubt-not-recorded = Die neuesten Einträge ({ $from } bis { $to }) stehen noch nicht auf dem Datenträger. Hier sind sie berücksichtigt.
evidence-doubt-strange = Journaleinträge, die diese Version anders oder gar nicht liest: { $entries }.
evidence-doubt-unreadable = Der Rest der Datei ist nicht lesbar: { $text }
evidence-doubt-start = Die Partie begann mit einer vorgegebenen Stellung ({ $halfmoves ->
    [one] ein Halbzug
   *[other] { $halfmoves } Halbzüge
 } ohne Bauern- und Schlagzüge). Was davor war, wird nicht gezählt.
evidence-doubt-laws = Nach anderen Regeln geprüft als denen der Partie ({ $edition }, { rate-of-play }).

## Woher es kommt, und wer unterschreibt

evidence-source = Aufzeichnung
evidence-source-journal = Journal { $file }, Einträge { $from } bis { $to } ({ $count ->
    [one] ein Eintrag
   *[other] { $count } Einträge
 }).
evidence-source-pgn = Datei { $file }, Partie { $game }.
evidence-sha = SHA-256 { $what ->
    [journal] dieser Einträge
   *[other] der Datei
 }:
evidence-program = Erstellt mit remisd { $version }.
evidence-arbiter-name = Schiedsrichter
evidence-signature-white = Weiß
evidence-signature-black = Schwarz
evidence-signature-time = Datum, Zeit
evidence-footer = Hilfsmittel für den Schiedsrichter, von der FIDE nicht zugelassen. Der Schiedsrichter entscheidet.

## Statt des Blattes, wo es nicht erstellt werden kann

evidence-refused = Das Beweisblatt kann nicht erstellt werden
evidence-refused-why = { $why ->
    [bad] Die Adresse ist ungültig: { $detail }
    [no_board] Hier gibt es kein Brett { $board }.
    [signed_out] Zuerst in der Konsole als Schiedsrichter anmelden.
    [no_broker] Keine Verbindung zum Broker. Gleich noch einmal versuchen.
    [by_broker] Der Broker nimmt die Anfrage dieses Benutzers nicht an: { $detail }
    [silent] Der Dienst für Brett { $board } antwortet nicht. Läuft er?
    [daemon] Der Dienst für Brett { $board } antwortet: { $detail }
   *[other] { $detail }
 }
evidence-refused-otherwise = Wo das Journal liegt, geht es auch so: { $command }

# Het bewijsblad bij een claim: kopjes, opschriften, bevindingen. De arbiter laat het aan de spelers zien.

evidence-title = Bewijsblad bij een remiseclaim
evidence-title-position = Stelling op het bord
evidence-board = Bord { $board }

## De bevinding in grote letters, en wat eruit volgt

evidence-record = Registratie
evidence-ruling = Beslissing van de arbiter
evidence-not-written = De voorgenomen zet is niet opgeschreven
evidence-finding-none = Alleen de arbiter kan deze claim beoordelen
evidence-finding-illegal = De voorgenomen zet { $move } is onreglementair
evidence-finding-fifty = { $halfmoves ->
    [one] Eén halve zet
   *[other] { $halfmoves } halve zetten
 } zonder pionzet en zonder slaan (nodig: { $needed })
evidence-no-claim = Geen claim ingediend

evidence-drawn = De partij is remise{ article }.
evidence-goes-on = De partij gaat verder{ article }.
evidence-set-clock = Klok instellen: { $changes }.
evidence-clock-stays = De bedenktijden blijven ongewijzigd.
evidence-must-play = De voorgenomen zet { $move } moet worden gedaan.
evidence-other-move = De voorgenomen zet { $move } is onreglementair: met dat stuk moet een andere, reglementaire zet worden gedaan, als die er is. Dit telt niet als onreglementaire zet.
evidence-write-first = De voorgenomen zet { $move } staat niet op het notatieformulier, dus er valt nog niets te controleren. Eerst laten opschrijven, dan beslissen. Geen tijdstraf.
evidence-if-written = Zodra hij is opgeschreven: { $verdict ->
    [correct] volgens de zetten van de partij is de claim terecht.
   *[other] volgens de zetten van de partij is de claim onterecht.
 }
evidence-if-rejected = Als de claim wordt afgewezen:
evidence-why-castling = Telt een noodgedwongen verloren rokaderecht niet mee, dan kwam de stelling vaak genoeg voor, anders niet. Deze uitgave van de regels wordt verschillend uitgelegd{ article }.
evidence-why-not-completed = De laatste zet is gedaan, maar de klok is niet ingedrukt: de vijftigste zet is niet voltooid{ article }.
evidence-right-lost = Het recht op de claim was al vervallen{ article }: de claim wordt niet gecontroleerd en kost niets. De partij gaat verder.
evidence-if-right-lost = Is het recht vervallen, dan is de claim niet ontvankelijk: geen tijdstraf, de partij gaat verder.
evidence-why-touched = Volgens de zetten van de partij is de claim terecht. Maar daarvoor is een stuk aangeraakt of verzet: beslissen of het recht op de claim vervallen is{ article }.
evidence-why-flag = Bij de claim was er al een vlag gevallen: beslissen wat het eerst is opgemerkt{ article }.
evidence-why-quickplay = Een claim bij versneld beëindigen wordt door de arbiter beoordeeld{ article }.
evidence-available = Nu zou een claim terecht zijn: { $claims }.
evidence-available-none = Nu zou geen claim terecht zijn.
evidence-announced-ends = De voorgenomen zet zou zelf de partij beëindigen.
evidence-over = De partij was vóór de claim afgelopen: { $when }, { end-by }{ article }.
evidence-decision = { $decision ->
    [correct] Claim terecht
    [incorrect] Claim onterecht
    [not_admissible] Claim niet ontvankelijk
   *[none] Nog niet beslist
 }
evidence-ruled-before = Eerdere beslissing, op een later gecorrigeerde registratie: { $decision ->
    [correct] claim terecht
    [not_admissible] claim niet ontvankelijk
   *[other] claim onterecht
 }, { $who }, { $time }.
evidence-by-record = { $verdict ->
    [correct] Volgens de registratie is de claim terecht
   *[other] Volgens de registratie is de claim onterecht
 }.
evidence-increment = Beide spelers krijgen vanaf nu vijf seconden extra per zet.
evidence-result = Uitslag: { $score }, { result-by }.
evidence-uncertain = Onzeker: met beide notatieformulieren vergelijken.
evidence-clock-unknown = { player-color } volgens de stand van de klok

## De partij

evidence-game = Partij
evidence-event = Toernooi
evidence-site = Plaats
evidence-round = Ronde
evidence-table = Bord
evidence-date = Datum
evidence-laws = Regels
evidence-laws-of = FIDE { $year } ({ $edition }), { rate-of-play }
rate-of-play = { $rate ->
    [standard] klassiek
    [rapid] rapid
    [blitz] snelschaak
   *[other] { $rate }
 }
evidence-unknown = niet bekend

## De claim

evidence-claim = Claim
evidence-by = Claimende speler
evidence-what = Grond
evidence-ground = { $kind ->
    [threefold] dezelfde stelling voor de derde keer{ article }
    [fifty_move] 50 zetten zonder pionzet en zonder slaan{ article }
    [quickplay] versneld beëindigen{ article }
    [increment] versneld beëindigen, vijf seconden extra per zet{ article }
   *[other] { $kind }{ article }
 }
evidence-basis = Gebaseerd op
evidence-on-board = de stelling op het bord
evidence-intended = de voorgenomen zet { $move }
evidence-when = Ingediend
evidence-after = na { $made }
evidence-at-start = in de beginstelling
evidence-clocks = Resterende tijd
evidence-clock-pair = wit { $white }, zwart { $black }
evidence-touched = Eerder aangeraakt
evidence-touched-piece = stuk op { $square }, { $time }; { $source ->
    [arbiter] gezien door de arbiter
    [unsure] volgens de sensoren maar even van zijn veld: onzeker
   *[other] volgens de sensoren: geen bewijs van opzet
 }
evidence-clock-ran = De klok liep toen de claim werd ingediend.

## De keren

evidence-occurrences = { $count ->
    [0] De stelling kwam nooit voor
    [one] De stelling kwam één keer voor
   *[other] De stelling kwam { $count } keer voor
 }{ occurrences-needed }
occurrences-needed = { $needed ->
    [none] {""}
   *[other] {" "}(nodig: { $needed })
 }
evidence-nth = Nr. { $n }
evidence-start-position = beginstelling
evidence-would-be = voorgenomen, niet gedaan
evidence-to-move = { $by ->
    [white] wit aan zet
    [black] zwart aan zet
   *[other] { $by } aan zet
 }
evidence-castling = Rokade: { $rights }
evidence-castling-of = { player-color } ({ $rooks })
evidence-castling-none = geen
evidence-en-passant = En passant: { $square }
evidence-en-passant-none = nee
evidence-counts-if = telt alleen zonder het rokaderecht
evidence-more-occurrences = Ook na { $places }.
evidence-diagram = Stelling na halve zet { $ply }, { evidence-to-move }.

## Waarom niet gelijk

evidence-unlike = Ziet er hetzelfde uit, telt niet{ article }
evidence-unlike-turn = { $by ->
    [white] wit was aan zet
    [black] zwart was aan zet
   *[other] { $by } was aan zet
 }
evidence-unlike-castling-then = { player-color } had nog het rokaderecht met de toren op { $rooks }
evidence-unlike-castling-now = { player-color } had geen rokaderecht met de toren op { $rooks }
evidence-unlike-ep-then = een pion kon op { $square } en passant worden geslagen
evidence-unlike-ep-now = geen pion kon op { $square } en passant worden geslagen
evidence-unlike-none = Geen andere stelling van de partij ziet er hetzelfde uit.
evidence-unlike-more = { $count ->
    [one] Nog één stelling
   *[other] Nog { $count } stellingen
 } van dit soort.

## 50 zetten

evidence-fifty = Zetten zonder pionzet en zonder slaan
evidence-fifty-count = { $halfmoves ->
    [one] Eén halve zet
   *[other] { $halfmoves } halve zetten
 } (nodig: { $needed }): { $white } door wit, { $black } door zwart.
evidence-fifty-missing = { $halfmoves ->
    [one] Eén halve zet ontbreekt.
   *[other] { $halfmoves } halve zetten ontbreken.
 }
evidence-fifty-since = Geteld vanaf { $made }: { $what ->
    [capture] slagzet
    [pawn] pionzet
   *[other] slagzet met een pion
 }
evidence-fifty-start = Geteld vanaf de beginstelling.
evidence-before = Vóór { $made }
evidence-then = Na { $made }
evidence-claimed = Bij de claim

## De zetten

evidence-score = Zetten van de partij
evidence-number = Nr.
evidence-no-moves = Nog geen zet gedaan.
evidence-legend-boxed = omlijst: de stelling kwam voor (met nummer)
evidence-legend-unlike = ≠ ziet er hetzelfde uit, telt niet
evidence-legend-offer = (=) remiseaanbod
evidence-legend-gap = ? gedaan tijdens uitval van het bord
evidence-legend-claim = ◆ claim
evidence-legend-announced = [ ] voorgenomen, niet gedaan
evidence-legend-clock = klein: resterende tijd van de speler

## Wat er verder gebeurde

evidence-incidents = Claims, tijdstraffen, onreglementaire zetten
evidence-nothing = Hiervoor is niets vastgelegd.
evidence-after-ply = halve zet { $ply }
evidence-illegal = onreglementaire zet van { player-color }, nr. { $nth }
evidence-adjusted = klok: { $changes } ({ adjustment-reason })
adjustment-reason = { $reason ->
    [incorrect_claim] claim onterecht
    [illegal_move] onreglementaire zet
    [quickplay] versneld beëindigen
    [increment] vijf seconden extra per zet
    [arbiter] beslissing van de arbiter
    [withdrawn] beslissing ingetrokken
   *[other] { $reason }
 }
evidence-earlier-claim = eerdere claim { $id } van { player-color }: { evidence-ground-short }
evidence-ground-short = { $kind ->
    [threefold] driemaal dezelfde stelling
    [fifty_move] 50 zetten
    [quickplay] versneld beëindigen
    [increment] vijf seconden extra per zet
   *[other] { $kind }
 }
evidence-earlier-ruling = claim { $id }: { $decision ->
    [correct] terecht
    [not_admissible] niet ontvankelijk
   *[other] onterecht
 }
evidence-not-played = voorgenomen zet van { by-color }: { $announced }; gedaan: { $played }
evidence-version-chosen = { $version ->
    [record] registratie gehandhaafd tegenover { $source }
   *[account] versie van { $source } overgenomen
 } vanaf halve zet { $ply }, door { $who }
evidence-corrected = registratie teruggezet tot halve zet { $ply } en gecorrigeerd door { $who }
evidence-illegal-moves = Onreglementaire zetten tot nu toe: wit { $white }, zwart { $black }.

## Wat niet zeker is

evidence-doubts = Onzeker
evidence-notes = Opmerkingen
evidence-doubt-set-up = De stelling is tijdens de partij opnieuw ingevoerd. Wat daarvoor op het bord stond, telt niet mee.
evidence-doubt-gap = Gedaan tijdens uitval van het bord en daarna gereconstrueerd; stellingen daartussen zijn niet bekend: { $places }.
evidence-doubt-assumed = { $count ->
    [one] Het promotiestuk is
   *[other] De promotiestukken zijn
 } aangenomen, omdat het bord een dame niet met zekerheid kon herkennen; de spelers vragen: { $places }.
evidence-doubt-mismatch = De stelling op het bord wijkt af van de registratie, { $when } ({ $reason ->
    [no_legal_move] geen reglementaire zet leidt daarheen
    [pawn_not_promoted] een pion staat op de laatste rij
    [piece_missing] een stuk ontbreekt
    [ambiguous] er zijn meerdere zetten mogelijk
    [earlier_position] het bord toont een eerdere stelling: er zijn stukken teruggezet
   *[other] { $reason }
 }): { $squares }.{ $doubted_since ->
    [none] {""}
   *[other] {" "}Vanaf { $doubted_since } zijn zetten mogelijk verkeerd herkend.
 }
evidence-doubt-square = { $square }: { $expected } verwacht, { $seen } gezien
evidence-doubt-square-empty = niets
evidence-doubt-not-agreed = Het bord was niet te zien of week af van de registratie, en stemde er sindsdien niet mee overeen: zetten { $when } kunnen verkeerd gelezen zijn of ontbreken.
evidence-doubt-source = Het programma dat de partij heeft geschreven, is niet zeker van de zetten vanaf { $since }.
evidence-doubt-account = { $source } wijkt vanaf { $since } af, en er was geen versie gekozen: hier { $record ->
    [none] het einde van de partij
   *[other] { $record }
 }, daar { $other ->
    [none] het einde van de partij
   *[other] { $other }
 }.
evidence-doubt-written-by = Geschreven door { $source }, niet gelezen door de sensoren van een bord. Aangeraakte stukken zijn niet bekend.
evidence-doubt-missing = In het logboek ontbreken de vermeldingen { $from } tot en met { $to }.
evidence-doubt-corrected = Na de claim heeft { $who } de zetten { $when } gecorrigeerd. Dit blad toont ze zoals ze bij de claim waren vastgelegd.
evidence-doubt-not-recorded = De nieuwste vermeldingen ({ $from } tot en met { $to }) staan nog niet op de schijf. Ze zijn hier meegenomen.
evidence-doubt-strange = Vermeldingen in het logboek die deze versie anders of niet leest: { $entries }.
evidence-doubt-unreadable = De rest van het bestand is niet leesbaar: { $text }
evidence-doubt-start = De partij begon met een gegeven stelling ({ $halfmoves ->
    [one] één halve zet
   *[other] { $halfmoves } halve zetten
 } zonder pionzet en zonder slaan). Wat daarvoor was, telt niet mee.
evidence-doubt-laws = Volgens andere regels gecontroleerd dan die van de partij ({ $edition }, { rate-of-play }).

## Waar het vandaan komt, en wie tekent

evidence-source = Registratie
evidence-source-journal = Logboek { $file }, vermeldingen { $from } tot en met { $to } ({ $count ->
    [one] één vermelding
   *[other] { $count } vermeldingen
 }).
evidence-source-pgn = Bestand { $file }, partij { $game }.
evidence-sha = SHA-256 van { $what ->
    [journal] deze vermeldingen
   *[other] het bestand
 }:
evidence-program = Gemaakt met remisd { $version }.
evidence-arbiter-name = Arbiter
evidence-signature-white = Wit
evidence-signature-black = Zwart
evidence-signature-time = Datum, tijd
evidence-footer = Hulpmiddel voor de arbiter, niet goedgekeurd door de FIDE. De arbiter beslist.

## In plaats van het blad, waar het niet kan worden gemaakt

evidence-refused = Het bewijsblad kan niet worden gemaakt
evidence-refused-why = { $why ->
    [bad] Het adres is ongeldig: { $detail }
    [no_board] Er is hier geen bord { $board }.
    [signed_out] Meld u eerst in de console aan als arbiter.
    [no_broker] Geen verbinding met de broker. Probeer het zo nog eens.
    [by_broker] De broker aanvaardt het verzoek van deze gebruiker niet: { $detail }
    [silent] De dienst van bord { $board } reageert niet. Draait hij?
    [daemon] De dienst van bord { $board } antwoordt: { $detail }
   *[other] { $detail }
 }
evidence-refused-otherwise = Waar het logboek staat, kan het ook zo: { $command }

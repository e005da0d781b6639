# Alarmen voor de arbiter: wat er is, het artikel, wat te doen. Het bord staat er niet bij.

## Rood: meteen handelen

alert-fivefold = Dezelfde stelling voor de vijfde keer, { after-move }{ article }. De partij is remise. Klok stilzetten.

alert-seventy_five_move = 75 zetten van elke speler zonder pionzet en zonder slaan, { after-move }{ article }. De partij is remise. Klok stilzetten.

alert-dead_position = Dode stelling { after-move }: mat is met geen enkele reeks reglementaire zetten mogelijk{ article }.{ dead-why } De partij is remise. Klok stilzetten.
dead-why = { $why ->
    [none] {""}
   *[other] {" "}{ $why }
 }

alert-game_over = { $kind ->
    [checkmate] Mat { after-move }{ article }. De partij is gewonnen.
    [stalemate] Pat { after-move }{ article }. De partij is remise.
   *[other] De partij eindigde door { $kind } { after-move }{ article }.
 } Klok stilzetten.

alert-play_after_end = Er wordt doorgespeeld, hoewel de partij { after-move } { end-by } was afgelopen{ article }; stand: { $now_after ->
    [none] halve zet { $now_ply }
    [start] beginstelling
   *[other] { $now_after }
 }.{ $decided ->
    [agreement] {" "}De spelers zijn daarna remise overeengekomen; dat geldt als dit einde vervalt.
    [resignation] {" "}Daarna heeft { by-color } opgegeven; dat geldt als dit einde vervalt.
   *[other] {""}
 } Ingrijpen en klok stilzetten.

alert-claim_made = { claim-what }. { claim-verdict }{ claim-contested }{ claim-after-flag }
claim-what = { $kind ->
    [increment] Remiseaanbod van { by-color } met verzoek om vijf seconden extra per zet bij versneld beëindigen
   *[other] Remiseclaim van { by-color }: { claim-ground }
 }
claim-ground = { $kind ->
    [threefold] dezelfde stelling voor de derde keer{ claim-basis }
    [fifty_move] 50 zetten zonder pionzet en zonder slaan{ claim-basis }
    [quickplay] versneld beëindigen, de tegenstander kan niet met normale middelen winnen of probeert het niet
   *[other] { $kind }{ claim-basis }
 }
claim-basis = { $basis ->
    [none] {""}
    [appeared] , op het bord
    [intended] , { claim-move }
   *[other] {" "}({ $basis })
 }
claim-move = { $move ->
    [none] voorgenomen zet niet genoemd
   *[other] voorgenomen zet { $move }
 }
claim-verdict = { $verdict ->
    [none] Nog niet gecontroleerd{ article }. Klok stilzetten en controleren.
    [correct] Claim terecht{ claim-evidence }{ article }.{ claim-drawn }
    [incorrect] Claim onterecht{ claim-evidence }{ article }. De partij gaat verder{ claim-penalty }.{ claim-must-play }
    [defective_not_written] De zet staat niet op het notatieformulier{ article }: eerst laten opschrijven, dan beslissen.
    [arbiter_decides] U beslist{ article }.
   *[other] { $verdict }{ article }.
 }
claim-drawn = { $contested ->
    [yes] {""}
   *[other] {" "}De partij is remise.
 }
claim-evidence = { $legal ->
    [no] . De voorgenomen zet is onreglementair
   *[other] { $kind ->
        [threefold] . De stelling kwam { $count ->
            [0] nooit voor
            [one] één keer voor, { $after ->
                [none] na halve zet { $plies }
                [start] in de beginstelling
               *[other] na { $after }
             }
           *[other] { $count } keer voor: { after-moves }
         }
        [fifty_move] : { $halfmove_clock ->
            [one] één halve zet
           *[other] { $halfmove_clock } halve zetten
         } zonder pionzet en zonder slaan
       *[other] {""}
     }
 }
claim-penalty = { $changes ->
    [none] {""}
   *[other] ; { $changes }
 }
claim-must-play = { $basis ->
    [intended] {" "}{ $legal ->
        [no] Met dat stuk moet een andere, reglementaire zet worden gedaan, als dat kan.
       *[other] De voorgenomen zet moet worden gedaan.
     }
   *[other] {""}
 }
claim-contested = { $contested ->
    [no] {""}
    [yes] {" "}Het recht op de claim kan vervallen zijn: daarvoor is een stuk aangeraakt of verzet. Eerst daarover beslissen (art. 9.4).
   *[other] {" "}({ $contested })
 }
claim-after-flag = { $after_flag ->
    [no] {""}
    [yes] {" "}Er was al een vlag gevallen: beslissen wat het eerst is opgemerkt.
   *[other] {" "}({ $after_flag })
 }

alert-flag_fall = De vlag van { player-color } is gevallen{ article }. { $action ->
    [call] Het vallen van de vlag melden.
    [may_call] Het vallen van de vlag mag worden gemeld.
    [refrain] Niet melden: wachten tot een speler claimt.
   *[other] ({ $action })
 } { $opponent_can_mate ->
    [yes] Mat door { opponent-color } is nog mogelijk: verloren voor { player-color }.
    [no] Mat door { opponent-color } is met geen enkele reeks reglementaire zetten mogelijk: remise.
    [unknown] Of { opponent-color } nog mat kan geven, is niet bekend: u beslist.
   *[other] ({ $opponent_can_mate })
 }

alert-agreement_restricted = { $reason ->
    [before_move] Remise door overeenkomst voordat beide spelers { $move } zetten hebben gedaan{ article }. { agreement-waits }
    [consent] Remise door overeenkomst, waarvoor uw toestemming nodig is{ article }. { agreement-waits }
    [too_early] Remise door overeenkomst voordat beide spelers { $move ->
        [one] een zet
       *[other] { $move } zetten
     } hebben gedaan{ article }. De remise geldt niet: de partij gaat verder.
   *[other] Remise door overeenkomst ({ $reason }){ article }. { agreement-waits }
 }
agreement-waits = De remise geldt pas met uw toestemming; zonder die toestemming gaat de partij verder.

alert-announced_move_not_played = Voorgenomen zet van { by-color }: { $announced }; gedaan: { $played }{ article }. Ingrijpen: { $legal ->
    [no] { $announced } is onreglementair, dus moet met dat stuk een andere zet worden gedaan.
   *[other] de voorgenomen zet moet worden gedaan.
 }

alert-clock_adjustment = { $reason ->
    [incorrect_claim] Claim onterecht
    [illegal_move] Onreglementaire zet
    [quickplay] Versneld beëindigen
    [increment] Vijf seconden extra per zet voor beide spelers
    [arbiter] Beslissing van de arbiter
    [withdrawn] Beslissing ingetrokken
   *[other] { $reason }
 }{ article }. Klok instellen: { $changes }.
clock-by = { player-color } { $time }
clock-to = { player-color } op { $time }
clock-as-it-is = tijden ongewijzigd

alert-decision_needed = { $what ->
    [resignation] Opgave door { player-color }.
    [flag_fall] De vlag van { player-color } is gevallen.
    [illegal_move] Dreigend verlies voor { player-color } door een onreglementaire zet.
   *[other] { $what }, { player-color }.
 } { $waits_for ->
    [claim] Dat telt alleen als de eerdere claim de partij niet beëindigt: over de claim beslissen.
    [move] Daarvoor stond { $move } op het bord, wat de partij beëindigt: wordt de zet niet vastgelegd, dan beslist u.
   *[none] Of { opponent-color } met enige reeks reglementaire zetten mat kan geven, is niet bekend{ article }: u beslist, gewonnen of remise.
 }

alert-left_undecided = Over partij { $game } was nog niet beslist toen de stukken opnieuw werden opgezet: { $what ->
    [claim] de remiseclaim van { by-color } stond nog open
    [decision] de beslissing over de claim van { by-color } bij versneld beëindigen was uitgesteld
    [increment] het verzoek van { by-color } om vijf seconden extra per zet bij versneld beëindigen stond nog open
    [agreement] de overeengekomen remise wachtte op uw toestemming
    [resignation] { by-color } had opgegeven
    [flag_fall] de vlag van { by-color } was gevallen
    [illegal_move] { by-color } zou verliezen door een onreglementaire zet
    [result] de spelers hadden { $score } op het bord aangegeven
    [accounts] de registratie { $record ->
        [none] (einde van de partij)
       *[other] ({ $record })
     } week af van { $source }{ $other ->
        [none] {""}
       *[other] {" "}({ $other })
     }, en er was geen versie gekozen
    [game] ze is begonnen, maar heeft geen uitslag
   *[other] { $what }
 }. Met de spelers beslissen.{ perhaps-missing }{ older-cases }
perhaps-missing = { $move ->
    [none] {""}
   *[other] {" "}De zet { $move } stond misschien op het bord en is niet vastgelegd.
 }
older-cases = { $more ->
    [none] {""}
    [one] {" "}Nog één geval uit een eerdere partij staat in het logboek.
   *[other] {" "}Nog { $more } gevallen uit eerdere partijen staan in het logboek.
 }

## Oranje: kijken

alert-threefold_claimable = Remiseclaim wegens driemaal dezelfde stelling mogelijk{ article }: { by-color } aan zet. Niet ingrijpen.

alert-fifty_move_claimable = Remiseclaim volgens de 50-zettenregel mogelijk{ article }: { by-color } aan zet. Niet ingrijpen.

alert-fourth_occurrence = Dezelfde stelling voor de vierde keer ({ after-moves }). De vijfde keer beëindigt de partij{ article }. Niet ingrijpen.

alert-seventy_moves = { $halfmove_clock } halve zetten zonder pionzet en zonder slaan. { $moves_left ->
    [one] Nog één zet van elke speler en de partij is remise
   *[other] Nog { $moves_left } zetten van elke speler en de partij is remise
 }{ article }. Niet ingrijpen.

alert-repetition_disputed = Alleen dezelfde stelling voor de derde keer als een noodgedwongen verloren rokaderecht niet meetelt{ article }: { by-color } aan zet. Bij een claim beslist u. Niet ingrijpen.

alert-fivefold_uneven = Dezelfde stelling voor de vijfde keer ({ after-moves }), maar niet door vijf opeenvolgende alternerende zetten van elke speler{ article }. De partij gaat verder, tenzij u de regels anders uitlegt. Niet ingrijpen.

alert-offer_repeated = Remiseaanbod van { by-color }: al { $count ->
    [one] één keer
   *[other] { $count } keer
 }{ article }. Ingrijpen als het de tegenstander stoort.

alert-claims_repeated = Ongegronde remiseclaim van { by-color }: al { $count ->
    [one] één keer
   *[other] { $count } keer
 }{ article }. Ingrijpen als het de tegenstander stoort.

alert-offer_restricted = Remiseaanbod van { by-color }, { $move ->
    [none] hoewel het toernooireglement daarvoor uw toestemming eist
   *[other] voordat beide spelers { $move } zetten hebben gedaan; daarvoor is uw toestemming nodig
 }{ article }.

alert-agreed_without_play = Remise door overeenkomst voordat beide spelers een zet hadden gedaan. De remise geldt, maar kan het schaakspel in diskrediet brengen{ article }.

alert-decision_postponed = De beslissing over de remiseclaim van { by-color } { after-move } is uitgesteld{ article }. { $flag ->
    [none] De partij volgen en beslissen voordat die anders eindigt.
   *[other] Er is een vlag gevallen: nu eerst over de claim beslissen.
 }

alert-claim_contested = { $move ->
    [none] { claim-touched }
   *[other] Vóór de claim had { by-color } { $move } al op het bord gedaan
 }{ article }. Beslissen of het recht op de claim vervallen is.

claim-touched = { $sure ->
    [no] Vóór de claim van { by-color } was het stuk op { $square } volgens de sensoren maar even van zijn veld
   *[other] Vóór de claim heeft { by-color } het stuk op { $square } opgetild
 }

alert-claim_reconsidered = De remiseclaim van { by-color } { after-move } is onterecht verklaard, maar de registratie is daarna gecorrigeerd{ article }: opnieuw beslissen.{ claim-cost-made }
claim-cost-made = { $changes ->
    [none] {""}
   *[other] {" "}De klok is al overeenkomstig ingesteld: { $changes }.
 }

alert-board_mismatch = { $reason ->
    [no_legal_move] Geen reglementaire zet past bij het bord
    [pawn_not_promoted] Er staat een pion op de laatste rij
    [piece_missing] Er ontbreekt een stuk
    [ambiguous] Meerdere zettenreeksen passen bij het bord
    [earlier_position] Teruggezet naar een eerdere stelling
    [start_array] Verkeerde beginstelling
   *[other] De stelling wijkt af van de registratie ({ $reason })
 } { $reason ->
    [start_array] voor de volgende partij
   *[other] { mismatch-after }
 }{ $squares ->
    [none] {""}
   *[other] : { $squares }
 }.{ $doubted_since ->
    [none] {""}
   *[other] {" "}Vanaf { $doubted_from ->
        [none] halve zet { $doubted_since }
       *[other] { $doubted_from }
     } zijn zetten mogelijk verkeerd herkend.
 } { $reason ->
    [ambiguous] { mismatch-choose }
    [earlier_position] Zetten terugnemen of de stelling weer laten opzetten.
    [start_array] Er worden geen zetten vastgelegd. Laten herstellen, of met deze stelling een nieuwe partij beginnen.
   *[other] Bord controleren.
 }
mismatch-after = { $after ->
    [none] sinds halve zet { $since_ply }
    [start] in de beginstelling
   *[other] na { $after }
 }
mismatch-choose = De gespeelde zetten kiezen{ $candidates ->
    [none] {""}
   *[other] : { $candidates }
 }.
mismatch-no-move = geen zet

alert-clock_stopped = De klok staat stil terwijl de partij loopt{ article }. Oorzaak nagaan.

alert-counts_restarted = Tijdens de partij is een stelling ingevoerd. Herhalingen en zetten tellen vanaf daar; eerdere staan alleen op de notatieformulieren.

alert-result_to_confirm = De partij eindigde in { $score } { result-by }, { after-move }{ article }. Uitslag bevestigen of corrigeren.

alert-result_unconfirmed = Partij { $game } eindigde in { $score } { result-by }{ article }; de uitslag is nooit bevestigd. Bevestigen of corrigeren.{ older-cases }

alert-result_proposed = { $sign ->
    [kings] De koningen staan in het midden
    [result_piece] Er staat een uitslagstuk op het bord
    [source] De bron heeft een uitslag
   *[other] Op het bord wordt een uitslag getoond ({ $sign })
 } { after-move }: { $winner ->
    [white] wit wint
    [black] zwart wint
    [draw] remise
   *[other] { $score }
 }. { $result ->
    [none] Deze uitslag invoeren, of “Er wordt doorgespeeld” kiezen.
   *[other] Ingevoerd is echter { $result }: de juiste uitslag invoeren, of de ingevoerde behouden.
 }

## Apparatuur: logboek, bord, broker en klok (rood, oranje of grijs)

alert-journal_down = Deze partij wordt niet op schijf opgeslagen: { journal-down }. Ze blijft in het geheugen en wordt opgeslagen zodra de schijf weer werkt. Stroom niet uitschakelen, notatieformulieren bewaren.
journal-down = { $code ->
    [full] de schijf is vol
    [read_only] de schijf is alleen-lezen
    [slow] de schijf reageert niet
   *[other] { $reason }
 }

alert-entries_lost = { $more ->
    [none] { entries-lost-of-one-game }
    [one] Het logboek is beschadigd: van partij { $game } en een latere partij ontbreken { $count } vermeldingen tussen { $from } en { $to }. Notatieformulieren bewaren. Schijf controleren.
   *[other] Het logboek is beschadigd: van partij { $game } en { $more } latere partijen ontbreken { $count } vermeldingen tussen { $from } en { $to }. Notatieformulieren bewaren. Schijf controleren.
 }
entries-lost-of-one-game = Het logboek is beschadigd: { $left ->
    [unknown] na partij { $game }
   *[other] van partij { $game }
 } { $count ->
    [one] ontbreekt vermelding { $from }
   *[other] ontbreken { $count } vermeldingen van { $from } tot en met { $to }
 }. { $left ->
    [part] De rest van die partij is niet vastgelegd: notatieformulieren bewaren.
    [nothing] Van die partij is niets over: notatieformulieren bewaren en de uitslag noteren.
    [around] Een deel van die partij is niet vastgelegd: notatieformulieren bewaren.
    [unknown] Dat was het einde van die partij of een latere partij: notatieformulieren bewaren.
   *[other] { $since ->
        [none] Er ontbreekt geen zet; een aanbod, claim of beslissing kan ontbreken.
       *[other] De zetten vanaf halve zet { $since } zijn onzeker. Met de notatieformulieren vergelijken en de registratie corrigeren.
    }
 } Schijf controleren.

alert-other_record = { $other ->
    [none] Het logboekbestand { $file } hoort bij een andere registratie, bijvoorbeeld van een andere computer. De dienst heeft het terzijde gelegd. De partij op het bord heeft er geen last van. Operator roepen.{ older-files }
   *[other] { contradicting-file } Geen bestand verplaatsen, operator roepen.{ older-files }
 }
contradicting-file = { $newest ->
    [yes] Het nieuwste logboekbestand { $file } (partij { $game }) spreekt { $other } tegen: de partij op het bord kan van een andere computer of uit een oude back-up komen. Nu de stelling vergelijken, notatieformulieren bewaren.
   *[no] Het logboekbestand { $file } (partij { $game }) spreekt { $other } tegen: één van beide kan van een andere computer of uit een oude back-up komen. De lopende partij staat in het nieuwste bestand.
 }
older-files = { $more ->
    [none] {""}
    [one] {" "}Het betreft ook één ouder bestand.
   *[other] {" "}Het betreft ook { $more } oudere bestanden.
 }

alert-board_lost = { $code ->
    [source] De bron van de partij is niet leesbaar: { $reason }. Zetten worden niet vastgelegd. Het andere programma controleren.
   *[other] Het bord reageert niet: { board-down }. Zetten worden niet vastgelegd. Kabel en voeding controleren.
 }
board-down = { $code ->
    [missing] de poort bestaat niet
    [denied] toegang tot de poort is geweigerd
    [busy] een ander programma gebruikt de poort
    [not_opened] de poort kon niet worden geopend
    [never_answered] op de poort meldt zich geen schaakbord, of het staat uit
    [other_board] het bord op de poort heeft niet het ingestelde serienummer
    [draughts] het is een dambord, of het staat op dammen ingesteld
    [silent] het meldt zich niet meer
    [line_lost] de verbinding is verbroken
    [unplugged] de poort is verdwenen
   *[other] { $reason }
 }

alert-node_twice = Een andere dienst heeft dezelfde naam. Hij draait op: { $hosts }. De partijen van beide worden afwisselend getoond. Een ervan stoppen of hernoemen.

alert-source_uncertain = { $doubt ->
    [guessed] Zonder kloktijd, dus misschien door { $source } geraden: { $after }.
    [king_moves] De laatste koningszetten in { $source } tonen misschien alleen de uitslag: { $after }.
    [number] Meerdere partijen van { $source } hebben het nummer van dit bord, en deze is misschien de verkeerde.
    [unreadable] { $source } heeft { $after ->
        [start] in de beginstelling
       *[other] na { $after }
     } “{ $word }”, geen reglementaire zet.
    [missing] { $source } heeft een latere zet ingevoerd, maar de registratie eindigt { $after ->
        [start] in de beginstelling
       *[other] na { $after }
     }.
   *[differs] { $source } wijkt af van de registratie, { $after ->
        [start] vanaf de eerste zet
       *[other] na { $after }
     }{ $line ->
        [none] {" "}zonder zet.
       *[other] {" "}met { $line }.
     }
 } Met de notatieformulieren vergelijken en de zetten zo nodig corrigeren.

alert-source_rewritten = { $now ->
    [none] { $source } heeft { $was } teruggenomen.
   *[other] { $source } heeft { $was } vervangen door { $now }.
 }{ $decided ->
    [yes] {" "}Een claim of een einde berustte daarop: nagaan.
   *[other] {""}
 } Afvinken als dat klopt, anders de zetten corrigeren.

alert-accounts_differ = { $account ->
    [board] Bord { $source }
   *[other] { $source }
 } wijkt af van de registratie{ $own ->
    [none] {""}
   *[other] {" "}van { $own }
 }{ $differs ->
    [result] {""}
   *[other] { $after ->
        [start] {" "}vanaf de eerste zet
       *[other] {" "}na { $after }
     }
 }: hier { $record ->
    [none] het einde van de partij
   *[other] { $record }
 }, daar { $differs ->
    [word] “{ $word }”, geen reglementaire zet.
   *[other] { $other ->
        [none] het einde van de partij.
       *[other] { $other }.
     }
 }{ $decided ->
    [yes] {" "}Een claim of een einde berust daarop: nagaan.
   *[other] {""}
 } Met de notatieformulieren vergelijken en een versie kiezen.{ $dropped ->
    [0] {""}
    [one] {" "}Met de andere versie gaat één latere halve zet van de registratie verloren.
   *[other] {" "}Met de andere versie gaan { $dropped } latere halve zetten van de registratie verloren.
 }

alert-account_not_compared = { $account ->
    [board] Bord { $source }
   *[other] { $source }
 } wordt niet met de registratie vergeleken: { $why ->
    [start] de beginstelling is een andere
    [players] er staan andere spelers
    [round] er staat een andere ronde
    [earlier] er staat nog de vorige partij
    [next] er is een andere partij begonnen
    [lost] daar komen geen of te weinig zetten vandaan ({ $reason })
   *[other] { $why }
 }. Claims en partijeinden berusten alleen op de registratie.

alert-phone_silent = Berichten over dit bord bereiken telefoon { $phone } niet: { $reason }. Het scherm in de gaten houden. Netwerk en sectie van de telefoon in de configuratie controleren.

alert-session_taken_over = Een andere client heeft zich bij de broker aangemeld onder de naam van de dienst, waardoor die is losgekoppeld. Schermen kunnen even hebben stilgestaan. Nagaan wie de broker nog gebruikt.

alert-sensors_faulty = Sensoren spreken de partij tegen en worden genegeerd: { $squares }. Bord controleren.

alert-clock_mismatch = De klok loopt voor { $running ->
    [white] wit, maar zwart
    [black] zwart, maar wit
   *[other] { $running }, maar { $turn }
 } is aan zet{ article }. Misschien is een druk op de klok gemist, of de klok staat verkeerd om. Controleren, en de spelers niets zeggen.

alert-plies_reconstructed = { $count ->
    [one] Eén zet is
   *[other] { $count } zetten zijn
 } na uitval van het bord gereconstrueerd: { after-moves }. Herhalingen daartussen zijn niet bekend. Met de notatieformulieren vergelijken.

alert-promotion_assumed = { $count ->
    [one] Promotie
   *[other] Promoties
 } controleren: { $after ->
    [none] { $moves } (halve zet { $plies })
   *[other] { $after }
 }. Het bord herkent het stuk niet, of toont een toren die omgekeerd een dame kan zijn. “Het stuk klopt” kiezen, of de zet corrigeren.

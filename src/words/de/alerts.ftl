# Meldungen an den Schiedsrichter: was ist, der Artikel, was zu tun ist. Das Brett steht nicht dabei.

## Rot: sofort handeln

alert-fivefold = Dieselbe Stellung zum fünften Mal, { after-move }{ article }. Die Partie ist remis. Uhr anhalten.

alert-seventy_five_move = 75 Züge jedes Spielers ohne Bauernzug und Schlagen, { after-move }{ article }. Die Partie ist remis. Uhr anhalten.

alert-dead_position = Tote Stellung { after-move }: durch keine Folge von regelgemäßen Zügen ist ein Matt möglich{ article }.{ dead-why } Die Partie ist remis. Uhr anhalten.
dead-why = { $why ->
    [none] {""}
   *[other] {" "}{ $why }
 }

alert-game_over = { $kind ->
    [checkmate] Matt { after-move }{ article }. Die Partie ist gewonnen.
    [stalemate] Patt { after-move }{ article }. Die Partie ist remis.
   *[other] Die Partie endete durch { $kind } { after-move }{ article }.
 } Uhr anhalten.

alert-play_after_end = Es wird weitergespielt: Die Partie war { after-move } zu Ende, { end-by }{ article }; gespielt ist bis { $now_after ->
    [none] Halbzug { $now_ply }
    [start] zur Ausgangsstellung
   *[other] { $now_after }
 }.{ $decided ->
    [agreement] {" "}Die Spieler haben seitdem Remis vereinbart; das gilt, wenn dieses Ende aufgehoben wird.
    [resignation] {" "}{ by-color } hat seitdem aufgegeben; das gilt, wenn dieses Ende aufgehoben wird.
   *[other] {""}
 } Eingreifen und Uhr anhalten.

alert-claim_made = { claim-what }. { claim-verdict }{ claim-contested }{ claim-after-flag }
claim-what = { $kind ->
    [increment] { by-color } bietet Remis an und verlangt in der Endspurtphase fünf Sekunden je Zug
   *[other] { by-color } beantragt Remis: { claim-ground }
 }
claim-ground = { $kind ->
    [threefold] dieselbe Stellung zum dritten Mal{ claim-basis }
    [fifty_move] 50 Züge ohne Bauernzug und Schlagen{ claim-basis }
    [quickplay] Endspurtphase, der Gegner kann nicht gewinnen oder versucht es nicht
   *[other] { $kind }{ claim-basis }
 }
claim-basis = { $basis ->
    [none] {""}
    [appeared] , auf dem Brett
    [intended] , { claim-move }
   *[other] {" "}({ $basis })
 }
claim-move = { $move ->
    [none] angekündigter Zug nicht genannt
   *[other] angekündigter Zug { $move }
 }
claim-verdict = { $verdict ->
    [none] Noch nicht geprüft{ article }. Uhr anhalten und prüfen.
    [correct] Antrag berechtigt{ claim-evidence }{ article }.{ claim-drawn }
    [incorrect] Antrag nicht berechtigt{ claim-evidence }{ article }. Die Partie geht weiter{ claim-penalty }.{ claim-must-play }
    [defective_not_written] Der Zug steht nicht auf dem Partieformular{ article }: erst aufschreiben lassen, dann entscheiden.
    [arbiter_decides] Der Schiedsrichter entscheidet{ article }.
   *[other] { $verdict }{ article }.
 }
claim-drawn = { $contested ->
    [yes] {""}
   *[other] {" "}Die Partie ist remis.
 }
claim-evidence = { $legal ->
    [no] . Der angekündigte Zug ist regelwidrig
   *[other] { $kind ->
        [threefold] . Die Stellung kam { $count ->
            [0] nie vor
            [one] einmal vor, { $after ->
                [none] nach Halbzug { $plies }
                [start] in der Ausgangsstellung
               *[other] nach { $after }
             }
           *[other] { $count } Mal vor: { after-moves }
         }
        [fifty_move] : { $halfmove_clock ->
            [one] ein Halbzug
           *[other] { $halfmove_clock } Halbzüge
         } ohne Bauernzug und Schlagen
       *[other] {""}
     }
 }
claim-penalty = { $changes ->
    [none] {""}
   *[other] ; { $changes }
 }
claim-must-play = { $basis ->
    [intended] {" "}{ $legal ->
        [no] Mit dieser Figur muss ein anderer Zug ausgeführt werden, wenn es einen regelgemäßen gibt.
       *[other] Der angekündigte Zug muss ausgeführt werden.
     }
   *[other] {""}
 }
claim-contested = { $contested ->
    [no] {""}
    [yes] {" "}Vor dem Antrag wurde eine Figur angehoben: Entscheiden, ob das Recht verloren ist (Art. 9.4).
   *[other] {" "}({ $contested })
 }
claim-after-flag = { $after_flag ->
    [no] {""}
    [yes] {" "}Ein Blättchen war schon gefallen: Entscheiden, was zuerst bemerkt wurde.
   *[other] {" "}({ $after_flag })
 }

alert-flag_fall = Blättchenfall bei { player-color }{ article }. { $action ->
    [call] Blättchenfall melden.
    [may_call] Blättchenfall darf gemeldet werden.
    [refrain] Nicht melden: warten, bis ein Spieler reklamiert.
   *[other] ({ $action })
 } { $opponent_can_mate ->
    [yes] { opponent-color } kann noch mattsetzen: verloren für { player-color }.
    [no] { opponent-color } kann durch keine Folge von regelgemäßen Zügen mattsetzen: remis.
    [unknown] Ob { opponent-color } noch mattsetzen kann, ist nicht bekannt: Der Schiedsrichter entscheidet.
   *[other] ({ $opponent_can_mate })
 }

alert-agreement_restricted = { $reason ->
    [before_move] Remis durch Übereinkunft, bevor beide Spieler { $move } Züge ausgeführt haben{ article }. { agreement-waits }
    [consent] Remis durch Übereinkunft, das Ihrer Zustimmung bedarf{ article }. { agreement-waits }
    [too_early] Remis durch Übereinkunft, bevor beide Spieler { $move ->
        [one] einen Zug
       *[other] { $move } Züge
     } ausgeführt haben{ article }. Es gilt nicht: Die Partie geht weiter.
   *[other] Remis durch Übereinkunft ({ $reason }){ article }. { agreement-waits }
 }
agreement-waits = Es gilt erst mit Ihrer Zustimmung; ohne sie geht die Partie weiter.

alert-announced_move_not_played = { by-color } hat { $announced } angekündigt und { $played } gespielt{ article }. Eingreifen: { $legal ->
    [no] { $announced } ist regelwidrig, also muss ein anderer Zug mit dieser Figur ausgeführt werden.
   *[other] Der angekündigte Zug muss ausgeführt werden.
 }

alert-clock_adjustment = { $reason ->
    [incorrect_claim] Antrag nicht berechtigt
    [illegal_move] Regelwidriger Zug
    [quickplay] Endspurtphase
    [increment] Fünf Sekunden je Zug für beide Spieler
    [arbiter] Entscheidung des Schiedsrichters
    [withdrawn] Entscheidung zurückgenommen
   *[other] { $reason }
 }{ article }. Uhr einstellen: { $changes }.
clock-by = { player-color } { $time }
clock-to = { player-color } auf { $time }
clock-as-it-is = keine Änderung der Zeiten

alert-decision_needed = { $what ->
    [resignation] { player-color } hat aufgegeben.
    [flag_fall] Blättchenfall bei { player-color }.
    [illegal_move] { player-color } würde durch einen regelwidrigen Zug verlieren.
   *[other] { $what }, { player-color }.
 } { $waits_for ->
    [claim] Das zählt, wenn der frühere Antrag die Partie nicht beendet: über den Antrag entscheiden.
    [move] Vorher stand { $move } auf dem Brett, was die Partie beendet: Wird der Zug nicht aufgezeichnet, entscheidet der Schiedsrichter.
   *[none] Ob { opponent-color } durch irgendeine Folge von regelgemäßen Zügen mattsetzen kann, ist nicht bekannt{ article }: Gewonnen oder remis, der Schiedsrichter entscheidet.
 }

alert-left_undecided = Als die Figuren neu aufgestellt wurden, war in Partie { $game } noch zu entscheiden: { $what ->
    [claim] der Remisantrag von { by-color }
    [decision] der Antrag von { by-color } in der Endspurtphase, dessen Entscheidung aufgeschoben war
    [increment] der Antrag von { by-color } auf fünf Sekunden je Zug in der Endspurtphase
    [agreement] das vereinbarte Remis, über das Sie zu befinden haben
    [resignation] die Aufgabe von { by-color }
    [result] die Spieler hatten { $score } auf dem Brett angezeigt
   *[other] { $what }
 }. Mit den Spielern entscheiden.

## Gelb: hinsehen

alert-threefold_claimable = Remisantrag wegen dreimaliger Stellungswiederholung möglich{ article }: { by-color } am Zug. Nicht eingreifen.

alert-fifty_move_claimable = Remisantrag nach der 50-Züge-Regel möglich{ article }: { by-color } am Zug. Nicht eingreifen.

alert-fourth_occurrence = Dieselbe Stellung zum vierten Mal ({ after-moves }). Das fünfte Mal beendet die Partie{ article }. Nicht eingreifen.

alert-seventy_moves = { $halfmove_clock } Halbzüge ohne Bauernzug und Schlagen. { $moves_left ->
    [one] Noch ein Zug jedes Spielers und die Partie ist remis
   *[other] Noch { $moves_left } Züge jedes Spielers und die Partie ist remis
 }{ article }. Nicht eingreifen.

alert-repetition_disputed = Dieselbe Stellung zum dritten Mal nur, wenn ein Rochaderecht nicht zählt, das aufgegeben werden musste{ article }: { by-color } am Zug. Bei einem Antrag entscheidet der Schiedsrichter. Nicht eingreifen.

alert-fivefold_uneven = Dieselbe Stellung zum fünften Mal ({ after-moves }), aber nicht durch fünf aufeinanderfolgende Züge jedes Spielers{ article }. Die Partie geht weiter, wenn der Schiedsrichter die Regeln nicht anders liest. Nicht eingreifen.

alert-offer_repeated = { by-color } hat { $count ->
    [one] einmal
   *[other] { $count } Mal
 } Remis angeboten{ article }. Eingreifen, wenn es den Gegner stört.

alert-claims_repeated = { by-color } hat { $count ->
    [one] einmal
   *[other] { $count } Mal
 } ohne Grund Remis beantragt{ article }. Eingreifen, wenn es den Gegner stört.

alert-offer_restricted = { by-color } hat Remis angeboten, { $move ->
    [none] obwohl das Turnier dafür Ihre Zustimmung verlangt
   *[other] bevor beide Spieler { $move } Züge ausgeführt haben; das bedarf Ihrer Zustimmung
 }{ article }.

alert-agreed_without_play = Remis durch Übereinkunft, bevor jeder Spieler einen Zug ausgeführt hat. Es gilt, kann aber das Ansehen des Schachspiels schädigen{ article }.

alert-decision_postponed = Die Entscheidung über den Remisantrag von { by-color } { after-move } ist aufgeschoben{ article }. { $flag ->
    [none] Die Partie beobachten und entscheiden, bevor sie anders endet.
   *[other] Ein Blättchen ist gefallen: jetzt entscheiden, vor dem Blättchenfall.
 }

alert-claim_contested = { $move ->
    [none] { claim-touched }
   *[other] { by-color } hatte vor dem Antrag schon { $move } auf dem Brett gezogen
 }{ article }. Entscheiden, ob das Recht auf den Antrag verloren ist.

claim-touched = { $sure ->
    [no] Vor dem Antrag ({ by-color }) war die Figur auf { $square } nur einen Augenblick nicht zu sehen
   *[other] { by-color } hat vor dem Antrag die Figur auf { $square } angehoben
 }

alert-claim_reconsidered = Der Remisantrag von { by-color } { after-move } wurde als nicht berechtigt entschieden, die Aufzeichnung aber danach berichtigt{ article }: neu entscheiden.{ claim-cost-made }
claim-cost-made = { $changes ->
    [none] {""}
   *[other] {" "}Die Uhr wurde dafür schon eingestellt: { $changes }.
 }

alert-board_mismatch = { $reason ->
    [no_legal_move] Kein regelgemäßer Zug erklärt das Brett
    [pawn_not_promoted] Ein Bauer steht auf der letzten Reihe
    [piece_missing] Eine Figur fehlt
    [ambiguous] Mehrere Zugfolgen erklären das Brett
    [earlier_position] Auf eine frühere Stellung zurückgesetzt
   *[other] Die Stellung weicht von der Aufzeichnung ab ({ $reason })
 } { $after ->
    [none] seit Halbzug { $since_ply }
    [start] in der Ausgangsstellung
   *[other] nach { $after }
 }{ $squares ->
    [none] {""}
   *[other] : { $squares }
 }.{ $doubted_since ->
    [none] {""}
   *[other] {" "}Ab { $doubted_from ->
        [none] Halbzug { $doubted_since }
       *[other] { $doubted_from }
     } wurden Züge vielleicht falsch gelesen.
 } { $reason ->
    [ambiguous] { mismatch-choose }
    [earlier_position] Züge mit „correct“ zurücknehmen oder die Stellung wieder aufbauen lassen.
   *[other] Brett prüfen.
 }
mismatch-choose = Mit „correct“ wählen{ $candidates ->
    [none] {""}
   *[other] : { $candidates }
 }.
mismatch-no-move = kein Zug

alert-clock_stopped = Die Uhr steht, obwohl die Partie läuft{ article }. Nachsehen, warum.

alert-counts_restarted = Während der Partie wurde eine Stellung eingegeben. Wiederholungen und Züge zählen ab dort; frühere stehen nur auf den Partieformularen.

alert-result_to_confirm = Die Partie endete { $score } { result-by }, { after-move }{ article }. Ergebnis bestätigen oder berichtigen.

alert-result_unconfirmed = Partie { $game } endete { $score } { result-by }{ article } und wurde nie bestätigt. Ergebnis bestätigen oder berichtigen.

alert-result_proposed = { $sign ->
    [kings] Die Könige stehen in der Mitte
    [result_piece] Eine Ergebnisfigur steht auf dem Brett
   *[other] Auf dem Brett wird ein Ergebnis gezeigt ({ $sign })
 }, { after-move }: { $winner ->
    [white] Weiß gewinnt
    [black] Schwarz gewinnt
    [draw] remis
   *[other] { $score }
 }. { $result ->
    [none] Mit „result“ bestätigen, oder quittieren, wenn die Partie weitergeht.
   *[other] Das Ergebnis ist aber { $result }: mit „result“ berichtigen, oder quittieren, dass es gilt.
 }

## Grau: die Technik braucht jemanden

alert-journal_down = Diese Partie wird nicht auf die Platte geschrieben: { journal-down }. Sie läuft im Speicher weiter und wird geschrieben, sobald die Platte wieder da ist. Strom nicht abschalten, Partieformulare aufheben.
journal-down = { $code ->
    [full] die Platte ist voll
    [read_only] die Platte ist schreibgeschützt
    [slow] die Platte antwortet nicht
   *[other] { $reason }
 }

alert-entries_lost = Das Protokoll wurde beschädigt: { $left ->
    [unknown] Nach Partie { $game }
   *[other] Von Partie { $game }
 } { $count ->
    [one] fehlt der Eintrag { $from }
   *[other] fehlen { $count } Einträge von { $from } bis { $to }
 }. { $left ->
    [part] Der Rest dieser Partie ist nicht aufgezeichnet: die Partieformulare aufbewahren.
    [nothing] Von dieser Partie ist nichts erhalten: die Partieformulare aufbewahren und das Ergebnis notieren.
    [unknown] Es ist das Ende dieser Partie oder eine Partie danach: die Partieformulare aufbewahren.
   *[other] { $since ->
        [none] Kein Zug fehlt; ein Angebot, ein Antrag oder eine Entscheidung kann fehlen.
       *[other] Die Züge ab Halbzug { $since } sind nicht sicher. Mit den Partieformularen vergleichen und die Aufzeichnung berichtigen.
    }
 } Die Platte prüfen.

alert-board_lost = Das Brett antwortet nicht: { board-down }. Züge werden nicht gesehen. Kabel und Strom prüfen.
board-down = { $code ->
    [missing] der Anschluss ist nicht da
    [denied] der Anschluss darf nicht geöffnet werden
    [busy] ein anderes Programm belegt den Anschluss
    [not_opened] der Anschluss ließ sich nicht öffnen
    [never_answered] am Anschluss meldet sich kein Schachbrett, oder es ist nicht eingeschaltet
    [other_board] am Anschluss meldet sich ein anderes Brett als das mit der eingestellten Seriennummer
    [draughts] das Brett ist eines für Dame oder auf Dame eingestellt
    [silent] es meldet sich nicht mehr
    [line_lost] die Leitung ist abgebrochen
    [unplugged] der Anschluss ist verschwunden
   *[other] { $reason }
 }

alert-node_twice = Ein anderer Dienst hat denselben Namen. Er läuft auf: { $hosts }. Abwechselnd werden die Partien beider gezeigt. Einen beenden oder anders nennen.

alert-session_taken_over = Ein anderer hat sich beim Broker unter dem Namen des Dienstes angemeldet und ihn hinausgeworfen. Anzeigen können kurz gestanden haben. Klären, wer den Broker sonst benutzt.

alert-sensors_faulty = Sensoren widersprechen der Partie und werden nicht beachtet: { $squares }. Brett prüfen.

alert-clock_mismatch = Die Uhr läuft für { $running ->
    [white] Weiß, aber Schwarz
    [black] Schwarz, aber Weiß
   *[other] { $running }, aber { $turn }
 } ist am Zug{ article }. Vielleicht wurde ein Drücken nicht bemerkt, oder die Uhr steht verkehrt herum. Nachsehen und den Spielern nichts sagen.

alert-plies_reconstructed = { $count ->
    [one] Ein Zug wurde
   *[other] { $count } Züge wurden
 } nach einer Lücke erschlossen: { after-moves }. Wiederholungen dazwischen sind nicht bekannt. Mit den Partieformularen vergleichen.

alert-promotion_assumed = { $count ->
    [one] Als Dame
   *[other] Als Damen
 } angenommen: { $after ->
    [none] { $moves } (Halbzug { $plies })
   *[other] { $after }
 }. Das Brett kennt seine Figuren nicht. Bestätigen, oder mit „correct“ sagen, was aus dem Bauern wurde.

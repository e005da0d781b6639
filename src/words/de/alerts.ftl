# Alarme für den Schiedsrichter: was ist, der Artikel, was zu tun ist. Das Brett steht nicht dabei.

## Rot: sofort handeln

alert-fivefold = Dieselbe Stellung zum fünften Mal, { after-move }{ article }. Die Partie ist remis. Uhr anhalten.

alert-seventy_five_move = 75 Züge jedes Spielers ohne Bauern- und Schlagzüge, { after-move }{ article }. Die Partie ist remis. Uhr anhalten.

alert-dead_position = Tote Stellung { after-move }: Matt ist durch keine Folge regelgemäßer Züge möglich{ article }.{ dead-why } Die Partie ist remis. Uhr anhalten.
dead-why = { $why ->
    [none] {""}
   *[other] {" "}{ $why }
 }

alert-game_over = { $kind ->
    [checkmate] Matt { after-move }{ article }. Die Partie ist gewonnen.
    [stalemate] Patt { after-move }{ article }. Die Partie ist remis.
   *[other] Die Partie endete durch { $kind } { after-move }{ article }.
 } Uhr anhalten.

alert-play_after_end = Es wird weitergespielt, obwohl die Partie { after-move } { end-by } zu Ende war{ article }; Stand: { $now_after ->
    [none] Halbzug { $now_ply }
    [start] Ausgangsstellung
   *[other] { $now_after }
 }.{ $decided ->
    [agreement] {" "}Die Spieler haben seitdem Remis vereinbart; das gilt, wenn dieses Ende aufgehoben wird.
    [resignation] {" "}{ by-color } hat seitdem aufgegeben; das gilt, wenn dieses Ende aufgehoben wird.
   *[other] {""}
 } Eingreifen und Uhr anhalten.

alert-claim_made = { claim-what }. { claim-verdict }{ claim-contested }{ claim-after-flag }
claim-what = { $kind ->
    [increment] { by-color } bietet Remis an und beantragt in der Endspurtphase zusätzlich fünf Sekunden je Zug
   *[other] { by-color } beantragt Remis: { claim-ground }
 }
claim-ground = { $kind ->
    [threefold] dieselbe Stellung zum dritten Mal{ claim-basis }
    [fifty_move] 50 Züge ohne Bauern- und Schlagzüge{ claim-basis }
    [quickplay] Endspurtphase, der Gegner kann mit normalen Mitteln nicht gewinnen oder versucht es nicht
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
    [arbiter_decides] Sie entscheiden{ article }.
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
         } ohne Bauern- und Schlagzüge
       *[other] {""}
     }
 }
claim-penalty = { $changes ->
    [none] {""}
   *[other] ; { $changes }
 }
claim-must-play = { $basis ->
    [intended] {" "}{ $legal ->
        [no] Mit dieser Figur muss ein anderer, regelgemäßer Zug ausgeführt werden, falls möglich.
       *[other] Der angekündigte Zug muss ausgeführt werden.
     }
   *[other] {""}
 }
claim-contested = { $contested ->
    [no] {""}
    [yes] {" "}Das Antragsrecht kann verloren sein: Davor wurde eine Figur berührt oder gezogen. Darüber zuerst entscheiden (Art. 9.4).
   *[other] {" "}({ $contested })
 }
claim-after-flag = { $after_flag ->
    [no] {""}
    [yes] {" "}Es gab schon einen Blättchenfall: entscheiden, was zuerst bemerkt wurde.
   *[other] {" "}({ $after_flag })
 }

alert-flag_fall = Blättchenfall bei { player-color }{ article }. { $action ->
    [call] Blättchenfall melden.
    [may_call] Blättchenfall darf gemeldet werden.
    [refrain] Nicht melden: warten, bis ein Spieler reklamiert.
   *[other] ({ $action })
 } { $opponent_can_mate ->
    [yes] { opponent-color } kann noch mattsetzen: verloren für { player-color }.
    [no] { opponent-color } kann durch keine Folge regelgemäßer Züge mattsetzen: remis.
    [unknown] Ob { opponent-color } noch mattsetzen kann, ist nicht bekannt: Sie entscheiden.
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

alert-announced_move_not_played = { by-color } hat { $announced } angekündigt, aber { $played } gespielt{ article }. Eingreifen: { $legal ->
    [no] { $announced } ist regelwidrig, also muss mit dieser Figur ein anderer Zug ausgeführt werden.
   *[other] Der angekündigte Zug muss ausgeführt werden.
 }

alert-clock_adjustment = { $reason ->
    [incorrect_claim] Antrag nicht berechtigt
    [illegal_move] Regelwidriger Zug
    [quickplay] Endspurtphase
    [increment] Zusätzlich fünf Sekunden je Zug für beide Spieler
    [arbiter] Entscheidung des Schiedsrichters
    [withdrawn] Entscheidung zurückgenommen
   *[other] { $reason }
 }{ article }. Uhr einstellen: { $changes }.
clock-by = { player-color } { $time }
clock-to = { player-color } auf { $time }
clock-as-it-is = Zeiten unverändert

alert-decision_needed = { $what ->
    [resignation] { player-color } hat aufgegeben.
    [flag_fall] Blättchenfall bei { player-color }.
    [illegal_move] { player-color } würde durch einen regelwidrigen Zug verlieren.
   *[other] { $what }, { player-color }.
 } { $waits_for ->
    [claim] Das zählt nur, wenn der frühere Antrag die Partie nicht beendet: über den Antrag entscheiden.
    [move] Vorher stand { $move } auf dem Brett, was die Partie beendet: Wird der Zug nicht aufgezeichnet, entscheiden Sie.
   *[none] Ob { opponent-color } durch irgendeine Folge regelgemäßer Züge mattsetzen kann, ist nicht bekannt{ article }: Sie entscheiden, gewonnen oder remis.
 }

alert-left_undecided = Als die Figuren neu aufgestellt wurden, war in Partie { $game } noch zu entscheiden: { $what ->
    [claim] der Remisantrag von { by-color }
    [decision] der aufgeschobene Antrag von { by-color } in der Endspurtphase
    [increment] der Antrag von { by-color } auf zusätzliche fünf Sekunden je Zug in der Endspurtphase
    [agreement] das vereinbarte Remis, das Ihrer Zustimmung bedarf
    [resignation] die Aufgabe von { by-color }
    [flag_fall] der Blättchenfall bei { by-color }
    [illegal_move] der Verlust durch einen regelwidrigen Zug von { by-color }
    [result] das Ergebnis { $score }, das die Spieler auf dem Brett angezeigt hatten
    [accounts] die Wahl zwischen der Aufzeichnung { $record ->
        [none] (Ende der Partie)
       *[other] ({ $record })
     } und { $source }{ $other ->
        [none] {""}
       *[other] {" "}({ $other })
     }
    [game] das Ergebnis, das noch fehlt
   *[other] { $what }
 }. Mit den Spielern entscheiden.{ perhaps-missing }{ older-cases }
perhaps-missing = { $move ->
    [none] {""}
   *[other] {" "}Der Zug { $move } stand vielleicht auf dem Brett und ist nicht aufgezeichnet.
 }
older-cases = { $more ->
    [none] {""}
    [one] {" "}Ein weiterer Fall aus einer früheren Partie steht im Journal.
   *[other] {" "}{ $more } weitere Fälle aus früheren Partien stehen im Journal.
 }

## Gelb: hinsehen

alert-threefold_claimable = Remisantrag wegen dreimaliger Stellungswiederholung möglich{ article }: { by-color } am Zug. Nicht eingreifen.

alert-fifty_move_claimable = Remisantrag nach der 50-Züge-Regel möglich{ article }: { by-color } am Zug. Nicht eingreifen.

alert-fourth_occurrence = Dieselbe Stellung zum vierten Mal ({ after-moves }). Das fünfte Mal beendet die Partie{ article }. Nicht eingreifen.

alert-seventy_moves = { $halfmove_clock } Halbzüge ohne Bauern- und Schlagzüge. { $moves_left ->
    [one] Noch ein Zug jedes Spielers, und die Partie ist remis
   *[other] Noch { $moves_left } Züge jedes Spielers, und die Partie ist remis
 }{ article }. Nicht eingreifen.

alert-repetition_disputed = Nur dann dieselbe Stellung zum dritten Mal, wenn ein zwangsläufig verlorenes Rochaderecht nicht zählt{ article }: { by-color } am Zug. Bei einem Antrag entscheiden Sie. Nicht eingreifen.

alert-fivefold_uneven = Dieselbe Stellung zum fünften Mal ({ after-moves }), aber nicht durch je fünf aufeinanderfolgende abwechselnde Züge{ article }. Die Partie geht weiter, sofern Sie die Regeln nicht anders auslegen. Nicht eingreifen.

alert-offer_repeated = { by-color } hat { $count ->
    [one] einmal
   *[other] { $count } Mal
 } Remis angeboten{ article }. Eingreifen, wenn es den Gegner stört.

alert-claims_repeated = { by-color } hat { $count ->
    [one] einmal
   *[other] { $count } Mal
 } unbegründet Remis beantragt{ article }. Eingreifen, wenn es den Gegner stört.

alert-offer_restricted = { by-color } hat Remis angeboten, { $move ->
    [none] obwohl die Turnierordnung dafür Ihre Zustimmung verlangt
   *[other] bevor beide Spieler { $move } Züge ausgeführt haben; das bedarf Ihrer Zustimmung
 }{ article }.

alert-agreed_without_play = Remis durch Übereinkunft, bevor beide Spieler einen Zug ausgeführt haben. Es gilt, kann aber das Ansehen des Schachspiels schädigen{ article }.

alert-decision_postponed = Die Entscheidung über den Remisantrag von { by-color } { after-move } ist aufgeschoben{ article }. { $flag ->
    [none] Die Partie beobachten und entscheiden, bevor sie anders endet.
   *[other] Ein Fallblättchen ist gefallen: jetzt zuerst über den Antrag entscheiden.
 }

alert-claim_contested = { $move ->
    [none] { claim-touched }
   *[other] { by-color } hatte { $move } vor dem Antrag schon auf dem Brett ausgeführt
 }{ article }. Entscheiden, ob das Recht auf den Antrag verloren ist.

claim-touched = { $sure ->
    [no] Vor dem Antrag von { by-color } war die Figur auf { $square } laut Sensoren nur einen Augenblick nicht auf ihrem Feld
   *[other] { by-color } hat vor dem Antrag die Figur auf { $square } angehoben
 }

alert-claim_reconsidered = Der Remisantrag von { by-color } { after-move } wurde für nicht berechtigt erklärt, die Aufzeichnung aber danach berichtigt{ article }: neu entscheiden.{ claim-cost-made }
claim-cost-made = { $changes ->
    [none] {""}
   *[other] {" "}Die Uhr wurde schon entsprechend eingestellt: { $changes }.
 }

alert-board_mismatch = { $reason ->
    [no_legal_move] Kein regelgemäßer Zug passt zum Brett
    [pawn_not_promoted] Ein Bauer steht auf der letzten Reihe
    [piece_missing] Eine Figur fehlt
    [ambiguous] Mehrere Zugfolgen passen zum Brett
    [earlier_position] Auf eine frühere Stellung zurückgesetzt
    [start_array] Falsche Ausgangsstellung
   *[other] Die Stellung weicht von der Aufzeichnung ab ({ $reason })
 } { $reason ->
    [start_array] für die nächste Partie
   *[other] { mismatch-after }
 }{ $squares ->
    [none] {""}
   *[other] : { $squares }
 }.{ $doubted_since ->
    [none] {""}
   *[other] {" "}Ab { $doubted_from ->
        [none] Halbzug { $doubted_since }
       *[other] { $doubted_from }
     } wurden Züge möglicherweise falsch erkannt.
 } { $reason ->
    [ambiguous] { mismatch-choose }
    [earlier_position] Züge zurücknehmen oder die Stellung wieder aufbauen lassen.
    [start_array] Es werden keine Züge aufgezeichnet. Richtigstellen lassen oder mit dieser Stellung eine neue Partie beginnen.
   *[other] Brett prüfen.
 }
mismatch-after = { $after ->
    [none] seit Halbzug { $since_ply }
    [start] in der Ausgangsstellung
   *[other] nach { $after }
 }
mismatch-choose = Die gespielten Züge wählen{ $candidates ->
    [none] {""}
   *[other] : { $candidates }
 }.
mismatch-no-move = kein Zug

alert-clock_stopped = Die Uhr steht, obwohl die Partie läuft{ article }. Ursache prüfen.

alert-counts_restarted = Während der Partie wurde eine Stellung eingegeben. Wiederholungen und Züge zählen ab dort; frühere stehen nur auf den Partieformularen.

alert-result_to_confirm = Die Partie endete { $score } { result-by }, { after-move }{ article }. Ergebnis bestätigen oder berichtigen.

alert-result_unconfirmed = Partie { $game } endete { $score } { result-by }{ article }; das Ergebnis wurde nie bestätigt. Bestätigen oder berichtigen.{ older-cases }

alert-result_proposed = { $sign ->
    [kings] Die Könige stehen in der Mitte
    [result_piece] Eine Ergebnisfigur steht auf dem Brett
    [source] Die Quelle hat ein Ergebnis
   *[other] Auf dem Brett wird ein Ergebnis gezeigt ({ $sign })
 }, { after-move }: { $winner ->
    [white] Weiß gewinnt
    [black] Schwarz gewinnt
    [draw] remis
   *[other] { $score }
 }. { $result ->
    [none] Dieses Ergebnis eintragen oder „Es wird weitergespielt“ wählen.
   *[other] Eingetragen ist aber { $result }: das richtige Ergebnis eintragen oder das eingetragene behalten.
 }

## Technik: Journal, Brett, Broker und Uhr (rot, gelb oder grau)

alert-journal_down = Diese Partie wird nicht gespeichert: { journal-down }. Sie bleibt im Arbeitsspeicher und wird geschrieben, sobald der Datenträger wieder bereit ist. Strom nicht abschalten, Partieformulare aufbewahren.
journal-down = { $code ->
    [full] Der Datenträger ist voll
    [read_only] Der Datenträger ist schreibgeschützt
    [slow] Der Datenträger antwortet nicht
   *[other] { $reason }
 }

alert-entries_lost = { $more ->
    [none] { entries-lost-of-one-game }
    [one] Das Journal ist beschädigt: Von Partie { $game } und einer späteren Partie fehlen { $count } Einträge zwischen { $from } und { $to }. Partieformulare aufbewahren. Datenträger prüfen.
   *[other] Das Journal ist beschädigt: Von Partie { $game } und { $more } späteren Partien fehlen { $count } Einträge zwischen { $from } und { $to }. Partieformulare aufbewahren. Datenträger prüfen.
 }
entries-lost-of-one-game = Das Journal ist beschädigt: { $left ->
    [unknown] Nach Partie { $game }
   *[other] Von Partie { $game }
 } { $count ->
    [one] fehlt der Eintrag { $from }
   *[other] fehlen { $count } Einträge von { $from } bis { $to }
 }. { $left ->
    [part] Der Rest dieser Partie ist nicht aufgezeichnet: Partieformulare aufbewahren.
    [nothing] Von dieser Partie ist nichts erhalten: Partieformulare aufbewahren und das Ergebnis notieren.
    [around] Ein Teil dieser Partie ist nicht aufgezeichnet: Partieformulare aufbewahren.
    [unknown] Das war das Ende dieser Partie oder eine spätere Partie: Partieformulare aufbewahren.
   *[other] { $since ->
        [none] Kein Zug fehlt; Angebote, Anträge oder Entscheidungen können fehlen.
       *[other] Die Züge ab Halbzug { $since } sind unsicher. Mit den Partieformularen vergleichen und die Aufzeichnung berichtigen.
    }
 } Datenträger prüfen.

alert-other_record = { $other ->
    [none] Die Journaldatei { $file } gehört zu einer anderen Aufzeichnung, etwa der eines anderen Rechners. Der Dienst hat sie beiseitegelegt. Die Partie am Brett ist nicht betroffen. Operator rufen.{ older-files }
   *[other] { contradicting-file } Keine Datei verschieben, Operator rufen.{ older-files }
 }
contradicting-file = { $newest ->
    [yes] Die neueste Journaldatei { $file } (Partie { $game }) widerspricht { $other }: Die Partie am Brett kann von einem anderen Rechner oder aus einer alten Sicherung sein. Jetzt Stellung vergleichen, Partieformulare aufbewahren.
   *[no] Die Journaldatei { $file } (Partie { $game }) widerspricht { $other }: Eine der beiden kann von einem anderen Rechner oder aus einer alten Sicherung sein. Die laufende Partie steht in der neuesten Datei.
 }
older-files = { $more ->
    [none] {""}
    [one] {" "}Auch eine ältere Datei ist betroffen.
   *[other] {" "}Auch { $more } ältere Dateien sind betroffen.
 }

alert-board_lost = { $code ->
    [source] Die Quelle der Partie ist nicht lesbar: { $reason }. Züge werden nicht aufgezeichnet. Das andere Programm prüfen.
   *[other] Das Brett antwortet nicht: { board-down }. Züge werden nicht aufgezeichnet. Kabel und Strom prüfen.
 }
board-down = { $code ->
    [missing] Der Anschluss fehlt
    [denied] Der Zugriff auf den Anschluss ist verweigert
    [busy] Ein anderes Programm belegt den Anschluss
    [not_opened] Der Anschluss ließ sich nicht öffnen
    [never_answered] Am Anschluss meldet sich kein Schachbrett, oder es ist ausgeschaltet
    [other_board] Das Brett am Anschluss hat nicht die eingestellte Seriennummer
    [draughts] Es ist ein Damebrett oder auf Dame eingestellt
    [silent] Es meldet sich nicht mehr
    [line_lost] Die Verbindung ist abgebrochen
    [unplugged] Der Anschluss ist verschwunden
   *[other] { $reason }
 }

alert-node_twice = Ein anderer Dienst hat denselben Namen. Er läuft auf: { $hosts }. Die Partien beider werden abwechselnd gezeigt. Einen beenden oder umbenennen.

alert-source_uncertain = { $doubt ->
    [guessed] Ohne Zeitangabe, von { $source } also vielleicht nur vermutet: { $after }.
    [king_moves] Die letzten Königszüge in { $source } zeigen vielleicht nur das Ergebnis: { $after }.
    [number] Mehrere Partien von { $source } haben die Nummer dieses Bretts, und diese ist vielleicht die falsche.
    [unreadable] { $source } hat { $after ->
        [start] in der Ausgangsstellung
       *[other] nach { $after }
     } „{ $word }“, keinen regelgemäßen Zug.
    [missing] { $source } hat einen späteren Zug eingegeben, aber die Aufzeichnung endet { $after ->
        [start] in der Ausgangsstellung
       *[other] nach { $after }
     }.
   *[differs] { $source } weicht von der Aufzeichnung ab, { $after ->
        [start] vom ersten Zug an
       *[other] nach { $after }
     }{ $line ->
        [none] {" "}ohne einen Zug.
       *[other] {" "}mit { $line }.
     }
 } Mit den Partieformularen vergleichen und die Züge, wenn nötig, berichtigen.

alert-source_rewritten = { $now ->
    [none] { $source } hat { $was } zurückgenommen.
   *[other] { $source } hat { $was } durch { $now } ersetzt.
 }{ $decided ->
    [yes] {" "}Ein Antrag oder ein Partieende beruhte darauf: prüfen.
   *[other] {""}
 } Quittieren, wenn das stimmt, sonst die Züge berichtigen.

alert-accounts_differ = { $account ->
    [board] Brett { $source } weicht
   *[other] { $source } weicht
 } von der Aufzeichnung{ $own ->
    [none] {""}
   *[other] {" "}von { $own }
 }{ $differs ->
    [result] {""}
   *[other] { $after ->
        [start] {" "}vom ersten Zug an
       *[other] {" "}nach { $after }
     }
 } ab: hier { $record ->
    [none] das Ende der Partie
   *[other] { $record }
 }, dort { $differs ->
    [word] „{ $word }“, kein regelgemäßer Zug.
   *[other] { $other ->
        [none] das Ende der Partie.
       *[other] { $other }.
     }
 }{ $decided ->
    [yes] {" "}Ein Antrag oder ein Partieende beruht darauf: prüfen.
   *[other] {""}
 } Mit den Partieformularen vergleichen und eine Fassung wählen.{ $dropped ->
    [0] {""}
    [one] {" "}Mit der anderen Fassung geht ein späterer Halbzug der Aufzeichnung verloren.
   *[other] {" "}Mit der anderen Fassung gehen { $dropped } spätere Halbzüge der Aufzeichnung verloren.
 }

alert-account_not_compared = { $account ->
    [board] Brett { $source }
   *[other] { $source }
 } wird nicht mit der Aufzeichnung verglichen: { $why ->
    [start] die Ausgangsstellung ist eine andere
    [players] dort stehen andere Spieler
    [round] dort steht eine andere Runde
    [earlier] dort steht noch die vorige Partie
    [next] dort hat eine andere Partie begonnen
    [lost] von dort kommen keine oder zu wenige Züge ({ $reason })
   *[other] { $why }
 }. Anträge und Partieenden beruhen allein auf der Aufzeichnung.

alert-phone_silent = Nachrichten zu diesem Brett erreichen das Telefon { $phone } nicht: { $reason }. Den Bildschirm beobachten. Netz und Abschnitt des Telefons in der Konfiguration prüfen.

alert-session_taken_over = Ein anderer Client hat sich beim Broker unter dem Namen des Dienstes angemeldet und ihn getrennt. Anzeigen können kurz stehen geblieben sein. Klären, wer den Broker sonst noch benutzt.

alert-sensors_faulty = Sensoren widersprechen der Partie und werden nicht beachtet: { $squares }. Brett prüfen.

alert-clock_mismatch = Die Uhr läuft für { $running ->
    [white] Weiß, aber Schwarz
    [black] Schwarz, aber Weiß
   *[other] { $running }, aber { $turn }
 } ist am Zug{ article }. Vielleicht wurde ein Drücken der Uhr nicht erkannt, oder sie steht verkehrt herum. Nachsehen und den Spielern nichts sagen.

alert-plies_reconstructed = { $count ->
    [one] Ein Zug wurde
   *[other] { $count } Züge wurden
 } nach einem Ausfall des Bretts rekonstruiert: { after-moves }. Wiederholungen dazwischen sind nicht bekannt. Mit den Partieformularen vergleichen.

alert-promotion_assumed = { $count ->
    [one] Umwandlung
   *[other] Umwandlungen
 } prüfen: { $after ->
    [none] { $moves } (Halbzug { $plies })
   *[other] { $after }
 }. Das Brett erkennt die Figur nicht oder zeigt einen Turm, der umgedreht eine Dame sein kann. „Die Figur stimmt“ wählen oder den Zug berichtigen.

# Alerts for the arbiter: what is so, the article, what to do. They do not name the board.

## Red: act now

alert-fivefold = The same position for the fifth time, { after-move }{ article }. The game is drawn. Stop the clock.

alert-seventy_five_move = 75 moves by each player without a pawn move or capture, { after-move }{ article }. The game is drawn. Stop the clock.

alert-dead_position = Dead position { after-move }: neither player can mate by any series of legal moves{ article }.{ dead-why } The game is drawn. Stop the clock.
dead-why = { $why ->
    [none] {""}
   *[other] {" "}{ $why }
 }

alert-game_over = { $kind ->
    [checkmate] Checkmate { after-move }{ article }. The game is won.
    [stalemate] Stalemate { after-move }{ article }. The game is drawn.
   *[other] The game ended by { $kind } { after-move }{ article }.
 } Stop the clock.

alert-play_after_end = Play continues although the game ended { after-move }, { end-by }{ article }: now at { $now_after ->
    [none] ply { $now_ply }
    [start] the starting position
   *[other] { $now_after }
 }.{ $decided ->
    [agreement] {" "}The players have since agreed to a draw; it counts if this end is overruled.
    [resignation] {" "}{ by-color } has since resigned; it counts if this end is overruled.
   *[other] {""}
 } Intervene and stop the clock.

alert-claim_made = { claim-what }. { claim-verdict }{ claim-contested }{ claim-after-flag }
claim-what = { $kind ->
    [increment] { by-color } offers a draw and requests an extra five seconds per move in the quickplay finish
   *[other] { by-color } claims a draw: { claim-ground }
 }
claim-ground = { $kind ->
    [threefold] the same position for the third time{ claim-basis }
    [fifty_move] fifty moves without a pawn move or capture{ claim-basis }
    [quickplay] quickplay finish, the opponent cannot win by normal means or makes no effort to do so
   *[other] { $kind }{ claim-basis }
 }
claim-basis = { $basis ->
    [none] {""}
    [appeared] , on the board
    [intended] , with { claim-move }
   *[other] {" "}({ $basis })
 }
claim-move = { $move ->
    [none] an unspecified move
   *[other] the announced move { $move }
 }
claim-verdict = { $verdict ->
    [none] Not yet checked{ article }. Stop the clock and check.
    [correct] The claim is correct{ claim-evidence }{ article }.{ claim-drawn }
    [incorrect] The claim is incorrect{ claim-evidence }{ article }. The game continues{ claim-penalty }.{ claim-must-play }
    [defective_not_written] The move is not on the scoresheet{ article }: have it written down, then decide.
    [arbiter_decides] You decide{ article }.
   *[other] { $verdict }{ article }.
 }
claim-drawn = { $contested ->
    [yes] {""}
   *[other] {" "}The game is drawn.
 }
claim-evidence = { $legal ->
    [no] . The announced move is not legal
   *[other] { $kind ->
        [threefold] . The position { $count ->
            [0] never occurred
            [one] occurred once, { $after ->
                [none] after ply { $plies }
                [start] in the starting position
               *[other] after move { $after }
             }
           *[other] occurred { $count } times: { after-moves }
         }
        [fifty_move] : { $halfmove_clock ->
            [one] one halfmove
           *[other] { $halfmove_clock } halfmoves
         } without a pawn move or capture
       *[other] {""}
     }
 }
claim-penalty = { $changes ->
    [none] {""}
   *[other] ; { $changes }
 }
claim-must-play = { $basis ->
    [intended] {" "}{ $legal ->
        [no] Another move with that piece must be made, if there is a legal one.
       *[other] The announced move must be made.
     }
   *[other] {""}
 }
claim-contested = { $contested ->
    [no] {""}
    [yes] {" "}The right to claim may be lost: a piece was touched or moved before the claim. Decide on that first (9.4).
   *[other] {" "}({ $contested })
 }
claim-after-flag = { $after_flag ->
    [no] {""}
    [yes] {" "}A flag had already fallen: decide which was noticed first.
   *[other] {" "}({ $after_flag })
 }

alert-flag_fall = { player-color }’s flag has fallen{ article }. { $action ->
    [call] Call the flag fall.
    [may_call] You may call the flag fall.
    [refrain] Do not call it: wait for a player’s claim.
   *[other] ({ $action })
 } { $opponent_can_mate ->
    [yes] { opponent-color } can still mate: { player-color } loses.
    [no] { opponent-color } cannot mate by any series of legal moves: drawn.
    [unknown] It is not known whether { opponent-color } can still mate: you decide.
   *[other] ({ $opponent_can_mate })
 }

alert-agreement_restricted = { $reason ->
    [before_move] The players agreed to a draw before both had made { $move } moves{ article }. { agreement-waits }
    [consent] The players agreed to a draw, which needs your consent{ article }. { agreement-waits }
    [too_early] The players agreed to a draw before both had made { $move ->
        [one] a move
       *[other] { $move } moves
     }{ article }. It does not stand: the game continues.
   *[other] The players agreed to a draw ({ $reason }){ article }. { agreement-waits }
 }
agreement-waits = It stands only with your consent; without it the game continues.

alert-announced_move_not_played = { by-color } announced { $announced } but played { $played }{ article }. Intervene: { $legal ->
    [no] { $announced } is not legal, so another move with that piece must be made.
   *[other] the announced move must be made.
 }

alert-clock_adjustment = { $reason ->
    [incorrect_claim] Incorrect claim
    [illegal_move] Illegal move
    [quickplay] Quickplay finish
    [increment] An extra five seconds per move for both players
    [arbiter] Arbiter’s decision
    [withdrawn] Ruling withdrawn
   *[other] { $reason }
 }{ article }. Set the clock: { $changes }.
clock-by = { player-color } { $time }
clock-to = { player-color } to { $time }
clock-as-it-is = times unchanged

alert-decision_needed = { $what ->
    [resignation] { player-color } has resigned.
    [flag_fall] { player-color }’s flag has fallen.
    [illegal_move] { player-color } would lose by an illegal move.
   *[other] { $what }, { player-color }.
 } { $waits_for ->
    [claim] It counts only if the earlier claim does not end the game: rule on the claim.
    [move] Before that, { $move } was on the board, which ends the game: if it is not recorded, you decide.
   *[none] It is not known whether { opponent-color } can mate by any series of legal moves{ article }: you decide, win or draw.
 }

alert-left_undecided = Game { $game } was still undecided when the pieces were set up again: { $what ->
    [claim] { by-color }’s draw claim was not ruled on
    [decision] the decision on { by-color }’s claim in the quickplay finish had been postponed
    [increment] { by-color }’s request for an extra five seconds per move in the quickplay finish was not answered
    [agreement] the players’ draw still needed your consent
    [resignation] { by-color } had resigned
    [flag_fall] { by-color }’s flag had fallen
    [illegal_move] { by-color } would have lost by an illegal move
    [result] the players had shown { $score } on the board
    [accounts] its record { $record ->
        [none] (the end of the game)
       *[other] ({ $record })
     } differed from { $source }{ $other ->
        [none] {""}
       *[other] {" "}({ $other })
     }, and no version had been chosen
    [game] it has begun and has no result
   *[other] { $what }
 }. Decide it with the players.{ perhaps-missing }{ older-cases }
perhaps-missing = { $move ->
    [none] {""}
   *[other] {" "}The move { $move } was perhaps on the board and is not recorded.
 }
older-cases = { $more ->
    [none] {""}
    [one] {" "}One more case is from an earlier game: see the journal.
   *[other] {" "}{ $more } more cases are from earlier games: see the journal.
 }

## Amber: look at it

alert-threefold_claimable = A draw by threefold repetition can be claimed{ article }: { by-color } to move. Do not intervene.

alert-fifty_move_claimable = A draw by the fifty-move rule can be claimed{ article }: { by-color } to move. Do not intervene.

alert-fourth_occurrence = The same position for the fourth time ({ after-moves }). The fifth time ends the game{ article }. Do not intervene.

alert-seventy_moves = { $halfmove_clock } halfmoves without a pawn move or capture. { $moves_left ->
    [one] One more move by each player and the game is drawn
   *[other] { $moves_left } more moves by each player and the game is drawn
 }{ article }. Do not intervene.

alert-repetition_disputed = The same position for the third time only if a castling right that could not be kept is ignored{ article }: { by-color } to move. If a draw is claimed, you decide. Do not intervene.

alert-fivefold_uneven = The same position for the fifth time ({ after-moves }), but not through five consecutive alternate moves by each player{ article }. The game continues unless you read the Laws otherwise. Do not intervene.

alert-offer_repeated = { by-color } has offered a draw { $count ->
    [one] once
   *[other] { $count } times
 }{ article }. Intervene if it disturbs the opponent.

alert-claims_repeated = { by-color } has claimed a draw { $count ->
    [one] once
   *[other] { $count } times
 } without grounds{ article }. Intervene if it disturbs the opponent.

alert-offer_restricted = { by-color } offered a draw { $move ->
    [none] although the event requires your consent first
   *[other] before both players had made { $move } moves, which requires your consent
 }{ article }.

alert-agreed_without_play = A draw was agreed before both players had made a move. It stands, but may bring the game into disrepute{ article }.

alert-decision_postponed = The decision on { by-color }’s draw claim { after-move } is postponed{ article }. { $flag ->
    [none] Watch the game and decide before it ends otherwise.
   *[other] A flag has fallen: rule on the claim now, before the flag.
 }

alert-claim_contested = { $move ->
    [none] { claim-touched }
   *[other] { by-color } had already made { $move } on the board before the claim
 }{ article }. Decide whether the right to claim is lost.

claim-touched = { $sure ->
    [no] Before { by-color }’s claim the piece on { $square } was, according to the sensors, off its square for only a moment
   *[other] { by-color } lifted the piece on { $square } before the claim
 }

alert-claim_reconsidered = { by-color }’s draw claim { after-move } was ruled incorrect, but the record has since been corrected{ article }: rule on it again.{ claim-cost-made }
claim-cost-made = { $changes ->
    [none] {""}
   *[other] {" "}The clock was already set accordingly: { $changes }.
 }

alert-board_mismatch = { $reason ->
    [no_legal_move] No legal move explains the board
    [pawn_not_promoted] A pawn is on the last rank
    [piece_missing] A piece is missing
    [ambiguous] Several sequences of moves explain the board
    [earlier_position] Pieces were put back to an earlier position
    [start_array] Wrong starting position
   *[other] The position differs from the record ({ $reason })
 } { $reason ->
    [start_array] for the next game
   *[other] { mismatch-after }
 }{ $squares ->
    [none] {""}
   *[other] : { $squares }
 }.{ $doubted_since ->
    [none] {""}
   *[other] {" "}From { $doubted_from ->
        [none] ply { $doubted_since }
       *[other] { $doubted_from }
     } on, moves may have been misread.
 } { $reason ->
    [ambiguous] { mismatch-choose }
    [earlier_position] Take the moves back, or have the position set up again.
    [start_array] No moves are recorded. Have it put right, or begin a new game with this position.
   *[other] Check the board.
 }
mismatch-after = { $after ->
    [none] since ply { $since_ply }
    [start] in the starting position
   *[other] after { $after }
 }
mismatch-choose = Choose the moves that were made{ $candidates ->
    [none] {""}
   *[other] : { $candidates }
 }.
mismatch-no-move = no move

alert-clock_stopped = The clock has stopped during the game{ article }. Check why.

alert-counts_restarted = A position was set up during the game. Repetitions and moves are counted from there; earlier ones are only on the scoresheets.

alert-result_to_confirm = The game ended { $score } { result-by }, { after-move }{ article }. Confirm or correct the result.

alert-result_unconfirmed = Game { $game } ended { $score } { result-by }{ article }; the result was never confirmed. Confirm or correct it.{ older-cases }

alert-result_proposed = { $sign ->
    [kings] The kings are in the centre
    [result_piece] A result piece is on the board
    [source] The source has a result
   *[other] A result is shown on the board ({ $sign })
 } { after-move }: { $winner ->
    [white] White wins
    [black] Black wins
    [draw] draw
   *[other] { $score }
 }. { $result ->
    [none] Enter this result, or choose “Play continues”.
   *[other] But the recorded result is { $result }: enter the right one, or keep the recorded one.
 }

## Equipment: journal, board, broker and clock (red, amber or grey)

alert-journal_down = This game is not being written to disk: { journal-down }. It is kept in memory and written once the disk works again. Leave the power on and keep the scoresheets.
journal-down = { $code ->
    [full] the disk is full
    [read_only] the disk is read-only
    [slow] the disk does not respond
   *[other] { $reason }
 }

alert-entries_lost = { $more ->
    [none] { entries-lost-of-one-game }
    [one] The journal is damaged: { $count } entries of game { $game } and of one later game are lost, between { $from } and { $to }. Keep their scoresheets. Check the disk.
   *[other] The journal is damaged: { $count } entries of game { $game } and of { $more } later games are lost, between { $from } and { $to }. Keep their scoresheets. Check the disk.
 }
entries-lost-of-one-game = The journal is damaged: { $count ->
    [one] entry { $from }
   *[other] { $count } entries, { $from } to { $to },
 } { $left ->
    [unknown] after game { $game }
   *[other] of game { $game }
 } { $count ->
    [one] is lost
   *[other] are lost
 }. { $left ->
    [part] The rest of that game is not recorded: keep its scoresheets.
    [nothing] Nothing is left of that game: keep its scoresheets and note its result.
    [around] Part of that game is not recorded: keep its scoresheets.
    [unknown] This was the end of that game, or a later game: keep the scoresheets.
   *[other] { $since ->
        [none] No move is lost; an offer, a claim or a ruling may be.
       *[other] The moves from ply { $since } on are uncertain. Compare with the scoresheets and correct the record.
    }
 } Check the disk.

alert-other_record = { $other ->
    [none] Journal file { $file } belongs to another record, for example one from another computer. The daemon has set it aside. The game on the board is not affected. Call the operator.{ older-files }
   *[other] { contradicting-file } Do not move any file. Call the operator.{ older-files }
 }
contradicting-file = { $newest ->
    [yes] The newest journal file, { $file } (game { $game }), contradicts { $other }: the game on the board may be from another computer or an old backup. Compare the position now. Keep the scoresheets.
   *[no] Journal file { $file } (game { $game }) contradicts { $other }: one of them may be from another computer or an old backup. The running game is in the newest file.
 }
older-files = { $more ->
    [none] {""}
    [one] {" "}One older file is affected, too.
   *[other] {" "}{ $more } older files are affected, too.
 }

alert-board_lost = { $code ->
    [source] The source of the game is lost: { $reason }. Moves are not being recorded. Check the other program.
   *[other] The board does not respond: { board-down }. Moves are not being recorded. Check cable and power.
 }
board-down = { $code ->
    [missing] the port does not exist
    [denied] access to the port is denied
    [busy] another program is using the port
    [not_opened] the port could not be opened
    [never_answered] no chessboard responds on the port, or it is switched off
    [other_board] the board on the port does not have the configured serial number
    [draughts] it is a draughts board, or set to draughts
    [silent] it has gone silent
    [line_lost] the connection broke
    [unplugged] the port has disappeared
   *[other] { $reason }
 }

alert-node_twice = Another daemon has the same name. It runs on: { $hosts }. The games of both are shown alternately. Stop one or rename it.

alert-source_uncertain = { $doubt ->
    [guessed] { $source } may have guessed moves, as they have no clock time: { $after }.
    [king_moves] The last king moves in { $source } may only show the result: { $after }.
    [number] Several games of { $source } have the number of this board, and this one may be the wrong one.
    [unreadable] { $source } has “{ $word }” { $after ->
        [start] in the starting position
       *[other] after { $after }
     }, which is not a legal move.
    [missing] { $source } has entered a later move, but the record ends { $after ->
        [start] in the starting position
       *[other] after { $after }
     }.
   *[differs] { $source } differs from the record { $after ->
        [start] from the first move
       *[other] after { $after }
     }{ $line ->
        [none] , where it has no move.
       *[other] , where it has { $line }.
     }
 } Compare with the scoresheets, and correct the moves if necessary.

alert-source_rewritten = { $now ->
    [none] { $source } has taken back { $was }.
   *[other] { $source } has replaced { $was } by { $now }.
 }{ $decided ->
    [yes] {" "}A claim or an end rested on these moves: check it.
   *[other] {""}
 } Acknowledge if that is right; otherwise correct the moves.

alert-accounts_differ = { $account ->
    [board] Board { $source }
   *[other] { $source }
 } differs from { $own ->
    [none] the record
   *[other] the record of { $own }
 }{ $differs ->
    [result] {""}
   *[other] { $after ->
        [start] {" "}from the first move
       *[other] {" "}after { $after }
     }
 }: the record has { $record ->
    [none] the end of the game
   *[other] { $record }
 }, the other one { $differs ->
    [word] “{ $word }”, which is not a legal move.
   *[other] { $other ->
        [none] the end of the game.
       *[other] { $other }.
     }
 }{ $decided ->
    [yes] {" "}A claim or an end rests on it: check it.
   *[other] {""}
 } Compare with the scoresheets, and choose a version.{ $dropped ->
    [0] {""}
    [one] {" "}With the other version, one later ply of the record is lost.
   *[other] {" "}With the other version, { $dropped } later plies of the record are lost.
 }

alert-account_not_compared = { $account ->
    [board] Board { $source }
   *[other] { $source }
 } is not compared with the record: { $why ->
    [start] it begins from another position
    [players] it names other players
    [round] it names another round
    [earlier] it still has the game before this one
    [next] it has begun another game
    [lost] no moves, or too few, arrive from it ({ $reason })
   *[other] { $why }
 }. Claims and ends rest on the record alone.

alert-phone_silent = Messages about this board do not reach the phone { $phone }: { $reason }. Watch the screen. Check the network and the phone’s section in the configuration.

alert-session_taken_over = Another client has disconnected the daemon from the broker by using its name there. Displays may have frozen for a moment. Find out who else uses the broker.

alert-sensors_faulty = Sensors contradict the game and are ignored: { $squares }. Check the board.

alert-clock_mismatch = The clock is running for { $running ->
    [white] White, but Black
    [black] Black, but White
   *[other] { $running }, but { $turn }
 } has the move{ article }. A press may have been missed, or the clock is the wrong way round. Check, and do not tell the players.

alert-plies_reconstructed = { $count ->
    [one] One move was
   *[other] { $count } moves were
 } reconstructed after an outage of the board: { after-moves }. Repetitions in between are unknown. Compare with the scoresheets.

alert-promotion_assumed = Check the { $count ->
    [one] promotion
   *[other] promotions
 }: { $after ->
    [none] { $moves } (ply { $plies })
   *[other] { $after }
 }. The board does not identify the piece, or shows a rook, which may be inverted and stand for a queen. Choose “The piece is right”, or correct the move.

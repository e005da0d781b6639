# Alerts to the arbiter: what is so, the article, what to do. The board is not named.

## Red: act now

alert-fivefold = The same position for the fifth time, { after-move }{ article }. The game is drawn. Stop the clock.

alert-seventy_five_move = 75 moves by each player without pawn move and capture, { after-move }{ article }. The game is drawn. Stop the clock.

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

alert-play_after_end = Play goes on after the end: the game was over { after-move }, { end-by }{ article }; play has reached { $now_after ->
    [none] ply { $now_ply }
    [start] the starting position
   *[other] { $now_after }
 }.{ $decided ->
    [agreement] {" "}The players have agreed to a draw since; if the end falls, that counts.
    [resignation] {" "}{ by-color } has resigned since; if the end falls, that counts.
   *[other] {""}
 } Step in and stop the clock.

alert-claim_made = { claim-what }. { claim-verdict }{ claim-contested }{ claim-after-flag }
claim-what = { $kind ->
    [increment] { by-color } offers a draw and asks for five seconds a move in the quickplay finish
   *[other] { by-color } claims a draw: { claim-ground }
 }
claim-ground = { $kind ->
    [threefold] the same position for the third time{ claim-basis }
    [fifty_move] fifty moves without pawn move and capture{ claim-basis }
    [quickplay] in the quickplay finish, the opponent cannot or does not try to win
   *[other] { $kind }{ claim-basis }
 }
claim-basis = { $basis ->
    [none] {""}
    [appeared] , on the board
    [intended] , with { claim-move }
   *[other] {" "}({ $basis })
 }
claim-move = { $move ->
    [none] a move that was not named
   *[other] the announced move { $move }
 }
claim-verdict = { $verdict ->
    [none] Not checked yet{ article }. Stop the clock and check.
    [correct] The claim is correct{ claim-evidence }{ article }.{ claim-drawn }
    [incorrect] The claim is incorrect{ claim-evidence }{ article }. The game goes on{ claim-penalty }.{ claim-must-play }
    [defective_not_written] The move is not on the scoresheet{ article }: have it written down first, then decide.
    [arbiter_decides] The arbiter decides{ article }.
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
         } without pawn move and capture
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
    [yes] {" "}A piece was lifted before the claim: decide whether the right to claim is lost (9.4).
   *[other] {" "}({ $contested })
 }
claim-after-flag = { $after_flag ->
    [no] {""}
    [yes] {" "}A flag was down already: decide which was noticed first.
   *[other] {" "}({ $after_flag })
 }

alert-flag_fall = { player-color }’s flag has fallen{ article }. { $action ->
    [call] Call the flag fall.
    [may_call] You may call the flag fall.
    [refrain] Do not call it: wait for a player’s claim.
   *[other] ({ $action })
 } { $opponent_can_mate ->
    [yes] { opponent-color } can still mate: lost for { player-color }.
    [no] { opponent-color } cannot mate by any series of legal moves: drawn.
    [unknown] Whether { opponent-color } can still mate is not known: the arbiter decides.
   *[other] ({ $opponent_can_mate })
 }

alert-agreement_restricted = { $reason ->
    [before_move] The players agreed to a draw before both had made { $move } moves{ article }. { agreement-waits }
    [consent] The players agreed to a draw, which needs your consent{ article }. { agreement-waits }
    [too_early] The players agreed to a draw before both had made { $move ->
        [one] a move
       *[other] { $move } moves
     }{ article }. It does not stand: the game goes on.
   *[other] The players agreed to a draw ({ $reason }){ article }. { agreement-waits }
 }
agreement-waits = It does not stand until you consent; without that the game goes on.

alert-announced_move_not_played = { by-color } announced { $announced } and played { $played }{ article }. Step in: { $legal ->
    [no] { $announced } is not legal, so another move with that piece must be made.
   *[other] the announced move must be made.
 }

alert-clock_adjustment = { $reason ->
    [incorrect_claim] Incorrect claim
    [illegal_move] Illegal move
    [quickplay] Quickplay finish
    [increment] Five seconds a move for both players
    [arbiter] Arbiter’s decision
    [withdrawn] Ruling taken back
   *[other] { $reason }
 }{ article }. Set the clock: { $changes }.
clock-by = { player-color } { $time }
clock-to = { player-color } to { $time }
clock-as-it-is = no change of the times

alert-decision_needed = { $what ->
    [resignation] { player-color } has resigned.
    [flag_fall] { player-color }’s flag has fallen.
    [illegal_move] { player-color } would lose by an illegal move.
   *[other] { $what }, { player-color }.
 } { $waits_for ->
    [claim] It counts if the claim that came before it does not end the game: rule on the claim.
    [move] Before that { $move } stood on the board, which ends the game: if it is not recorded, the arbiter decides.
   *[none] Whether { opponent-color } can mate by any series of legal moves is not known{ article }: win or draw, the arbiter decides.
 }

alert-left_undecided = Game { $game } was left undecided when the pieces were set up anew: { $what ->
    [claim] the claim of a draw by { by-color } was not ruled on
    [decision] the postponed decision on the claim by { by-color } in the quickplay finish was not made
    [increment] the request of { by-color } for five seconds a move in the quickplay finish was not answered
    [agreement] the players’ draw still needed your word
    [resignation] { by-color } had resigned
    [result] the players had shown { $score } on the board
   *[other] { $what }
 }. Decide it with the players.

## Amber: look at it

alert-threefold_claimable = A draw by threefold repetition can be claimed{ article }: { by-color } to move. Do not intervene.

alert-fifty_move_claimable = A draw by the fifty-move rule can be claimed{ article }: { by-color } to move. Do not intervene.

alert-fourth_occurrence = The same position for the fourth time ({ after-moves }). The fifth time ends the game{ article }. Do not intervene.

alert-seventy_moves = { $halfmove_clock } halfmoves without pawn move and capture. { $moves_left ->
    [one] One more move by each player and the game is drawn
   *[other] { $moves_left } more moves by each player and the game is drawn
 }{ article }. Do not intervene.

alert-repetition_disputed = The same position for the third time only if a castling right that had to be given up does not count{ article }: { by-color } to move. On a claim the arbiter decides. Do not intervene.

alert-fivefold_uneven = The same position for the fifth time ({ after-moves }), but not by five consecutive alternate moves of each player{ article }. The game goes on unless the arbiter reads the Laws otherwise. Do not intervene.

alert-offer_repeated = { by-color } has offered a draw { $count ->
    [one] once
   *[other] { $count } times
 }{ article }. Step in if it disturbs the opponent.

alert-claims_repeated = { by-color } has claimed a draw { $count ->
    [one] once
   *[other] { $count } times
 } without ground{ article }. Step in if it disturbs the opponent.

alert-offer_restricted = { by-color } offered a draw { $move ->
    [none] although the event asks for your consent first
   *[other] before both players had made { $move } moves, which needs your consent
 }{ article }.

alert-agreed_without_play = A draw was agreed before each player had made a move. It stands, but may bring the game into disrepute{ article }.

alert-decision_postponed = The decision on the claim of a draw by { by-color } { after-move } is postponed{ article }. { $flag ->
    [none] Watch the game, and decide before it ends otherwise.
   *[other] A flag has fallen: decide now, before the flag.
 }

alert-claim_contested = { $move ->
    [none] { claim-touched }
   *[other] { by-color } had already made { $move } on the board before the claim
 }{ article }. Decide whether the right to claim is lost.

claim-touched = { $sure ->
    [no] Before the claim by { by-color } the piece on { $square } was only seen missing for a moment
   *[other] { by-color } lifted the piece on { $square } before the claim
 }

alert-claim_reconsidered = The claim of a draw by { by-color } { after-move } was ruled incorrect, and the record was corrected since{ article }: rule on it anew.{ claim-cost-made }
claim-cost-made = { $changes ->
    [none] {""}
   *[other] {" "}The clock was set for it already: { $changes }.
 }

alert-board_mismatch = { $reason ->
    [no_legal_move] No legal move explains the board
    [pawn_not_promoted] A pawn stands on its last rank
    [piece_missing] A piece is missing
    [ambiguous] Several lines of moves explain the board
    [earlier_position] Pieces were taken back to an earlier position
   *[other] The position differs from the record ({ $reason })
 } { $after ->
    [none] since ply { $since_ply }
    [start] in the starting position
   *[other] after { $after }
 }{ $squares ->
    [none] {""}
   *[other] : { $squares }
 }.{ $doubted_since ->
    [none] {""}
   *[other] {" "}From { $doubted_from ->
        [none] ply { $doubted_since }
       *[other] { $doubted_from }
     } on, moves may have been read wrongly.
 } { $reason ->
    [ambiguous] { mismatch-choose }
    [earlier_position] Take the moves back with “correct”, or have the position put up again.
   *[other] Check the board.
 }
mismatch-choose = Choose with “correct”{ $candidates ->
    [none] {""}
   *[other] : { $candidates }
 }.
mismatch-no-move = no move

alert-clock_stopped = The clock has stopped although the game is on{ article }. Check why.

alert-counts_restarted = A position was set up in mid-game. Repetitions and moves are counted from there; earlier ones are on the scoresheets only.

alert-result_to_confirm = The game ended { $score } { result-by }, { after-move }{ article }. Confirm or correct the result.

alert-result_unconfirmed = Game { $game } ended { $score } { result-by }{ article } and was never confirmed. Confirm or correct the result.

alert-result_proposed = { $sign ->
    [kings] The kings stand in the centre
    [result_piece] A result piece stands on the board
   *[other] A result is shown on the board ({ $sign })
 } { after-move }: { $winner ->
    [white] White wins
    [black] Black wins
    [draw] draw
   *[other] { $score }
 }. { $result ->
    [none] Confirm with “result”, or acknowledge if play goes on.
   *[other] But the result is { $result }: correct it with “result”, or acknowledge that it stands.
 }

## Grey: the equipment needs somebody

alert-journal_down = This game is not being recorded on the disk: { journal-down }. It goes on in memory and is recorded as soon as the disk is back. Keep the power on, keep the scoresheets.
journal-down = { $code ->
    [full] the disk is full
    [read_only] the disk is read-only
    [slow] the disk does not answer
   *[other] { $reason }
 }

alert-entries_lost = The journal was damaged: { $left ->
    [unknown] behind game { $game }
   *[other] of game { $game }
 } { $count ->
    [one] entry { $from } is lost
   *[other] { $count } entries from { $from } to { $to } are lost
 }. { $left ->
    [part] What followed in that game is not recorded: keep its scoresheets.
    [nothing] Nothing is left of that game: keep its scoresheets, and note its result.
    [unknown] They are the end of that game or a game after it: keep the scoresheets.
   *[other] { $since ->
        [none] No move is lost; an offer, a claim or a ruling may be.
       *[other] The moves from ply { $since } on are not certain. Compare with the scoresheets, and correct the record.
    }
 } Look at the disk.

alert-board_lost = The board does not answer: { board-down }. Moves are not seen. Look at cable and power.
board-down = { $code ->
    [missing] the port is not there
    [denied] the port may not be opened
    [busy] another program has the port
    [not_opened] the port could not be opened
    [never_answered] no chessboard answers on the port, or it is not switched on
    [other_board] another board answers on the port than the one with the serial number in the configuration
    [draughts] the board is one for draughts, or set to draughts
    [silent] it has stopped answering
    [line_lost] the line broke
    [unplugged] the port has gone
   *[other] { $reason }
 }

alert-node_twice = Another daemon has the same name. It runs on: { $hosts }. Topics show the games of both by turns. Stop one, or give it another name.

alert-session_taken_over = Another client has thrown the daemon off the broker by using its name there. Displays may have stood still for a moment. Ask who else uses the broker.

alert-sensors_faulty = The sensors contradict the game and are not listened to: { $squares }. Check the board.

alert-clock_mismatch = The clock runs for { $running ->
    [white] White, but Black
    [black] Black, but White
   *[other] { $running }, but { $turn }
 } has the move{ article }. A press may have been missed, or the clock stands the wrong way round. Check it, and do not tell the players.

alert-plies_reconstructed = { $count ->
    [one] One move was
   *[other] { $count } moves were
 } reconstructed after a gap: { after-moves }. Repetitions in between are not known. Compare with the scoresheets.

alert-promotion_assumed = Taken for { $count ->
    [one] a queen
   *[other] queens
 }: { $after ->
    [none] { $moves } (ply { $plies })
   *[other] { $after }
 }. The board does not know its pieces. Acknowledge it, or say with “correct” what the pawn became.

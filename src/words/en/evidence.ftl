# The evidence sheet for a claim: headings, labels, verdicts. The arbiter shows it to the players.

evidence-title = Evidence for a draw claim
evidence-title-position = Position on the board
evidence-board = Board { $board }

## The verdict, in large letters, and what follows from it

evidence-record = Record
evidence-ruling = Ruling by the arbiter
evidence-not-written = The announced move is not written down
evidence-finding-none = Only the arbiter can judge this claim
evidence-finding-illegal = The announced move { $move } is not legal
evidence-finding-fifty = { $halfmoves ->
    [one] One halfmove
   *[other] { $halfmoves } halfmoves
 } without a pawn move or capture ({ $needed } needed)
evidence-no-claim = No claim has been made

evidence-drawn = The game is drawn{ article }.
evidence-goes-on = The game continues{ article }.
evidence-set-clock = Set the clock: { $changes }.
evidence-clock-stays = The clock times remain unchanged.
evidence-must-play = The announced move { $move } must be made.
evidence-other-move = The announced move { $move } is not legal: another legal move with that piece must be made, if there is one. This does not count as an illegal move.
evidence-write-first = The announced move { $move } is not on the scoresheet, so there is nothing to check yet. Have it written down, then decide. No penalty.
evidence-if-written = Once it is written down: { $verdict ->
    [correct] according to the moves of the game, the claim is correct.
   *[other] according to the moves of the game, the claim is incorrect.
 }
evidence-if-rejected = If the claim is not upheld:
evidence-why-castling = If a castling right that could not be kept is ignored, the position occurred often enough; otherwise it did not. This edition of the Laws has been read both ways{ article }.
evidence-why-not-completed = The last move has been made, but the clock has not been pressed: the fiftieth move is not completed{ article }.
evidence-right-lost = The right to claim had already been lost{ article }: the claim is not checked and costs nothing. The game continues.
evidence-if-right-lost = If the right is lost, the claim is inadmissible: no penalty, and the game continues.
evidence-why-touched = According to the moves of the game, the claim is correct. But a piece was touched or moved before it: decide whether the right to claim is lost{ article }.
evidence-why-flag = A flag had already fallen when the claim was made: decide which was noticed first{ article }.
evidence-why-quickplay = A claim in the quickplay finish is for the arbiter to judge{ article }.
evidence-available = Claims that would succeed now: { $claims }.
evidence-available-none = No claim would succeed now.
evidence-announced-ends = The announced move would itself end the game.
evidence-over = The game was over before the claim: { $when }, { end-by }{ article }.
evidence-decision = { $decision ->
    [correct] Claim correct
    [incorrect] Claim incorrect
    [not_admissible] Claim inadmissible
   *[none] No ruling yet
 }
evidence-ruled-before = Earlier ruling, on a record since corrected: { $decision ->
    [correct] claim correct
    [not_admissible] claim inadmissible
   *[other] claim incorrect
 }, { $who }, { $time }.
evidence-by-record = { $verdict ->
    [correct] According to the record, the claim is correct
   *[other] According to the record, the claim is incorrect
 }.
evidence-increment = Both players get an extra five seconds per move from now on.
evidence-result = Result: { $score }, { result-by }.
evidence-uncertain = Uncertain: compare with both scoresheets.
evidence-clock-unknown = { player-color } according to the clock reading

## The game

evidence-game = Game
evidence-event = Event
evidence-site = Place
evidence-round = Round
evidence-table = Board
evidence-date = Date
evidence-laws = Laws
evidence-laws-of = FIDE { $year } ({ $edition }), { rate-of-play }
rate-of-play = { $rate ->
    [standard] standard
    [rapid] rapid
    [blitz] blitz
   *[other] { $rate }
 }
evidence-unknown = not known

## The claim

evidence-claim = Claim
evidence-by = Claimant
evidence-what = Ground
evidence-ground = { $kind ->
    [threefold] same position for the third time{ article }
    [fifty_move] 50 moves without a pawn move or capture{ article }
    [quickplay] quickplay finish{ article }
    [increment] quickplay finish, an extra five seconds per move{ article }
   *[other] { $kind }{ article }
 }
evidence-basis = Based on
evidence-on-board = the position on the board
evidence-intended = the announced move { $move }
evidence-when = Claimed
evidence-after = after { $made }
evidence-at-start = in the starting position
evidence-clocks = Clocks
evidence-clock-pair = White { $white }, Black { $black }
evidence-touched = Touched before
evidence-touched-piece = piece on { $square }, { $time }; { $source ->
    [arbiter] seen by the arbiter
    [unsure] according to the sensors, off its square for only a moment: not certain
   *[other] according to the sensors: no proof of intent
 }
evidence-clock-ran = The clock was running when the claim was made.

## Occurrences

evidence-occurrences = { $count ->
    [0] The position never occurred
    [one] The position occurred once
   *[other] The position occurred { $count } times
 }{ occurrences-needed }
occurrences-needed = { $needed ->
    [none] {""}
   *[other] {" "}({ $needed } needed)
 }
evidence-nth = No. { $n }
evidence-start-position = starting position
evidence-would-be = announced, not made
evidence-to-move = { $by ->
    [white] White to move
    [black] Black to move
   *[other] { $by } to move
 }
evidence-castling = Castling: { $rights }
evidence-castling-of = { player-color } ({ $rooks })
evidence-castling-none = none
evidence-en-passant = En passant: { $square }
evidence-en-passant-none = none
evidence-counts-if = counts only without the castling right
evidence-more-occurrences = Also after { $places }.
evidence-diagram = Position after ply { $ply }, { evidence-to-move }.

## Why not equal

evidence-unlike = Looks the same, does not count{ article }
evidence-unlike-turn = { $by ->
    [white] White had the move
    [black] Black had the move
   *[other] { $by } had the move
 }
evidence-unlike-castling-then = { player-color } still had the right to castle with the rook on { $rooks }
evidence-unlike-castling-now = { player-color } had no right to castle with the rook on { $rooks }
evidence-unlike-ep-then = a pawn could be captured en passant on { $square }
evidence-unlike-ep-now = no pawn could be captured en passant on { $square }
evidence-unlike-none = No other position of the game looks the same.
evidence-unlike-more = { $count ->
    [one] One more position
   *[other] { $count } more positions
 } of this kind.

## Fifty moves

evidence-fifty = Moves without a pawn move or capture
evidence-fifty-count = { $halfmoves ->
    [one] One halfmove
   *[other] { $halfmoves } halfmoves
 } ({ $needed } needed): { $white } by White, { $black } by Black.
evidence-fifty-missing = { $halfmoves ->
    [one] One halfmove short.
   *[other] { $halfmoves } halfmoves short.
 }
evidence-fifty-since = Counted from { $made }: { $what ->
    [capture] capture
    [pawn] pawn move
   *[other] capture by a pawn
 }
evidence-fifty-start = Counted from the starting position.
evidence-before = Before { $made }
evidence-then = After { $made }
evidence-claimed = At the claim

## The score

evidence-score = Moves of the game
evidence-number = No.
evidence-no-moves = No move has been made.
evidence-legend-boxed = boxed: the position occurred (with its number)
evidence-legend-unlike = ≠ looks the same, does not count
evidence-legend-offer = (=) draw offer
evidence-legend-gap = ? made during an outage of the board
evidence-legend-claim = ◆ claim
evidence-legend-announced = [ ] announced, not made
evidence-legend-clock = small: remaining time of the player

## What else happened

evidence-incidents = Claims, penalties, illegal moves
evidence-nothing = Nothing was recorded before this.
evidence-after-ply = ply { $ply }
evidence-illegal = illegal move by { player-color }, no. { $nth }
evidence-adjusted = clock: { $changes } ({ adjustment-reason })
adjustment-reason = { $reason ->
    [incorrect_claim] incorrect claim
    [illegal_move] illegal move
    [quickplay] quickplay finish
    [increment] an extra five seconds per move
    [arbiter] the arbiter’s decision
    [withdrawn] ruling withdrawn
   *[other] { $reason }
 }
evidence-earlier-claim = earlier claim { $id } by { player-color }: { evidence-ground-short }
evidence-ground-short = { $kind ->
    [threefold] threefold
    [fifty_move] 50 moves
    [quickplay] quickplay finish
    [increment] an extra five seconds per move
   *[other] { $kind }
 }
evidence-earlier-ruling = claim { $id }: { $decision ->
    [correct] correct
    [not_admissible] inadmissible
   *[other] incorrect
 }
evidence-not-played = { by-color } announced { $announced } but played { $played }
evidence-version-chosen = { $version ->
    [record] record kept against { $source }
   *[account] version of { $source } taken over
 } from ply { $ply } on, by { $who }
evidence-corrected = record taken back to ply { $ply } and corrected, by { $who }
evidence-illegal-moves = Illegal moves so far: White { $white }, Black { $black }.

## What is not certain

evidence-doubts = Uncertain
evidence-notes = Notes
evidence-doubt-set-up = The position was set up during the game. What was on the board before is not counted.
evidence-doubt-gap = Made during an outage of the board and reconstructed afterwards; positions in between are unknown: { $places }.
evidence-doubt-assumed = The promoted { $count ->
    [one] piece is
   *[other] pieces are
 } assumed, because the board could not identify a queen with certainty; ask the players: { $places }.
evidence-doubt-mismatch = The position on the board differs from the record { $when } ({ $reason ->
    [no_legal_move] no legal move leads to it
    [pawn_not_promoted] a pawn is on the last rank
    [piece_missing] a piece is missing
    [ambiguous] several moves are possible
    [earlier_position] the board shows an earlier position: pieces were put back
   *[other] { $reason }
 }): { $squares }.{ $doubted_since ->
    [none] {""}
   *[other] {" "}From { $doubted_since } on, moves may have been misread.
 }
evidence-doubt-square = { $square }: { $expected } expected, { $seen } seen
evidence-doubt-square-empty = nothing
evidence-doubt-not-agreed = The board was not seen or contradicted the record, and has not agreed with it since: moves made { $when } may be misread or missing.
evidence-doubt-source = The program that wrote the game is not certain of the moves from { $since } on.
evidence-doubt-account = { $source } differs from { $since } on, and no version had been chosen: the record has { $record ->
    [none] the end of the game
   *[other] { $record }
 }, the other one { $other ->
    [none] the end of the game
   *[other] { $other }
 }.
evidence-doubt-written-by = As written by { $source }, not read by the sensors of a board. Touched pieces are not known.
evidence-doubt-missing = Missing from the journal: entries { $from } to { $to }.
evidence-doubt-corrected = Since the claim { $who } has corrected the moves made { $when }. This sheet shows them as they were recorded when the claim was made.
evidence-doubt-not-recorded = The newest entries ({ $from } to { $to }) are not yet on the disk. They are included here.
evidence-doubt-strange = Journal entries that this version reads differently or not at all: { $entries }.
evidence-doubt-unreadable = The rest of the file cannot be read: { $text }
evidence-doubt-start = The game began from a given position ({ $halfmoves ->
    [one] one halfmove
   *[other] { $halfmoves } halfmoves
 } without a pawn move or capture). What came before it is not counted.
evidence-doubt-laws = Checked under other Laws than those of the game ({ $edition }, { rate-of-play }).

## Where it comes from, and who signs

evidence-source = Record
evidence-source-journal = Journal { $file }, entries { $from } to { $to } ({ $count ->
    [one] one entry
   *[other] { $count } entries
 }).
evidence-source-pgn = File { $file }, game { $game }.
evidence-sha = SHA-256 of { $what ->
    [journal] these entries
   *[other] the file
 }:
evidence-program = Produced by remisd { $version }.
evidence-arbiter-name = Arbiter
evidence-signature-white = White
evidence-signature-black = Black
evidence-signature-time = Date, time
evidence-footer = An aid for the arbiter, not approved by FIDE. The decision is the arbiter’s.

## Instead of the sheet, where it cannot be produced

evidence-refused = The evidence sheet cannot be produced
evidence-refused-why = { $why ->
    [bad] The address is not valid: { $detail }
    [no_board] There is no board { $board } here.
    [signed_out] Sign in as arbiter first, in the console.
    [no_broker] There is no connection to the broker. Try again in a moment.
    [by_broker] The broker does not accept the request from this user: { $detail }
    [silent] The daemon of board { $board } does not respond. Is it running?
    [daemon] The daemon of board { $board } answers: { $detail }
   *[other] { $detail }
 }
evidence-refused-otherwise = Where the journal is at hand, use: { $command }

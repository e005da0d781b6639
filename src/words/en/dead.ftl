# Why neither player can mate: what can be checked on the board.

## In a sentence

dead-short-material = No mate is possible with { $white } against { $black }.
dead-short-blocked = { $squares ->
    [none] The pieces can never reach squares from which they could mate.
   *[other] Permanently blocked: the pawns on { $squares }. No piece can get past them to mate.
 }
dead-short-visited = All { $positions } positions that can still arise were examined: no mate.
dead-short-sketches = { $sketches ->
    [one] The only arrangement
   *[other] All { $sketches } arrangements
 } of kings, pawns and some pieces that can still arise { $sketches ->
    [one] was examined
   *[other] were examined
 }: { $by ->
    [white] no mate by White
    [black] no mate by Black
   *[other] no mate
 }, wherever the other pieces stand.
dead-game-over = The game is over on the board.

## In full

dead-grounds = Why mate is no longer possible
dead-material = { $lack ->
    [bare_king] { by-color } has only the king.
    [knight] { by-color } has only { $men }, and { opponent-color } only the king and at most queens: no mate is possible.
    [bishops] { by-color } has only { $men }, and the board has no pawns, no knights and no bishops on squares of the other colour: no mate is possible.
   *[other] { by-color } has only { $men }: no mate is possible.
 }
dead-closure = { $positions ->
    [one] The only position that can still arise by legal moves while mating material remains was examined
   *[other] All { $positions } positions that can still arise by legal moves while mating material remains were examined
 }: { $by ->
    [white] no mate by White
    [black] no mate by Black
   *[other] no mate
 }.{ dead-leaves }
dead-leaves = { $leaves ->
    [none] {""}
   *[other] {" "}From { $leaves } of them play was not continued, because the pieces and pawns there are permanently blocked.
 }
dead-sketches = { $sketches ->
    [one] The only arrangement
   *[other] All { $sketches } arrangements
 } of the other pieces and pawns that can still arise by legal moves while mating material remains { $sketches ->
    [one] was examined
   *[other] were examined
 }: wherever those pieces and any promoted pawns stand, { $by ->
    [white] no mate by White.
   *[other] no mate by Black.
 }
dead-blocked = { $count ->
    [one] The pawn on { $squares } can neither move nor be captured.
   *[other] The pawns on { $squares } can neither move nor be captured.
 }
dead-confined = { by-color }, { $man }: { $squares ->
    [none] can never move.
   *[other] can reach only { $squares }.
 }
dead-no-check = { by-color } can never give check on any square that the opposing king can reach.
dead-flight = { by-color } could give check to the opposing king on { $squares }, but there it always has a flight square.
dead-too-few = { by-color } could give check to the opposing king on { $squares }, but never attacks all the squares around it, and { opponent-color } has too few pieces and pawns to occupy the others.
dead-no-check-elsewhere = On all other squares that the king can reach, { by-color } can never give check.

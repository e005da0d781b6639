# Why neither player can mate: what can be checked on the board.

## In a sentence

dead-short-material = No mate is possible with { $white } against { $black }.
dead-short-blocked = { $squares ->
    [none] The pieces never get to squares where they could mate.
   *[other] Blocked for good: the pawns on { $squares }. No piece gets past them to mate.
 }
dead-short-visited = All { $positions } positions that can still come about were gone through: no mate.
dead-short-sketches = { $sketches ->
    [one] The only arrangement
   *[other] All { $sketches } arrangements
 } of kings, pawns and the pieces followed with them that can still come about { $sketches ->
    [one] was gone through
   *[other] were gone through
 }: { $by ->
    [white] no mate by White
    [black] no mate by Black
   *[other] no mate
 }, wherever the other pieces stand.
dead-game-over = The game is over on the board.

## In full

dead-grounds = Why no mate is possible any more
dead-material = { $lack ->
    [bare_king] { by-color } has only the king.
    [knight] { by-color } has only { $men }, and { opponent-color } only the king and at most queens: no mate is possible with that.
    [bishops] { by-color } has only { $men }, and on the board are no pawn, no knight and no bishop on squares of the other colour: no mate is possible with that.
   *[other] { by-color } has only { $men }: no mate is possible with that.
 }
dead-closure = { $positions ->
    [one] The only position that can still come about by legal moves, as far as there is material to mate, was gone through
   *[other] All { $positions } positions that can still come about by legal moves, as far as there is material to mate, were gone through
 }: { $by ->
    [white] no mate by White
    [black] no mate by Black
   *[other] no mate
 }.{ dead-leaves }
dead-leaves = { $leaves ->
    [none] {""}
   *[other] {" "}From { $leaves } of them nothing was played on, because the men are blocked for good.
 }
dead-sketches = { $sketches ->
    [one] The only arrangement
   *[other] All { $sketches } arrangements
 } of the other men that can still come about by legal moves, as far as there is material to mate, { $sketches ->
    [one] was gone through
   *[other] were gone through
 }: wherever those pieces and promoted pawns stand, { $by ->
    [white] no mate by White.
   *[other] no mate by Black.
 }
dead-blocked = { $count ->
    [one] The pawn on { $squares } can neither move nor be captured.
   *[other] The pawns on { $squares } can neither move nor be captured.
 }
dead-confined = { by-color }, { $man }: { $squares ->
    [none] can never move.
   *[other] can at most get to { $squares }.
 }
dead-no-check = { by-color } can never give check on any square that the opposing king can get to.
dead-flight = { by-color } might give check to the opposing king on { $squares }, but there it always has a square of flight.
dead-too-few = { by-color } might give check to the opposing king on { $squares }, but never attacks all the squares around it, and { opponent-color } has not the men to take the others.
dead-no-check-elsewhere = On all other squares that the king can get to, { by-color } can never give check.

# Parts of other texts: colours, pieces, the article.

white = White
black = Black

piece-king = king
piece-queen = queen
piece-rook = rook
piece-bishop = bishop
piece-knight = knight
piece-pawn = pawn

## Parts of a sentence

by-color = { $by ->
    [white] White
    [black] Black
   *[other] { $by }
 }
player-color = { $player ->
    [white] White
    [black] Black
   *[other] { $player }
 }
opponent-color = { $player ->
    [white] Black
    [black] White
   *[other] the opponent of { $player }
 }

# With the space before it; nothing where no article is known.
article = { $article ->
    [none] {""}
   *[other] {" "}({ $article })
 }
# After which move: its number and SAN, as `26.Nb5`.
after-move = { $after ->
    [none] after ply { $ply }
    [start] in the starting position
   *[other] after { $after }
 }
# Several of them.
after-start = start
after-moves = { $after ->
    [none] plies { $plies }
   *[other] { $after }
 }

# How a game ended by itself.
end-by = { $kind ->
    [checkmate] by checkmate
    [stalemate] by stalemate
    [dead_position] by a dead position
    [fivefold] by fivefold repetition
    [seventy_five_move] by the 75-move rule
   *[other] by { $kind }
 }
result-by = { $kind ->
    [checkmate] by checkmate
    [stalemate] by stalemate
    [dead_position] by a dead position
    [fivefold] by fivefold repetition
    [seventy_five_move] by the 75-move rule
    [threefold_claim] by a correct claim of threefold repetition
    [fifty_move_claim] by a correct claim under the fifty-move rule
    [agreement] by agreement
    [resignation] by resignation
    [flag_fall] on time
    [illegal_move] by an illegal move
    [illegal_position] by an illegal position
    [quickplay] by a claim in the quickplay finish
    [arbiter] by the arbiter’s decision
   *[other] by { $kind }
 }

# Waaruit andere teksten bestaan: kleuren, stukken, het artikel.

white = Wit
black = Zwart

piece-king = koning
piece-queen = dame
piece-rook = toren
piece-bishop = loper
piece-knight = paard
piece-pawn = pion

## Zinsdelen: nooit aan het begin van een zin

by-color = { $by ->
    [white] wit
    [black] zwart
   *[other] { $by }
 }
player-color = { $player ->
    [white] wit
    [black] zwart
   *[other] { $player }
 }
opponent-color = { $player ->
    [white] zwart
    [black] wit
   *[other] de tegenstander van { $player }
 }

# Met de spatie ervoor; niets waar geen artikel bekend is.
article = { $article ->
    [none] {""}
   *[other] {" "}(art. { $article })
 }
# Na welke zet: zijn nummer en notatie, zoals `26.Pb5`.
after-move = { $after ->
    [none] na halve zet { $ply }
    [start] in de beginstelling
   *[other] na { $after }
 }
# Meer dan één.
after-start = beginstelling
after-moves = { $after ->
    [none] halve zetten { $plies }
   *[other] { $after }
 }

# Waardoor een partij vanzelf ten einde kwam.
end-by = { $kind ->
    [checkmate] door mat
    [stalemate] door pat
    [dead_position] door een dode stelling
    [fivefold] door vijfmaal dezelfde stelling
    [seventy_five_move] volgens de 75-zettenregel
   *[other] door { $kind }
 }
result-by = { $kind ->
    [checkmate] door mat
    [stalemate] door pat
    [dead_position] door een dode stelling
    [fivefold] door vijfmaal dezelfde stelling
    [seventy_five_move] volgens de 75-zettenregel
    [threefold_claim] door een terechte claim (driemaal dezelfde stelling)
    [fifty_move_claim] door een terechte claim (50-zettenregel)
    [agreement] door overeenkomst
    [resignation] door opgave
    [flag_fall] door tijdsoverschrijding
    [illegal_move] door een onreglementaire zet
    [illegal_position] door een onreglementaire stelling
    [quickplay] door een claim bij versneld beëindigen
    [arbiter] door beslissing van de arbiter
   *[other] door { $kind }
 }

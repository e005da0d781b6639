# Woraus andere Texte bestehen: Farben, Figuren, der Artikel.

white = Weiß
black = Schwarz

piece-king = König
piece-queen = Dame
piece-rook = Turm
piece-bishop = Läufer
piece-knight = Springer
piece-pawn = Bauer

## Satzteile

by-color = { $by ->
    [white] Weiß
    [black] Schwarz
   *[other] { $by }
 }
player-color = { $player ->
    [white] Weiß
    [black] Schwarz
   *[other] { $player }
 }
opponent-color = { $player ->
    [white] Schwarz
    [black] Weiß
   *[other] der Gegner von { $player }
 }

# Mit dem Leerzeichen davor; nichts, wo kein Artikel bekannt ist.
article = { $article ->
    [none] {""}
   *[other] {" "}(Art. { $article })
 }
# Nach welchem Zug: seine Nummer und Notation, wie `26.Sb5`.
after-move = { $after ->
    [none] nach Halbzug { $ply }
    [start] in der Ausgangsstellung
   *[other] nach { $after }
 }
# Mehrere davon.
after-start = Ausgangsstellung
after-moves = { $after ->
    [none] Halbzüge { $plies }
   *[other] { $after }
 }

# Wodurch eine Partie von selbst zu Ende ging.
end-by = { $kind ->
    [checkmate] durch Matt
    [stalemate] durch Patt
    [dead_position] durch tote Stellung
    [fivefold] durch fünfmalige Stellungswiederholung
    [seventy_five_move] nach der 75-Züge-Regel
   *[other] durch { $kind }
 }
result-by = { $kind ->
    [checkmate] durch Matt
    [stalemate] durch Patt
    [dead_position] durch tote Stellung
    [fivefold] durch fünfmalige Stellungswiederholung
    [seventy_five_move] nach der 75-Züge-Regel
    [threefold_claim] durch berechtigten Antrag (dreimalige Stellungswiederholung)
    [fifty_move_claim] durch berechtigten Antrag (50-Züge-Regel)
    [agreement] durch Übereinkunft
    [resignation] durch Aufgabe
    [flag_fall] durch Zeitüberschreitung
    [illegal_move] durch regelwidrigen Zug
    [illegal_position] durch regelwidrige Stellung
    [quickplay] durch Antrag in der Endspurtphase
    [arbiter] durch Entscheidung des Schiedsrichters
   *[other] durch { $kind }
 }

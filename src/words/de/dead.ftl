# Warum keiner mehr mattsetzen kann: was sich am Brett nachprüfen lässt.

## In einem Satz

dead-short-material = Mit { $white } gegen { $black } ist kein Matt möglich.
dead-short-blocked = { $squares ->
    [none] Die Figuren kommen nie auf Felder, von denen aus sie mattsetzen könnten.
   *[other] Dauerhaft blockiert: die Bauern { $squares }. Keine Figur kommt an ihnen vorbei, um mattzusetzen.
 }
dead-short-visited = Alle { $positions } Stellungen, die noch entstehen können, wurden geprüft: kein Matt.
dead-short-sketches = { $sketches ->
    [one] Geprüft wurde die einzige Anordnung von Königen, Bauern und einigen Figuren, die noch entstehen kann
   *[other] Geprüft wurden alle { $sketches } Anordnungen von Königen, Bauern und einigen Figuren, die noch entstehen können
 }: { $by ->
    [white] kein Matt durch Weiß
    [black] kein Matt durch Schwarz
   *[other] kein Matt
 }, wo auch immer die anderen Figuren stehen.
dead-game-over = Die Partie ist auf dem Brett zu Ende.

## Im Einzelnen

dead-grounds = Warum kein Matt mehr möglich ist
dead-material = { $lack ->
    [bare_king] { by-color } hat nur noch den König.
    [knight] { by-color } hat nur { $men } und { opponent-color } nur den König und höchstens Damen: Damit ist kein Matt möglich.
    [bishops] { by-color } hat nur { $men }, und auf dem Brett gibt es keine Bauern, keine Springer und keine Läufer auf Feldern der anderen Farbe: Damit ist kein Matt möglich.
   *[other] { by-color } hat nur { $men }: Damit ist kein Matt möglich.
 }
dead-closure = { $positions ->
    [one] Geprüft wurde die einzige Stellung, die durch regelgemäße Züge noch entstehen kann
   *[other] Geprüft wurden alle { $positions } Stellungen, die durch regelgemäße Züge noch entstehen können
 }, solange Mattmaterial vorhanden ist: { $by ->
    [white] kein Matt durch Weiß
    [black] kein Matt durch Schwarz
   *[other] kein Matt
 }.{ dead-leaves }
dead-leaves = { $leaves ->
    [none] {""}
   *[other] {" "}Von { $leaves } aus wurde nicht weitergespielt, weil die Steine dort dauerhaft blockiert sind.
 }
dead-sketches = { $sketches ->
    [one] Geprüft wurde die einzige Anordnung der anderen Steine, die durch regelgemäße Züge noch entstehen kann
   *[other] Geprüft wurden alle { $sketches } Anordnungen der anderen Steine, die durch regelgemäße Züge noch entstehen können
 }, solange Mattmaterial vorhanden ist: Wo auch immer jene Figuren und umgewandelte Bauern stehen, { $by ->
    [white] kein Matt durch Weiß.
   *[other] kein Matt durch Schwarz.
 }
dead-blocked = { $count ->
    [one] Der Bauer { $squares } kann weder ziehen noch geschlagen werden.
   *[other] Die Bauern { $squares } können weder ziehen noch geschlagen werden.
 }
dead-confined = { by-color }, { $man }: { $squares ->
    [none] kann nie ziehen.
   *[other] kommt höchstens nach { $squares }.
 }
dead-no-check = { by-color } kann auf keinem Feld, auf das der gegnerische König kommen kann, Schach bieten.
dead-flight = { by-color } könnte dem gegnerischen König auf { $squares } Schach bieten; dort hat er aber immer ein Fluchtfeld.
dead-too-few = { by-color } könnte dem gegnerischen König auf { $squares } Schach bieten, greift aber nie alle Felder um ihn herum an, und { opponent-color } fehlen die Steine, um die übrigen zu besetzen.
dead-no-check-elsewhere = Auf allen anderen Feldern, auf die der König kommen kann, kann { by-color } nie Schach bieten.

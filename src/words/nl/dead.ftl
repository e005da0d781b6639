# Waarom geen van beiden nog mat kan geven: wat op het bord is na te gaan.

## In één zin

dead-short-material = Met { $white } tegen { $black } is geen mat mogelijk.
dead-short-blocked = { $squares ->
    [none] De stukken komen nooit op velden vanwaar ze mat kunnen geven.
   *[other] Voorgoed vastgezet: de pionnen { $squares }. Geen stuk komt erlangs om mat te geven.
 }
dead-short-visited = Alle { $positions } stellingen die nog kunnen ontstaan, zijn nagegaan: geen mat.
dead-short-sketches = { $sketches ->
    [one] Nagegaan is de enige opstelling van koningen, pionnen en enkele stukken die nog kan ontstaan
   *[other] Nagegaan zijn alle { $sketches } opstellingen van koningen, pionnen en enkele stukken die nog kunnen ontstaan
 }: { $by ->
    [white] geen mat door wit
    [black] geen mat door zwart
   *[other] geen mat
 }, waar de andere stukken ook staan.
dead-game-over = De partij is op het bord ten einde.

## In bijzonderheden

dead-grounds = Waarom geen mat meer mogelijk is
dead-material = { $lack ->
    [bare_king] Voor { by-color } alleen de koning.
    [knight] Voor { by-color } alleen { $men }, en voor { opponent-color } alleen de koning en hooguit dames: daarmee is geen mat mogelijk.
    [bishops] Voor { by-color } alleen { $men }, en op het bord geen pionnen, geen paarden en geen lopers op velden van de andere kleur: daarmee is geen mat mogelijk.
   *[other] Voor { by-color } alleen { $men }: daarmee is geen mat mogelijk.
 }
dead-closure = { $positions ->
    [one] Nagegaan is de enige stelling die door reglementaire zetten nog kan ontstaan
   *[other] Nagegaan zijn alle { $positions } stellingen die door reglementaire zetten nog kunnen ontstaan
 }, zolang er materiaal voor mat is: { $by ->
    [white] geen mat door wit
    [black] geen mat door zwart
   *[other] geen mat
 }.{ dead-leaves }
dead-leaves = { $leaves ->
    [none] {""}
   *[other] {" "}Vanuit { $leaves } ervan is niet verder gespeeld, omdat de stukken en pionnen daar voorgoed vaststaan.
 }
dead-sketches = { $sketches ->
    [one] Nagegaan is de enige opstelling van de andere stukken en pionnen die door reglementaire zetten nog kan ontstaan
   *[other] Nagegaan zijn alle { $sketches } opstellingen van de andere stukken en pionnen die door reglementaire zetten nog kunnen ontstaan
 }, zolang er materiaal voor mat is: waar die stukken en gepromoveerde pionnen ook staan, { $by ->
    [white] geen mat door wit.
   *[other] geen mat door zwart.
 }
dead-blocked = { $count ->
    [one] De pion { $squares } kan niet zetten en niet worden geslagen.
   *[other] De pionnen { $squares } kunnen niet zetten en niet worden geslagen.
 }
dead-confined = Voor { by-color }, { $man }: { $squares ->
    [none] kan nooit zetten.
   *[other] komt hooguit op { $squares }.
 }
dead-no-check = Op geen enkel veld waar de vijandelijke koning kan komen, kan { by-color } schaak geven.
dead-flight = Op { $squares } zou { by-color } de vijandelijke koning schaak kunnen geven, maar daar heeft hij altijd een vluchtveld.
dead-too-few = Op { $squares } zou { by-color } de vijandelijke koning schaak kunnen geven, maar niet alle velden om hem heen worden ooit aangevallen, en { opponent-color } heeft niet de stukken en pionnen om de andere te bezetten.
dead-no-check-elsewhere = Op alle andere velden waar de koning kan komen, kan { by-color } nooit schaak geven.

# Berichten op telefoons. Waar spelers ze kunnen lezen, alleen deze, zonder de inhoud van het alarm.

notify-title = { $state ->
    [raised] Bord { $board }: arbiter nodig
    [escalated] Bord { $board }: arbiter nog steeds nodig
    [acknowledged] Bord { $board }: afgevinkt
   *[closed] Bord { $board }: afgehandeld
 }
notify-number = { $number ->
    [none] { $site }
   *[other] { $site }, alarm { $number }
 }
notify-left_out = { $count ->
    [one] Eén bericht hiervoor is weggelaten.
   *[other] { $count } berichten hiervoor zijn weggelaten.
 }
notify-test = Testbericht van remisd
notify-test-text = { $site }: berichten over alarmen komen hier aan.

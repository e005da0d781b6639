# Nachrichten auf Telefone. Wo Spieler sie lesen können, nur diese, ohne den Inhalt des Alarms.

notify-title = { $state ->
    [raised] Brett { $board }: Schiedsrichter benötigt
    [escalated] Brett { $board }: Schiedsrichter weiterhin benötigt
    [acknowledged] Brett { $board }: quittiert
   *[closed] Brett { $board }: erledigt
 }
notify-number = { $number ->
    [none] { $site }
   *[other] { $site }, Alarm { $number }
 }
notify-left_out = { $count ->
    [one] Eine Nachricht davor wurde ausgelassen.
   *[other] { $count } Nachrichten davor wurden ausgelassen.
 }
notify-test = Testnachricht von remisd
notify-test-text = { $site }: Nachrichten über Alarme kommen hier an.

# Messages to phones. Where players may read them, only these, without what an alert is about.

notify-title = { $state ->
    [raised] Board { $board }: the arbiter is needed
    [escalated] Board { $board }: the arbiter is still needed
    [acknowledged] Board { $board }: acknowledged
   *[closed] Board { $board }: closed
 }
notify-number = { $number ->
    [none] { $site }
   *[other] { $site }, alert { $number }
 }
notify-left_out = { $count ->
    [one] One message before this was left out.
   *[other] { $count } messages before this were left out.
 }
notify-test = Test message from remisd
notify-test-text = { $site }: messages about alerts arrive here.

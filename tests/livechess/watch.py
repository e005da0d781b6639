"""Says for each line of the input which events PyPI's `livechess` finds now.

The client decodes every record into a class with exactly its keys: any other key is an error.
"""

import json
import sys

from livechess.local import LiveChessLocal

client = LiveChessLocal(sys.argv[1], int(sys.argv[2]))
for _ in sys.stdin:
    (tournament,) = client.tournaments()
    events = client.events(tournament.uuid)
    print(json.dumps(sorted({event.type.value for event in events})), flush=True)

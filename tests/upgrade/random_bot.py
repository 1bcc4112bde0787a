"""Plays a random legal action. It needs nothing but Python."""

import json
import random
import sys

for line in sys.stdin:
    turn = json.loads(line)
    if turn["type"] == "decide":
        print(random.choice(turn["legal"])["action_id"], flush=True)

"""A look into one game: a decision in its middle, a search's analysis of it, and how it could go on.

    python look_into_game.py
    python look_into_game.py games/00000-00.txt 120

The arguments are a record and a ply; without them `greedy` plays Rapa Nui, the card game. The parts between `# %%` are cells for a
notebook, where a State as the last line of a cell shows its picture.
"""

# %%
import sys
from pathlib import Path

import numpy as np

import ahu

# %% A record, and the decision at or after a ply. A State knows everything: the views below are those of the seat that decides.
if len(sys.argv) > 1:
    record, ply = Path(sys.argv[1]).read_bytes(), int(sys.argv[2])
else:
    record, ply = ahu.play("rapanui_cards", ["greedy", "greedy"], seed=7).record.encode(), 40
state = ahu.State.from_record(record, at_ply=ply)
while state.chance_due:
    state.settle()
[seat, *_] = state.to_act or [0]
print(state.text(seat))

# %% The search tries each action in games that the seat could be in.
analysis = ahu.analyse(state, seat=seat, bot="search:400", seed=1)
for action in sorted(analysis.actions, key=lambda action: -action.mean)[:5]:
    print(f"{action.text:30} {action.visits:4} playouts, utility {action.mean:.3f} +- {action.standard_error:.3f}")

# %% The same by hand: the share of wins after each action, in worlds that are resampled from the view of the seat.
actions = state.legal_ids(seat)
wins = np.zeros(len(actions))
for number in range(20):
    world = state.resample(seat, number)
    children = [world.clone() for _ in actions]
    for child, action_id in zip(children, actions, strict=True):
        child.apply(action_id, seat)
    # The return by place is 1 for the winner.
    wins += (ahu.rollout(children, "greedy", count=5, seed=number)[:, :, seat] == 1).mean(1) / 20
for share, action_id in sorted(zip(wins, actions, strict=True), reverse=True)[:5]:
    print(f"{state.action_text(action_id):30} wins {share:.2f}")

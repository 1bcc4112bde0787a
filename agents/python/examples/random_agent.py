"""An agent that takes any legal action of any game.

    ahu play rappanui --seats "greedy,python random_agent.py"

Give it a number as argument for choices that repeat.
"""

import random
import sys

import ahu


class RandomAgent:
    """Takes any legal action."""

    # It needs nothing else, so it asks for nothing else.
    formats = ahu.ObservationFormats(legal_ids=True)

    def __init__(self, seed: int | None = None) -> None:
        self._choices = random.Random(seed)

    def act(self, turn: ahu.Turn) -> int:
        """Any legal action."""
        return self._choices.choice(turn.legal_ids)


def main() -> None:
    """Plays the seat that the environment tells of."""
    print(ahu.play(RandomAgent(int(sys.argv[1]) if len(sys.argv) > 1 else None)))


if __name__ == "__main__":
    main()

"""An agent that takes any legal action of any game.

    ahu play rappanui greedy "python random_agent.py"

Its choices repeat with the seed of the match. One process plays all matches of a duel:

    ahu duel rapanui_cards a="python random_agent.py" greedy
"""

import random

import ahu


class RandomAgent:
    """Takes any legal action."""

    # It needs nothing else, so it asks for nothing else.
    formats = ahu.ObservationFormats(legal_ids=True)

    def __init__(self) -> None:
        self._choices = random.Random()

    def seed(self, number: int) -> None:
        """Begins the choices of a match."""
        self._choices = random.Random(number)

    def act(self, turn: ahu.Turn) -> int:
        """Any legal action."""
        return self._choices.choice(turn.legal_ids)


def main() -> None:
    """Plays the seats that the environment names."""
    ahu.connect(RandomAgent())


if __name__ == "__main__":
    main()

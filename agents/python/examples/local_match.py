"""A match between two agents in one program, which starts its own server.

    python local_match.py 7

The number is the seed of the match: the same seed and the same choices make the same match.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from greedy_agent import GreedyAgent

import ahu
from random_agent import RandomAgent


def main() -> None:
    """Plays a match of three seats, the third of them a bot's, and prints the table."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    random_agent = RandomAgent()
    random_agent.seed(seed)
    agents: dict[str, ahu.Agent] = {"greedy_agent": GreedyAgent(), "random_agent": random_agent}
    with ahu.launch() as server, ahu.Client(server.address) as client:
        match = client.create_match("rappanui", 3, bots={2: "greedy"}, seed=seed)
        seats = [client.join(match.match_id, name=name) for name in agents]
        with ThreadPoolExecutor(len(seats)) as threads:
            list(threads.map(lambda agent, seat: ahu.connect(agent, seat=seat), agents.values(), seats))
        ended = client.get_match(match.match_id)
        show(ended, ended.result)


def show(match: ahu.client.Match, result: ahu.client.MatchResult) -> None:
    """Prints the places."""
    print("place  points  player")
    for seat in match.seats:
        print(f"{result.ranks[seat.seat]:5}  {result.scores[seat.seat]:6}  {seat.name}")
    print(f"fingerprint {result.fingerprint.hex()}")


if __name__ == "__main__":
    main()

"""Measures the tokens that a game costs a language model, by game, seats, and style.

    pip install mistral-common
    python -m benchmarks.tokens > benchmarks/tokens.md
    python -m benchmarks.tokens --suite v2-text

The tokenizer is Tekken of the package mistral-common, whose vocabulary is in the wheel: other tokenizers count alike within a
tenth or two. A random player decides. "Before" is the text for people, with its legend in every prompt, and the legal
actions one by one. Plans are those of a player that imagines the game by `greedy`, which also has the other seats.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import ahu
from ahu.language import LanguageAgent, Message, Style, Table

BLOCKS = {"cards-4": 42, "rappanui-6": 24, "giants-5": 8, "board-4": 8}
"""The blocks of each table of the suite v2-text."""

GAMES = ("rappanui", "rapanui_cards", "giants", "rapanui_board")


@dataclass
class Counted:
    """The tokens of the seats of some games."""

    games: int = 0
    asked: int = 0
    rules: list[int] = field(default_factory=list[int])
    prompts: list[int] = field(default_factory=list[int])
    views: list[int] = field(default_factory=list[int])
    views_before: list[int] = field(default_factory=list[int])
    before: list[int] = field(default_factory=list[int])
    changes: list[int] = field(default_factory=list[int])


def tekken() -> Callable[[str], int]:
    """Returns a function that counts the tokens of a text."""
    import mistral_common
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    data = Path(mistral_common.__file__).parent / "data"
    tokenizer = Tekkenizer.from_file(str(max(data.glob("tekken_*.json"))))
    return lambda text: len(tokenizer.encode(text, bos=False, eos=False))


def play(game: str, seats: int, seed: int, style: Style, tokens: Callable[[str], int], counted: Counted) -> None:
    """Plays a game with random choices, and counts."""
    state = ahu.new_game(game, seats=seats, seed=seed)
    table, remembering = Table(state, style=style), Table(state.clone(), style=replace(style, changes=True))
    choices = random.Random(seed)
    counted.games += 1
    counted.rules.append(tokens(table.rules(0)))
    while to_act := table.to_act():
        seat = to_act[0]
        counted.asked += 1
        legal = [action.text for action in state.legal_actions(seat)]
        counted.prompts.append(tokens(table.prompt(seat)))
        counted.changes.append(tokens(remembering.prompt(seat)))
        before = state.text(seat)
        counted.views_before.append(tokens(before))
        counted.views.append(tokens(state.text(seat, "compact")))
        counted.before.append(tokens(f"{before}\nLegal actions: {'; '.join(legal)}"))
        actions = [choices.choice(legal)]
        for one in (table, remembering):
            one.answer(seat, actions=actions)
            one.to_act()


def imagined(state: ahu.State, decisions: int, waits: bool, seed: int) -> list[str]:
    """Returns the plan of seat 0 for its next decisions as `greedy` would take them, in a world of which the seat knows no more than
    of the true one. Without waits, the plan ends where another seat acts."""
    world, plan, left, has_acted = state.resample(0, seed), list[str](), decisions, False
    while not world.is_over and left:
        seat = world.to_act[0]
        legal = world.legal_ids(seat)
        action = world._bot_choice(seat, "greedy", world.plies + 1)
        if seat == 0 and len(legal) > 1:
            if plan and has_acted:
                if not waits:
                    break
                plan.append("wait")
            plan.append(world.action_text(action))
            left, has_acted = left - 1, False
        told: list[ahu.StateEvent] = []
        world.apply(action, seat, told)
        has_acted |= 0 not in world.to_act or any(set(event.actor_seats) - {0} for event in told)
    return plan


def plans(game: str, seats: int, games: int, tokens: Callable[[str], int]) -> str:
    """Plays games with plans of three kinds, and returns a row of their table."""
    cells = [game, str(seats)]
    for decisions, waits in ((1, False), (64, False), (4, True), (8, True)):
        asked = count = 0
        for seed in range(games):
            state = ahu.new_game(game, seats=seats, seed=seed)
            table = Table(state, bots=dict.fromkeys(range(1, seats), "greedy"), style=Style())
            while table.to_act():
                asked += 1
                count += tokens(table.prompt(0))
                table.answer(0, actions=imagined(state, decisions, waits, 1000 * seed + asked))
        cells += [f"{asked / games:.0f}", f"{count / games:.0f}"]
    return f"| {' | '.join(cells)} |"


def suite(name: str, tokens: Callable[[str], int]) -> None:
    """Prints the tokens in the messages of a suite by cell, for a model that decides at random: those of its first block, times the
    blocks. A cell without the list is its twin with the list, less the list."""
    choices = random.Random(0)
    counted: dict[str, list[int]] = {}

    def complete(messages: list[Message]) -> str:
        rules, question = (message["content"] for message in messages)
        head, _, rest = question.partition("Legal actions: ")
        line, _, tail = rest.partition("\n\n")
        asked = counted.setdefault(cell, [0, 0])
        asked[0] += tokens(rules) + tokens(question)
        asked[1] += tokens(rules) + tokens(head + tail)
        return f"[{choices.choice(line.split('; ')).split('..')[0]}]"

    for cell in BLOCKS:
        ahu.benchmark(name, LanguageAgent(complete), cells=[f"{cell}-list"], first=1, on_start=lambda cost: None)
        print(cell, *(round(count * BLOCKS[cell], -5) for count in counted[cell]), flush=True)


def tables() -> Iterator[tuple[str, int]]:
    """Yields each game with its fewest and its most seats."""
    from ahu.training import _catalog as catalog

    for game in GAMES:
        known = catalog.find(game)
        assert known is not None, "the package has the game"
        yield game, known.summary.min_seats
        yield game, known.summary.max_seats


def mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=3, help="the number of games of each table")
    parser.add_argument("--suite", help="print the tokens of the cells of this suite instead")
    given = parser.parse_args()
    games, tokens = given.games, tekken()
    if given.suite is not None:
        suite(given.suite, tokens)
        return
    styles = {"list": Style(plan=False), "on_error": Style(legal="on_error", plan=False)}
    print("# Tokens of a language model\n")
    print(f"`python -m benchmarks.tokens` ({games} games of each table, random play, tokenizer Tekken 240911).\n")
    print(
        "`view` is the table, `prompt` the whole question without the rules, `a game` all prompts of one seat. The rules are the"
    )
    print(
        "same in each call, so that a host of models can keep them in a cache; `rules` has the full page with the legend."
    )
    print(
        "`changes` is the question of a style with `changes`: those before it are in the chat, and come on top in each call.\n"
    )
    print(
        "| game | seats | legal | asked | view before | view | ratio | before | prompt | changes | a game before | a game | rules |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for game, seats in tables():
        for name, style in styles.items():
            counted = Counted()
            for seed in range(games):
                play(game, seats, seed, style, tokens, counted)
            asked = counted.asked / counted.games / seats
            view, before = mean(counted.views), mean(counted.views_before)
            print(
                f"| {game} | {seats} | {name} | {asked:.0f} | {before:.0f} | {view:.0f} | {view / before:.2f} "
                f"| {mean(counted.before):.0f} | {mean(counted.prompts):.0f} | {mean(counted.changes):.0f} | {asked * mean(counted.before):.0f} "
                f"| {asked * mean(counted.prompts):.0f} | {mean(counted.rules):.0f} |"
            )
    print("\n## Plans\n")
    print(
        "Questions to one seat a game, and the tokens in their prompts without the rules. The player imagines the game by `greedy`"
    )
    print(
        "from what its seat knows, and answers with its next action alone; with all until another seat acts; or with its next 4 or"
    )
    print(
        "8 choices, and `wait` wherever another seat acts. `greedy` has the other seats. A plan with `wait` is blind to what they do."
    )
    print(
        "\n| game | seats | one action | tokens | until another acts | tokens | `wait`, 4 | tokens | `wait`, 8 | tokens |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for game, seats in tables():
        print(plans(game, seats, games, tokens), flush=True)


if __name__ == "__main__":
    main()

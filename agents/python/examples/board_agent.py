"""An agent that builds its own chains of Transporters, in Rapa Nui, the board game.

    ahu play rapanui_board greedy "python board_agent.py"

It reads the typed observation and chooses among the typed actions. It finds ways over the island by the adjacent spaces
that each space lists. It places its Villagers where the cheapest way for a Moai lacks them, and then where the cheapest
way for a Pukao lacks them. Later it transports along these ways, and pays with what is worth least.
"""

from heapq import heappop, heappush

import ahu
from ahu.rapanui_board.v1 import rapanui_board_pb2 as board

CRATER, PUKAO_QUARRY = -board.QUARRY_CRATER, -board.QUARRY_PUKAO
TOLL, GAP = 1, 10


class BoardAgent:
    """Builds its own chains of Transporters."""

    def act(self, turn: ahu.Turn) -> ahu.Action:
        """Returns the action that looks best; of equal actions, the one with the higher id."""
        table: board.Observation = turn.typed
        return max(turn.legal, key=lambda action: (worth(action.typed, table), action.id))


def worth(action: board.Action, table: board.Observation) -> float:
    """Returns how good an action looks. The numbers are comparable only between actions of one step."""
    own = table.players[table.viewer_seat]
    match action.WhichOneof("action"):
        case "place_sculptor":
            return 5.0 if action.place_sculptor.column == missing_sculptor(table, own) else -1.0
        case "place_transporter":
            return worth_of_placing(action.place_transporter.space, table)
        case "place_sorcerer":
            return 1.0 - 0.1 * action.place_sorcerer.star
        case "improve":
            return 9.0 if action.improve.improvement == board.IMPROVEMENT_POPULAR else -2.0
        case "sculpt":
            return float(action.sculpt.size)
        case "begin_transport":
            return 2.0 if action.begin_transport.cargo.HasField("moai") else 1.0
        case "step":
            onward = way(table, number_of(table.transport.at), table.transport.cargo)
            return 1.0 if onward[1:2] == [number_of(action.step.to)] else 0.0
        case "erect" | "style":
            return 2.0
        case "toll":
            return float(action.toll.resource)
        case "take_gain":
            return float(action.take_gain.shifted)
        case "divide_gain":
            return 0.1 * action.divide_gain.first_count
        case "offer":
            return action.offer.offering + 0.5 * action.offer.outstanding
        case "pay":
            paid = action.pay.resources
            return -float(paid.reeds + 2 * paid.eggs + 3 * paid.wood + 4 * paid.pearls)
        case "play":
            return -2.0
        case _:
            # Done, drop out, end the turn, skimp, draft: no preference.
            return 0.0


def missing_sculptor(table: board.Observation, own: board.Player) -> board.Size:
    """Returns the column that the smallest Moai in the supply still lacks; unspecified if it can be sculpted."""
    left = {board.SIZE_SMALL: table.supply.small, board.SIZE_MEDIUM: table.supply.medium, board.SIZE_LARGE: 1}
    smallest = min(size for size, count in left.items() if count)
    sculptors = {
        board.SIZE_SMALL: own.sculptors.small,
        board.SIZE_MEDIUM: own.sculptors.medium,
        board.SIZE_LARGE: own.sculptors.large,
    }
    return next((size for size in sculptors if size <= smallest and not sculptors[size]), board.SIZE_UNSPECIFIED)


def worth_of_placing(space: int, table: board.Observation) -> float:
    """Prefers the end of a way, which others could take, to its gaps, and a way for a Moai to a way for a Pukao."""
    for rank, cargo in enumerate((board.Cargo(moai=board.SIZE_SMALL), board.Cargo(pukao=board.Cargo.Pukao()))):
        start = PUKAO_QUARRY if cargo.HasField("pukao") else CRATER
        areas = way(table, start, cargo)
        gaps = [area for area in areas if area > 0 and not table.spaces[area - 1].HasField("owner_seat")]
        if space in gaps:
            return 4.0 - rank if space == areas[-1] else 3.5 - rank
    return 0.0


def number_of(area: board.Area) -> int:
    """Returns the number of a space; quarries have numbers below 0."""
    return area.space if area.HasField("space") else -area.quarry


def way(table: board.Observation, start: int, cargo: board.Cargo) -> list[int]:
    """Returns the cheapest way to a space where the cargo can stay, both ends included; empty if there is none."""
    closed = {number_of(area) for area in table.transport.visited} - {start}
    queue = [(0, [start])]
    while queue:
        cost, areas = heappop(queue)
        area = areas[-1]
        if area in closed:
            continue
        closed.add(area)
        if area > 0 and can_stay(table, table.spaces[area - 1], cargo):
            return areas
        for neighbour in neighbours(table, area):
            entry = price(table, neighbour)
            if entry is not None:
                heappush(queue, (cost + entry, [*areas, neighbour]))
    return []


def neighbours(table: board.Observation, area: int) -> list[int]:
    """Returns the areas that an area touches. Quarries do not list their neighbours, but the spaces beside them do."""
    if area < 0:
        return [space.number for space in table.spaces if -area in space.adjacent_quarries]
    space = table.spaces[area - 1]
    return [*space.adjacent_spaces, *(-quarry for quarry in space.adjacent_quarries)]


def price(table: board.Observation, area: int) -> int | None:
    """Returns the cost of passing a space: nothing, a toll, or a Villager, as long as there are some; otherwise None."""
    if area < 0:
        return 0
    space = table.spaces[area - 1]
    if is_held(space):
        return 0 if space.owner_seat == table.viewer_seat else TOLL
    return GAP if table.phase == board.PHASE_PLACE else None


def is_held(space: board.Space) -> bool:
    """Returns true if Transporters are there."""
    return space.HasField("owner_seat")


def can_stay(table: board.Observation, space: board.Space, cargo: board.Cargo) -> bool:
    """Returns true if the cargo can stay there, and the player has a standing Transporter there, or could place one."""
    sculpted = space.moai.small + space.moai.medium + space.moai.large
    has_room = sculpted > space.styled_count if cargo.HasField("pukao") else len(space.tiles) > 0
    if not is_held(space):
        return has_room and table.phase == board.PHASE_PLACE
    return has_room and space.owner_seat == table.viewer_seat and (space.standing_count > 0 or space.chief)


def main() -> None:
    """Plays the seat that the environment names."""
    print(ahu.connect(BoardAgent()))


if __name__ == "__main__":
    main()

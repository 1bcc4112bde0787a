"""An agent that carries Moai to the nearest Ahus, in Giants.

    ahu play giants greedy greedy "python giants_agent.py"

It reads the typed observation and chooses among the typed actions. It finds ways over the island by the neighbours that
each hex lists. It places its figures on the shortest way from one of its pieces to an Ahu where the piece can be placed,
and then moves the piece along that way.
"""

from collections import deque

import ahu
from ahu.giants.v1 import giants_pb2 as giants


class GiantsAgent:
    """Carries Moai to the nearest Ahus."""

    def act(self, turn: ahu.Turn) -> ahu.Action:
        """Returns the action that looks best; of equal actions, the one with the higher id."""
        table: giants.Observation = turn.typed
        way = shortest_way(table)
        return max(turn.legal, key=lambda action: (worth(action.typed, table, way), action.id))


def worth(action: giants.Action, table: giants.Observation, way: list[int]) -> float:
    """Returns how good an action looks. The numbers are comparable only between actions of one step."""
    own = table.players[table.viewer_seat]
    match action.WhichOneof("action"):
        case "bid_markers":
            return -abs(action.bid_markers.count - own.markers // 2)
        case "bid_workers":
            return -abs(action.bid_workers.count - own.workers // 2)
        case "bid_leaders":
            # The Sorcerer sculpts, the Chief carries.
            return action.bid_leaders.sorcerer - action.bid_leaders.chief
        case "pick":
            # Light pieces get somewhere.
            return 4.0 - action.pick.size
        case "place":
            return worth_of_placing(action.place, table, way)
        case "at":
            return 1.0 if action.at.hex in needed(table, way) else 0.0
        case "no_more" | "no_power" | "decline" | "keep" | "leave":
            return 0.0
        case "take_half" | "take_back":
            return -1.0
        case "lift":
            return 1.0 + (action.lift.piece == target_piece(table))
        case "enter":
            # Along the way that begins at the piece's present place.
            return 2.0 if len(way) > 1 and action.enter.hex == way[1] else -1.0
        case "erect":
            return 10.0 + table.ahus[action.erect.ahu].moai_points
        case "top":
            return 10.0 + table.ahus[action.top.ahu].headdress_points
        case _:
            # Use a power, mark, stop, pay: no preference.
            return 1.0


def worth_of_placing(place: giants.Action.Place, table: giants.Observation, way: list[int]) -> float:
    """Prefers the strongest figures as long as the way lacks any, and then none."""
    if not needed(table, way):
        return -1.0
    return {giants.FIGURE_CHIEF: 3.0, giants.FIGURE_SORCERER: 2.0, giants.FIGURE_WORKER: 1.0}[place.figure] + place.logs


def needed(table: giants.Observation, way: list[int]) -> list[int]:
    """Returns the hexes of a way, except its start, that lack figures to carry the piece, and the end of the way, where
    one of the player's figures has to stand."""
    piece = next((piece for piece in table.pieces if piece.name == target_piece(table)), None)
    if piece is None:
        return []
    lacking = [number for number in way[1:] if units(table.hexes[number]) < piece.weight]
    end = table.hexes[way[-1]]
    if not any(figures.seat == table.viewer_seat for figures in end.figures) and end.number not in lacking:
        lacking.append(end.number)
    return lacking


def units(a_hex: giants.Hex) -> int:
    """Returns what the figures and logs of a hex carry together."""
    return a_hex.logs + sum(figures.workers + figures.sorcerer + 3 * figures.chief for figures in a_hex.figures)


def target_piece(table: giants.Observation) -> str:
    """The piece in hand; else the first one of one's own that is a Moai, or a headdress for which a Moai stands."""
    if table.decision.piece:
        return table.decision.piece
    own = [piece for piece in table.pieces if piece.HasField("owner_seat") and piece.owner_seat == table.viewer_seat]
    return next((piece.name for piece in own if goals(table, piece)), "")


def goals(table: giants.Observation, piece: giants.Piece) -> set[int]:
    """Returns the hexes beside which the piece can be placed."""
    if piece.type == giants.PIECE_TYPE_HEADDRESS:
        return {site.hex for site in table.ahus if site.moai and not site.headdress}
    mine = (None, table.viewer_seat)
    free = (site for site in table.ahus if not site.moai)
    return {site.hex for site in free if (site.base_seat if site.HasField("base_seat") else None) in mine}


def shortest_way(table: giants.Observation) -> list[int]:
    """Returns the way from the piece to the nearest hex where it can be placed, both included; empty if there is none."""
    name = target_piece(table)
    piece = next((piece for piece in table.pieces if piece.name == name), None)
    if piece is None or not piece.HasField("hex"):
        return []
    ends, came_from, reached = goals(table, piece), {piece.hex: piece.hex}, deque([piece.hex])
    while reached:
        number = reached.popleft()
        if number in ends:
            way = [number]
            while way[-1] != piece.hex:
                way.append(came_from[way[-1]])
            return way[::-1]
        for neighbour in table.hexes[number].neighbours:
            if neighbour not in came_from and neighbour not in piece.visited_hexes:
                came_from[neighbour] = number
                reached.append(neighbour)
    return []


def main() -> None:
    """Plays the seat that the environment names."""
    print(ahu.connect(GiantsAgent()))


if __name__ == "__main__":
    main()

"""The features of actions: what each action touches."""

import numpy as np
import pytest

import ahu
from ahu import training
from ahu.training.versions import ENV_VERSIONS

COLUMNS = ("kind", "piece", "place", "number", "opponent")


@pytest.mark.parametrize("game", ENV_VERSIONS)
def test_every_action_has_features_of_its_own(game: str) -> None:
    features = ahu.action_features(game)
    count = ahu.new_game(game).action_count
    rows = np.stack([getattr(features, column) for column in COLUMNS], axis=1)

    assert rows.shape == (count, 5) and rows.dtype == np.int16 and len(features) == count
    assert len(np.unique(rows, axis=0)) == count
    assert sorted({*features.kind.tolist()}) == list(range(len(features.kinds)))
    assert sorted({*features.piece.tolist()} - {-1}) == list(range(len(features.pieces)))
    assert sorted({*features.place.tolist()} - {-1}) == list(range(len(features.places)))
    assert isinstance(features, training.ActionFeatures) and ahu.action_features(game) is features
    with pytest.raises(ValueError, match="read-only"):
        features.kind[0] = 0


def test_features_tell_what_an_action_touches() -> None:
    cards, giants = ahu.action_features("rapanui_cards"), ahu.action_features("giants")
    state = ahu.new_game("rapanui_cards", seed=1)
    [three] = [action for action in range(state.action_count) if state.action_text(action) == "play grain 3"]
    assert cards.kinds[cards.kind[three]] == "play <food> <count>"
    assert cards.pieces[cards.piece[three]] == "gatherers grain"
    assert (cards.place[three], cards.number[three], cards.opponent[three]) == (-1, 3, -1)

    state = ahu.new_game("giants", seed=1)
    texts = [state.action_text(action) for action in range(state.action_count)]
    assert giants.places[giants.place[texts.index("enter 12")]] == "hex 12"
    assert giants.place[texts.index("enter 12")] == giants.place[texts.index("at 12")]
    assert giants.opponent[texts.index("pay +2")] == 2
    assert repr(giants) == "ActionFeatures(actions=284, kinds=28, pieces=55, places=68)"


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(ahu.ServiceError, match='did you mean "giants"') as refused:
        ahu.action_features("giant")
    assert refused.value.reason == "UNKNOWN_GAME"

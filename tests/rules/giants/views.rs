//! The knowledge of players: views, shown views, and events.

use std::collections::HashSet;

use ahu_core::parts::lines::{WIDTH, wrapped};
use ahu_core::{Ask as _, BySeat, Encode as _, Game, GameExt as _, Seat, SeatSet, Seed, Tensor, View as _, Viewer};
use ahu_games::giants::{Bidding, Giants, Reserve, Site, View};
use ahu_host::{Referee, SeatPlayer, Terms, find};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{PUBLIC, Table, read, seat, table, viewer};
use ahu_laws::laws::few_games;

fn everybody() -> [Viewer; 4] {
    [viewer(0), viewer(1), viewer(2), PUBLIC]
}

fn owner_shown(game: &Table, viewer: Viewer, ahu: &str) -> Option<usize> {
    match game.shown(viewer).table.site(read(ahu)) {
        Site::Erected { owner, .. } => owner.map(Seat::index),
        site => panic!("no Moai stands on {ahu}: {site:?}"),
    }
}

/// Information: only bids are secret, until all are sealed.
#[test]
fn a_bid_is_known_to_who_makes_it_until_all_are_in() {
    let mut game = table("phase: bid 1\nbehind: 2W 2T / 2W 2T / 2W 2T");
    let mut other = game.clone();
    game.seal(0, "2T 2W chief");
    other.seal(0, "1T");

    assert_eq!(game.shown(viewer(1)), other.shown(viewer(1)));
    assert_eq!(game.shown(PUBLIC), other.shown(PUBLIC));
    assert_ne!(game.shown(viewer(0)), other.shown(viewer(0)));
    assert_eq!(game.shown(PUBLIC).sealed, SeatSet::from(seat(0)), "all viewers see the sealed bids");
}

/// A search must not depend on who was faster: it starts from a view that has forgotten who has sealed a bid.
#[test]
fn a_search_forgets_who_has_sealed_a_bid() {
    let mut game = table("phase: bid 1\nbehind: 2W 2T / 2W 2T / 2W 2T");
    let before = game.game.view(viewer(1));
    game.seal(0, "2T 2W chief");
    let mut view = game.game.view(viewer(1));
    assert_ne!(view, before);
    Giants::forget_simultaneous(&mut view);
    assert_eq!(view, before);
}

/// The progress of another player's bid is secret, too.
#[test]
fn nobody_sees_how_far_another_is_with_a_bid() {
    let game = table("phase: bid 1\nbehind: 2W 2T / 2W 2T");
    let mut begun = game.clone();
    begun.play("bid markers 2, bid workers 1");

    for viewer in [viewer(1), viewer(2), PUBLIC] {
        assert_eq!(begun.shown(viewer), game.shown(viewer));
        assert!(begun.event_texts(viewer).is_empty());
    }
    assert_eq!(begun.game.turn(), game.game.turn());
    assert_ne!(begun.shown(viewer(0)), game.shown(viewer(0)));
    assert_eq!(begun.shown(viewer(0)).bid, Some(Bidding::Leaders { markers: 2, workers: 1 }));
    assert_eq!(begun.shown(PUBLIC).bid, None);
}

/// G32: the goods behind others' screens and in the receptacle are not shown; with `screen_view` open they are. Own
/// goods are always shown.
#[test]
fn what_is_behind_others_screens_is_not_shown() {
    for (option, open) in [("hidden", false), ("open", true)] {
        let game = table(&format!("screen_view: {option}\nbehind: 3W 2T 4L 1H / 2W 3T 2H\nahus: a0 of 1"));

        for viewer in everybody() {
            let shown = game.shown(viewer);
            for owner in 0..3 {
                let sees = open || viewer.is(seat(owner));
                let tribe = &game.game.table.tribes[seat(owner)];
                assert_eq!(
                    shown.reserve(seat(owner)),
                    sees.then_some(tribe.reserve),
                    "{viewer} sees {owner}, {option}"
                );
                assert_eq!(shown.receptacle(seat(owner)), sees.then_some(tribe.receptacle));
                if !sees {
                    assert_eq!(shown.table.tribes[seat(owner)].reserve, Reserve::default(), "{viewer}, {owner}");
                }
                // Halves lie in front of the screen and are public.
                assert_eq!(shown.table.tribes[seat(owner)].halves, [1, 2, 0][owner]);
            }
            // The goods follow from public actions, so the view contains them.
            assert!(
                viewer.is(seat(0)) || game.game.view(viewer).reserve(seat(0)).is_some_and(|reserve| reserve.logs == 4)
            );
        }
    }
}

/// Returns everything that a viewer is sent: the bits and numbers of the observation, and the table as text.
fn sent(game: &Table, viewer: Viewer) -> (Vec<u64>, Vec<i16>, String) {
    let view = game.shown(viewer);
    let (mut bits, mut numbers) = (vec![0; View::BITS.div_ceil(64)], vec![0; View::NUMBERS]);
    Tensor::fill(&mut bits, &mut numbers, &view);
    (bits, numbers, view.to_string())
}

/// G32: neither the observation nor the text reveals the goods behind another's screen, directly or through the
/// receptacle.
#[test]
fn what_is_sent_does_not_tell_what_is_behind_others_screens() {
    for phase in ["place", "transport", "bid 1 2"] {
        for (one, other) in [
            ("1W / 3W 2T / 1W", "1W / 1W 5T / 1W"),
            ("1W / 1W / -", "1W / 2W / -"),
            ("1W / 1T / -", "1W / 2T / -"),
            // The stock is public, so the other logs belong to another player.
            ("1W / 1L / 2L", "1W / 2L / 1L"),
        ] {
            let sent_to = |viewer, option: &str| {
                [one, other].map(|behind| {
                    sent(
                        &table(&format!("screen_view: {option}\nphase: {phase}\nbehind: {behind}\nfigures: 1W@3")),
                        viewer,
                    )
                })
            };
            for viewer in [viewer(0), PUBLIC] {
                let [hidden, same] = sent_to(viewer, "hidden");
                assert_eq!(hidden, same, "{viewer} is sent the difference of {one} and {other}, {phase}");
                let [open, different] = sent_to(viewer, "open");
                assert_ne!((open.0, open.1), (different.0, different.1), "{viewer}, {one} and {other}, {phase}");
                assert_ne!(open.2, different.2, "{viewer}: the text shows it, too");
            }
            let [own, different] = sent_to(viewer(1), "hidden");
            assert_ne!(own, different, "own goods are shown");
        }
    }
}

/// G31: with `base_view: memory` nothing that is sent reveals the owners of Moai, except to a player who looked.
#[test]
fn what_is_sent_does_not_tell_whose_the_hidden_bases_are() {
    let game = |option: &str, ahus: &str| {
        let mut game = table(&format!(
            "base_view: {option}\nbehind: 2H 1T / 1H / 2H\nfigures: 0W@31 1W@31 2W@31\npieces: hb@22 of 0, 1c front 1\nahus: {ahus}"
        ));
        game.play("lift hb, enter 31, stop");
        game.play("pass");
        game
    };
    let (one, other) = ("a12 of 2 3a ha, a0 of 1 1a, a15 of 0 1b", "a12 of 1 3a ha, a0 of 0 1a, a15 of 2 1b");

    for viewer in everybody() {
        let memory = [one, other].map(|ahus| sent(&game("memory", ahus), viewer));
        assert_eq!(memory[0], memory[1], "{viewer}");
        let open = [one, other].map(|ahus| sent(&game("open", ahus), viewer));
        assert!(open[0].0 != open[1].0 && open[0].2 != open[1].2, "{viewer}");
    }
    let looked = [one, other].map(|ahus| {
        let mut game = table(&format!("base_view: memory\nbehind: 2H 1T\npieces: 1c front 0\nahus: {ahus}"));
        game.play("peek a12");
        everybody().map(|viewer| sent(&game, viewer))
    });
    assert_ne!(looked[0][0], looked[1][0], "seat 0 has seen the base");
    assert_eq!(looked[0][1..], looked[1][1..], "nobody else has seen it");
}

/// The goods behind screens are shown too.
#[test]
fn at_the_end_all_is_shown() {
    let game = table("phase: over\nbase_view: memory\nbehind: 3W 2T 4L 1H\nahus: a12 of 2 3a ha, a0 of 1 1a");

    for viewer in everybody() {
        assert_eq!(game.shown(viewer).reserve(seat(0)).map(|reserve| reserve.logs), Some(4));
        assert_eq!(owner_shown(&game, viewer, "a12"), Some(2));
        assert_eq!(game.shown(viewer).scores().values(), [0, 8, 31]);
        assert_eq!(game.shown(viewer).ranks().values(), [3, 2, 1]);
    }
}

/// G31: with `base_view: memory` no viewer is shown the owner of the base under a Moai, including the owner.
#[test]
fn bases_under_moai_are_shown_unless_they_are_to_be_remembered() {
    let ahus = "ahus: a12 of 2 3a ha, a0 of 1 1a, a1 of 0";
    let open = table(ahus);
    let memory = table(&format!("base_view: memory\n{ahus}"));

    for viewer in everybody() {
        assert_eq!((owner_shown(&open, viewer, "a12"), owner_shown(&open, viewer, "a0")), (Some(2), Some(1)));
        assert_eq!((owner_shown(&memory, viewer, "a12"), owner_shown(&memory, viewer, "a0")), (None, None));
        // A reserved Ahu shows its colour until a Moai is erected there.
        assert_eq!(memory.shown(viewer).table.site(read("a1")), Site::Reserved(seat(0)));
        assert_eq!(open.shown(viewer).scores().values(), [0, 8, 31]);
        assert_eq!(memory.shown(viewer).scores().values(), [0, 0, 0], "hidden owners do not score");
    }
    let mut erected = table("base_view: memory\nahus: a17 of 0\nfigures: 0W@32\npieces: 1a@32 of 0, 1b@3 of 1");
    erected.play("lift 1a, erect a17");
    assert_eq!(owner_shown(&erected, viewer(1), "a17"), None);
}

/// G31: in phases 3 and 4, before an action and not instead of it, a half goes back to the draw for a look under one
/// Moai.
#[test]
fn with_remembered_bases_a_half_buys_a_look_under_a_moai() {
    for phase in ["place", "transport"] {
        let mut game = table(&format!(
            "base_view: memory\nphase: {phase}\nbehind: 2H 1T / 1H\nahus: a12 of 2 3a ha, a0 of 1 1a, a1 of 0\npieces: 1b front 0"
        ));
        let before = game.legal();
        assert!(before.ends_with("peek a0, peek a12"), "{before}: neither free nor reserved Ahus");

        game.play("peek a12");

        assert_eq!(game.behind(0), "chief sorcerer 1T 1H");
        assert_eq!(game.draw(), 30 - 3 + 1);
        assert_eq!(game.event_texts(viewer(0)), ["seat 0 looks under the Moai on a12: the base is seat 2's"]);
        for other in [viewer(1), viewer(2), PUBLIC] {
            assert_eq!(game.event_texts(other), ["seat 0 looks under the Moai on a12"]);
            assert_eq!(owner_shown(&game, other, "a12"), None);
        }
        assert_eq!(owner_shown(&game, viewer(0), "a12"), Some(2));
        assert_eq!(owner_shown(&game, viewer(0), "a0"), None);
        // The action is still to come; a second look costs another half.
        assert_eq!(game.due(), format!("seat 0: {phase}"));
        assert!(game.legal().ends_with("peek a0") && game.refuses("peek a12"), "{}", game.legal());
        game.play("peek a0");
        assert_eq!(game.behind(0), "chief sorcerer 1T");
        assert!(!game.legal().contains("peek"), "no half is left");
        // The owners stay visible.
        game.play("pass");
        assert_eq!((owner_shown(&game, viewer(0), "a12"), owner_shown(&game, viewer(0), "a0")), (Some(2), Some(1)));
    }
}

/// G31: no look is legal if bases are shown, in the middle of an action, or without a half.
#[test]
fn there_is_no_look_where_it_is_not_due() {
    let ahus = "ahus: a12 of 2 3a";
    assert!(table(&format!("phase: place\nbehind: 2H\n{ahus}")).refuses("peek a12"), "the owner is shown");
    assert!(table(&format!("base_view: memory\nphase: place\n{ahus}")).refuses("peek a12"), "no half");
    let game = table(&format!("base_view: memory\nphase: place\nbehind: 2H 1W\n{ahus}"));
    assert!(game.refuses("peek a0"), "no Moai stands there");
    assert!(game.refuses("place worker, peek a12") && game.refuses("place sorcerer, at 22, peek a12"));
    let carried = table(&format!("base_view: memory\nbehind: 2H 1T\npieces: 1a front 0\nfigures: 0W@34\n{ahus}"));
    assert!(!carried.refuses("peek a12") && carried.refuses("lift 1a, peek a12"));
    assert!(carried.refuses("lift 1a, enter 34, peek a12"));
    let bidding = table(&format!("base_view: memory\nphase: bid 1\nbehind: 2H 1T\n{ahus}"));
    assert!(bidding.refuses("peek a12"));
}

/// G31 with G47: a look is no action, so a player who can only look has passed.
#[test]
fn who_could_only_look_is_not_asked() {
    let mut game = table(
        "base_view: memory\nphase: place\nbehind: 1W / 2H\nfront: chief sorcerer / chief sorcerer\nahus: a12 of 2 3a",
    );
    game.play("place worker, at 3");

    assert_eq!(game.due(), "seat 2: place");
}

/// All events except bids and looks are the same for all viewers.
#[test]
fn all_are_told_the_same() {
    let mut game = table(
        "phase: place
         behind: 1W 1L 1T / 1T / 1T
         figures: 1W@34 0W@33 0S@32
         pieces: 2a front 0, 1a front 1, ha front 2
         ahus: a18 of 1 1b",
    );
    for plies in [
        "place worker 1 log, at 34, place sorcerer, at 28, use power, place chief, at 32",
        "take half, pass, pass, pass",
        "lift 2a, enter 34, stop, lift 1a, mark, pass, pass",
        "leave, take back, roll 1 2 3",
    ] {
        game.play(plies);
        assert!(!game.event_texts(PUBLIC).is_empty(), "{plies}");
        for viewer in everybody() {
            assert_eq!(game.event_texts(viewer), game.event_texts(PUBLIC), "{plies}");
        }
    }
}

/// Resampling: a sealed bid of another player becomes any bid that the player could make.
#[test]
fn a_resampled_bid_is_one_that_its_player_could_make() {
    let mut game = table("phase: bid 1\nbehind: 2W 1T / 1W 3T\nfigures: 1S@3");
    for (index, bid) in [(0, "1T 2W chief"), (1, "3T 1W")] {
        game.seal(index, bid);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);

    let mut seen: BySeat<u32> = BySeat::new(game.game.table.options.seats, 0);
    for _ in 0..400 {
        let world = Giants::resample(&game.game.view(viewer(2)), &mut rng);
        world.check_invariants().expect("every thing is in exactly one place");
        for (owner, bidding) in world.bids.iter().take(2) {
            let Bidding::Sealed(bid) = bidding else { panic!("seat {owner} has sealed a bid: {bidding:?}") };
            seen[owner] |= 1 << (bid.markers * 4 + bid.workers);
            assert!(owner != seat(1) || !bid.leaders.sorcerer(), "seat 1's Sorcerer is on the island");
        }
    }
    assert_eq!([seen[seat(0)].count_ones(), seen[seat(1)].count_ones()], [2 * 3, 4 * 2], "all possible bids");
}

/// Resampling, `Game::resample`: every game that the viewer could be in is possible. In some of these games others have
/// begun a bid and not sealed it, because no viewer sees an unsealed bid.
#[test]
fn a_resampled_game_may_have_others_amid_their_bids() {
    let mut game = table("phase: bid 1\nbehind: 1W 1T / 1W 1T");
    game.play("bid markers 1");
    let mut rng = ChaCha8Rng::seed_from_u64(1);

    let view = game.game.view(viewer(2));
    let found: HashSet<String> =
        (0..400).map(|_| format!("{:?}", Giants::resample(&view, &mut rng).bids[seat(0)])).collect();

    assert_eq!(found.len(), 1 + 2 + 2 * 2, "not begun; markers chosen; Workers too: {found:?}");
}

#[test]
fn help_is_asked_with_who_gets_what_from_whom() {
    let mut game = table("seats: 4\nfigures: 1W@34 1W@34 2W@34 3W@34\npieces: 3a front 0");
    game.play("lift 3a, enter 34");

    // The first unit comes from seat 1 without a question.
    let asked = game.shown(viewer(0)).question();
    assert!(asked.starts_with("Who helps to carry 3a to hex 34? 2 units of help are missing. "), "{asked}");
    assert!(asked.contains("gives that opponent one Prestige Point from the bank: it costs you nothing"), "{asked}");
    assert!(
        asked.contains("+1 is seat 1 (2 units there), +2 is seat 2 (1 unit there), +3 is seat 3 (1 unit there)"),
        "{asked}"
    );
    assert_eq!(game.shown(viewer(1)).question(), "", "the helpers are not asked");
}

#[test]
fn a_question_says_how_much_may_still_be_given() {
    let mut game = table("allow_gift_pp: true\nfigures: 0W@34 0W@34 1W@34 2W@34\npieces: 2a front 0");
    for (ply, gift) in [("lift 2a, enter 34", "up to 2 more"), ("pay +1", "up to 1 more")] {
        game.play(ply);
        let asked = game.shown(viewer(0)).question();
        assert!(asked.contains(&format!("You may give {gift}, or say \"enough\".")), "{asked}");
    }
}

#[test]
fn a_question_says_what_an_ahu_counts_and_what_a_power_brings() {
    let mut game = table("figures: 0W@30\npieces: 2a@30 of 0");
    game.play("lift 2a");
    assert!(game.shown(viewer(0)).question().ends_with("On the Ahus here it counts at the end: a13 10, a14 10."));
    // An Ahu that another player has is not on offer.
    let mut game = table("figures: 0W@30\npieces: 2a@30 of 0\nahus: a13 of 1 1a");
    game.play("lift 2a");
    assert!(game.shown(viewer(0)).question().ends_with("On the Ahus here it counts at the end: a14 10."));
    let mut game = table("phase: place\nbehind: 1W 1T");
    game.play("place sorcerer, at 22");
    let asked = game.shown(viewer(0)).question();
    assert!(asked.ends_with("hex 22, which costs nothing, or not? It brings a Worker from the receptacle."), "{asked}");
}

/// The number of lines of a terminal into which a table without its legend fits, with the question below it.
const LINES: usize = 33;

#[test]
fn the_table_and_its_question_fit_into_a_terminal() {
    let rules = find("giants").expect("a game");
    let greedy = rules.bot("greedy").expect("a bot");
    for (seats, seed) in rules.seats().flat_map(|seats| (0..few_games().min(8)).map(move |seed| (seats, seed))) {
        let setup = rules.configure(seats, &[]).expect("a setup");
        let players = vec![SeatPlayer::external("player"); seats];
        let mut referee = Referee::new(setup, Seed(seed), players, Terms::default());
        while !referee.is_over() {
            let asked = referee.to_act().first().expect("a seat has to decide");
            let view = referee.view(Viewer::Seat(asked));
            let table = view.text().replacen(view.legend(), "", 1) + &wrapped(&view.question(), WIDTH, 2);
            let lines = table.lines().count();
            assert!(lines <= LINES, "{lines} lines: {table}");
            let choice = referee.choice_of(greedy, asked).expect("a decision is open");
            let decision = referee.decision(asked).expect("a decision is open");
            referee.act(asked, decision, choice()).expect("a bot plays legal actions");
        }
    }
}

/// A hex has room for two lines of signs.
#[test]
fn the_signs_of_a_hex_that_are_cut_stand_below_the_drawing() {
    let roomy = table("figures: 0W@22 1W@22 2W@22 0C@22").shown(PUBLIC).to_string();
    assert!(roomy.contains("|0wC 1w |") && roomy.contains("|2w     |"), "{roomy}");
    assert!(!roomy.contains("hex 22:"), "{roomy}");

    let full = table("figures: 0W@22 1W@22 2W@22 0C@22 1C@22 2C@22 0S@22 1S@22\npieces: 2a@22 of 1");
    let full = full.shown(PUBLIC).to_string();
    assert!(full.contains("|2a=1   |") && full.contains("|0wSC~  |"), "{full}");
    assert!(full.contains("; hex 22: 1wSC 2wC\n"), "{full}");
}

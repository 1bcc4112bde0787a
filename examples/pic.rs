use ahu::core::*;
use ahu::games::*;
use rand::SeedableRng;
fn go<G: Game>(policy: &Policy<G>, seats: usize, seed: u64, out: &str, viewer: Viewer, marks: &[usize]) {
    let options = <G::Options as GameOptions>::new(Seats::new(seats).expect("seats"));
    let mut game = G::new(&options);
    let mut chance = ChanceRng::new(Seed(seed));
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(seed);
    let mut before = game.view(viewer).shown();
    let mut ply = 0;
    let mut legal = ActionSet::of::<G::Action>();
    loop {
        let now = game.view(viewer).shown();
        if marks.contains(&ply) || (game.turn() == Turn::Over) {
            std::fs::write(format!("{out}-{ply}.svg"), now.svg(Some(&before))).unwrap();
        }
        before = now;
        match game.turn() {
            Turn::Over => break,
            Turn::Chance => {
                let o = game.draw(&mut chance);
                game.settle(&o, &mut NoEvents);
            }
            Turn::Seats(set) => {
                let seat = set.iter().next().unwrap();
                game.legal_actions(seat, &mut legal);
                let action = (policy.choose_in)(&game, seat, &legal, &mut rng);
                game.apply(seat, action, &mut NoEvents);
            }
        }
        ply += 1;
    }
    println!("{out}: {ply} plies");
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let seats: usize = a[2].parse().unwrap();
    let seed: u64 = a[3].parse().unwrap();
    let viewer = if a[4] == "p" {
        Viewer::Public
    } else {
        Viewer::Seat(Seats::new(seats).unwrap().iter().nth(a[4].parse().unwrap()).unwrap())
    };
    let marks: Vec<usize> = a[5..].iter().map(|x| x.parse().unwrap()).collect();
    let out = format!("/tmp/pics/{}-{seats}-{}", a[1], a[4]);
    match a[1].as_str() {
        "rappanui" => go(&rappanui::GREEDY_2, seats, seed, &out, viewer, &marks),
        "rapanui_cards" => go(&rapanui_cards::GREEDY_1, seats, seed, &out, viewer, &marks),
        "giants" => go(&giants::GREEDY_2, seats, seed, &out, viewer, &marks),
        _ => go(&rapanui_board::GREEDY_1, seats, seed, &out, viewer, &marks),
    }
}

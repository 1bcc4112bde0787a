//! A stream of environments: its opening, and its requests.

use ahu_core::Seed;
use ahu_host::api::{Opening, Session};
use ahu_messages::v1::run_request::{self, Open, Render, Request, Step};
use ahu_messages::v1::run_response::{self, Response};
use ahu_messages::v1::{RunRequest, TableFormat};
use prost::Message as _;
use prost::bytes::Bytes;

use crate::Input;

/// The maximum number of environments that are opened.
const MANY: u32 = 12;

/// The maximum number of requests.
const REQUESTS: usize = 200;

/// Takes the message `Open` as a block, and requests: a block with a message, or a byte that chooses legal actions.
pub fn run(bytes: &[u8]) -> bool {
    let mut input = Input(bytes);
    let Ok(open) = Open::decode(input.block()) else { return false };
    let Ok(opening) = Opening::read(&open, || Seed(1)) else { return false };
    let is_slow = opening.bots().any(|bot| bot.budget().is_some());
    if opening.count > MANY || is_slow {
        return false;
    }
    assert_eq!(opening.opened(), Opening::read(&open, || Seed(1)).expect("it was read").opened());
    // The second one is not asked what the first one refuses.
    let (mut session, mut other) = (Session::new(&opening), Session::new(&opening));
    let (mut batch, mut batches) = (run_response::Batch::default(), 0);
    for _ in 0..REQUESTS {
        if input.is_empty() {
            break;
        }
        let kind = input.byte();
        let request = match kind {
            0..=3 => match RunRequest::decode(input.block()) {
                Ok(RunRequest { request: Some(Request::SetPlayers(set)) }) if searches(&set) => continue,
                Ok(request) => request.request.map(without_pixels),
                Err(_) => continue,
            },
            4 => Some(Request::Render(render(&mut input))),
            5 => Some(Request::Reset(run_request::Reset { group: input.byte().into(), ..Default::default() })),
            _ => Some(Request::Step(legal(&batch, &open, kind))),
        };
        match session.answer(request.clone()) {
            Ok(answer) => {
                let expected = other.answer(request).expect("the other session has had the same requests");
                assert_eq!(answer, expected, "a refusal changes nothing");
                if let Response::Batch(new) = answer {
                    assert_eq!(new.seats.len(), new.row_count as usize);
                    (batch, batches) = (*new, batches + 1);
                }
            }
            Err(error) => assert!(!error.message().is_empty()),
        }
    }
    batches > 0
}

/// Returns true if one of the players may be a search, which takes too long.
fn searches(request: &run_request::SetPlayers) -> bool {
    request.players.iter().flat_map(|player| &player.bots).any(|bot| bot.bot.starts_with("search"))
}

/// Returns the request with a drawing in the place of pixels, which take too long.
fn without_pixels(request: Request) -> Request {
    match request {
        Request::Render(render) if render.format == TableFormat::Png as i32 => {
            Request::Render(Render { format: TableFormat::Svg as i32, ..render })
        }
        request => request,
    }
}

fn render(input: &mut Input<'_>) -> Render {
    let format = [TableFormat::Text, TableFormat::Svg][usize::from(input.byte() % 2)] as i32;
    let (environment, seat) = (input.byte().into(), input.byte());
    Render { environment, seat: (seat < 8).then_some(seat.into()), format, width: None }
}

/// Returns a step with a legal action for each row of the last batch, the `choice`-th where there are so many.
fn legal(batch: &run_response::Batch, open: &Open, choice: u8) -> Step {
    let rows = batch.row_count.max(1) as usize;
    let actions = batch.masks.chunks(batch.masks.len().div_ceil(rows).max(1)).flat_map(|mask| {
        let is_legal = |id: &usize| mask[id / 8] & 1 << (id % 8) != 0;
        let ids: Vec<usize> = (0..mask.len() * 8).filter(is_legal).collect();
        // An episode that has ended begins anew with any action.
        let id = ids.get(usize::from(choice) % ids.len().max(1)).copied().unwrap_or(0);
        (id as u16).to_le_bytes()
    });
    let actions: Vec<u8> = actions.collect();
    let is_all = open.group_count <= 1;
    let env_ids = if is_all { Bytes::new() } else { batch.env_ids.clone() };
    Step { group: batch.group, env_ids, actions: actions.into() }
}

/// Returns a stream for each game, with legal actions and requests of all kinds.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    use ahu_host::GAMES;
    use ahu_messages::v1::{EnvironmentPlayer, WeightedBot};

    let of_game = |(number, rules): (usize, &&'static dyn ahu_host::AnyRules)| {
        let seats = *rules.seats().start() as u32;
        let mut open =
            Open { game: rules.info().id.to_owned(), seat_count: seats, environment_count: 4, ..Default::default() };
        open.autoreset_mode = number as i32;
        open.reward_rule = 1 + number as i32;
        open.seed = Some(number as u64);
        if number % 2 == 1 {
            open.group_count = 2;
            let bot = WeightedBot { bot: "random".to_owned(), weight: None };
            open.players = vec![EnvironmentPlayer::default(); seats as usize];
            open.players[1].bots = vec![bot];
        }
        let wrong = Request::Step(Step { group: 0, env_ids: Bytes::new(), actions: vec![255; 8].into() });
        let wrong = RunRequest { request: Some(wrong) }.encode_to_vec();
        let reset = Request::Reset(run_request::Reset { seed: Some(9), ..Default::default() });
        let reset = RunRequest { request: Some(reset) }.encode_to_vec();
        let mut players = vec![EnvironmentPlayer::default(); seats as usize];
        players[0].bots = vec![WeightedBot { bot: "random".to_owned(), weight: Some(2) }];
        let set_players = Request::SetPlayers(run_request::SetPlayers { players });
        let set_players = RunRequest { request: Some(set_players) }.encode_to_vec();
        let steps: Vec<u8> = (0..150_u8).map(|n| 6 + n.wrapping_mul(7) % 240).collect();
        let blocks =
            [reset, wrong, set_players].map(|message| [&[0][..], &Input::of_block(&message)].concat()).concat();
        [
            &Input::of_block(&open.encode_to_vec()),
            &blocks[..],
            &[4, 0, 0, 0],
            &steps[..40],
            &[5, 0],
            &steps,
            &[4, 1, 0, 9],
        ]
        .concat()
    };
    GAMES.iter().enumerate().map(of_game).collect()
}

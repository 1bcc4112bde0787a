//! The program `ahu` with Kuhn poker among its games.

fn main() -> std::process::ExitCode {
    ahu::main_with(&[&kuhn_poker::RULES])
}

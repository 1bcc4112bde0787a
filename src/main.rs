//! The program `ahu`: plays, replays, measures, and serves the games.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}

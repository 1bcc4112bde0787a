//! The program `ahu`: plays, replays, measures, and serves the games.

fn main() -> std::process::ExitCode {
    ahu::main()
}

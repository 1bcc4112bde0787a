//! The program `ahu` with Leduc hold'em among its games.

fn main() -> std::process::ExitCode {
    ahu::main_with(&[&leduc_poker::RULES])
}

//! The module `poker_games` for Python: with `import poker_games` before `import ahu`, the package has these games, too.

use pyo3::prelude::*;

#[pymodule]
fn poker_games(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ahu_native::install(module, &[&kuhn_poker::RULES, &leduc_poker::RULES])
}

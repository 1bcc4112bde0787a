//! A program that burns processor time outside the servers: the measure of what a flood may do to others.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::Done;

/// The period in which a part is burned.
const PERIOD: Duration = Duration::from_millis(10);

/// The program, which ends when this value is dropped.
pub(crate) struct Burner(Child);

impl Burner {
    /// Starts to burn this part of a core.
    pub(crate) fn start(part: f64) -> Done<Self> {
        Ok(Self(Command::new(std::env::current_exe()?).args(["--burn", &part.to_string()]).spawn()?))
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Burns this part of the first core, for ever.
pub(crate) fn burn(part: f64) -> Done {
    let mut first = CpuSet::new();
    first.set(0);
    sched_setaffinity(None, &first)?;
    loop {
        let start = Instant::now();
        while start.elapsed() < PERIOD.mul_f64(part) {
            std::hint::spin_loop();
        }
        std::thread::sleep(PERIOD.saturating_sub(start.elapsed()));
    }
}

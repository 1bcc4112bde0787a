//! The processes that programs leave behind in sessions or groups of their own, where no signal to a program's group reaches them.
//! On Linux they become children of this process when their parents end, and end with the last program that runs.

use std::fs;
use std::io;
use std::process;

use rustix::process::{Pid, Signal, WaitOptions, getpgid, kill_process, waitpid};

/// Becomes the parent of the processes of programs whose parents end. Elsewhere than on Linux the system does.
pub(super) fn adopt() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// The number of times that this process looks for what the stopped processes have left. One that starts processes faster than
/// they are stopped goes on.
const LOOKS: usize = 20;

/// Stops all children of this process but its `own` and the members of its process group, and collects them. Processes that this
/// user may not stop go on.
pub(super) fn stop(own: &[u32]) {
    for _ in 0..LOOKS {
        let orphans: Vec<Pid> =
            children().filter(|pid| !own.contains(&pid.as_raw_nonzero().get().cast_unsigned())).collect();
        let mut is_any_stopped = false;
        for orphan in orphans {
            // One that may not be stopped would be waited for as long as it lives.
            if kill_process(orphan, Signal::KILL).is_ok() {
                is_any_stopped = true;
                // An error means that it was collected.
                let _ = waitpid(Some(orphan), WaitOptions::empty());
            }
        }
        if !is_any_stopped {
            return;
        }
    }
}

/// Returns the children of this process in other process groups. None elsewhere than on Linux.
fn children() -> impl Iterator<Item = Pid> {
    let (own, own_group) = (process::id(), getpgid(None).ok());
    let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(move |number| parent(*number) == Some(own)).filter_map(Pid::from_raw).filter(move |&pid| {
        // One that has ended has its group until it is collected.
        getpgid(Some(pid)).ok() != own_group
    })
}

/// Returns the parent of a process.
fn parent(process: i32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name of the program, which may have spaces and brackets: the state, and the parent.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

//! Processes that programs leave behind in their own sessions or process groups, where a signal to the group of the program does
//! not reach them. On Linux, such an orphan becomes a child of this process when its parent ends. This process stops all orphans
//! when none of its programs runs.

use std::fs;
use std::io;
use std::process;

use rustix::process::{Pid, Signal, WaitOptions, getpgid, kill_process, waitpid};

/// Makes this process the parent of orphans. Does nothing on other systems than Linux, where they become children of init.
pub(super) fn adopt() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// The number of times that [`stop`] looks for new orphans, which the stopped processes have left. A program that starts
/// processes faster than they are stopped is not stopped.
const LOOKS: usize = 20;

/// Stops and collects all children of this process, except `own` and members of its process group. Processes that this user may
/// not stop go on.
pub(super) fn stop(own: &[u32]) {
    for _ in 0..LOOKS {
        let orphans: Vec<Pid> =
            children().filter(|pid| !own.contains(&pid.as_raw_nonzero().get().cast_unsigned())).collect();
        let mut is_any_stopped = false;
        for orphan in orphans {
            // Wait only for a process that was stopped: any other could live for ever.
            if kill_process(orphan, Signal::KILL).is_ok() {
                is_any_stopped = true;
                // An error means that it was collected already.
                let _ = waitpid(Some(orphan), WaitOptions::empty());
            }
        }
        if !is_any_stopped {
            return;
        }
    }
}

/// Returns the children of this process in other process groups; on other systems than Linux, nothing.
fn children() -> impl Iterator<Item = Pid> {
    let (own, own_group) = (process::id(), getpgid(None).ok());
    let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(move |number| parent(*number) == Some(own)).filter_map(Pid::from_raw).filter(move |&pid| {
        // A child that has ended keeps its group until it is collected.
        getpgid(Some(pid)).ok() != own_group
    })
}

fn parent(process: i32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The fields after the name of the program are the state and the parent. The name may have spaces and brackets.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

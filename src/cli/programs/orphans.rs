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

/// Stops all children of this process but its `own`, and those of its process group, and collects them.
pub(super) fn stop(own: &[u32]) {
    // One that is stopped may leave children of its own.
    loop {
        let orphans: Vec<Pid> =
            children().filter(|pid| !own.contains(&pid.as_raw_nonzero().get().cast_unsigned())).collect();
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            // An error means that it has ended.
            let _ = kill_process(orphan, Signal::KILL);
            let _ = waitpid(Some(orphan), WaitOptions::empty());
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

//! The guard: a shell that stops the programs of this process if this process is killed.
//!
//! A process that is killed cannot end its programs, and a program that computes does not notice that nobody listens any more. So
//! a shell reads the process groups of the programs from a pipe. The system closes the pipe when this process is gone. The end of
//! the pipe tells the shell to stop the groups that are left.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The script of the guard. It keeps a set of process groups, and stops them two seconds after its input has ended, so that
/// programs can end by themselves first. A group that has ended leaves the set at once, since the system may give its number to
/// another group. The script also removes a folder of temporary files.
const WORK: &str = r#"
set=" "
folder=
while read -r sign group; do
    case $sign in
        +) set="$set$group " ;;
        -) set="${set%%" $group "*} ${set#*" $group "}" ;;
        /) folder=$group ;;
    esac
done
[ "$set" = " " ] || sleep 2
for group in $set; do kill -s KILL -- "-$group" 2>/dev/null; done
[ -z "$folder" ] || rm -rf -- "$folder"
"#;

/// The guard. It has its own process group, so that Ctrl-C does not reach it.
pub(super) struct Guard {
    stdin: File,
    pub(super) process: u32,
}

impl Guard {
    pub(super) fn start() -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", WORK]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().expect("it is a pipe");
        Ok(Self { stdin: OwnedFd::from(stdin).into(), process: child.id() })
    }

    /// Adds a process group to the set.
    pub(super) fn add(&mut self, group: u32) -> io::Result<()> {
        writeln!(self.stdin, "+ {group}")
    }

    /// Makes the guard remove a folder at its end.
    pub(super) fn remove_folder(&mut self, folder: &Path) -> io::Result<()> {
        writeln!(self.stdin, "/ {}", folder.display())
    }

    /// Removes a process group that has ended from the set.
    pub(super) fn remove(&mut self, group: u32) {
        // An error means that the guard is gone. Then it stops nothing either.
        let _ = writeln!(self.stdin, "- {group}");
    }
}

//! A process that outlives this one for a moment, and stops the programs that a killed process leaves behind.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The work of the guard, for a shell: keeps the set of process groups, and stops them when its input ends, which the
/// system does when this process is gone. The programs have two seconds to notice that, and to end by themselves. A group
/// that ends is taken out at once, since its number can be used again. A folder of temporary files is removed too.
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

/// The guard. It has a process group of its own, so that Ctrl-C does not reach it.
pub(super) struct Guard {
    stdin: File,
    pub(super) process: u32,
}

impl Guard {
    /// Starts the guard.
    pub(super) fn start() -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", WORK]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().expect("it is a pipe");
        Ok(Self { stdin: OwnedFd::from(stdin).into(), process: child.id() })
    }

    /// Adds a process group.
    pub(super) fn add(&mut self, group: u32) -> io::Result<()> {
        writeln!(self.stdin, "+ {group}")
    }

    /// Removes a folder at the end, if it is still there.
    pub(super) fn remove_folder(&mut self, folder: &Path) -> io::Result<()> {
        writeln!(self.stdin, "/ {}", folder.display())
    }

    /// Takes out a process group that has ended.
    pub(super) fn remove(&mut self, group: u32) {
        // Without a guard nothing is stopped.
        let _ = writeln!(self.stdin, "- {group}");
    }
}

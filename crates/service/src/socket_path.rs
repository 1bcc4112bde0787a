//! Paths of Unix sockets, which may have about 100 bytes.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::Path;

/// The length that the path of a socket may have on every system, in bytes: 103 on macOS, 107 on Linux.
const MAX_PATH: usize = 103;

/// Binds or connects a Unix socket at a path of any length. On Linux, the folder of a long path is named by its descriptor.
pub fn at_short_path<T>(path: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if cfg!(target_os = "linux") && path.as_os_str().len() > MAX_PATH => {
            let folder = File::open(folder)?;
            act(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
        }
        _ => act(path),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_socket_may_have_a_long_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = folder.path().join("d".repeat(110));
        std::fs::create_dir(&long).expect("it is new");
        for path in [folder.path().join("ahu.sock"), long.join("ahu.sock")] {
            let _listener = at_short_path(&path, |path| UnixListener::bind(path)).expect("the name is free");
            at_short_path(&path, |path| UnixStream::connect(path)).expect("somebody listens");
            assert!(path.exists(), "{}", path.display());
        }
    }
}

//! The sockets of a server beside its addresses: for metrics, for commands of the operator, and for agents on this machine.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net;
use std::path::{Path, PathBuf};

use ahu_service::{ADMIN_SOCKET, Listener, at_short_path};
use tokio::net::{TcpListener, UnixListener};

use crate::CliError;
use crate::network::metrics_address::MetricsAddress;

/// Listens on the address of the metrics. Returns the listener and the text of its address.
pub(super) async fn metrics_listener(place: &MetricsAddress) -> Result<(Listener, String), CliError> {
    let cannot = |error| CliError::Failed(format!("cannot serve metrics on {place}: {error}"));
    match place {
        MetricsAddress::Tcp(address) => {
            let listener = TcpListener::bind(address).await.map_err(cannot)?;
            let bound = listener.local_addr().map_err(CliError::failed)?;
            Ok((listener.into(), format!("http://{bound}/metrics")))
        }
        MetricsAddress::Unix(path) => {
            remove_stale(path).map_err(cannot)?;
            // The metrics tell more than players should know.
            let listener = bind_private(path, |path| UnixListener::bind(path)).map_err(cannot)?;
            Ok((listener.into(), place.to_string()))
        }
    }
}

/// Listens for commands of the operator in a folder that this process has locked. Returns the listener and its path; None, with
/// a line in the log, if there can be no socket.
pub(super) fn admin_listener(data: &Path) -> Option<(net::UnixListener, PathBuf)> {
    let path = data.join(ADMIN_SOCKET);
    // This process has the lock, so nobody listens at a socket that is there.
    let listener = bind_private(&path, |path| net::UnixListener::bind(path)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    match listener {
        Ok(listener) => Some((listener, path)),
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "the server takes no commands of the operator");
            None
        }
    }
}

/// The path of a Unix socket. The socket is removed when this is dropped.
pub(super) struct Socket<'a>(pub(super) &'a Path);

impl Drop for Socket<'_> {
    fn drop(&mut self) {
        // An error means that the socket is gone already.
        let _ = fs::remove_file(self.0);
    }
}

/// Binds a socket that never has a reader other than its owner, whatever the umask is: in a folder of the owner alone, from
/// which the socket moves to its path.
fn bind_private<T>(path: &Path, bind: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let place = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut folder = tempfile::Builder::new();
    // A short name, since the paths of sockets are short.
    let folder = folder.prefix(".").permissions(fs::Permissions::from_mode(0o700)).tempdir_in(place)?;
    let draft = folder.path().join("s");
    let listener = at_short_path(&draft, bind)?;
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o600))?;
    fs::rename(&draft, path)?;
    Ok(listener)
}

/// Listens on a Unix socket. Replaces a socket on which nobody listens, but no other file.
pub(super) fn bind(path: &Path) -> io::Result<UnixListener> {
    remove_stale(path)?;
    at_short_path(path, |path| UnixListener::bind(path))
}

/// Removes a socket on which nobody listens. The error names a file that is no such socket.
fn remove_stale(path: &Path) -> io::Result<()> {
    match at_short_path(path, |path| net::UnixStream::connect(path)) {
        Ok(_) => Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens there")),
        Err(error) => match fs::symlink_metadata(path) {
            // A file that is no socket refuses connections too.
            Ok(found) if found.file_type().is_socket() && error.kind() == io::ErrorKind::ConnectionRefused => {
                fs::remove_file(path)
            }
            Ok(_) => Err(io::Error::new(io::ErrorKind::AddrInUse, "Address already in use: another file is there")),
            Err(_) => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_socket_is_for_its_owner_from_its_first_moment() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("admin.sock");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        let bound = bind_private(&path, |draft| {
            let listener = net::UnixListener::bind(draft)?;
            assert_eq!(mode(draft.parent().expect("a folder")), 0o700, "nobody else comes to the socket");
            assert!(!path.exists(), "it is not yet at its path");
            Ok(listener)
        });
        let _listener = bound.expect("the folder is ours");
        assert_eq!(mode(&path), 0o600);
        net::UnixStream::connect(&path).expect("it listens");
        assert_eq!(fs::read_dir(place.path()).expect("a folder").count(), 1, "nothing else is left");
    }
}

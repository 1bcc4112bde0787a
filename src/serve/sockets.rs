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
            let listener = bind(path).map_err(cannot)?;
            // The metrics tell more than players should know.
            fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(cannot)?;
            Ok((listener.into(), place.to_string()))
        }
    }
}

/// Listens for commands of the operator in a folder that this process has locked. Returns the listener and its path; None, with
/// a line in the log, if there can be no socket.
pub(super) fn admin_listener(data: &Path) -> Option<(net::UnixListener, PathBuf)> {
    let path = data.join(ADMIN_SOCKET);
    // This process has the lock, so nobody listens at a socket that is there.
    let _ = fs::remove_file(&path);
    let listener = at_short_path(&path, |path| net::UnixListener::bind(path)).and_then(|listener| {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
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

/// Listens on a Unix socket. Replaces a socket on which nobody listens, but no other file.
pub(super) fn bind(path: &Path) -> io::Result<UnixListener> {
    match at_short_path(path, |path| net::UnixStream::connect(path)) {
        Ok(_) => return Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens there")),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            // A file that is no socket refuses connections too.
            if fs::symlink_metadata(path)?.file_type().is_socket() {
                fs::remove_file(path)?;
            }
        }
        Err(_) => {}
    }
    at_short_path(path, |path| UnixListener::bind(path))
}

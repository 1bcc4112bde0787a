//! An authority for tests, which issues certificates.

use std::fs;
use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

/// An authority, and the certificates that it has issued, in a folder.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // With the name of its authority, a certificate would look like its own authority.
        authority.distinguished_name.push(DnType::CommonName, "the authority of a test");
        let certificate = authority.self_signed(&key).expect("a certificate");
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("ca.pem"), certificate.pem()).expect("it is new");
        Self { issuer: Issuer::new(authority, key), folder }
    }

    /// Returns the path of the authority's certificate.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// Issues a certificate for this machine, and writes it. Returns the files.
    pub(crate) fn issue(&self) -> [PathBuf; 2] {
        self.issue_with(|_| ())
    }

    /// Issues a certificate that is for this machine but for this change.
    pub(crate) fn issue_with(&self, change: impl FnOnce(&mut CertificateParams)) -> [PathBuf; 2] {
        let key = KeyPair::generate().expect("a key");
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let mut certificate = CertificateParams::new(names).expect("names");
        change(&mut certificate);
        let certificate = certificate.signed_by(&key, &self.issuer).expect("it is");
        let files = ["chain.pem", "key.pem"].map(|name| self.folder.path().join(name));
        fs::write(&files[0], certificate.pem()).expect("a file");
        fs::write(&files[1], key.serialize_pem()).expect("a file");
        files
    }
}

//! A very small file system.

use std::path::Path;
use std::process::{Command, Stdio};

/// A small file system, unmounted when dropped.
pub struct Small(pub tempfile::TempDir);

impl Small {
    pub fn mount(size: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "canonry-test"]).arg(folder.path()).stderr(Stdio::null());
        assert!(mount.status().unwrap().success(), "mounting a file system requires root");
        Self(folder)
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

pub fn fill(path: &Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path).unwrap();
    let block = [7_u8; 4096];
    while file.write_all(&block).is_ok() {}
}

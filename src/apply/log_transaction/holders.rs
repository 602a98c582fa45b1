//! Whether some other program may still write to a file that has no name any more.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Who may still write to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writers {
    /// Nobody.
    None,
    /// This process, and maybe others.
    Process(u32),
    /// The system does not say: only Linux lists what is open.
    Unknown,
}

/// Another process of ours that has the file open for writing.
pub(super) fn writers(file: &File) -> Writers {
    listed(file).unwrap_or(Writers::Unknown)
}

fn listed(file: &File) -> Option<Writers> {
    let own = file.metadata().ok()?;
    let is_it = |fd: &Path| fs::metadata(fd).is_ok_and(|meta| (meta.dev(), meta.ino()) == (own.dev(), own.ino()));
    let processes = fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path());
    let me = std::process::id().to_string();
    let others = processes.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.bytes().all(|byte| byte.is_ascii_digit()) && name != me
    });
    // What belongs to another person cannot be looked into, and is taken to be closed.
    let has_it = |process: &PathBuf| open_files(process).any(|fd| is_writable(process, &fd) && is_it(&fd));
    let found = others.into_iter().find(has_it);
    let id = |process: PathBuf| process.file_name()?.to_str()?.parse().ok();
    Some(found.and_then(id).map_or(Writers::None, Writers::Process))
}

/// Those that have no name any more: the file itself is not touched to find out.
fn open_files(process: &Path) -> impl Iterator<Item = PathBuf> {
    let listed = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    let nameless =
        |link: io::Result<PathBuf>| link.is_ok_and(|to| to.as_os_str().as_encoded_bytes().ends_with(b" (deleted)"));
    listed.map(|entry| entry.path()).filter(move |fd| nameless(fs::read_link(fd)))
}

fn is_writable(process: &Path, fd: &Path) -> bool {
    let info = process.join("fdinfo").join(fd.file_name().unwrap_or_default());
    let text = fs::read_to_string(info).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    // In octal; the last two bits are how it was opened, 0 for reading.
    flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).is_none_or(|flags| flags & 3 != 0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    #[test]
    fn who_writes_is_seen_until_it_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        for (redirection, want) in [("3>>", true), ("3<", false)] {
            let path = dir.path().join("log");
            let file = File::create(&path).unwrap();
            let script = format!("exec {redirection}\"$0\"; echo open; read line");
            let mut child = Command::new("sh")
                .args(["-c", &script])
                .arg(&path)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
            fs::remove_file(&path).unwrap();
            let seen = if want { Writers::Process(child.id()) } else { Writers::None };
            assert_eq!(writers(&file), seen, "{redirection}");
            drop(child.stdin.take());
            child.wait().unwrap();
            assert_eq!(writers(&file), Writers::None, "{redirection}");
        }
    }
}

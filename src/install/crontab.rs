//! A repository's entry in a crontab: a comment that names the repository, and one line below it.

use gix::bstr::ByteSlice;

/// What stands before the repository in the comment.
const MARK: &str = "# canonry: ";

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    hour: u8,
    minute: u8,
}

impl At {
    /// From `HH:MM`.
    ///
    /// # Errors
    /// What is wrong, for a person.
    pub fn parse(text: &str) -> Result<Self, String> {
        let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        let parts = text.split_once(':').filter(|(hour, minute)| digits(hour) && digits(minute));
        let numbers = parts.and_then(|(hour, minute)| Some((hour.parse().ok()?, minute.parse().ok()?)));
        match numbers {
            Some((hour, minute)) if hour < 24 && minute < 60 => Ok(Self { hour, minute }),
            _ => Err("a time of day is written HH:MM, from 00:00 to 23:59".to_owned()),
        }
    }
}

impl std::fmt::Display for At {
    /// `HH:MM`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

/// What is run, by the paths it needs.
#[derive(Clone, Copy, Debug)]
pub struct Nightly<'a> {
    /// When.
    pub at: At,
    /// The top of the work tree.
    pub top: &'a [u8],
    /// The program.
    pub canonry: &'a [u8],
    /// The folder that the log is written into.
    pub logs: &'a [u8],
}

/// Why there can be no entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a crontab cannot hold the path `{0}`: it has a line end or a backslash, which crons read differently")]
pub struct Unwritable(String);

impl Nightly<'_> {
    /// Both lines.
    ///
    /// # Errors
    /// A path that cannot stand in a crontab.
    pub fn lines(&self) -> Result<Vec<u8>, Unwritable> {
        for path in [self.top, self.canonry, self.logs] {
            if path.iter().any(|byte| b"\n\r\\\0".contains(byte)) {
                return Err(Unwritable(path.to_str_lossy().into_owned()));
            }
        }
        let (top, canonry, logs) = (quoted(self.top), quoted(self.canonry), quoted(self.logs));
        let when = format!("{} {} * * * ", self.at.minute, self.at.hour);
        let log = quoted(&[self.logs, b"/dream.log"].concat());
        let run: [&[u8]; 9] = [b"cd ", &top, b" && mkdir -p ", &logs, b" && ", &canonry, b" dream >>", &log, b" 2>&1"];
        // To cron a bare `%` is a line end.
        let run = run.concat().replace("%", "\\%");
        Ok([mark(self.top).as_slice(), b"\n", when.as_bytes(), &run, b"\n"].concat())
    }
}

fn mark(top: &[u8]) -> Vec<u8> {
    [MARK.as_bytes(), top].concat()
}

/// For a shell: within single quotes; a single quote itself within double ones, so that no backslash is needed.
fn quoted(path: &[u8]) -> Vec<u8> {
    [b"'", path.replace("'", "'\"'\"'").as_slice(), b"'"].concat()
}

/// A crontab with a repository's entry in it once, where the former one stood.
///
/// # Errors
/// A path that cannot stand in a crontab.
pub fn installed(crontab: &[u8], nightly: &Nightly<'_>) -> Result<Vec<u8>, Unwritable> {
    let lines = nightly.lines()?;
    let mut fresh = Vec::with_capacity(crontab.len() + lines.len() + 1);
    let mut waiting = Some(lines);
    for part in parts(crontab, nightly.top) {
        match part {
            Part::Other(line) => fresh.extend_from_slice(line),
            Part::Entry => fresh.extend(waiting.take().unwrap_or_default()),
        }
    }
    if let Some(lines) = waiting {
        // A crontab ends with a line end; cron refuses it otherwise.
        if !fresh.is_empty() && !fresh.ends_with(b"\n") {
            fresh.push(b'\n');
        }
        fresh.extend(lines);
    }
    Ok(fresh)
}

/// A crontab without a repository's entry.
pub fn uninstalled(crontab: &[u8], top: &[u8]) -> Vec<u8> {
    let others = parts(crontab, top).into_iter().filter_map(|part| match part {
        Part::Other(line) => Some(line),
        Part::Entry => None,
    });
    others.collect::<Vec<_>>().concat()
}

enum Part<'a> {
    /// A line of someone else's.
    Other(&'a [u8]),
    /// The comment, with the line below it if that is ours.
    Entry,
}

fn parts<'a>(crontab: &'a [u8], top: &[u8]) -> Vec<Part<'a>> {
    let mark = mark(top);
    // Whoever changes the time, or turns the entry into a comment, leaves this as it is.
    let ours = [b" cd ", quoted(top).replace("%", "\\%").as_slice(), b" && "].concat();
    let mut parts = Vec::new();
    let mut lines = crontab.lines_with_terminator().peekable();
    while let Some(line) = lines.next() {
        if line.trim_end_with(|c| c == '\n' || c == '\r') != mark {
            parts.push(Part::Other(line));
            continue;
        }
        lines.next_if(|below| below.contains_str(&ours));
        parts.push(Part::Entry);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nightly(top: &str) -> Nightly<'_> {
        let at = At::parse("03:00").unwrap();
        Nightly { at, top: top.as_bytes(), canonry: b"/usr/bin/canonry", logs: b"/r/.git/canonry" }
    }

    #[test]
    fn times_of_day() {
        assert_eq!(At::parse("03:00"), Ok(At { hour: 3, minute: 0 }));
        assert_eq!(At::parse("23:59"), Ok(At { hour: 23, minute: 59 }));
        for wrong in ["", "3", "3:00", "24:00", "12:60", "-1:00", "+1:00", "1:2:3", "12:0x", "aa:bb", "012:00"] {
            assert!(At::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_entry_is_two_lines() {
        let text = String::from_utf8(nightly("/r").lines().unwrap()).unwrap();
        assert_eq!(
            text,
            "# canonry: /r\n0 3 * * * cd '/r' && mkdir -p '/r/.git/canonry' && '/usr/bin/canonry' dream \
             >>'/r/.git/canonry/dream.log' 2>&1\n"
        );
    }

    #[test]
    fn odd_paths_are_quoted_or_refused() {
        let text = String::from_utf8(nightly("/a b/100%/it's").lines().unwrap()).unwrap();
        assert!(text.starts_with("# canonry: /a b/100%/it's\n"), "{text}");
        assert!(text.contains(r#"cd '/a b/100\%/it'"'"'s' && "#), "{text}");
        for path in ["/a\nb", "/a\rb", "/a\\b"] {
            assert!(nightly(path).lines().is_err(), "{path:?}");
        }
    }

    #[test]
    fn an_entry_that_someone_changed_is_still_ours() {
        let lines = String::from_utf8(nightly("/r").lines().unwrap()).unwrap();
        for changed in [lines.replace("0 3 * * *", "15 4 * * 1"), lines.replace("\n0 3", "\n#0 3")] {
            let crontab = format!("MAILTO=x\n{changed}@daily true\n");
            assert_eq!(uninstalled(crontab.as_bytes(), b"/r"), b"MAILTO=x\n@daily true\n");
            let fresh = installed(crontab.as_bytes(), &nightly("/r")).unwrap();
            assert_eq!(fresh, format!("MAILTO=x\n{lines}@daily true\n").as_bytes());
        }
        // The line below is someone else's by now.
        assert_eq!(uninstalled(b"# canonry: /r\n@daily true\n", b"/r"), b"@daily true\n");
    }

    #[test]
    fn another_repository_has_its_own_entry() {
        let both = installed(&installed(b"", &nightly("/r")).unwrap(), &nightly("/r/s")).unwrap();
        assert_eq!(uninstalled(&both, b"/r/s"), installed(b"", &nightly("/r")).unwrap());
        assert_eq!(uninstalled(&both, b"/"), both);
    }

    proptest! {
        #[test]
        fn other_lines_stay(lines in prop::collection::vec("[ -~\t]{0,20}", 0..8), top in "/[a-z '%\"$]{1,12}") {
            let crontab: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let made = installed(crontab.as_bytes(), &nightly(&top)).unwrap();
            prop_assert_eq!(installed(&made, &nightly(&top)).unwrap(), made.clone());
            prop_assert_eq!(uninstalled(&made, top.as_bytes()), crontab.as_bytes());
        }
    }
}

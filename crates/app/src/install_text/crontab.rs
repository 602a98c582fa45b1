//! The crontab entry of a repository: a comment that names the repository, and the job on the next line.

use gix::bstr::ByteSlice;

/// Prefix of the comment that names the repository.
const MARK: &str = "# canonry: ";

/// A time of day, without seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOfDay {
    hour: u8,
    minute: u8,
}

/// A text is not a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a time of day as HH:MM, from 00:00 to 23:59")]
pub struct InvalidTimeOfDay;

impl TimeOfDay {
    /// 00:00.
    pub const MIDNIGHT: Self = Self { hour: 0, minute: 0 };

    /// Parses `HH:MM`.
    ///
    /// # Errors
    /// See [`InvalidTimeOfDay`].
    pub fn parse(text: &str) -> Result<Self, InvalidTimeOfDay> {
        let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        let parts = text.split_once(':').filter(|(hour, minute)| digits(hour) && digits(minute));
        let numbers = parts.and_then(|(hour, minute)| Some((hour.parse().ok()?, minute.parse().ok()?)));
        match numbers {
            Some((hour, minute)) if hour < 24 && minute < 60 => Ok(Self { hour, minute }),
            _ => Err(InvalidTimeOfDay),
        }
    }
}

impl std::fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

/// The nightly job of a repository.
#[derive(Clone, Copy, Debug)]
pub struct CrontabEntry<'a> {
    /// When to run.
    pub at: TimeOfDay,
    /// The top of the work tree.
    pub top: &'a [u8],
    /// The path of the canonry binary.
    pub canonry: &'a [u8],
    /// The directory of the log file.
    pub logs: &'a [u8],
}

/// A path cannot be written in a crontab.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a crontab cannot contain the path `{0}`: crons interpret its line end or backslash differently")]
pub struct InvalidCrontabPath(String);

impl CrontabEntry<'_> {
    /// The two lines of the entry.
    ///
    /// # Errors
    /// See [`InvalidCrontabPath`].
    pub fn lines(&self) -> Result<Vec<u8>, InvalidCrontabPath> {
        for path in [self.top, self.canonry, self.logs] {
            if path.iter().any(|byte| b"\n\r\\\0".contains(byte)) {
                return Err(InvalidCrontabPath(path.to_str_lossy().into_owned()));
            }
        }
        let top = quoted(self.top);
        let canonry = quoted(self.canonry);
        let logs = quoted(self.logs);
        let when = format!("{} {} * * * ", self.at.minute, self.at.hour);
        let log = quoted(&[self.logs, b"/dream.log"].concat());
        let run: [&[u8]; 9] = [b"cd ", &top, b" && mkdir -p ", &logs, b" && ", &canonry, b" dream >>", &log, b" 2>&1"];
        // cron treats an unescaped `%` as a line end.
        let run = run.concat().replace("%", "\\%");
        Ok([mark(self.top).as_slice(), b"\n", when.as_bytes(), &run, b"\n"].concat())
    }
}

fn mark(top: &[u8]) -> Vec<u8> {
    [MARK.as_bytes(), top].concat()
}

/// Quotes a path for a shell without backslashes: single quotes, and double quotes around a single quote.
fn quoted(path: &[u8]) -> Vec<u8> {
    [b"'", path.replace("'", "'\"'\"'").as_slice(), b"'"].concat()
}

/// Adds or updates the entry of a repository. An existing entry keeps its position; duplicates are removed.
///
/// # Errors
/// See [`InvalidCrontabPath`].
pub fn insert_entry(crontab: &[u8], entry: &CrontabEntry<'_>) -> Result<Vec<u8>, InvalidCrontabPath> {
    let mut new_entry = Some(entry.lines()?);
    let mut text = Vec::new();
    for section in sections(crontab, entry.top) {
        match section {
            CrontabSection::Foreign(line) => text.extend_from_slice(line),
            CrontabSection::Entry => text.extend(new_entry.take().unwrap_or_default()),
        }
    }
    if let Some(lines) = new_entry {
        // cron refuses a crontab whose last line has no line end.
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend(lines);
    }
    Ok(text)
}

/// Removes the entry of a repository.
pub fn remove_entry(crontab: &[u8], top: &[u8]) -> Vec<u8> {
    let foreign = sections(crontab, top).into_iter().filter_map(|section| match section {
        CrontabSection::Foreign(line) => Some(line),
        CrontabSection::Entry => None,
    });
    foreign.collect::<Vec<_>>().concat()
}

enum CrontabSection<'a> {
    /// A line that canonry did not write.
    Foreign(&'a [u8]),
    /// The comment, and the job on the next line if it is ours.
    Entry,
}

fn sections<'a>(crontab: &'a [u8], top: &[u8]) -> Vec<CrontabSection<'a>> {
    let mark = mark(top);
    // Identifies our job even if a user changed its time or commented it out.
    let job = [b" cd ", quoted(top).replace("%", "\\%").as_slice(), b" && "].concat();
    let mut sections = Vec::new();
    let mut lines = crontab.lines_with_terminator().peekable();
    while let Some(line) = lines.next() {
        if line.trim_end_with(|c| c == '\n' || c == '\r') != mark {
            sections.push(CrontabSection::Foreign(line));
            continue;
        }
        lines.next_if(|below| below.contains_str(&job));
        sections.push(CrontabSection::Entry);
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(top: &str) -> CrontabEntry<'_> {
        let at = TimeOfDay::parse("03:00").unwrap();
        CrontabEntry { at, top: top.as_bytes(), canonry: b"/usr/bin/canonry", logs: b"/r/.git/canonry" }
    }

    #[test]
    fn parses_times_of_day() {
        assert_eq!(TimeOfDay::parse("03:00"), Ok(TimeOfDay { hour: 3, minute: 0 }));
        assert_eq!(TimeOfDay::parse("23:59"), Ok(TimeOfDay { hour: 23, minute: 59 }));
        for wrong in ["", "3", "3:00", "24:00", "12:60", "-1:00", "+1:00", "1:2:3", "12:0x", "aa:bb", "012:00"] {
            assert!(TimeOfDay::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_entry_has_two_lines() {
        let text = String::from_utf8(entry("/r").lines().unwrap()).unwrap();
        assert_eq!(
            text,
            "# canonry: /r\n0 3 * * * cd '/r' && mkdir -p '/r/.git/canonry' && '/usr/bin/canonry' dream \
             >>'/r/.git/canonry/dream.log' 2>&1\n"
        );
    }

    #[test]
    fn quotes_or_refuses_unusual_paths() {
        let text = String::from_utf8(entry("/a b/100%/it's").lines().unwrap()).unwrap();
        assert!(text.starts_with("# canonry: /a b/100%/it's\n"), "{text}");
        assert!(text.contains(r#"cd '/a b/100\%/it'"'"'s' && "#), "{text}");
        for path in ["/a\nb", "/a\rb", "/a\\b"] {
            assert!(entry(path).lines().is_err(), "{path:?}");
        }
    }

    #[test]
    fn recognizes_an_edited_entry() {
        let lines = String::from_utf8(entry("/r").lines().unwrap()).unwrap();
        for changed in [lines.replace("0 3 * * *", "15 4 * * 1"), lines.replace("\n0 3", "\n#0 3")] {
            let crontab = format!("MAILTO=x\n{changed}@daily true\n");
            assert_eq!(remove_entry(crontab.as_bytes(), b"/r"), b"MAILTO=x\n@daily true\n");
            let fresh = insert_entry(crontab.as_bytes(), &entry("/r")).unwrap();
            assert_eq!(fresh, format!("MAILTO=x\n{lines}@daily true\n").as_bytes());
        }
        // The job below the comment was replaced by a user.
        assert_eq!(remove_entry(b"# canonry: /r\n@daily true\n", b"/r"), b"@daily true\n");
    }

    #[test]
    fn repositories_have_separate_entries() {
        let both = insert_entry(&insert_entry(b"", &entry("/r")).unwrap(), &entry("/r/s")).unwrap();
        assert_eq!(remove_entry(&both, b"/r/s"), insert_entry(b"", &entry("/r")).unwrap());
        assert_eq!(remove_entry(&both, b"/"), both);
    }

    proptest! {
        #[test]
        fn keeps_foreign_lines(lines in prop::collection::vec("[ -~\t]{0,20}", 0..8), top in "/[a-z '%\"$]{1,12}") {
            let crontab: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let made = insert_entry(crontab.as_bytes(), &entry(&top)).unwrap();
            prop_assert_eq!(insert_entry(&made, &entry(&top)).unwrap(), made.clone());
            prop_assert_eq!(remove_entry(&made, top.as_bytes()), crontab.as_bytes());
        }
    }
}

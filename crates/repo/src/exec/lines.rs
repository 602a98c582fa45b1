//! Lines of a program's output for people: printable, without secrets, and bounded.

use canonry_text::printable::{head, log_line, without_sequences};
use canonry_text::secrets;
use std::fs::File;
use std::io::Write as _;

/// The longest line that is kept; the rest of a longer line is left out.
const LINE_LIMIT: usize = 64 << 10;
/// Bytes of a long line that are read beyond the cut, so that a secret at the cut is recognised as a whole.
const OVERLAP: usize = 4 << 10;
/// The lines of a private key that are hidden. A key of 16,384 bits has 190 lines.
const KEY_LINES: usize = 400;

/// Splits output into lines.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    line: Vec<u8>,
    /// The bytes of the current line that are left out.
    dropped: usize,
    /// The lines of a private key that may still follow.
    key_lines: usize,
}

impl LineSplitter {
    /// Adds output, and calls `emit` with each line that it completes. A carriage return ends a line too, because
    /// programs use it to overwrite a line of progress.
    pub fn push(&mut self, bytes: &[u8], mut emit: impl FnMut(&str)) {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|b| matches!(b, b'\n' | b'\r')) {
            self.extend(&rest[..at]);
            self.finish(&mut emit);
            rest = &rest[at + 1..];
        }
        self.extend(rest);
    }

    /// Ends the last line, which may have no line end. Empty lines are left out.
    pub fn finish(&mut self, mut emit: impl FnMut(&str)) {
        if !self.line.is_empty() {
            let text = String::from_utf8_lossy(&self.line);
            if let Some(line) = visible(&text, &mut self.key_lines) {
                emit(&cut(line, self.dropped));
            }
        }
        self.line.clear();
        self.dropped = 0;
    }

    fn extend(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min((LINE_LIMIT + OVERLAP).saturating_sub(self.line.len()));
        self.line.extend_from_slice(&bytes[..kept]);
        self.dropped += bytes.len() - kept;
    }
}

/// The printable text of a line without secrets. `None` if the line belongs to a private key, whose first line is replaced.
fn visible(line: &str, key_lines: &mut usize) -> Option<String> {
    let key_starts = line.contains("-----BEGIN ") && line.contains("PRIVATE KEY-----");
    let key_ends = line.contains("-----END ");
    if *key_lines > 0 && !key_starts {
        *key_lines = if key_ends { 0 } else { *key_lines - 1 };
        return None;
    }
    if key_starts {
        *key_lines = if key_ends { 0 } else { KEY_LINES };
        return Some("[a private key, redacted]".to_owned());
    }
    Some(log_line(&secrets::redact(&without_sequences(line))).into_owned())
}

fn cut(mut line: String, dropped: usize) -> String {
    let dropped = dropped + line.len().saturating_sub(LINE_LIMIT);
    if dropped > 0 {
        line.truncate(head(&line, LINE_LIMIT).len());
        line.push_str(&format!(" [{dropped} more bytes]"));
    }
    line
}

/// A log of bounded size that a person can follow.
#[derive(Debug)]
pub(super) struct BoundedLog {
    file: Option<File>,
    left: u64,
}

impl BoundedLog {
    /// Appends at most `limit` bytes to a file.
    pub fn new(file: File, limit: u64) -> Self {
        Self { file: Some(file), left: limit }
    }

    /// Writes a line. After an error, for example on a full disk, nothing more is written: the worker goes on.
    ///
    /// The failpoints of `fs` do not apply: how many lines a worker prints is different in each run, and tests count the
    /// writes of a run.
    pub fn write(&mut self, line: &str) {
        let Some(file) = &mut self.file else { return };
        let size = line.len() as u64 + 1;
        let is_full = size > self.left;
        let text =
            if is_full { "[the log has reached its limit; the rest is left out]\n" } else { &format!("{line}\n") };
        let result = file.write_all(text.as_bytes());
        if is_full || result.is_err() {
            self.file = None;
        }
        self.left = self.left.saturating_sub(size);
    }
}

/// The beginning and the end of an output, with bounded memory.
#[derive(Debug)]
pub(super) struct HeadTail {
    head: Vec<u8>,
    tail: std::collections::VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    dropped: u64,
}

impl HeadTail {
    pub fn new(head_limit: usize, tail_limit: usize) -> Self {
        Self { head: Vec::new(), tail: std::collections::VecDeque::new(), head_limit, tail_limit, dropped: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_limit - self.head.len()));
        self.head.extend_from_slice(head);
        let (skipped, rest) = rest.split_at(rest.len().saturating_sub(self.tail_limit));
        let excess = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..excess);
        self.tail.extend(rest);
        self.dropped += (skipped.len() + excess) as u64;
    }

    /// The text, with a line that counts the bytes that were left out.
    pub fn into_text(self) -> String {
        let Self { mut head, tail, dropped, .. } = self;
        if dropped > 0 {
            head.extend_from_slice(format!("\n[{dropped} bytes left out]\n").as_bytes());
        }
        head.extend(tail);
        match String::from_utf8(head) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut splitter = LineSplitter::default();
        let mut found = Vec::new();
        for chunk in chunks {
            splitter.push(chunk, |line| found.push(line.to_owned()));
        }
        splitter.finish(|line| found.push(line.to_owned()));
        found
    }

    #[test]
    fn lines_are_printable_and_complete() {
        assert_eq!(lines(&[b"a\x1b[3", b"1mb\r\n\n\xff\xfe\0", b"z"]), ["ab", "\u{fffd}\u{fffd}\\u{0}z"]);
        assert_eq!(lines(&[b"10%\r20%\rdone"]), ["10%", "20%", "done"]);
        assert_eq!(lines(&[b""]), [""; 0]);
    }

    #[test]
    fn secrets_are_redacted_even_at_a_cut() {
        // Built at run time, so that no scanner reports this file.
        let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
        assert_eq!(
            lines(&[format!("\u{1b}[31m{token}\u{1b}[0m\n").as_bytes()]),
            ["[a GitHub personal access token, redacted]"]
        );
        let (first, second) = token.split_at(9);
        assert_eq!(
            lines(&[first.as_bytes(), second.as_bytes(), b"\n"]),
            ["[a GitHub personal access token, redacted]"]
        );
        let long = format!("{} {token} {}", "x ".repeat(LINE_LIMIT / 2 - 10), "y".repeat(LINE_LIMIT));
        let found = lines(&[long.as_bytes()]).remove(0);
        assert!(!found.contains("q7Zp2L") && found.ends_with("more bytes]"), "{}", &found[found.len() - 100..]);
        assert!(found.len() < LINE_LIMIT + 100);
    }

    #[test]
    fn private_keys_are_hidden_line_by_line() {
        let begin = format!("-----BEGIN RSA {} KEY-----", "PRIVATE");
        let end = format!("-----END RSA {} KEY-----", "PRIVATE");
        let text = format!("before\n{begin}\nMIIEpAIBAAKCAQEA\nq7Zp2LxV9mKdR4\n{end}\nafter\n");
        assert_eq!(lines(&[text.as_bytes()]), ["before", "[a private key, redacted]", "after"]);
    }

    #[test]
    fn head_and_tail_are_kept() {
        let mut kept = HeadTail::new(3, 4);
        for chunk in [&b"ab"[..], b"cdefgh", b"i", b"jklmnopqr"] {
            kept.push(chunk);
        }
        assert_eq!(kept.into_text(), "abc\n[11 bytes left out]\nopqr");
        let mut short = HeadTail::new(3, 4);
        short.push(b"abcdef");
        assert_eq!(short.into_text(), "abcdef");
        let mut none = HeadTail::new(0, 4);
        none.push(b"abcdef");
        assert_eq!(none.into_text(), "\n[2 bytes left out]\ncdef");
    }

    #[test]
    fn log_says_that_it_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = BoundedLog::new(File::create(&path).unwrap(), 8);
        for line in ["abc", "def", "ghi", "jkl"] {
            log.write(line);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "abc\ndef\n[the log has reached its limit; the rest is left out]\n");
    }
}

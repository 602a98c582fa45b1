//! Which lines left a log, and where each went: one line of numbers for each, since there may be hundreds of thousands.

use std::fmt::Write as _;
use std::io;

/// A line that left the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    /// Bytes before it that stayed, since the last one that left.
    pub stayed: u64,
    /// The position, among the files of the transfer, of the one that it went to.
    pub to: usize,
    /// Bytes that stand above it there.
    pub above: u64,
    /// Its own bytes.
    pub length: u64,
}

/// As text.
pub(super) fn push(text: &mut String, line: &Move) {
    let Move { stayed, to, above, length } = line;
    let _ = writeln!(text, "{stayed} {to} {above} {length}");
}

/// From text.
///
/// # Errors
/// One that was not written so.
pub(super) fn parse(text: &[u8]) -> io::Result<Vec<Move>> {
    let text = std::str::from_utf8(text).map_err(io::Error::other)?;
    text.lines()
        .map(|line| one(line).ok_or_else(|| io::Error::other(format!("`{line}` is no line of numbers"))))
        .collect()
}

fn one(line: &str) -> Option<Move> {
    let mut numbers = line.split(' ').map(|number| number.parse::<u64>().ok());
    let mut next = || numbers.next().flatten();
    let read = Move { stayed: next()?, to: usize::try_from(next()?).ok()?, above: next()?, length: next()? };
    numbers.next().is_none().then_some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let moves = [(0, 0, 0, 1), (u64::MAX, 7, 3, 12)];
        let moves = moves.map(|(stayed, to, above, length)| Move { stayed, to, above, length });
        let mut text = String::new();
        moves.iter().for_each(|line| push(&mut text, line));
        assert_eq!(parse(text.as_bytes()).unwrap(), moves);
        assert_eq!(parse(b"").unwrap(), []);
        for bad in ["1 2 3\n", "1 2 3 4 5\n", "1 2 3 x\n", "\n", "-1 0 0 0\n"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }
}

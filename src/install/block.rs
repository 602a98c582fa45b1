//! The block of a hook: put in, brought up to date, and taken out so that nothing of it is left.

use super::script::{Runner, Unfit, judge};
use gix::bstr::ByteSlice;
use std::ops::Range;

const BEGIN: &str = "# >>> canonry >>>";
const END: &str = "# <<< canonry <<<";
/// Stands in the block of a file that canonry made: only such a file is removed.
const OWN: &str = "# canonry made this file, and removes it with this block where nothing else is in it.";
const SHEBANG: &[u8] = b"#!/bin/sh\n";

/// A missing program must not open the gate unseen.
const BODY: [&str; 7] = [
    "  canonry check --staged || exit $?",
    "else",
    "  echo 'canonry is not on PATH here, so what is staged cannot be checked, and nothing was committed.' >&2",
    "  echo '`git commit --no-verify` commits without a check.' >&2",
    "  exit 1",
    "fi",
    END,
];
const FOUND: &str = "if command -v canonry >/dev/null 2>&1; then";
const SYNC: &str = "  canonry sync --staged || exit $?";

/// What the block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A check of what is staged. Nothing is written.
    Check,
    /// Before it, a sync of what is staged: the mirrors go into the same commit, and are judged with it.
    SyncAndCheck,
}

impl Task {
    /// What a hook does by hand that cannot hold the block.
    pub fn by_hand(self) -> &'static str {
        match self {
            Self::Check => "canonry check --staged || exit $?",
            Self::SyncAndCheck => "canonry sync --staged && canonry check --staged || exit $?",
        }
    }

    fn head(self) -> &'static [&'static str] {
        match self {
            Self::Check => &[
                "# Judges what is staged. Put here by `canonry install git-hooks`; `canonry uninstall git-hooks` takes it out.",
                FOUND,
            ],
            Self::SyncAndCheck => &[
                "# Mirrors what is staged, and judges it. Put here by `canonry install git-hooks --sync`; `canonry uninstall git-hooks`",
                "# takes it out.",
                FOUND,
                SYNC,
            ],
        }
    }
}

/// What the block of a hook runs; `None` where there is no block.
pub fn task(hook: &[u8]) -> Option<Task> {
    let at = find(hook).ok().flatten()?;
    let syncs = hook[at].lines().any(|line| line == SYNC.as_bytes());
    Some(if syncs { Task::SyncAndCheck } else { Task::Check })
}

/// What is left of a hook without its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// There was no block.
    AsItWas,
    /// All else.
    File(Vec<u8>),
    /// Nothing that anyone but canonry wrote.
    Nothing,
}

/// A hook with the block in it, of today's words; `None` stands for no hook.
///
/// # Errors
/// The hook cannot hold it.
pub fn installed(hook: Option<&[u8]>, runner: Runner, task: Task) -> Result<Vec<u8>, Unfit> {
    let Some(hook) = hook else {
        return Ok([SHEBANG, &block("\n", Maker::Canonry, task)].concat());
    };
    if let Some(at) = find(hook)? {
        let fresh = renewed(&hook[at.clone()], task);
        return Ok([&hook[..at.start], &fresh, &hook[at.end..]].concat());
    }
    judge(hook, runner)?;
    // The first line is the one that decides whether the hook can be run.
    let eol = eol(hook);
    let (head, tail) = hook.split_at(head_length(hook));
    let block = block(eol, Maker::Someone, task);
    // Behind a last line that has no end, the block has none either: that is how its way out knows.
    if !head.is_empty() && !head.ends_with(b"\n") {
        let ended = block.strip_suffix(eol.as_bytes()).unwrap_or(&block);
        return Ok([head, eol.as_bytes(), ended].concat());
    }
    Ok([head, &block, tail].concat())
}

/// A hook without the block.
///
/// # Errors
/// The block cannot be told from the rest.
pub fn uninstalled(hook: &[u8]) -> Result<Left, Unfit> {
    let Some(at) = find(hook)? else { return Ok(Left::AsItWas) };
    let rest = [&hook[..at.start], &hook[at.end..]].concat();
    let ours = maker(&hook[at]) == Maker::Canonry && rest == SHEBANG;
    Ok(if ours { Left::Nothing } else { Left::File(rest) })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Maker {
    Canonry,
    Someone,
}

fn maker(block: &[u8]) -> Maker {
    if block.lines().any(|line| line == OWN.as_bytes()) { Maker::Canonry } else { Maker::Someone }
}

fn block(eol: &str, maker: Maker, task: Task) -> Vec<u8> {
    let own = (maker == Maker::Canonry).then_some(OWN);
    let lines = [BEGIN].into_iter().chain(own).chain(task.head().iter().copied()).chain(BODY);
    lines.flat_map(|line| [line, eol]).collect::<String>().into_bytes()
}

/// With the line ends that the former block had, in it and around it.
fn renewed(former: &[u8], task: Task) -> Vec<u8> {
    let begin = former.find(BEGIN).unwrap_or(0);
    let eol = eol(&former[begin..]);
    let fresh = block(eol, maker(former), task);
    let ended = if former.ends_with(b"\n") { &fresh } else { fresh.strip_suffix(eol.as_bytes()).unwrap_or(&fresh) };
    [&former[..begin], ended].concat()
}

/// As the first line ends.
fn eol(text: &[u8]) -> &'static str {
    if text.lines_with_terminator().next().is_some_and(|line| line.ends_with(b"\r\n")) { "\r\n" } else { "\n" }
}

/// The first line and the comments right below it.
fn head_length(hook: &[u8]) -> usize {
    hook.lines_with_terminator().take_while(|line| line.starts_with(b"#")).map(<[u8]>::len).sum()
}

/// Where the block stands, with the line end that came with it.
fn find(hook: &[u8]) -> Result<Option<Range<usize>>, Unfit> {
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    let mut offset = 0;
    for line in hook.lines_with_terminator() {
        let next = offset + line.len();
        match line.trim_end_with(|c| c == '\n' || c == '\r') {
            text if text == BEGIN.as_bytes() => begins.push(offset),
            text if text == END.as_bytes() => ends.push(next),
            _ => {}
        }
        offset = next;
    }
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some(begin - line_end_before(hook, *begin, *end)..*end)),
        _ => Err(Unfit::Torn),
    }
}

/// A block without a line end brought one along before it, of the same kind as within it.
fn line_end_before(hook: &[u8], begin: usize, end: usize) -> usize {
    let eol = eol(&hook[begin..]);
    if !hook[..end].ends_with(b"\n") && hook[..begin].ends_with(eol.as_bytes()) { eol.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn a_file_of_our_own_comes_and_goes() {
        let made = installed(None, Runner::Git, Task::Check).unwrap();
        assert!(made.starts_with(b"#!/bin/sh\n# >>> canonry >>>\n"), "{}", text(&made));
        assert_eq!(installed(Some(&made), Runner::Git, Task::Check).unwrap(), made);
        assert_eq!(uninstalled(&made), Ok(Left::Nothing));
        let longer = [made.as_slice(), b"npm test\n"].concat();
        assert_eq!(uninstalled(&longer), Ok(Left::File(b"#!/bin/sh\nnpm test\n".to_vec())));
    }

    #[test]
    fn a_sync_is_put_in_and_left_out_again() {
        for hook in [None, Some(b"#!/bin/bash\r\necho\r\n".as_slice())] {
            let check = installed(hook, Runner::Git, Task::Check).unwrap();
            let both = installed(Some(&check), Runner::Git, Task::SyncAndCheck).unwrap();
            assert_eq!(installed(hook, Runner::Git, Task::SyncAndCheck).unwrap(), both);
            let text = text(&both);
            assert!(text.find("canonry sync --staged ||").unwrap() < text.find("canonry check --staged ||").unwrap());
            assert_eq!((task(&check), task(&both)), (Some(Task::Check), Some(Task::SyncAndCheck)));
            assert_eq!(uninstalled(&both), uninstalled(&check));
            assert_eq!(installed(Some(&both), Runner::Git, Task::Check).unwrap(), check);
        }
        assert_eq!(task(b"#!/bin/sh\ncanonry sync --staged || exit $?\n"), None);
    }

    /// It would be the same, had canonry made it.
    #[test]
    fn a_hook_of_one_line_stays() {
        let hook = b"#!/bin/sh\n";
        let made = installed(Some(hook), Runner::Git, Task::Check).unwrap();
        assert_eq!(uninstalled(&made), Ok(Left::File(hook.to_vec())));
    }

    #[test]
    fn stands_below_the_first_comments() {
        let hook = b"#!/bin/bash\n# Our hook.\n\n# Tests.\nnpm test\n";
        let made = text(&installed(Some(hook), Runner::Git, Task::Check).unwrap());
        assert!(made.starts_with("#!/bin/bash\n# Our hook.\n# >>> canonry >>>\n"), "{made}");
        assert!(made.ends_with("# <<< canonry <<<\n\n# Tests.\nnpm test\n"), "{made}");
    }

    #[test]
    fn older_words_are_brought_up_to_date() {
        for (before, after) in [("#!/bin/sh\n", "\nnpm test\n"), ("#!/bin/sh\n", ""), ("", ""), ("", "\n")] {
            let old = format!("{before}{BEGIN}\ncanonry check\n{END}{after}");
            let made = installed(Some(old.as_bytes()), Runner::Git, Task::Check).unwrap();
            assert!(text(&made).contains("canonry check --staged"), "{}", text(&made));
            assert_eq!(uninstalled(&made), uninstalled(old.as_bytes()));
            assert_eq!(installed(Some(&made), Runner::Git, Task::Check).unwrap(), made);
        }
    }

    #[test]
    fn torn_blocks_are_left_alone() {
        for hook in [
            format!("#!/bin/sh\n{BEGIN}\n"),
            format!("#!/bin/sh\n{END}\n"),
            format!("#!/bin/sh\n{END}\n{BEGIN}\n"),
            format!("#!/bin/sh\n{BEGIN}\n{BEGIN}\n{END}\n"),
        ] {
            assert_eq!(installed(Some(hook.as_bytes()), Runner::Git, Task::Check), Err(Unfit::Torn));
            assert_eq!(uninstalled(hook.as_bytes()), Err(Unfit::Torn));
        }
        let spoken_of = format!("#!/bin/sh\necho '{BEGIN}'\n");
        assert_eq!(uninstalled(spoken_of.as_bytes()), Ok(Left::AsItWas));
    }

    /// Lines as hooks have them, with every kind of line end, and bytes that are no text.
    fn odd_hook() -> impl Strategy<Value = Vec<u8>> {
        let first = prop::sample::select(vec!["#!/bin/sh", "#!/usr/bin/env bash", "#! /bin/zsh -f"]);
        let line = prop_oneof![
            Just(b"# a comment".to_vec()),
            Just(b"".to_vec()),
            Just(b"\t npm test || exit 1".to_vec()),
            Just(b"#".to_vec()),
            Just(b"exec \"$0\" # >>> canonry >>>".to_vec()),
            prop::collection::vec(1u8..=255, 0..12),
        ];
        let end = prop::sample::select(vec!["\n", "\r\n", "\n\n", "\r", ""]);
        let lines = prop::collection::vec((line, end.clone()), 0..6);
        (first, end, lines).prop_map(|(first, end, lines)| {
            let mut hook = [first.as_bytes(), end.as_bytes()].concat();
            lines.iter().for_each(|(line, end)| hook.extend([line, end.as_bytes()].concat()));
            hook
        })
    }

    proptest! {
        #[test]
        fn what_is_taken_out_is_what_was_put_in(hook in odd_hook()) {
            let Ok(made) = installed(Some(&hook), Runner::Git, Task::Check) else { return Ok(()) };
            prop_assert_ne!(&made, &hook);
            prop_assert_eq!(installed(Some(&made), Runner::Git, Task::Check).unwrap(), made.clone());
            prop_assert_eq!(uninstalled(&made).unwrap(), Left::File(hook));
        }

        #[test]
        fn so_it_is_for_husky(hook in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'#'), 1u8..128], 0..40)) {
            let Ok(made) = installed(Some(&hook), Runner::Husky, Task::Check) else { return Ok(()) };
            prop_assert_eq!(installed(Some(&made), Runner::Husky, Task::Check).unwrap(), made.clone());
            prop_assert_eq!(uninstalled(&made).unwrap(), Left::File(hook));
        }
    }
}

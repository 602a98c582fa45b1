//! canonry's block in a git hook: insert it, update it, remove it without a trace.

use super::hook_script::{HookRunner, HookScriptError, check_script};
use gix::bstr::ByteSlice;
use std::ops::Range;

const BEGIN: &str = "# >>> canonry >>>";
const END: &str = "# <<< canonry <<<";
/// Marks a hook that canonry created: removing the block deletes the file if nothing else remains.
const CREATED: &str = "# canonry created this file and deletes it with this block if nothing else remains.";
const SHEBANG: &[u8] = b"#!/bin/sh\n";

/// Without canonry on PATH the hook fails: a missing program must not skip the check silently.
const BODY: [&str; 7] = [
    "  canonry check --staged || exit $?",
    "else",
    "  echo 'canonry is not on PATH: the staged files cannot be checked, and nothing was committed.' >&2",
    "  echo '`git commit --no-verify` commits without a check.' >&2",
    "  exit 1",
    "fi",
    END,
];
const IF_FOUND: &str = "if command -v canonry >/dev/null 2>&1; then";
const SYNC: &str = "  canonry sync --staged || exit $?";

/// The commands that the block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTask {
    /// Checks the staged files. Writes nothing.
    Check,
    /// Mirrors the staged files first, so that the mirrors are checked and committed with them.
    SyncAndCheck,
}

impl HookTask {
    /// The command line to add by hand to a hook that cannot contain the block.
    pub fn command_line(self) -> &'static str {
        match self {
            Self::Check => "canonry check --staged || exit $?",
            Self::SyncAndCheck => "canonry sync --staged && canonry check --staged || exit $?",
        }
    }

    fn head(self) -> &'static [&'static str] {
        match self {
            Self::Check => &[
                "# Checks the staged files. Added by `canonry install git-hooks`; `canonry uninstall git-hooks` removes it.",
                IF_FOUND,
            ],
            Self::SyncAndCheck => &[
                "# Mirrors and checks the staged files. Added by `canonry install git-hooks --sync`; `canonry uninstall git-hooks`",
                "# removes it.",
                IF_FOUND,
                SYNC,
            ],
        }
    }
}

/// The task of the block in a hook; `None` if the hook has no block.
pub fn installed_task(hook: &[u8]) -> Option<HookTask> {
    let range = find_block(hook).ok().flatten()?;
    let syncs = hook[range].lines().any(|line| line == SYNC.as_bytes());
    Some(if syncs { HookTask::SyncAndCheck } else { HookTask::Check })
}

/// The result of removing the block from a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockRemoval {
    /// The hook has no block.
    NoBlock,
    /// The hook without its block.
    Remainder(Vec<u8>),
    /// Nothing remains in a file that canonry created: delete it.
    DeleteFile,
}

/// Adds the block to a hook, or updates an existing block. `None` is a missing hook.
///
/// # Errors
/// The hook cannot contain the block.
pub fn insert_block(hook: Option<&[u8]>, runner: HookRunner, task: HookTask) -> Result<Vec<u8>, HookScriptError> {
    let Some(hook) = hook else {
        return Ok([SHEBANG, &block("\n", CreatedBy::Canonry, task)].concat());
    };
    if let Some(range) = find_block(hook)? {
        let updated = update_block(&hook[range.clone()], task);
        return Ok([&hook[..range.start], &updated, &hook[range.end..]].concat());
    }
    check_script(hook, runner)?;
    // The shebang has to stay the first line.
    let eol = eol(hook);
    let (head, tail) = hook.split_at(head_length(hook));
    let block = block(eol, CreatedBy::User, task);
    // If the last line has no line end, the block gets none either, so that `remove_block` restores the file exactly.
    if !head.is_empty() && !head.ends_with(b"\n") {
        let ended = block.strip_suffix(eol.as_bytes()).unwrap_or(&block);
        return Ok([head, eol.as_bytes(), ended].concat());
    }
    Ok([head, &block, tail].concat())
}

/// Removes the block from a hook.
///
/// # Errors
/// The block markers are not a pair.
pub fn remove_block(hook: &[u8]) -> Result<BlockRemoval, HookScriptError> {
    let Some(range) = find_block(hook)? else { return Ok(BlockRemoval::NoBlock) };
    let rest = [&hook[..range.start], &hook[range.end..]].concat();
    let is_ours = created_by(&hook[range]) == CreatedBy::Canonry && rest == SHEBANG;
    Ok(if is_ours { BlockRemoval::DeleteFile } else { BlockRemoval::Remainder(rest) })
}

/// Who created the hook file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CreatedBy {
    Canonry,
    User,
}

fn created_by(block: &[u8]) -> CreatedBy {
    if block.lines().any(|line| line == CREATED.as_bytes()) { CreatedBy::Canonry } else { CreatedBy::User }
}

fn block(eol: &str, creator: CreatedBy, task: HookTask) -> Vec<u8> {
    let created = (creator == CreatedBy::Canonry).then_some(CREATED);
    let lines = [BEGIN].into_iter().chain(created).chain(task.head().iter().copied()).chain(BODY);
    lines.flat_map(|line| [line, eol]).collect::<String>().into_bytes()
}

/// Replaces the text of a block, and keeps its line ends.
fn update_block(old: &[u8], task: HookTask) -> Vec<u8> {
    let begin = old.find(BEGIN).unwrap_or(0);
    let eol = eol(&old[begin..]);
    let new = block(eol, created_by(old), task);
    let new = if old.ends_with(b"\n") { &new } else { new.strip_suffix(eol.as_bytes()).unwrap_or(&new) };
    [&old[..begin], new].concat()
}

/// The line end of the first line.
fn eol(text: &[u8]) -> &'static str {
    if text.lines_with_terminator().next().is_some_and(|line| line.ends_with(b"\r\n")) { "\r\n" } else { "\n" }
}

/// The length of the shebang and the comments directly below it.
fn head_length(hook: &[u8]) -> usize {
    hook.lines_with_terminator().take_while(|line| line.starts_with(b"#")).map(<[u8]>::len).sum()
}

/// The range of the block, including the line end that was added with it.
fn find_block(hook: &[u8]) -> Result<Option<Range<usize>>, HookScriptError> {
    let mut begins = Vec::new();
    let mut ends = Vec::new();
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
        _ => Err(HookScriptError::MalformedBlock),
    }
}

/// A block without a final line end was added after an extra line end, of the same kind as inside the block.
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
    fn creates_and_deletes_its_own_hook() {
        let made = insert_block(None, HookRunner::Git, HookTask::Check).unwrap();
        assert!(made.starts_with(b"#!/bin/sh\n# >>> canonry >>>\n"), "{}", text(&made));
        assert_eq!(insert_block(Some(&made), HookRunner::Git, HookTask::Check).unwrap(), made);
        assert_eq!(remove_block(&made), Ok(BlockRemoval::DeleteFile));
        let longer = [made.as_slice(), b"npm test\n"].concat();
        assert_eq!(remove_block(&longer), Ok(BlockRemoval::Remainder(b"#!/bin/sh\nnpm test\n".to_vec())));
    }

    #[test]
    fn adds_and_removes_the_sync_command() {
        for hook in [None, Some(b"#!/bin/bash\r\necho\r\n".as_slice())] {
            let check = insert_block(hook, HookRunner::Git, HookTask::Check).unwrap();
            let both = insert_block(Some(&check), HookRunner::Git, HookTask::SyncAndCheck).unwrap();
            assert_eq!(insert_block(hook, HookRunner::Git, HookTask::SyncAndCheck).unwrap(), both);
            let text = text(&both);
            assert!(text.find("canonry sync --staged ||").unwrap() < text.find("canonry check --staged ||").unwrap());
            assert_eq!(
                (installed_task(&check), installed_task(&both)),
                (Some(HookTask::Check), Some(HookTask::SyncAndCheck))
            );
            assert_eq!(remove_block(&both), remove_block(&check));
            assert_eq!(insert_block(Some(&both), HookRunner::Git, HookTask::Check).unwrap(), check);
        }
        assert_eq!(installed_task(b"#!/bin/sh\ncanonry sync --staged || exit $?\n"), None);
    }

    /// The remainder equals a hook that canonry created, but a user created this one.
    #[test]
    fn keeps_a_hook_of_one_line() {
        let hook = b"#!/bin/sh\n";
        let made = insert_block(Some(hook), HookRunner::Git, HookTask::Check).unwrap();
        assert_eq!(remove_block(&made), Ok(BlockRemoval::Remainder(hook.to_vec())));
    }

    #[test]
    fn inserts_the_block_below_the_first_comments() {
        let hook = b"#!/bin/bash\n# Our hook.\n\n# Tests.\nnpm test\n";
        let made = text(&insert_block(Some(hook), HookRunner::Git, HookTask::Check).unwrap());
        assert!(made.starts_with("#!/bin/bash\n# Our hook.\n# >>> canonry >>>\n"), "{made}");
        assert!(made.ends_with("# <<< canonry <<<\n\n# Tests.\nnpm test\n"), "{made}");
    }

    #[test]
    fn updates_an_older_block() {
        for (before, after) in [("#!/bin/sh\n", "\nnpm test\n"), ("#!/bin/sh\n", ""), ("", ""), ("", "\n")] {
            let old = format!("{before}{BEGIN}\ncanonry check\n{END}{after}");
            let made = insert_block(Some(old.as_bytes()), HookRunner::Git, HookTask::Check).unwrap();
            assert!(text(&made).contains("canonry check --staged"), "{}", text(&made));
            assert_eq!(remove_block(&made), remove_block(old.as_bytes()));
            assert_eq!(insert_block(Some(&made), HookRunner::Git, HookTask::Check).unwrap(), made);
        }
    }

    #[test]
    fn refuses_malformed_blocks() {
        for hook in [
            format!("#!/bin/sh\n{BEGIN}\n"),
            format!("#!/bin/sh\n{END}\n"),
            format!("#!/bin/sh\n{END}\n{BEGIN}\n"),
            format!("#!/bin/sh\n{BEGIN}\n{BEGIN}\n{END}\n"),
        ] {
            assert_eq!(
                insert_block(Some(hook.as_bytes()), HookRunner::Git, HookTask::Check),
                Err(HookScriptError::MalformedBlock)
            );
            assert_eq!(remove_block(hook.as_bytes()), Err(HookScriptError::MalformedBlock));
        }
        let quoted = format!("#!/bin/sh\necho '{BEGIN}'\n");
        assert_eq!(remove_block(quoted.as_bytes()), Ok(BlockRemoval::NoBlock));
    }

    /// Typical hook lines with every kind of line end, and bytes that are not UTF-8.
    fn unusual_hook() -> impl Strategy<Value = Vec<u8>> {
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
        fn removal_restores_the_hook(hook in unusual_hook()) {
            let Ok(made) = insert_block(Some(&hook), HookRunner::Git, HookTask::Check) else { return Ok(()) };
            prop_assert_ne!(&made, &hook);
            prop_assert_eq!(insert_block(Some(&made), HookRunner::Git, HookTask::Check).unwrap(), made.clone());
            prop_assert_eq!(remove_block(&made).unwrap(), BlockRemoval::Remainder(hook));
        }

        #[test]
        fn removal_restores_a_husky_hook(hook in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'#'), 1u8..128], 0..40)) {
            let Ok(made) = insert_block(Some(&hook), HookRunner::Husky, HookTask::Check) else { return Ok(()) };
            prop_assert_eq!(insert_block(Some(&made), HookRunner::Husky, HookTask::Check).unwrap(), made.clone());
            prop_assert_eq!(remove_block(&made).unwrap(), BlockRemoval::Remainder(hook));
        }
    }
}

//! `delete-root` guards the file system, home folders and the whole repository.

use super::GuardInput;
use crate::matching::options::Options;
use crate::matching::path::PathScope;
use crate::shell::{Word, find_starts, selects};
use crate::verdict::{Verdict, VerdictReason};

const ROOT: &str = "canonry's guard `delete-root`";
/// Programs that delete a file.
const DELETES: [&str; 4] = ["rm", "unlink", "shred", "trash"];
/// Programs that change owner or mode.
const CHANGES: [&str; 4] = ["chmod", "chown", "chgrp", "setfacl"];

/// Action of a command on a whole folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FolderAction {
    Deletes,
    /// It deletes the files that `find` or `fd` selects.
    DeletesSelected,
    Changes,
    /// It changes only the folder itself.
    ChangesOne,
    Moves,
}

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = input.simple;
    let Some(program) = simple.program() else { return Vec::new() };
    let args = &simple.words[1..];
    let options = Options::new(program, args);
    let plain: Vec<Word> = args.iter().filter(|word| !word.text.starts_with('-')).cloned().collect();
    // All files below a folder, as `find` passes them on.
    let everything = || plain.iter().filter(|word| word.text.ends_with("/**")).cloned().collect::<Vec<_>>();
    let (action, targets) = match program {
        "rm" if options.has("-r") || options.has("-R") => (FolderAction::Deletes, plain),
        "rmdir" if options.has("-p") => (FolderAction::Deletes, plain),
        "shred" => (FolderAction::Deletes, plain),
        program if DELETES.contains(&program) => (FolderAction::Deletes, everything()),
        program if CHANGES.contains(&program) => {
            let recursive = options.has("-R");
            // The first word is the mode or the owner, which may be unknown.
            let skipped = usize::from(plain.len() > 1 && plain.first().is_some_and(|word| !word.is_known()));
            let action = if recursive { FolderAction::Changes } else { FolderAction::ChangesOne };
            (action, plain.into_iter().skip(skipped).collect())
        }
        "find" | "fd" | "fdfind" if deletes_found(args) => {
            let starts = if program == "find" { find_starts(args) } else { fd_starts(args) };
            let is_selective = if program == "find" { selects(args) } else { fd_selects(args) };
            let action = if is_selective { FolderAction::DeletesSelected } else { FolderAction::Deletes };
            (action, starts.into_iter().map(Word::new).collect())
        }
        "mv" => match moved(input, args) {
            Some(sources) => (FolderAction::Moves, sources),
            None => return Vec::new(),
        },
        "rsync" if args.iter().any(|word| word.text.starts_with("--del")) => {
            (FolderAction::Deletes, plain.last().cloned().into_iter().collect())
        }
        _ => return Vec::new(),
    };
    let mut found: Vec<VerdictReason> = Vec::new();
    for target in &targets {
        found.extend(check_target(input, action, target).filter(|reason| !found.contains(reason)));
    }
    found
}

/// Checks whether `find` or `fd` deletes what it finds.
fn deletes_found(args: &[Word]) -> bool {
    let runs = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
    let deletes = |word: &Word| DELETES.contains(&word.text.rsplit('/').next().expect("split is never empty"));
    args.iter().any(|word| word.text == "-delete")
        || args.windows(2).any(|two| runs.contains(&two[0].text.as_str()) && deletes(&two[1]))
}

/// Lists the arguments of `fd` before the command that it runs, without options.
fn fd_arguments(args: &[Word]) -> Vec<String> {
    let runs = ["-x", "-X", "--exec", "--exec-batch"];
    let before = args.iter().take_while(|word| !runs.contains(&word.text.as_str()));
    before.filter(|word| !word.text.starts_with('-')).map(|word| word.text.clone()).collect()
}

/// `fd PATTERN FOLDER…`
fn fd_starts(args: &[Word]) -> Vec<String> {
    let folders: Vec<String> = fd_arguments(args).into_iter().skip(1).collect();
    if folders.is_empty() { vec![".".to_owned()] } else { folders }
}

fn fd_selects(args: &[Word]) -> bool {
    let by_option = args.iter().any(|word| matches!(word.text.as_str(), "-e" | "--extension"));
    by_option || fd_arguments(args).first().is_some_and(|pattern| pattern.chars().any(char::is_alphanumeric))
}

/// Lists the sources of `mv`; `None` if everything stays in the repository, as when files are renamed.
fn moved(input: &GuardInput<'_>, args: &[Word]) -> Option<Vec<Word>> {
    let folder = args.iter().enumerate().find_map(|(at, word)| match word.text.as_str() {
        "-t" | "--target-directory" => args.get(at + 1).map(|next| (next.clone(), at + 1)),
        text => {
            let glued = text.strip_prefix("--target-directory=").or_else(|| text.strip_prefix("-t"))?;
            Some((Word::new(glued), at))
        }
    });
    let mut plain: Vec<Word> = args
        .iter()
        .enumerate()
        .filter(|(at, word)| !word.text.starts_with('-') && folder.as_ref().is_none_or(|(_, folder)| at != folder))
        .map(|(_, word)| word.clone())
        .collect();
    let to = match folder {
        Some((folder, _)) => folder,
        None => plain.pop()?,
    };
    let to = input.context.roots.locate(input.simple.cwd.as_deref(), &to.text);
    // Everything in a folder is then another file each time, as in a loop that renames files.
    let is_pattern = |word: &Word| word.text.contains('*');
    match to {
        PathScope::Inside(_) if plain.iter().all(is_pattern) => None,
        _ => Some(plain),
    }
}

fn check_target(input: &GuardInput<'_>, action: FolderAction, target: &Word) -> Option<VerdictReason> {
    let verb = match action {
        FolderAction::Changes | FolderAction::ChangesOne => "changes",
        FolderAction::Moves => "moves",
        FolderAction::Deletes | FolderAction::DeletesSelected => "deletes",
    };
    let (verdict, what) = effect(input, action, target)?;
    Some(VerdictReason::guard(verdict, ROOT, format!("it {verb} {what}")))
}

fn effect(input: &GuardInput<'_>, action: FolderAction, target: &Word) -> Option<(Verdict, &'static str)> {
    // No file has an empty name.
    if target.text.is_empty() {
        return None;
    }
    let cwd = input.simple.cwd.as_deref();
    if let Some(at) = target.text.find('\0') {
        if action == FolderAction::ChangesOne || action == FolderAction::DeletesSelected {
            return None;
        }
        // An unknown part may be empty, so that the folder before it is the target.
        let before = target.text[..at].rfind('/').map_or("", |end| &target.text[..=end]);
        let is_rooted = input.simple.cwd.is_some() || before.starts_with(['/', '~']);
        let folder = Word::new(before);
        let is_harmless = !before.is_empty()
            && (!is_rooted && !before.trim_matches(['.', '/']).is_empty()
                || effect_of_known(input, cwd, action, &folder).is_none());
        return (!is_harmless).then_some((Verdict::Ask, "something unknown"));
    }
    effect_of_known(input, cwd, action, target)
}

fn effect_of_known(
    input: &GuardInput<'_>,
    cwd: Option<&str>,
    action: FolderAction,
    target: &Word,
) -> Option<(Verdict, &'static str)> {
    let text = folder_of(&target.text);
    let place = input.context.roots.locate(cwd, text);
    let found = match &place {
        PathScope::Inside(path) if path.is_empty() => Some((Verdict::Deny, "the whole repository")),
        PathScope::Inside(path) if path == ".git" || path.starts_with(".git/") => {
            Some((Verdict::Deny, "the .git folder"))
        }
        PathScope::Inside(_) => None,
        PathScope::Unresolved(path) if path.is_empty() || path.starts_with("..") => {
            Some((Verdict::Ask, "everything in an unknown folder"))
        }
        PathScope::Unresolved(_) => None,
        PathScope::Outside(path) if input.context.roots.home.as_ref() == Some(path) => {
            Some((Verdict::Deny, "a home folder"))
        }
        PathScope::Outside(path) if input.context.roots.is_in_other(path) => None,
        PathScope::Outside(path) => outside(path, &input.context.roots.top),
    };
    match (action, found) {
        // Some files of the repository, or of a folder of temporary files.
        (FolderAction::DeletesSelected, Some(_))
            if matches!(place, PathScope::Inside(_) | PathScope::Unresolved(_)) =>
        {
            None
        }
        (FolderAction::DeletesSelected, Some((_, what))) => Some((Verdict::Ask, what)),
        // The owner of the repository is no guard.
        (FolderAction::Changes, Some(_))
            if matches!(input.simple.program(), Some("chown" | "chgrp"))
                && matches!(&place, PathScope::Inside(path) if path.is_empty()) =>
        {
            None
        }
        // The repository's own folder may get another mode.
        (FolderAction::ChangesOne, Some((Verdict::Ask, _))) => None,
        (FolderAction::ChangesOne, _) if matches!(place, PathScope::Inside(_)) => None,
        (_, found) => found,
    }
}

/// Deleting everything in a folder is like deleting the folder.
fn folder_of(text: &str) -> &str {
    let is_everything = |name: &str| {
        !name.is_empty() && name.contains('*') && name.chars().all(|c| matches!(c, '*' | '?' | '.' | '[' | ']' | '!'))
            || name == "."
            || name.starts_with('{') && name.contains('*')
    };
    let mut text = text;
    loop {
        let (folder, name) = match text.rsplit_once('/') {
            Some((folder, name)) => (Some(folder), name),
            None => (None, text),
        };
        if !is_everything(name) || text == "." {
            return text;
        }
        match folder {
            Some("") => return "/",
            Some(folder) => text = folder,
            None => return ".",
        }
    }
}

/// Returns the verdict on deleting a path outside the repository.
fn outside(path: &str, top: &str) -> Option<(Verdict, &'static str)> {
    let is_temporary = ["/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/dev/shm"]
        .iter()
        .any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    // What a cache has lost is made again.
    let is_cache = parts.len() > 1 && parts.iter().skip(1).any(|part| part.to_lowercase().contains("cache"));
    let is_home = |depth: usize| {
        parts.len() == depth && (path.starts_with("/home/") || path.starts_with("/Users/") || path == "/root")
    };
    if path == "/" {
        Some((Verdict::Deny, "the root of the file system"))
    } else if path == "~" {
        Some((Verdict::Deny, "a home folder"))
    } else if top == path || top.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')) {
        Some((Verdict::Deny, "a folder above the repository"))
    } else if is_temporary || is_cache {
        None
    } else if parts.len() <= 1 && !path.starts_with('~') {
        Some((Verdict::Deny, "a system folder"))
    } else if is_home(2) {
        Some((Verdict::Deny, "a home folder"))
    } else {
        Some((Verdict::Ask, "a path outside the repository"))
    }
}

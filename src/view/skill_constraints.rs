//! The constraints of all skills, for hooks. Reading 1,000 skills takes longer than a hook has, so what their frontmatters say
//! is cached in git's folder. A cached entry counts while the size and the time of its file are the same.

use crate::canon::constraint::{SkillConstraint, skill_constraints};
use crate::fs as writes;
use crate::syntax::RepoPath;
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const HEADER: &str = "canonry constraints 1";
/// The largest frontmatter to read, in bytes.
const LIMIT: u64 = 64 << 10;
/// Nested folders of skills that are looked into.
const MAX_DEPTH: usize = 3;
/// A file that changed this recently may change again without another time.
const RACY: Duration = Duration::from_secs(2);

/// What is known about a `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    stamp: String,
    constraints: Vec<SkillConstraint>,
}

/// The constraints of the skills in a folder below `top`. Links are not followed.
pub fn load(top: &Path, skills: &RepoPath, git_dir: &Path) -> Vec<(RepoPath, SkillConstraint)> {
    let cache = git_dir.join("canonry").join("constraints");
    let old = crate::fs::read_to_string(&cache).map(|text| parse(&text)).unwrap_or_default();
    let mut documents = Vec::new();
    find(&top.join(skills.to_display()), skills, MAX_DEPTH, &mut documents);
    let mut now: Vec<(String, Known)> = Vec::with_capacity(documents.len());
    let mut changed = old.len() != documents.len();
    for (path, at, meta) in documents {
        let name = path.to_display();
        let stamp = stamp(&meta);
        let known = match old.get(&name).filter(|known| known.stamp == stamp) {
            Some(known) => known.clone(),
            None => {
                let constraints = read(&at).map(|text| skill_constraints(&text)).unwrap_or_default();
                let is_racy = meta
                    .modified()
                    .ok()
                    .and_then(|time| SystemTime::now().duration_since(time).ok())
                    .is_none_or(|age| age < RACY);
                changed |= !is_racy;
                Known { stamp: if is_racy { String::new() } else { stamp }, constraints }
            }
        };
        now.push((name, known));
    }
    if changed {
        // Without a cache, the next call takes longer.
        drop(store(&cache, &now));
    }
    let all = now.into_iter().flat_map(|(name, known)| {
        let path = RepoPath::from(name.as_str());
        known.constraints.into_iter().map(move |constraint| (path.clone(), constraint))
    });
    all.collect()
}

fn find(folder: &Path, path: &RepoPath, depth: usize, found: &mut Vec<(RepoPath, PathBuf, Metadata)>) {
    let mut folders: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    folders.sort_unstable();
    for name in folders {
        let (at, own) = (folder.join(&name), path.join(&name));
        let document = at.join("SKILL.md");
        match fs::symlink_metadata(&document) {
            Ok(meta) if meta.is_file() => found.push((own.join("SKILL.md"), document, meta)),
            Ok(_) => {}
            Err(_) if depth > 1 => find(&at, &own, depth - 1, found),
            Err(_) => {}
        }
    }
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    crate::fs::open(path).ok()?.take(LIMIT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn stamp(meta: &Metadata) -> String {
    let time =
        meta.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{}.{}", time.as_nanos(), meta.len())
}

/// One line per skill: the path, the stamp, then a line number and a text for each constraint, all between tabs.
fn parse(text: &str) -> HashMap<String, Known> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return HashMap::new();
    }
    let known = |line: &str| {
        let mut fields = line.split('\t');
        let (path, stamp) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let mut constraints = Vec::new();
        while let (Some(line), Some(text)) = (fields.next(), fields.next()) {
            constraints.push(SkillConstraint { line: line.parse().ok()?, text: text.to_owned() });
        }
        Some((path, Known { stamp, constraints }))
    };
    lines.filter_map(known).collect()
}

fn store(cache: &Path, all: &[(String, Known)]) -> io::Result<()> {
    let mut text = format!("{HEADER}\n");
    for (path, known) in all.iter().filter(|(path, _)| !path.contains(['\t', '\n'])) {
        text.push_str(&format!("{path}\t{}", known.stamp));
        for SkillConstraint { line, text: own } in &known.constraints {
            text.push_str(&format!("\t{line}\t{}", own.replace('\t', " ")));
        }
        text.push('\n');
    }
    let folder = cache.parent().unwrap_or(Path::new("."));
    writes::create_dir_all(folder)?;
    let mut file = writes::temporary_file(&tempfile::Builder::new(), folder)?;
    writes::write_all(&mut file, text.as_bytes())?;
    file.flush()?;
    writes::persist(file.into_temp_path(), cache)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn texts(top: &Path) -> Vec<String> {
        let found = load(top, &RepoPath::from("agent/skills"), &top.join(".git"));
        found.into_iter().map(|(path, own)| format!("{path}:{} {}", own.line, own.text)).collect()
    }

    fn write(top: &Path, name: &str, constraint: &str, age: u64) {
        let folder = top.join("agent/skills").join(name);
        fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: x\nconstraints: {constraint}\n---\n");
        fs::write(folder.join("SKILL.md"), text).unwrap();
        let file = File::options().write(true).open(folder.join("SKILL.md")).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }

    #[test]
    fn a_changed_skill_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        write(top, "a", "one", 100);
        write(top, "ops/b", "two", 100);
        let want = ["agent/skills/a/SKILL.md:3 one", "agent/skills/ops/b/SKILL.md:3 two"];
        assert_eq!(texts(top), want);
        let cache = fs::read_to_string(top.join(".git/canonry/constraints")).unwrap();
        assert!(cache.contains("\t3\tone\n"), "{cache}");
        // A cached text counts while its file is the same.
        fs::write(top.join(".git/canonry/constraints"), cache.replace("\tone", "\tcached")).unwrap();
        assert_eq!(texts(top)[0], "agent/skills/a/SKILL.md:3 cached");
        write(top, "a", "new", 50);
        assert_eq!(texts(top)[0], "agent/skills/a/SKILL.md:3 new");
        fs::remove_dir_all(top.join("agent/skills/a")).unwrap();
        assert_eq!(texts(top), want[1..]);
    }

    #[test]
    fn a_file_that_just_changed_is_not_cached() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "a", "one", 0);
        assert_eq!(texts(dir.path()).len(), 1);
        write(dir.path(), "a", "two", 0);
        assert_eq!(texts(dir.path()), ["agent/skills/a/SKILL.md:3 two"]);
    }

    #[test]
    fn a_damaged_cache_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "a", "one", 100);
        fs::create_dir_all(dir.path().join(".git/canonry")).unwrap();
        for text in
            ["", "x", "canonry constraints 1\na\n\t\t\t\n", "canonry constraints 1\nagent/skills/a/SKILL.md\tx\ty\tz"]
        {
            fs::write(dir.path().join(".git/canonry/constraints"), text).unwrap();
            assert_eq!(texts(dir.path()), ["agent/skills/a/SKILL.md:3 one"], "{text}");
        }
    }
}

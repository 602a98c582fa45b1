//! Lines of the lock that do not match the mirrors.

use super::lock::Lock;
use canonry_model::canon::FileState;
use canonry_text::RepoPath;
use std::collections::BTreeSet;

/// Lines that a sync would change although it changes no file for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockDrift {
    /// Files that equal what sync would write, without a line.
    pub missing: Vec<RepoPath>,
    /// Lines with another state than the file, and lines of files that no longer exist.
    pub stale: Vec<RepoPath>,
}

impl LockDrift {
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.stale.is_empty()
    }

    /// Compares the lock as it is with the lock after a sync. A path in `planned`, which the sync changes or refuses, is reported
    /// as such, not here. `is_unplanned` selects paths that the plan does not cover.
    pub fn find(
        recorded: &Lock,
        next: &Lock,
        planned: &BTreeSet<&RepoPath>,
        is_unplanned: impl Fn(&RepoPath) -> bool,
    ) -> Self {
        let mut drift = Self::default();
        if recorded == next {
            return drift;
        }
        let is_reported = |path: &RepoPath| {
            if is_unplanned(path) || planned.contains(path) {
                return true;
            }
            let file = path.as_bstr().split(|b| *b == b'#').next().expect("split is never empty");
            file.len() < path.as_bstr().len() && planned.contains(&RepoPath::new(file))
        };
        let mut now = groups(recorded);
        let mut after = groups(next);
        let mut left = now.next();
        let mut right = after.next();
        loop {
            let order = match (&left, &right) {
                (None, None) => return drift,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((left, _)), Some((right, _))) => left.cmp(right),
            };
            match (order, &left, &right) {
                (std::cmp::Ordering::Less, Some((path, _)), _) => {
                    drift.stale.extend(Some(*path).filter(|path| !is_reported(path)).cloned());
                }
                (std::cmp::Ordering::Greater, _, Some((path, _))) => {
                    drift.missing.extend(Some(*path).filter(|path| !is_reported(path)).cloned());
                }
                (_, Some((path, now)), Some((_, next))) if now != next => {
                    drift.stale.extend(Some(*path).filter(|path| !is_reported(path)).cloned());
                }
                _ => {}
            }
            if order != std::cmp::Ordering::Greater {
                left = now.next();
            }
            if order != std::cmp::Ordering::Less {
                right = after.next();
            }
        }
    }
}

/// The entries of a lock by path.
fn groups(lock: &Lock) -> impl Iterator<Item = (&RepoPath, &[(RepoPath, FileState)])> {
    lock.entries().chunk_by(|a, b| a.0 == b.0).map(|group| (&group[0].0, group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::FileMode;
    use gix_hash::ObjectId;

    fn state(byte: u8) -> FileState {
        FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
    }

    fn lock(entries: &[(&str, u8)]) -> Lock {
        Lock::new(entries.iter().map(|(path, byte)| (RepoPath::from(*path), state(*byte))).collect())
    }

    #[test]
    fn reports_lines_of_paths_that_the_plan_leaves_alone() {
        let next = lock(&[("equal", 1), ("new", 1), ("old", 2)]);
        let recorded = lock(&[("equal", 1), ("gone", 1), ("old", 1), ("removed", 1), ("unplanned", 1)]);
        let removed = RepoPath::from("removed");
        let unplanned = RepoPath::from("unplanned");
        let drift = LockDrift::find(&recorded, &next, &BTreeSet::from([&removed]), |path| *path == unplanned);
        assert_eq!(drift.missing, [RepoPath::from("new")]);
        assert_eq!(drift.stale, [RepoPath::from("gone"), RepoPath::from("old")]);
    }
}

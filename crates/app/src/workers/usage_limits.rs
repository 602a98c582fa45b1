//! Usage limits of tools: which owner of a role accepts work.

use crate::{Timestamp, Workspace};
use canonry_model::canon::owners::Owner;
use canonry_repo::apply::write_atomically;
use canonry_runs::plan::attempts::retry_time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The usage limits that this clone has seen, by command line. The next run knows them too.
#[derive(Clone, Debug, Default)]
pub(crate) struct UsageLimits {
    /// `None` keeps them for one run.
    file: Option<PathBuf>,
    seen: BTreeMap<String, SeenLimit>,
}

/// The last limit of a command line.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SeenLimit {
    /// When it accepts work again, RFC 3339.
    until: String,
    /// Number of limits without work between them.
    count: u32,
}

impl UsageLimits {
    /// Reads what earlier runs have seen.
    pub fn load(workspace: &Workspace) -> Self {
        let file = workspace.git_dir().ok().map(|folder| folder.join("canonry/usage-limits.json"));
        // A file that cannot be read costs one call of a tool.
        let bytes = file.as_deref().and_then(|file| canonry_repo::fs::read_if_exists(file).ok().flatten());
        let seen = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { file, seen }
    }

    /// The owner of a role that accepts work first: the first one that is not at its limit. The others are its alternatives.
    pub fn choose(&self, role: &Owner, now: Timestamp) -> Owner {
        let mut choices: Vec<&Owner> = role.choices().collect();
        let first = (0..choices.len()).min_by_key(|at| choices.get(*at).and_then(|owner| self.until(owner, now)));
        let chosen = choices.remove(first.unwrap_or_default());
        let others = choices.into_iter().map(|owner| Owner { alternatives: Vec::new(), ..owner.clone() });
        Owner { alternatives: others.collect(), ..chosen.clone() }
    }

    /// Records that an owner reached its limit, whose end its tool may have stated.
    pub fn record(&mut self, owner: &Owner, stated: Option<Timestamp>, now: Timestamp) {
        let key = key(owner);
        let count = self.seen.get(&key).map_or(0, |seen| seen.count);
        let until = retry_time(count, now, stated).to_string();
        self.seen.insert(key, SeenLimit { until, count: count.saturating_add(1) });
        self.save();
    }

    /// Records that an owner did its work.
    pub fn forget(&mut self, owner: &Owner) {
        if self.seen.remove(&key(owner)).is_some() {
            self.save();
        }
    }

    /// When an owner accepts work again; `None` if it does.
    pub fn until(&self, owner: &Owner, now: Timestamp) -> Option<Timestamp> {
        let seen = self.seen.get(&key(owner))?;
        Timestamp::parse(&seen.until).filter(|until| *until > now)
    }

    /// Another run of this clone may write at the same time. What it or this one loses costs one call of a tool.
    fn save(&self) {
        let Some((file, folder)) = self.file.as_deref().and_then(|file| Some((file, file.parent()?))) else { return };
        let bytes = serde_json::to_vec_pretty(&self.seen).unwrap_or_default();
        let _ = canonry_repo::fs::create_dir_all(folder).and_then(|()| write_atomically(folder, file, &bytes));
    }
}

fn key(owner: &Owner) -> String {
    owner.argv.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::owners::Owners;
    use canonry_text::{RepoPath, Source};
    use std::sync::Arc;

    #[test]
    fn a_role_goes_on_with_the_owner_that_accepts_work_first() {
        let text = "default: [{argv: [a]}, {argv: [b]}, {argv: [c]}]\n";
        let source = Source::from_bytes(RepoPath::from("owners.yaml"), text.as_bytes().to_vec()).unwrap();
        let role = Owners::parse(Arc::new(source)).unwrap().default.unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let now = at("2026-05-01T12:00:00Z");
        let mut limits = UsageLimits::default();
        let mut chosen = |stated: Option<&str>| {
            let owner = limits.choose(&role, now);
            limits.record(&owner, stated.map(at), now);
            (owner.argv[0].clone(), owner.alternatives.iter().map(|owner| owner.argv[0].clone()).collect::<String>())
        };
        assert_eq!(chosen(Some("2026-05-01T14:00:00Z")), ("a".to_owned(), "bc".to_owned()));
        assert_eq!(chosen(None), ("b".to_owned(), "ac".to_owned()));
        assert_eq!(chosen(Some("2026-05-02T12:00:00Z")), ("c".to_owned(), "ab".to_owned()));
        // All are at their limits: b is the first to accept work, 15 minutes later.
        let next = limits.choose(&role, now);
        assert_eq!(limits.until(&next, now), Some(at("2026-05-01T12:15:00Z")));
        assert_eq!(next.argv, ["b"]);
        limits.forget(&role);
        assert_eq!(limits.choose(&role, now).argv, ["a"]);
    }
}

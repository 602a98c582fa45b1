//! A repository that offers skills.

use crate::support::repo::{Ran, Repo, document};
use std::path::PathBuf;

/// A repository in which somebody works, and the bare one that others fetch from.
pub struct Source {
    pub work: Repo,
    bare: PathBuf,
}

impl Source {
    /// Publishes skills, each with a document and a script.
    pub fn new(names: &[&str]) -> Self {
        let work = Repo::empty();
        for name in names {
            work.write(&format!("skills/{name}/SKILL.md"), document(name) + "\nOne.\nTwo.\nThree.\nFour.\nFive.\n");
            work.write(&format!("skills/{name}/scripts/run.sh"), "#!/bin/sh\ngit status\n");
            work.chmod(&format!("skills/{name}/scripts/run.sh"), 0o755);
        }
        work.write("LICENSE", "Permission is hereby granted, free of charge, to any person\n");
        let bare = work.outside("source.git");
        work.git(&["init", "-q", "--bare", "-b", "main", "--template=", bare.to_str().unwrap()]);
        let source = Self { work, bare };
        source.publish();
        source
    }

    /// Commits everything and replaces the published branch.
    pub fn publish(&self) -> String {
        self.work.commit_all("publish");
        self.push()
    }

    pub fn push(&self) -> String {
        self.work.git(&["push", "-q", "--force", self.bare.to_str().unwrap(), "HEAD:refs/heads/main"]);
        self.work.git(&["rev-parse", "HEAD"])
    }

    pub fn path(&self) -> PathBuf {
        self.bare.clone()
    }

    pub fn url(&self) -> String {
        format!("file://{}", self.bare.display())
    }

    /// Runs git on the bare repository.
    pub fn git(&self, args: &[&str]) -> String {
        let git_dir = format!("--git-dir={}", self.bare.display());
        self.work.git(&[&[git_dir.as_str()], args].concat())
    }

    /// Removes everything that no branch leads to.
    pub fn collect_garbage(&self) {
        self.git(&["reflog", "expire", "--expire=now", "--all"]);
        self.git(&["gc", "-q", "--prune=now"]);
    }

    pub fn edit(&self, skill: &str, from: &str, to: &str) {
        let path = format!("skills/{skill}/SKILL.md");
        let text = self.work.text(&path);
        assert!(text.contains(from), "{text}");
        self.work.write(&path, text.replace(from, to));
    }
}

/// A canon with one skill of its own, and without mirrors.
pub fn canon() -> Repo {
    let repo = Repo::with_skills(&["own"]);
    repo.commit_all("canon");
    repo
}

pub fn skills(repo: &Repo, args: &[&str]) -> Ran {
    repo.canonry(&[&["skills"], args].concat())
}

/// Adds skills of a source, and expects that it works.
#[track_caller]
pub fn add(repo: &Repo, source: &Source, args: &[&str]) -> Ran {
    skills(repo, &[&["add", &source.url(), "--yes"], args].concat()).expect(0)
}

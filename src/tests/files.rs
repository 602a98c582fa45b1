//! Files in memory, checked by the product.

use canonry_app::check::{CheckReport, CheckRequest, check};
use canonry_app::{Clock, Environment, MemorySource, Quiet, Timestamp, Workspace};
use canonry_lint::Finding;
use canonry_lint::Profile;
use canonry_model::canon::FileMode;
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Files by path: mode and content. The content of a link is its target.
#[derive(Default)]
pub struct Files(pub BTreeMap<RepoPath, (FileMode, Vec<u8>)>);

/// A folder with the earlier versions of the other files.
const BEFORE: &str = "before";

impl Files {
    pub fn add(&mut self, path: &str, content: impl AsRef<[u8]>) -> &mut Self {
        self.add_mode(path, FileMode::File, content)
    }

    pub fn add_mode(&mut self, path: &str, mode: FileMode, content: impl AsRef<[u8]>) -> &mut Self {
        self.0.insert(RepoPath::from(path), (mode, content.as_ref().to_vec()));
        self
    }

    /// All files below a folder on disk, with paths relative to it.
    pub fn from_disk(folder: &Path) -> Self {
        let mut files = Self::default();
        for entry in walkdir::WalkDir::new(folder) {
            let entry = entry.unwrap();
            let path = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if entry.path_is_symlink() {
                let target = std::fs::read_link(entry.path()).unwrap();
                files.add_mode(&path, FileMode::Link, target.to_str().unwrap());
            } else if entry.file_type().is_file() {
                let executable = entry.metadata().unwrap().permissions().mode() & 0o100 != 0;
                let mode = if executable { FileMode::Executable } else { FileMode::File };
                files.add_mode(&path, mode, std::fs::read(entry.path()).unwrap());
            }
        }
        files
    }

    fn workspace(&self) -> Workspace {
        let before = RepoPath::from(BEFORE);
        let mut source = MemorySource::new();
        let mut earlier = MemorySource::new();
        for (path, (mode, content)) in &self.0 {
            match path.below(&before) {
                Some(path) => earlier.add_mode(RepoPath::new(path), *mode, content),
                None => source.add_mode(path.clone(), *mode, content),
            };
        }
        // A folder with nothing but the files of a fixture is not always a canon.
        if self.0.keys().any(|path| path.is_within(&RepoPath::from("agent"))) {
            source.add("agent/memory/episodic/fixtures.jsonl", "");
        }
        // Some messages contain the number of days since a date.
        let clock = Clock::Fixed(Timestamp::parse("2026-11-24T00:00:00Z").unwrap());
        let environment = Environment { clock, ..Environment::isolated() };
        Workspace::in_memory(&environment, source).unwrap().with_earlier(earlier)
    }

    fn check(&self, paths: &[&str], profile: Profile) -> CheckReport {
        let paths = paths.iter().map(PathBuf::from).collect();
        let request = CheckRequest { paths, profile, ..CheckRequest::default() };
        check(&mut self.workspace(), &request, &Quiet).unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// The findings in all files, and in the canon as a whole if there is one.
    pub fn findings(&self, profile: Profile) -> Vec<Finding> {
        let mut findings = self.check(&["."], profile).findings;
        if self.0.keys().any(|path| path.is_within(&RepoPath::from("agent"))) {
            findings.extend(self.check(&[], profile).findings);
        }
        let key = |finding: &Finding| {
            let location = &finding.location;
            (location.path.clone(), location.span, finding.rule.id, finding.message.clone())
        };
        findings.sort_by_key(key);
        findings.dedup_by_key(|finding| key(finding));
        findings
    }
}

/// `rule` ids with the first letter of their severity, such as `E name-invalid`.
pub fn brief(findings: &[Finding]) -> Vec<String> {
    let letter = |f: &Finding| f.severity.as_str()[..1].to_uppercase();
    findings.iter().map(|f| format!("{} {}", letter(f), f.rule.id)).collect()
}

//! Judging files that are in memory, without a repository.

use canonry::canon::context_file::{ContextFile, ContextKind};
use canonry::canon::file_kind::FileKind;
use canonry::canon::inventory::Inventory;
use canonry::canon::log::EpisodeLog;
use canonry::canon::memory_file::MemoryFile;
use canonry::canon::page::{Page, PageKind};
use canonry::canon::plan::Plan;
use canonry::canon::report::Report;
use canonry::canon::report::StepAttempt;
use canonry::canon::schema::SchemaFile;
use canonry::canon::schema::Schemas;
use canonry::canon::skill::{Skill, SkillLink};
use canonry::canon::skill::{SkillText, may_hold_text};
use canonry::canon::suppression::Suppression;
use canonry::canon::tool_schema::ToolSchema;
use canonry::canon::workflow::Workflow;
use canonry::canon::{Blob, FileMode, Layout, TreeEntry, blob::BlobError};
use canonry::config::Config;
use canonry::finding::{Finding, RawFinding};
use canonry::rules::repo_context::{SkillConfig, SkillSummary};
use canonry::rules::{self, Coverage, Profile, ResolvedFindings, SeverityPolicy};

use super::facts;
use canonry::syntax::{RepoPath, Source};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

/// Files by path: mode and content (for a link: its target).
#[derive(Default)]
pub struct Files(pub BTreeMap<RepoPath, (FileMode, Vec<u8>)>);

impl Files {
    pub fn add(&mut self, path: &str, content: impl AsRef<[u8]>) -> &mut Self {
        self.add_mode(path, FileMode::File, content)
    }

    pub fn add_mode(&mut self, path: &str, mode: FileMode, content: impl AsRef<[u8]>) -> &mut Self {
        self.0.insert(RepoPath::from(path), (mode, content.as_ref().to_vec()));
        self
    }

    /// All files below a folder of the disk, paths relative to it.
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

    fn read(&self, path: &RepoPath) -> Blob {
        match self.0.get(path) {
            None => Blob::Missing(BlobError::Absent),
            Some((FileMode::Link, target)) => {
                let text = String::from_utf8_lossy(target).into_owned();
                match path.resolve_beside(target) {
                    None => Blob::Missing(BlobError::Outside { target: text }),
                    Some(to) if self.0.contains_key(&to) => self.read(&to),
                    Some(_) => Blob::Missing(BlobError::Dangling { target: text }),
                }
            }
            Some((_, bytes)) => Blob::Bytes(bytes.clone()),
        }
    }

    /// What the rules of each file say, settled by the profile's defaults.
    pub fn findings(&self, profile: Profile) -> Vec<Finding> {
        self.settled(profile).findings
    }

    /// The same, with what is allowed.
    pub fn settled(&self, profile: Profile) -> ResolvedFindings {
        let severity = |id: &str, _: &RepoPath| rules::default_severity(id, profile);
        let text = |(path, (_, bytes)): (&RepoPath, &(FileMode, Vec<u8>))| {
            Source::from_bytes(path.clone(), bytes.clone()).map(Arc::new).ok()
        };
        let suppressions = self.0.iter().filter_map(text).flat_map(|source| Suppression::find_all(&source)).collect();
        let terms = SeverityPolicy { severity: &severity, suppressions, baseline: None, coverage: Coverage::Full };
        rules::resolve(self.drafts(), terms)
    }

    fn drafts(&self) -> Vec<(&'static str, RawFinding)> {
        let entries: Vec<TreeEntry> =
            self.0.iter().map(|(path, (mode, _))| TreeEntry { path: path.clone(), mode: *mode }).collect();
        let inventory = Inventory::from_entries(&entries, &Layout::default());
        let mut schemas = Schemas::default();
        let mut found = Vec::new();
        let mut cards = Vec::new();
        for entry in inventory.files(FileKind::Schema) {
            let text = String::from_utf8(self.0[&entry.path].1.clone()).unwrap();
            let file = SchemaFile::parse(Arc::new(Source::new(entry.path.clone(), text)));
            if let (Some(kind), Ok(schema)) = (file.kind, &file.schema) {
                schemas.add_team(kind, entry.path.clone(), Arc::clone(schema));
            }
            found.extend(rules::check(&file));
        }
        for folder in inventory.skills.clone() {
            let links = folder.files.iter().filter(|e| e.mode == FileMode::Link);
            let links = links.map(|e| self.link(&e.path)).collect();
            let blob = self.read(&folder.document.path);
            let outermost = folder.nested_in.is_none() && folder.path.is_within(&RepoPath::from("agent"));
            let text = |entry: &&TreeEntry| SkillText::from_blob(entry, self.read(&entry.path));
            let texts = may_hold_text(&folder).iter().filter_map(text).collect();
            let skill = Skill::parse(folder, links, blob, &schemas).with_texts(texts);
            if outermost {
                cards.push((SkillSummary::new(&skill), skill.folder.clone()));
            }
            let setting = if outermost { self.setting(&skill.folder.path) } else { SkillConfig::default() };
            found.extend(rules::check_skill(&skill, &setting));
        }
        if self.0.keys().any(|path| path.is_within(&RepoPath::from("agent"))) {
            found.extend(rules::check(&facts::of(self, &cards)));
        }
        for plan in inventory.files(FileKind::Plan) {
            let blob = self.read(&plan.path);
            let attempts = self.attempts(&plan.path, &schemas);
            found.extend(rules::check(&Plan::parse(plan.path.clone(), blob, &schemas).with_attempts(attempts)));
        }
        for workflow in inventory.files(FileKind::Workflow) {
            // What lies below `before/` is the version before, where a rule compares the two.
            let earlier = self.read(&RepoPath::from("before").join(workflow.path.as_bstr()));
            let blob = self.read(&workflow.path);
            let workflow = Workflow::parse(workflow.path.clone(), blob, &schemas).with_earlier(earlier);
            found.extend(rules::check(&workflow));
        }
        for report in inventory.files(FileKind::Report) {
            let blob = self.read(&report.path);
            let report = Report::parse(report.path.clone(), blob, &schemas, &Layout::default());
            let steps = report.name.as_ref().and_then(|name| self.steps(&name.plan));
            found.extend(rules::check(&report.among(steps)));
        }
        for log in inventory.files(FileKind::Log) {
            let blob = self.read(&log.path);
            found.extend(rules::check(&EpisodeLog::parse(log.path.clone(), blob, &schemas)));
        }
        for file in inventory.files(FileKind::Memory) {
            let blob = self.read(&file.path);
            found.extend(rules::check(&MemoryFile::parse(file.path.clone(), blob)));
        }
        for page in inventory.files(FileKind::Page) {
            let kind = PageKind::from_path(&page.path, &Layout::default()).unwrap();
            let blob = self.read(&page.path);
            found.extend(rules::check(&Page::parse(page.path.clone(), kind, blob)));
        }
        for schema in inventory.files(FileKind::ToolSchema) {
            let blob = self.read(&schema.path);
            found.extend(rules::check(&ToolSchema::parse(schema.path.clone(), blob)));
        }
        for file in inventory.files(FileKind::Context) {
            let kind = ContextKind::from_path(&file.path).unwrap();
            let blob = self.read(&file.path);
            found.extend(rules::check(&ContextFile::parse(file.path.clone(), kind, blob, &|path| self.read(path))));
        }
        found
    }

    /// The config's targets, else those by default.
    pub fn config(&self) -> Config {
        let text = self.0.get(&RepoPath::from("agent/canonry.yaml")).map(|(_, text)| text.clone()).unwrap_or_default();
        let source = Source::new(RepoPath::from("agent/canonry.yaml"), String::from_utf8(text).unwrap());
        Config::parse(&source, &rules::ids().collect::<Vec<_>>()).unwrap()
    }

    fn setting(&self, folder: &RepoPath) -> SkillConfig {
        SkillConfig::from_config(&self.config(), folder)
    }

    fn attempts(&self, plan: &RepoPath, schemas: &Schemas) -> Vec<StepAttempt> {
        let Some(folder) = Layout::default().reports_on(plan) else { return Vec::new() };
        let reports = self.0.keys().filter(|path| path.is_within(&folder));
        let read = |path: &RepoPath| Report::parse(path.clone(), self.read(path), schemas, &Layout::default());
        reports.filter_map(|path| read(path).attempt()).collect()
    }

    /// The ids of a plan's steps.
    fn steps(&self, plan: &str) -> Option<Vec<String>> {
        let path = RepoPath::from(&format!("agent/plans/{plan}/plan.yaml")[..]);
        self.0.get(&path)?;
        let plan = Plan::parse(path.clone(), self.read(&path), &Schemas::default());
        Some(plan.steps().iter().map(|step| step.id_text().to_owned()).collect())
    }

    fn link(&self, path: &RepoPath) -> SkillLink {
        let target = String::from_utf8(self.0[path].1.clone()).unwrap();
        SkillLink { resolved: path.resolve_beside(target.as_bytes()), path: path.clone(), target }
    }
}

/// `rule` ids with their severity's first letter, such as `E name-case`.
pub fn brief(findings: &[Finding]) -> Vec<String> {
    let letter = |f: &Finding| f.severity.as_str()[..1].to_uppercase();
    findings.iter().map(|f| format!("{} {}", letter(f), f.rule)).collect()
}

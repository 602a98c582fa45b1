//! Reports that were parsed before. A plan has as many reports as steps, and a run looks at them for each step.

use super::ListedFile;
use canonry_model::canon::file_source::Identity;
use canonry_model::canon::report::{Report, StepAttempt};
use canonry_model::canon::schema::Schemas;
use canonry_model::canon::{Blob, Layout};
use canonry_text::RepoPath;
use gix::index::entry::Stat;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Seconds in which a file can change without another time: git counts on whole seconds too.
const RACE: u32 = 2;

/// The attempts that a report reports.
#[derive(Debug)]
pub(super) struct ReportedAttempts {
    pub is_combined: bool,
    pub attempts: Vec<Arc<StepAttempt>>,
}

/// The reports of a plan by path.
#[derive(Debug, Default)]
pub(super) struct ParsedReports(HashMap<RepoPath, ParsedReport>);

#[derive(Debug)]
struct ParsedReport {
    /// The stat of the file when it was read, if no later change can have the same.
    stat: Option<Stat>,
    content: Blob,
    attempts: Arc<ReportedAttempts>,
}

impl ReportedAttempts {
    pub fn new(report: &Report) -> Self {
        Self { is_combined: report.is_combined(), attempts: report.attempts().into_iter().map(Arc::new).collect() }
    }
}

impl ParsedReports {
    /// The reports in these files, which are read after they were listed. One whose stat is as it was is not read, one whose content is as it was not parsed.
    pub fn load(
        &mut self,
        read: impl Fn(&RepoPath) -> Blob + Sync,
        files: &[ListedFile],
        schemas: &Schemas,
        layout: &Layout,
    ) -> Vec<Arc<ReportedAttempts>> {
        // By the clock of the file system: what is written from now on is not older than the newest file.
        let newest = files.iter().filter_map(stat).map(|stat| stat.ctime.secs).max().unwrap_or_default();
        let settled =
            |file: &ListedFile| stat(file).filter(|stat| stat.ctime.secs.saturating_add(RACE) < newest).copied();
        let is_known = |file: &&ListedFile| {
            let known = self.0.get(&file.entry.path).and_then(|known| known.stat);
            known.is_some() && known.as_ref() == stat(file)
        };
        let changed: Vec<&ListedFile> = files.iter().filter(|file| !is_known(file)).collect();
        let parse = |file: &&ListedFile| {
            let path = &file.entry.path;
            let content = read(path);
            let attempts = match self.0.get(path).filter(|known| known.content == content) {
                Some(known) => Arc::clone(&known.attempts),
                None => {
                    let report = Report::parse(path.clone(), content.clone(), schemas, layout);
                    Arc::new(ReportedAttempts::new(&report))
                }
            };
            (path.clone(), ParsedReport { stat: settled(file), content, attempts })
        };
        let parsed: Vec<(RepoPath, ParsedReport)> = changed.par_iter().map(parse).collect();
        self.0.extend(parsed);
        files.iter().filter_map(|file| self.0.get(&file.entry.path)).map(|known| Arc::clone(&known.attempts)).collect()
    }
}

fn stat(file: &ListedFile) -> Option<&Stat> {
    match &file.identity {
        Identity::Stat(stat) => Some(stat),
        Identity::Id(_) | Identity::Unknown => None,
    }
}

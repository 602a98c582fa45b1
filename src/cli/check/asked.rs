//! One judgement: what is asked for, and what came of it.

use super::args::Args;
use crate::app::check::evaluate::{self, Judged};
use crate::app::check::scope::Scope;
use crate::app::{Error, ErrorKind};
use crate::app::{Progress, Workspace};
use crate::finding::Baseline;
use crate::render::Report;
use crate::rules::{self, Coverage, Profile, ResolvedFindings, SeverityPolicy};
use crate::syntax::RepoPath;
use crate::view::Basis;
use std::sync::atomic::Ordering;

/// What is asked for.
pub struct Check<'a> {
    /// The command line.
    pub args: &'a Args,
    /// The content that is judged.
    pub basis: &'a Basis,
    /// What is put off.
    pub known: Option<&'a Baseline>,
    /// Receives the progress.
    pub progress: &'a dyn Progress,
}

/// What came of it.
pub struct Done {
    /// What is reported.
    pub settled: ResolvedFindings,
    judged: Judged,
}

impl Done {
    /// For the renderers.
    pub fn report(&self) -> Report<'_> {
        Report { settled: &self.settled, files: self.judged.files, skills: self.judged.skills, fixed: 0 }
    }
}

impl Check<'_> {
    /// Judges what is in scope.
    ///
    /// # Errors
    /// As of [`judge::judge`], and an interruption.
    pub fn judge(&self, context: &Workspace, scope: &Scope) -> Result<Done, Error> {
        let (mut drafts, mut judged) = evaluate::evaluate(context, scope, self.progress)?;
        if context.env.cancel.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted; nothing was changed"));
        }
        for (_, draft) in &mut drafts {
            // What is not the canon's own is not ours to change, and a link has nothing of its own to change.
            let path = &draft.location.path;
            let is_ours =
                |path: &RepoPath| path.is_within(context.layout.root()) && context.view.link_text(path).is_none();
            if draft.fix.is_some() && !is_ours(path) {
                draft.fix = None;
            }
        }
        let profile = Profile::from(self.args.profile);
        let terms = SeverityPolicy {
            severity: &|rule, path| context.severity(rule, path, profile),
            suppressions: std::mem::take(&mut judged.suppressions),
            baseline: self.known,
            coverage: match scope.whole.is_some() && *self.basis != Basis::Index {
                true => Coverage::Full,
                false => Coverage::Partial,
            },
        };
        Ok(Done { settled: rules::resolve(drafts, terms), judged })
    }
}

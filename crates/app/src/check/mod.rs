//! `check`: the findings of the rules in a canon, in several canons of one repository, or in single files.

mod baseline;
mod causes;
mod evidence;
mod exclusion;
mod exports;
mod files;
mod fix;
mod fixable;
mod generated;
mod installation;
mod permission_servers;
mod repo_facts;
mod report;
mod resolve;
mod scope;
mod selection;

pub use canonry_lint::{Finding, Profile};
pub use canonry_model::finding::{Applicability, Fix, Location, Related, Severity, TextEdit};
pub use report::{CheckNotice, CheckReport, FixPreview};

use crate::canons::{self, Canons};
use crate::consolidation::run_log::read_nights;
use crate::skills::remote::origin::Origins;
use crate::{Environment, Error, ErrorKind, Progress, Workspace};
use canonry_lint::{Baseline, RuleSet};
use canonry_repo::view::{Basis, PathKind};
use canonry_text::RepoPath;
use exclusion::Exclusion;
use resolve::{Coverage, ReportPolicy};
use scope::CheckScope;
use selection::RuleSelection;
use std::path::PathBuf;

/// Scope of a check, and the treatment of its findings.
#[derive(Clone, Debug, Default)]
pub struct CheckRequest {
    /// Files and folders to check, relative to the current folder; empty for the whole canon and its mirrors.
    pub paths: Vec<PathBuf>,
    /// Which content is checked. With `Basis::Index` and no paths, only staged changes are checked.
    pub basis: Basis,
    /// The branch or commit that changes are compared with, from the commit where the checked one left it; `None` for the
    /// version before.
    pub base: Option<String>,
    /// Which default severities apply.
    pub profile: Profile,
    /// Patterns for paths to leave out, as in the config's `exclude`, in addition to it.
    pub exclude: Vec<String>,
    /// Whether to check everything that the config, convention or git's ignore rules leave out.
    pub no_exclude: bool,
    /// The rules to report, by id, family or pattern; empty for all.
    pub select: Vec<String>,
    /// The rules not to report. Takes precedence over `select`.
    pub ignore: Vec<String>,
    /// The lowest severity to report.
    pub min_severity: Option<Severity>,
    /// The baseline file, relative to the current folder; `None` for the canon's `baseline.json`, if it exists.
    pub baseline: Option<PathBuf>,
    /// Whether to write all findings into the baseline. The report then has what is left, such as drift.
    pub write_baseline: bool,
    /// Which fixes to make; `None` for no fixes. Needs `Basis::WorkTree`.
    pub fix: Option<FixRequest>,
}

/// Which fixes to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixRequest {
    /// The least certain fixes to make.
    pub applicability: Applicability,
    /// Whether to compute the changes without writing them.
    pub dry_run: bool,
}

/// Checks the canon around the current folder, or all canons of the repository if the current folder is in none of the
/// nested ones; and every other file of the repository that an agent reads. A folder need not be in a repository.
///
/// # Errors
/// The repository, its configuration, a named path or the baseline cannot be read; a fix or the baseline cannot be
/// written. An error in one of several canons is a [`CheckNotice::CanonFailed`] instead, except for cancellation.
pub fn run(env: &Environment, request: &CheckRequest, progress: &dyn Progress) -> Result<CheckReport, Error> {
    let mut workspace = Workspace::open_anywhere(env, &request.basis, &request.paths)?;
    remind_of_nights(&workspace, progress);
    let is_named_in = |base: &RepoPath| {
        request.paths.iter().all(|path| workspace.inside(path).is_ok_and(|path| path.is_within(base)))
    };
    let bases = match canons::find(&workspace, progress)? {
        Canons::Own => Vec::new(),
        Canons::Nested(base) if is_named_in(&base) => vec![base],
        Canons::Every(bases) if request.paths.is_empty() => {
            // Agents also read the files outside of the canons. A baseline is written by canons only.
            let has_rest = !workspace.expects_canon() && !request.write_baseline;
            has_rest.then(RepoPath::default).into_iter().chain(bases).collect()
        }
        Canons::Nested(_) | Canons::Every(_) => Vec::new(),
    };
    if bases.is_empty() {
        return check_canon(&mut workspace, request, Vec::new(), progress);
    }
    check_every(env, &bases, request, progress)
}

/// Says that dreams fail, which nobody sees at night.
fn remind_of_nights(workspace: &Workspace, progress: &dyn Progress) {
    let Ok(git_dir) = workspace.git_dir() else { return };
    let problems = read_nights(&git_dir, workspace.env.clock.now()).map(|nights| nights.problems());
    for problem in problems.unwrap_or_else(|error| vec![error.message]) {
        progress.notice(&format!("{problem}\n"));
    }
}

/// Checks one canon. The view's overlay replaces the content of files.
///
/// # Errors
/// See [`run`].
pub fn check(workspace: &mut Workspace, request: &CheckRequest, progress: &dyn Progress) -> Result<CheckReport, Error> {
    check_canon(workspace, request, Vec::new(), progress)
}

fn check_every(
    env: &Environment,
    bases: &[RepoPath],
    request: &CheckRequest,
    progress: &dyn Progress,
) -> Result<CheckReport, Error> {
    if request.baseline.is_some() {
        return Err(Error::new(
            ErrorKind::Usage,
            "`--baseline FILE` works with one canon; this repository has several",
        )
        .help("run canonry in the folder of one canon, or use the baseline.json of each canon"));
    }
    let mut all = CheckReport::default();
    for base in bases {
        let env = Environment { base: base.clone(), ..env.clone() };
        let is_nested = |other: &&RepoPath| *other != base && other.is_within(base);
        let nested: Vec<RepoPath> =
            bases.iter().filter(is_nested).filter_map(|other| other.below(base)).map(RepoPath::new).collect();
        let report = Workspace::open(&env, &request.basis)
            .and_then(|mut workspace| check_canon(&mut workspace, request, nested, progress));
        match report {
            Ok(report) => all.merge(report),
            Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
            Err(error) => all.notices.push(CheckNotice::CanonFailed(error)),
        }
    }
    Ok(all)
}

/// Checks one canon, without the folders in it that have `nested` canons.
fn check_canon(
    workspace: &mut Workspace,
    request: &CheckRequest,
    nested: Vec<RepoPath>,
    progress: &dyn Progress,
) -> Result<CheckReport, Error> {
    let exclusion = Exclusion::new(&workspace.config, &request.exclude, request.no_exclude)?.with_nested_canons(nested);
    if workspace.expects_canon() {
        return check_files(workspace, request, &exclusion, progress).map(|(report, _)| report);
    }
    // Another program's files in a folder of this name are of none of the kinds that a canon has.
    let without = workspace.layout.without_canon();
    let layout = std::mem::replace(&mut workspace.layout, without);
    let result = check_files(workspace, request, &exclusion, progress);
    workspace.layout = layout;
    let (mut report, scope) = result?;
    let is_alone = scope.is_whole_repository() && !exclusion.has_nested_canons();
    if is_alone && request.basis != Basis::Index && !workspace.view.is_plain_folder() {
        let nested = workspace.nested_canons_help();
        // Who uses only the linter need not know about canons.
        if nested.is_some() || workspace.view.kind(workspace.layout.root()) != PathKind::Nothing {
            report.notices.insert(0, CheckNotice::NoCanon { reason: workspace.absence(), nested });
        }
    }
    Ok(report)
}

fn check_files(
    workspace: &mut Workspace,
    request: &CheckRequest,
    exclusion: &Exclusion,
    progress: &dyn Progress,
) -> Result<(CheckReport, CheckScope), Error> {
    let selection = RuleSelection::new(request)?;
    let mut scope = CheckScope::select(workspace, &request.paths, &request.basis, exclusion)?;
    let mut notices = scope.notices(workspace);
    if request.write_baseline && request.baseline.is_none() && scope.canon.is_none() {
        return Err(Error::new(ErrorKind::Usage, "there is no canon to write the baseline to")
            .help("add `--baseline FILE`, or run `canonry init`"));
    }
    let baseline = if request.write_baseline { None } else { baseline::read(workspace, request.baseline.as_deref())? };
    let rules = selection.rules(&workspace.config);
    let options = CheckOptions { request, selection: &selection, rules: &rules, baseline: baseline.as_ref(), progress };
    let mut checked = check_scope(workspace, &options, &scope)?;
    let mut fixed = 0;
    if let Some(fix) = request.fix {
        let fixes = fix::collect(workspace, &options, &scope, &checked.findings, fix.applicability)?;
        if fix.dry_run {
            let preview = fixes.preview(workspace);
            let excluded = std::mem::take(&mut scope.excluded);
            let report = CheckReport { previews: vec![preview], notices, excluded, ..CheckReport::default() };
            return Ok((report, scope));
        }
        let applied = fixes.write(workspace)?;
        notices.extend(applied.notices(workspace));
        fixed = applied.count;
        if fixed > 0 {
            let paths: Vec<PathBuf> = request.paths.iter().map(|path| applied.current_path(workspace, path)).collect();
            scope = CheckScope::select(workspace, &paths, &request.basis, exclusion)?;
            checked = check_scope(workspace, &options, &scope)?;
        }
    }
    if request.write_baseline {
        let (baseline, path) = baseline::write(workspace, request.baseline.as_deref(), &checked.findings)?;
        notices.push(CheckNotice::BaselineWritten { findings: baseline.count(), path });
        scope = CheckScope::select(workspace, &request.paths, &request.basis, exclusion)?;
        checked = check_scope(workspace, &CheckOptions { baseline: Some(&baseline), ..options }, &scope)?;
    }
    let excluded = std::mem::take(&mut scope.excluded);
    let mut report = CheckReport { fixed, excluded, notices, ..checked };
    name_origins(workspace, &mut report.findings);
    Ok((report.below(workspace.view.base()), scope))
}

/// Says which findings are in files that come from elsewhere: they are to be corrected there, too.
fn name_origins(workspace: &Workspace, findings: &mut [Finding]) {
    if findings.is_empty() {
        return;
    }
    let origins = Origins::read(&workspace.view, &workspace.layout);
    if origins.is_empty() {
        return;
    }
    for finding in findings {
        let Some(origin) = origins.describe(&finding.location.path) else { continue };
        let note = format!("it comes from {origin}: report it there, or edit the copy, which updates keep");
        finding.help = Some(match finding.help.take() {
            Some(help) => format!("{help}; {note}"),
            None => note,
        });
    }
}

/// Settings that stay the same when a scope is checked again.
#[derive(Clone, Copy)]
struct CheckOptions<'a> {
    request: &'a CheckRequest,
    selection: &'a RuleSelection,
    rules: &'a RuleSet,
    baseline: Option<&'a Baseline>,
    progress: &'a dyn Progress,
}

fn check_scope(workspace: &Workspace, options: &CheckOptions<'_>, scope: &CheckScope) -> Result<CheckReport, Error> {
    let mut found = files::check(workspace, scope, options)?;
    found.findings.extend(repo_facts::check(workspace, scope, options.rules, &found.skills, found.subagents)?);
    if workspace.env.is_cancelled() {
        return Err(Error::new(ErrorKind::Interrupted, "interrupted; nothing was changed"));
    }
    fixable::retain_allowed(workspace, &mut found.findings);
    let policy = ReportPolicy {
        rules: options.rules,
        severity: &|finding| {
            if scope.exclusion.excludes_findings(&finding.location.path) {
                return Severity::Off;
            }
            let severity = workspace.severity(finding, options.request.profile);
            options.selection.severity(finding.rule, severity)
        },
        suppressions: found.suppressions.for_findings(&found.findings),
        baseline: options.baseline,
        coverage: if scope.canon.is_some() && options.request.basis != Basis::Index && !is_narrowed(options) {
            Coverage::Full
        } else {
            Coverage::Partial
        },
    };
    let report = resolve::report(found.findings, policy);
    let files = scope.files.skills.len() + scope.files.file_lists().iter().map(Vec::len).sum::<usize>();
    let skills = scope.files.skills.len() - scope.left_out_skills;
    Ok(CheckReport { files: files - scope.left_out, skills, ..report })
}

/// Whether options leave out findings that a run without them has.
fn is_narrowed(options: &CheckOptions<'_>) -> bool {
    options.selection.is_partial() || !options.request.exclude.is_empty()
}

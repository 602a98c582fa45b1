//! The findings that a team has put off: reading them, and putting off those of today.

use super::args::Args;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file;
use crate::canon::Blob;
use crate::canon::blob::BlobError;
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::cli::output::Out;
use crate::finding::{Baseline, Finding};
use crate::rules::{FAMILIES, ResolvedFindings};
use crate::syntax::RepoPath;
use std::path::PathBuf;

/// Bytes of a baseline that are read at most: a few hundred thousand findings.
const LIMIT: u64 = 64 << 20;

/// The baseline that is named, else the canon's own where there is one; none where all is to be judged anew.
///
/// # Errors
/// One that is named and not there, or one that cannot be used.
pub fn read(args: &Args, context: &Workspace) -> Result<Option<Baseline>, Error> {
    if args.write_baseline {
        return Ok(None);
    }
    let (shown, blob) = match &args.baseline {
        None => (
            context.view.full(&context.layout.baseline()).to_display(),
            context.view.read(&context.layout.baseline(), LIMIT),
        ),
        Some(given) => {
            let blob = match context.inside(given) {
                Ok(path) => context.view.read(&path, LIMIT),
                Err(_) => on_disk(context.env.cwd.join(given)),
            };
            (given.display().to_string(), blob)
        }
    };
    let unreadable = |reason: String| {
        let error = Error::new(ErrorKind::Unreadable, format!("{shown}: {reason}"));
        error.help("take one side of a conflict whole, or make it anew with `canonry check --write-baseline`")
    };
    match blob {
        Blob::Missing(BlobError::Absent) if args.baseline.is_none() => Ok(None),
        Blob::Missing(missing) => Err(unreadable(missing.to_string())),
        Blob::Bytes(bytes) => Baseline::parse(&bytes).map(Some).map_err(|error| unreadable(error.to_string())),
    }
}

fn on_disk(path: PathBuf) -> Blob {
    match standalone_file::read_path(&path) {
        Ok(standalone_file::PathContent::File { bytes, .. }) => Blob::Bytes(bytes),
        Ok(standalone_file::PathContent::Nothing) => Blob::Missing(BlobError::Absent),
        Ok(_) => Blob::Missing(BlobError::NotAFile),
        Err(e) => Blob::Missing(BlobError::Refused { reason: IoDiagnosis::from_message(e) }),
    }
}

/// Puts off all that was found, but for what a sync mends.
///
/// # Errors
/// The file system refused.
pub fn write(args: &Args, context: &Workspace, settled: &ResolvedFindings, out: &Out<'_>) -> Result<Baseline, Error> {
    let baseline = Baseline::from_findings(settled.findings.iter().filter(|finding| !is_drift(finding)));
    let (path, shown) = target(args, context)?;
    standalone_file::replace(&path, baseline.to_text().as_bytes(), standalone_file::Use::Text)?;
    out.remark(&format!("{} put off in {shown}.\n", crate::render::counted(baseline.len(), "finding")));
    Ok(baseline)
}

/// Where it is written. A link there leads who knows where.
fn target(args: &Args, context: &Workspace) -> Result<(PathBuf, String), Error> {
    let own: RepoPath = context.layout.baseline();
    let path = match &args.baseline {
        Some(given) => Some(context.env.cwd.join(given)),
        None => context.view.on_disk(&own),
    };
    let shown = args
        .baseline
        .as_ref()
        .map_or_else(|| context.view.full(&own).to_display(), |given| given.display().to_string());
    let refused = |reason: &str| Error::new(ErrorKind::Refused, format!("{shown}: {reason}; it is left as it is"));
    let Some(path) = path else { return Err(refused("this name cannot stand on this file system")) };
    match standalone_file::read_path(&path)? {
        standalone_file::PathContent::Nothing => Ok((path, shown)),
        standalone_file::PathContent::File { bytes, .. } if bytes.is_empty() || Baseline::parse(&bytes).is_ok() => {
            Ok((path, shown))
        }
        // A baseline that a merge has left conflicts in is made anew; anything else is someone's own.
        standalone_file::PathContent::File { .. } if args.baseline.is_none() => Ok((path, shown)),
        standalone_file::PathContent::File { .. } => Err(refused("it is no baseline")),
        _ => Err(refused("it is no file")),
    }
}

/// Drift is mended by the next sync, and put off by nobody.
fn is_drift(finding: &Finding) -> bool {
    let mirror = FAMILIES.iter().find(|(family, _)| *family == "mirror");
    mirror.is_some_and(|(_, rules)| rules.iter().any(|rule| rule.id == finding.rule))
}

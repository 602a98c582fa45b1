//! Reads and writes the baseline: the findings that a team has accepted for now.

use crate::{Error, ErrorKind, Workspace};
use canonry_lint::{Baseline, Finding};
use canonry_model::canon::Blob;
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_repo::apply::standalone_file;
use std::path::{Path, PathBuf};

/// Largest baseline in bytes: a few hundred thousand findings.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the given baseline or, if none is given, the canon's own.
///
/// # Errors
/// The given file does not exist, or the file is invalid.
pub(super) fn read(workspace: &Workspace, given: Option<&Path>) -> Result<Option<Baseline>, Error> {
    let own = workspace.layout.baseline();
    let blob = match given {
        None => workspace.view.read(&own, MAX_BYTES),
        Some(given) => match workspace.inside(given) {
            Ok(path) => workspace.view.read(&path, MAX_BYTES),
            Err(_) => read_outside(&workspace.env.cwd.join(given)),
        },
    };
    let unreadable = |reason: String| {
        let message = format!("{}: {reason}", shown_path(workspace, given));
        Error::new(ErrorKind::Unreadable, message).help(
            "if the file has a merge conflict, take one side; or recreate it with `canonry check --write-baseline`",
        )
    };
    match blob {
        Blob::Missing(BlobError::Absent) if given.is_none() => Ok(None),
        Blob::Missing(error) => Err(unreadable(error.to_string())),
        Blob::Bytes(bytes) => Baseline::parse(&bytes).map(Some).map_err(|error| unreadable(error.to_string())),
    }
}

/// A file outside the repository.
fn read_outside(path: &Path) -> Blob {
    match standalone_file::read_path(path) {
        Ok(standalone_file::PathContent::File { bytes, .. }) => Blob::Bytes(bytes),
        Ok(standalone_file::PathContent::Nothing) => Blob::Missing(BlobError::Absent),
        Ok(_) => Blob::Missing(BlobError::NotAFile),
        Err(e) => Blob::Missing(BlobError::Refused { reason: IoDiagnosis::from_message(e) }),
    }
}

/// Writes all findings except drift into the baseline. Returns it with its path for messages.
///
/// # Errors
/// Something that is no baseline is in its place, or the file cannot be written.
pub(super) fn write(
    workspace: &Workspace,
    given: Option<&Path>,
    findings: &[Finding],
) -> Result<(Baseline, String), Error> {
    let baseline = Baseline::from_findings(findings.iter().filter(|finding| !is_drift(finding)));
    let path = writable_path(workspace, given)?;
    standalone_file::replace(&path, baseline.to_text().as_bytes(), standalone_file::Use::Text)?;
    Ok((baseline, shown_path(workspace, given)))
}

/// Where the baseline is written. A link is refused, because its target may be any file.
fn writable_path(workspace: &Workspace, given: Option<&Path>) -> Result<PathBuf, Error> {
    let path = match given {
        Some(given) => Some(workspace.env.cwd.join(given)),
        None => workspace.view.on_disk(&workspace.layout.baseline()),
    };
    let refused = |reason: &str| {
        let message = format!("{}: {reason}; the file was not changed", shown_path(workspace, given));
        Error::new(ErrorKind::Refused, message)
    };
    let Some(path) = path else { return Err(refused("this file system cannot have such a name")) };
    match standalone_file::read_path(&path)? {
        standalone_file::PathContent::Nothing => Ok(path),
        standalone_file::PathContent::File { bytes, .. } if bytes.is_empty() || Baseline::parse(&bytes).is_ok() => {
            Ok(path)
        }
        // The canon's own baseline is replaced even if it is invalid, for example after a merge conflict.
        standalone_file::PathContent::File { .. } if given.is_none() => Ok(path),
        standalone_file::PathContent::File { .. } => Err(refused("not a baseline")),
        _ => Err(refused("not a file")),
    }
}

fn shown_path(workspace: &Workspace, given: Option<&Path>) -> String {
    match given {
        Some(given) => given.display().to_string(),
        None => workspace.view.full(&workspace.layout.baseline()).to_display(),
    }
}

/// The next sync removes drift, so nobody has to accept it.
fn is_drift(finding: &Finding) -> bool {
    finding.rule.family() == "mirror"
}

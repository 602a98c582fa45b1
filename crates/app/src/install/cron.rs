//! The crontab entry of a repository.

use super::{InstallFileChange, InstallOutcome, InstallStep, IntegrationDetails, canonry_path, repository};
use crate::install_text::crontab::{self, CrontabEntry, InvalidCrontabPath, TimeOfDay};
use crate::{Environment, Error, ErrorKind};
use canonry_repo::exec::{self, ExecError, ProcessOutput};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const LOG_FILE: &str = "dream.log";

fn outcome(top: &Path, logs: &Path, change: Option<InstallFileChange>) -> InstallOutcome {
    InstallOutcome {
        steps: change.map(InstallStep::File).into_iter().collect(),
        details: IntegrationDetails::Cron { repository: top.to_owned(), log: logs.join(LOG_FILE) },
        conflict: None,
    }
}

fn change(before: Vec<u8>, after: Vec<u8>) -> InstallFileChange {
    InstallFileChange { name: "crontab".to_owned(), before: Some(before), after: Some(after) }
}

/// The top of the work tree and the directory of the log file.
fn paths(environment: &Environment) -> Result<(PathBuf, PathBuf), Error> {
    let (repo, top) = repository(environment)?;
    let logs = canonry_repo::git::config::real(repo.git_dir())?.join("canonry");
    Ok((top, logs))
}

pub(super) fn install(environment: &Environment, at: TimeOfDay, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (top, logs) = paths(environment)?;
    let canonry = canonry_path(environment)?;
    let entry = CrontabEntry {
        at,
        top: top.as_os_str().as_bytes(),
        canonry: canonry.as_os_str().as_bytes(),
        logs: logs.as_os_str().as_bytes(),
    };
    let invalid = |error: InvalidCrontabPath| {
        Error::new(ErrorKind::Refused, error.to_string())
            .help("move the repository, or run `canonry install ci` to use GitHub Actions instead")
    };
    let lines = entry.lines().map_err(invalid)?;
    let before = read_crontab().map_err(|error| suggest_manual_entry(error, &lines))?;
    let after = crontab::insert_entry(&before, &entry).map_err(invalid)?;
    if before != after && !dry_run {
        write_crontab(&after)?;
    }
    Ok(outcome(&top, &logs, Some(change(before, after))))
}

pub(super) fn uninstall(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (top, logs) = paths(environment)?;
    let before = read_crontab()?;
    let after = crontab::remove_entry(&before, top.as_os_str().as_bytes());
    if before == after {
        return Ok(outcome(&top, &logs, None));
    }
    if !dry_run {
        write_crontab(&after)?;
    }
    Ok(outcome(&top, &logs, Some(change(before, after))))
}

/// Adds a remedy for systems without a usable `crontab`.
fn suggest_manual_entry(error: Error, lines: &[u8]) -> Error {
    match error.help {
        Some(_) => error,
        None => error.help(format!(
            "run `canonry install ci` to use GitHub Actions, or add this entry to your cron:\n{}",
            String::from_utf8_lossy(lines).trim_end()
        )),
    }
}

fn not_executed(error: &ExecError) -> Error {
    Error::new(ErrorKind::Unreadable, error.to_string())
}

/// Reads the user's crontab; a missing one is empty.
fn read_crontab() -> Result<Vec<u8>, Error> {
    let ProcessOutput { success, stdout, stderr } = exec::run("crontab", &["-l"], b"").map_err(|e| not_executed(&e))?;
    let is_missing =
        stderr.contains("no crontab") || (stderr.contains("can't open") && stderr.contains("No such file"));
    if success {
        Ok(stdout)
    } else if is_missing {
        Ok(Vec::new())
    } else {
        Err(Error::new(ErrorKind::Unreadable, format!("the crontab cannot be read: {stderr}")))
    }
}

/// Writes the user's crontab; removes an empty one.
fn write_crontab(crontab: &[u8]) -> Result<(), Error> {
    let args = if crontab.is_empty() { ["-r"] } else { ["-"] };
    let ProcessOutput { success, stderr, .. } = exec::run("crontab", &args, crontab).map_err(|e| not_executed(&e))?;
    if success {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Internal, format!("`crontab` rejected the new crontab and kept the old one: {stderr}")))
}

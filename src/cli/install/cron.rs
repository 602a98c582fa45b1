//! `canonry install cron`

use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::cli::install::shared::{Rehearsal, rehearse, repository};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::exec::{self, ExecError, ProcessOutput};
use crate::install::crontab::{self, At, Nightly};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The arguments of `canonry install cron` and of `canonry install systemd`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Time of day to run at, in local time
    #[arg(long, value_name = "HH:MM", default_value = "03:00", value_parser = At::parse)]
    pub at: At,
    #[command(flatten)]
    pub rehearsal: Rehearsal,
}

/// Puts the entry in, or brings it up to date.
///
/// # Errors
/// See [`Error`].
pub fn install(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (repo, top) = repository(env)?;
    let (canonry, logs) = (program()?, crate::git::hooks::real(repo.git_dir())?.join("canonry"));
    let nightly = Nightly {
        at: args.at,
        top: top.as_os_str().as_bytes(),
        canonry: canonry.as_os_str().as_bytes(),
        logs: logs.as_os_str().as_bytes(),
    };
    let unwritable = |error: crontab::Unwritable| {
        Error::new(ErrorKind::Refused, error.to_string())
            .help("move the repository, or run `canonry install ci` to have it done by GitHub Actions")
    };
    let lines = nightly.lines().map_err(unwritable)?;
    let was = read().map_err(|error| by_hand(error, &lines))?;
    let now = crontab::installed(&was, &nightly).map_err(unwritable)?;
    let top = top.display();
    if was == now {
        out.result(&format!("unchanged crontab: the entry of {top} stands in it\n"));
        return Ok(Status::Done);
    }
    if args.rehearsal.dry_run {
        return Ok(rehearse("crontab", Some(&was), Some(&now), out));
    }
    write(&now)?;
    out.result(&format!(
        "wrote     crontab: the entry of {top}; all else in it is as it was\n\
         Every night `canonry dream` runs and commits; what it says goes to {}.\n\
         To take it back: `canonry uninstall cron`.\n",
        logs.join("dream.log").display()
    ));
    Ok(Status::Done)
}

/// Takes the entry out.
///
/// # Errors
/// See [`Error`].
pub fn uninstall(rehearsal: Rehearsal, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (_, top) = repository(env)?;
    let was = read()?;
    let now = crontab::uninstalled(&was, top.as_os_str().as_bytes());
    if was == now {
        out.result(&format!("Nothing to take out: the crontab has no entry of {}.\n", top.display()));
        return Ok(Status::Done);
    }
    if rehearsal.dry_run {
        return Ok(rehearse("crontab", Some(&was), Some(&now), out));
    }
    write(&now)?;
    out.result(&format!("wrote     crontab: the entry of {} is out, all else is as it was\n", top.display()));
    Ok(Status::Done)
}

/// This program's path, by the name on PATH where that leads here: a package manager's new version keeps that name.
pub(super) fn program() -> Result<PathBuf, Error> {
    let own = std::env::current_exe()
        .map_err(|e| Error::new(ErrorKind::Internal, format!("canonry cannot tell where it is installed: {e}")))?;
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&folders).map(|folder| folder.join("canonry"));
    let same = |path: &PathBuf| path.is_absolute() && real(path).is_some_and(|path| Some(path) == real(&own));
    Ok(named.into_iter().find(same).unwrap_or(own))
}

/// What there is to say where no crontab can be had.
fn by_hand(error: Error, lines: &[u8]) -> Error {
    match error.help {
        Some(_) => error,
        None => error.help(format!(
            "`canonry install ci` has it done by GitHub Actions; for a cron of another kind, the entry is:\n{}",
            String::from_utf8_lossy(lines).trim_end()
        )),
    }
}

fn unreadable(error: &ExecError) -> Error {
    Error::new(ErrorKind::Unreadable, error.to_string())
}

/// The user's crontab; one that does not exist is empty.
fn read() -> Result<Vec<u8>, Error> {
    let ProcessOutput { success, stdout, stderr } = exec::run("crontab", &["-l"], b"").map_err(|e| unreadable(&e))?;
    let none = stderr.contains("no crontab") || (stderr.contains("can't open") && stderr.contains("No such file"));
    match success {
        true => Ok(stdout),
        false if none => Ok(Vec::new()),
        false => Err(Error::new(ErrorKind::Unreadable, format!("the crontab cannot be read: {stderr}"))),
    }
}

/// An empty crontab is none: so it was before.
fn write(crontab: &[u8]) -> Result<(), Error> {
    let args = if crontab.is_empty() { ["-r"] } else { ["-"] };
    let ProcessOutput { success, stderr, .. } = exec::run("crontab", &args, crontab).map_err(|e| unreadable(&e))?;
    if success {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Internal, format!("`crontab` took no new crontab, and the old one stays: {stderr}")))
}

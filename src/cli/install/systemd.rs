//! `canonry install systemd`

pub use super::cron::Args;
use super::cron::program;
use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::{self, Use};
use crate::cli::install::shared::{Rehearsal, file_or_nothing, rehearse, repository};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::exec::{self, ExecError};
use crate::install::systemd::{self, Nightly, Owner};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A unit's file.
struct Unit {
    path: PathBuf,
    name: String,
    was: Option<Vec<u8>>,
}

impl Unit {
    fn find(folder: &Path, name: String) -> Result<Self, Error> {
        let path = folder.join(&name);
        let was = file_or_nothing(&path.display().to_string(), standalone_file::look(&path)?)?;
        Ok(Self { path, name, was })
    }

    /// As we wrote it, or not there.
    fn require_ours(&self) -> Result<(), Error> {
        let why = match self.was.as_deref().map(systemd::owner) {
            None | Some(Owner::Canonry) => return Ok(()),
            Some(Owner::Changed) => "was changed since canonry wrote it",
            Some(Owner::Other) => "is not canonry's",
        };
        Err(Error::new(ErrorKind::Refused, format!("{} {why}, and is left as it is", self.path.display()))
            .help("move it away, or do by hand what you want of `canonry install systemd --dry-run`"))
    }
}

/// The service and the timer of the repository around.
fn units(env: &Environment) -> Result<(PathBuf, [Unit; 2]), Error> {
    let (_, top) = repository(env)?;
    let base = env.user_config.as_deref().and_then(|file| file.parent()?.parent());
    let folder = base.map(|base| base.join("systemd/user")).ok_or_else(|| {
        Error::new(ErrorKind::Unreadable, "neither HOME nor XDG_CONFIG_HOME is set: there is no place for a unit")
    })?;
    let name = systemd::name(top.as_os_str().as_bytes());
    let unit = |kind: &str| Unit::find(&folder, format!("{name}.{kind}"));
    Ok((top, [unit("service")?, unit("timer")?]))
}

/// Writes the units, or brings them up to date, and has systemd start the timer.
///
/// # Errors
/// See [`Error`].
pub fn install(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (top, found) = units(env)?;
    let canonry = program()?;
    let nightly = Nightly { at: args.at, top: top.as_os_str().as_bytes(), canonry: canonry.as_os_str().as_bytes() };
    let fresh = nightly.units().map_err(|error| {
        Error::new(ErrorKind::Refused, error.to_string())
            .help("move the repository, or run `canonry install ci` to have it done by GitHub Actions")
    })?;
    if !args.rehearsal.dry_run {
        found.iter().try_for_each(Unit::require_ours)?;
    }
    let mut changed = false;
    for (unit, now) in found.iter().zip([&fresh.service, &fresh.timer]) {
        let shown = unit.path.display().to_string();
        match () {
            () if unit.was.as_deref() == Some(now.as_bytes()) => out.result(&format!("unchanged {shown}\n")),
            () if args.rehearsal.dry_run => {
                rehearse(&shown, unit.was.as_deref(), Some(now.as_bytes()), out);
            }
            () => {
                standalone_file::replace(&unit.path, now.as_bytes(), Use::Text)?;
                out.result(&format!("wrote     {shown}\n"));
                changed = true;
            }
        }
    }
    if args.rehearsal.dry_run || !changed {
        return Ok(Status::Done);
    }
    let timer = &found[1].name;
    out.result("Every night `canonry dream` runs and commits. To take it back: `canonry uninstall systemd`.\n");
    tell(&[&["daemon-reload"], &["enable", "--now", timer]], out);
    Ok(Status::Done)
}

/// Stops the timer and removes the units.
///
/// # Errors
/// See [`Error`].
pub fn uninstall(rehearsal: Rehearsal, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (top, found) = units(env)?;
    if found.iter().all(|unit| unit.was.is_none()) {
        out.result(&format!("Nothing to take out: there is no unit for {}.\n", top.display()));
        return Ok(Status::Done);
    }
    found.iter().try_for_each(Unit::require_ours)?;
    let there = || found.iter().filter(|unit| unit.was.is_some());
    if rehearsal.dry_run {
        there().for_each(|unit| {
            rehearse(&unit.path.display().to_string(), unit.was.as_deref(), None, out);
        });
        return Ok(Status::Done);
    }
    tell(&[&["disable", "--now", &found[1].name]], out);
    for unit in there() {
        standalone_file::remove(&unit.path)?;
        out.result(&format!("removed   {}\n", unit.path.display()));
    }
    tell(&[&["daemon-reload"]], out);
    Ok(Status::Done)
}

/// Has systemd do it; where that cannot be, says what a person can run.
fn tell(commands: &[&[&str]], out: &Out<'_>) {
    for command in commands {
        let args = [&["--user"], *command].concat();
        let line = format!("systemctl {}", args.join(" "));
        match exec::run("systemctl", &args, b"") {
            Ok(ended) if ended.success => out.result(&format!("ran       {line}\n")),
            Ok(ended) => out.remark(&format!("`{line}` failed: {}; run it yourself\n", ended.stderr)),
            Err(ExecError::NotFound { .. }) => {
                out.remark(&format!("There is no `systemctl` here; where systemd runs: {line}\n"));
            }
            Err(error) => out.remark(&format!("`{line}` could not be run: {error}\n")),
        }
    }
}

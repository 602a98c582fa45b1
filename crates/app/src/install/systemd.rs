//! The systemd user timer of a repository.

use super::{
    CommandRun, InstallCommandResult, InstallFileChange, InstallOutcome, InstallStep, IntegrationDetails, canonry_path,
    content_of_file, repository,
};
use crate::install_text::crontab::TimeOfDay;
use crate::install_text::generated::GeneratedState;
use crate::install_text::systemd::{self, NightlyTimer};
use crate::{Environment, Error, ErrorKind};
use canonry_repo::apply::standalone_file::{self, Use};
use canonry_repo::exec::{self, ExecError};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A unit file.
struct UnitFile {
    path: PathBuf,
    name: String,
    before: Option<Vec<u8>>,
}

impl UnitFile {
    fn find(directory: &Path, name: String) -> Result<Self, Error> {
        let path = directory.join(&name);
        let before = content_of_file(&path.display().to_string(), standalone_file::read_path(&path)?)?;
        Ok(Self { path, name, before })
    }

    /// Refuses a file that canonry did not write, or that was edited since.
    fn require_owned(&self) -> Result<(), Error> {
        let reason = match self.before.as_deref().map(systemd::unit_state) {
            None | Some(GeneratedState::Owned) => return Ok(()),
            Some(GeneratedState::Edited) => "it was edited since canonry wrote it",
            Some(GeneratedState::Foreign) => "canonry did not write it",
        };
        Err(Error::new(ErrorKind::Refused, format!("{} is unchanged: {reason}", self.path.display()))
            .help("rename the file, or apply the output of `canonry install systemd --dry-run` by hand"))
    }

    fn change(&self, after: Option<&str>) -> InstallFileChange {
        let after = after.map(|text| text.as_bytes().to_vec());
        InstallFileChange { name: self.path.display().to_string(), before: self.before.clone(), after }
    }
}

/// The top of the work tree, and its service and timer.
fn units(environment: &Environment) -> Result<(PathBuf, [UnitFile; 2]), Error> {
    let (_, top) = repository(environment)?;
    let config_home = environment.user_config.as_deref().and_then(|file| file.parent()?.parent());
    let directory = config_home.map(|base| base.join("systemd/user")).ok_or_else(|| {
        Error::new(
            ErrorKind::Unreadable,
            "the directory for systemd units is unknown: HOME and XDG_CONFIG_HOME are not set",
        )
    })?;
    let name = systemd::name(top.as_os_str().as_bytes());
    let unit = |extension: &str| UnitFile::find(&directory, format!("{name}.{extension}"));
    Ok((top, [unit("service")?, unit("timer")?]))
}

fn outcome(top: PathBuf, steps: Vec<InstallStep>) -> InstallOutcome {
    InstallOutcome { steps, details: IntegrationDetails::Systemd { repository: top }, conflict: None }
}

pub(super) fn install(environment: &Environment, at: TimeOfDay, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (top, units) = units(environment)?;
    let canonry = canonry_path(environment)?;
    let timer = NightlyTimer { at, top: top.as_os_str().as_bytes(), canonry: canonry.as_os_str().as_bytes() };
    let files = timer.unit_files().map_err(|error| {
        Error::new(ErrorKind::Refused, error.to_string())
            .help("move the repository, or run `canonry install ci` to use GitHub Actions instead")
    })?;
    if !dry_run {
        units.iter().try_for_each(UnitFile::require_owned)?;
    }
    let mut steps = Vec::new();
    let mut is_changed = false;
    for (unit, text) in units.iter().zip([&files.service, &files.timer]) {
        let change = unit.change(Some(text));
        if !dry_run && !change.is_unchanged() {
            change.write(&unit.path, Use::Text)?;
            is_changed = true;
        }
        steps.push(InstallStep::File(change));
    }
    if is_changed {
        steps.push(systemctl(&["daemon-reload"]));
        steps.push(systemctl(&["enable", "--now", &units[1].name]));
    }
    Ok(outcome(top, steps))
}

pub(super) fn uninstall(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (top, units) = units(environment)?;
    let existing: Vec<&UnitFile> = units.iter().filter(|unit| unit.before.is_some()).collect();
    if existing.is_empty() {
        return Ok(outcome(top, Vec::new()));
    }
    units.iter().try_for_each(UnitFile::require_owned)?;
    let removals = existing.iter().map(|unit| (unit, unit.change(None)));
    if dry_run {
        let steps = removals.map(|(_, change)| InstallStep::File(change)).collect();
        return Ok(outcome(top, steps));
    }
    let mut steps = vec![systemctl(&["disable", "--now", &units[1].name])];
    for (unit, change) in removals {
        change.write(&unit.path, Use::Text)?;
        steps.push(InstallStep::File(change));
    }
    steps.push(systemctl(&["daemon-reload"]));
    Ok(outcome(top, steps))
}

/// Runs `systemctl --user`. A failure does not undo the installation: the user can run the command later.
fn systemctl(command: &[&str]) -> InstallStep {
    let args = [&["--user"], command].concat();
    let line = format!("systemctl {}", args.join(" "));
    let result = match exec::run("systemctl", &args, b"") {
        Ok(ended) if ended.success => InstallCommandResult::Succeeded,
        Ok(ended) => InstallCommandResult::Failed(ended.stderr),
        Err(ExecError::NotFound { .. }) => InstallCommandResult::NotInstalled,
        Err(error) => InstallCommandResult::NotStarted(error.to_string()),
    };
    InstallStep::Command(CommandRun { line, result })
}

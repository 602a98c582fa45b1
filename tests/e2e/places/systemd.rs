//! `canonry install systemd`, with a systemctl that records its arguments.

use crate::places::tools::{expect, path_with, program, text};
use crate::support::repo::{Ran, Repo};
use std::path::PathBuf;

const SYSTEMCTL: &str = "#!/bin/sh\necho \"$*\" >> \"$HOME/calls\"\n";
const INSTALL: [&str; 2] = ["install", "systemd"];
const UNINSTALL: [&str; 2] = ["uninstall", "systemd"];

struct Systemd {
    repo: Repo,
}

impl Systemd {
    fn new(systemctl: &str) -> Self {
        let repo = Repo::with_synced_skill();
        program(&repo.tmp().join("bin/systemctl"), systemctl);
        Self { repo }
    }

    fn home(&self) -> PathBuf {
        self.repo.tmp().with_file_name("home")
    }

    fn folder(&self) -> PathBuf {
        self.repo.tmp().join("config")
    }

    fn run(&self, args: &[&str]) -> Ran {
        let path = path_with(&[&self.repo.tmp().join("bin")]);
        let mut command = self.repo.canonry_command();
        command.args(args).env("PATH", path).env("XDG_CONFIG_HOME", self.folder());
        command.output().unwrap().into()
    }

    /// The service and the timer.
    fn units(&self) -> Vec<PathBuf> {
        let folder = self.folder().join("systemd/user");
        let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    }
}

#[test]
fn installs_and_uninstalls() {
    let systemd = Systemd::new(SYSTEMCTL);
    expect(&systemd.run(&["install", "systemd", "--dry-run"]), 0, &["+OnCalendar=*-*-* 03:00:00", "+ExecStart="]);
    assert_eq!(systemd.units(), Vec::<PathBuf>::new());
    expect(
        &systemd.run(&INSTALL),
        0,
        &["wrote", "canonry uninstall systemd", "ran       systemctl --user enable --now"],
    );
    let units = systemd.units();
    let names: Vec<String> = units.iter().map(|unit| unit.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert!(names[0].starts_with("canonry-dream-") && names[0].ends_with(".service"), "{names:?}");
    assert_eq!(names[1], names[0].replace(".service", ".timer"));
    let top = std::fs::canonicalize(&systemd.repo.root).unwrap();
    let service = text(&units[0]);
    assert!(service.contains(&format!("\nWorkingDirectory={}\n", top.display())), "{service}");
    let canonry = assert_cmd::cargo::cargo_bin!("canonry").canonicalize().unwrap();
    assert!(service.contains(&format!("\nExecStart=\"{}\" dream\n", canonry.display())), "{service}");
    expect(&systemd.run(&INSTALL), 0, &["unchanged"]);
    expect(&systemd.run(&["install", "systemd", "--at", "23:45"]), 0, &["wrote"]);
    assert!(text(&units[1]).contains("OnCalendar=*-*-* 23:45:00"));
    let other = systemd.folder().join("systemd/user/mine.timer");
    std::fs::write(&other, "[Timer]\n").unwrap();
    expect(&systemd.run(&["uninstall", "systemd", "--dry-run"]), 0, &["-OnCalendar"]);
    expect(&systemd.run(&UNINSTALL), 0, &["removed", ".service", ".timer"]);
    assert_eq!(systemd.units(), [other]);
    expect(&systemd.run(&UNINSTALL), 0, &["Nothing to remove"]);
    let reload = "--user daemon-reload\n";
    let enable = format!("--user enable --now {}\n", names[1]);
    let disable = enable.replace("enable", "disable");
    assert_eq!(text(&systemd.home().join("calls")), [reload, &enable, reload, &enable, &disable, reload].concat());
}

#[test]
fn keeps_foreign_and_edited_units() {
    let systemd = Systemd::new(SYSTEMCTL);
    systemd.run(&INSTALL);
    let units = systemd.units();
    let ours = text(&units[1]);
    let changed = text(&units[1]).replace("03:00", "12:00");
    for (theirs, why) in [(changed.as_str(), "was edited"), ("[Timer]\n", "did not write it")] {
        std::fs::write(&units[1], theirs).unwrap();
        for args in [INSTALL, UNINSTALL] {
            expect(&systemd.run(&args), 5, &[why, ".timer"]);
            assert_eq!(text(&units[1]), theirs);
            assert!(units[0].exists());
        }
    }
    std::fs::write(&units[1], ours).unwrap();
    expect(&systemd.run(&UNINSTALL), 0, &["removed"]);
}

#[test]
fn without_systemctl_prints_the_commands() {
    let systemd = Systemd::new(SYSTEMCTL);
    std::fs::remove_file(systemd.repo.tmp().join("bin/systemctl")).unwrap();
    let run = |args: &[&str]| -> Ran {
        let mut command = systemd.repo.canonry_command();
        command.args(args).env("XDG_CONFIG_HOME", systemd.folder()).env("PATH", systemd.repo.tmp().join("bin"));
        command.output().unwrap().into()
    };
    expect(&run(&INSTALL), 0, &["`systemctl` is not installed", "systemctl --user enable --now canonry-dream-"]);
    assert_eq!(systemd.units().len(), 2);
    expect(&run(&UNINSTALL), 0, &["removed"]);
    let failing = Systemd::new("#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n");
    expect(&failing.run(&INSTALL), 0, &["Failed to connect to bus", "run it yourself"]);
    assert_eq!(failing.units().len(), 2);
}

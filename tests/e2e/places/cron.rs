//! `canonry install cron`, with a crontab program that keeps its table in a file.

use crate::places::tools::{expect, path_with, program, text};
use crate::support::repo::{Ran, Repo};
use std::path::PathBuf;

/// Behaves like Vixie cron: `-l` fails if there is no crontab, `-` reads one from stdin, `-r` removes it.
const CRONTAB: &str = "#!/bin/sh
case $1 in
-l) [ -e \"$HOME/table\" ] || { echo 'no crontab for u' >&2; exit 1; }; cat \"$HOME/table\" ;;
-r) rm \"$HOME/table\" ;;
-) cat > \"$HOME/table\" ;;
*) exit 2 ;;
esac
";

struct Cron {
    repo: Repo,
}

impl Cron {
    fn new(crontab: &str) -> Self {
        let repo = Repo::with_synced_skill();
        program(&repo.tmp().join("bin/crontab"), crontab);
        Self { repo }
    }

    fn table(&self) -> PathBuf {
        self.repo.tmp().with_file_name("home").join("table")
    }

    fn run(&self, args: &[&str]) -> Ran {
        let path = path_with(&[&self.repo.tmp().join("bin")]);
        self.repo.canonry_command().args(args).env("PATH", path).output().unwrap().into()
    }
}

const INSTALL: [&str; 2] = ["install", "cron"];
const UNINSTALL: [&str; 2] = ["uninstall", "cron"];

#[test]
fn installs_and_uninstalls() {
    let cron = Cron::new(CRONTAB);
    expect(&cron.run(&["install", "cron", "--dry-run"]), 0, &["+++ b/crontab", "+0 3 * * * cd '"]);
    assert!(!cron.table().exists());
    expect(&cron.run(&INSTALL), 0, &["wrote     crontab", "dream.log", "canonry uninstall cron"]);
    let made = text(&cron.table());
    let top = std::fs::canonicalize(&cron.repo.root).unwrap();
    assert!(made.starts_with(&format!("# canonry: {}\n0 3 * * * cd '{0}' && ", top.display())), "{made}");
    expect(&cron.run(&INSTALL), 0, &["unchanged"]);
    expect(&cron.run(&["install", "cron", "--at", "23:45"]), 0, &["wrote"]);
    assert_eq!(text(&cron.table()), made.replace("\n0 3 ", "\n45 23 "));
    expect(&cron.run(&["uninstall", "cron", "--dry-run"]), 0, &["-45 23 * * *"]);
    expect(&cron.run(&UNINSTALL), 0, &["the entry of"]);
    assert!(!cron.table().exists(), "there was no crontab before");
    expect(&cron.run(&UNINSTALL), 0, &["Nothing to remove"]);
}

#[test]
fn keeps_other_lines() {
    let cron = Cron::new(CRONTAB);
    let others = "MAILTO=\"\"\n\n# mine\n*/5 * * * *\tdate +\\%s >>'a b'\n\u{e9}\n";
    std::fs::write(cron.table(), others).unwrap();
    expect(&cron.run(&INSTALL), 0, &[]);
    assert!(text(&cron.table()).starts_with(others));
    expect(&cron.run(&UNINSTALL), 0, &[]);
    assert_eq!(text(&cron.table()), others);
}

/// A shell can run the installed line, even with unusual paths.
#[test]
fn installed_line_runs() {
    let cron = Cron::new(CRONTAB);
    let odd = cron.repo.tmp().join("it's 100% \"odd\" $HOME");
    cron.repo.git(&["init", "-q", odd.to_str().unwrap()]);
    // Replaces canonry, because this test is not about `dream`.
    let fake = odd.join("canonry");
    program(&fake, "#!/bin/sh\necho \"$1 in $PWD\"\n");
    expect(&cron.run(&["-C", odd.to_str().unwrap(), "install", "cron"]), 0, &[]);
    let table = text(&cron.table());
    let line = table.lines().nth(1).unwrap().strip_prefix("0 3 * * * ").unwrap();
    // As cron passes it to the shell.
    assert!(!line.replace("\\%", "").contains('%'), "{line}");
    let canonry = assert_cmd::cargo::cargo_bin!("canonry").canonicalize().unwrap();
    assert!(line.contains(canonry.to_str().unwrap()), "{line}");
    let line = line.replace("\\%", "%").replace(&format!("'{}'", canonry.display()), "./canonry");
    for _ in 0..2 {
        expect(&cron.repo.command("sh").args(["-c", &line]).output().unwrap().into(), 0, &[]);
    }
    let real = std::fs::canonicalize(&odd).unwrap();
    assert_eq!(text(&odd.join(".git/canonry/dream.log")), format!("dream in {}\n", real.display()).repeat(2));
    expect(&cron.run(&["-C", odd.to_str().unwrap(), "uninstall", "cron"]), 0, &[]);
    assert!(!cron.table().exists());
}

/// A package manager keeps the name on PATH and changes its target.
#[test]
fn uses_the_name_on_path() {
    let cron = Cron::new(CRONTAB);
    let link = cron.repo.tmp().join("bin/canonry");
    std::os::unix::fs::symlink(assert_cmd::cargo::cargo_bin!("canonry"), &link).unwrap();
    expect(&cron.run(&INSTALL), 0, &[]);
    assert!(text(&cron.table()).contains(&format!("'{}' dream", link.display())), "{}", text(&cron.table()));
}

#[test]
fn without_crontab_prints_the_entry() {
    let cron = Cron::new(CRONTAB);
    let empty = cron.repo.tmp().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let run = |args: &[&str]| cron.repo.canonry_command().args(args).env("PATH", &empty).output().unwrap().into();
    expect(&run(&INSTALL), 65, &["`crontab` not found", "0 3 * * * cd '", "canonry install ci"]);
    expect(&run(&UNINSTALL), 65, &["`crontab` not found"]);
}

#[test]
fn reports_a_failing_crontab() {
    let cron = Cron::new("#!/bin/sh\necho 'you (u) are not allowed to use this program' >&2\nexit 1\n");
    expect(&cron.run(&INSTALL), 65, &["cannot be read", "not allowed", "canonry install ci"]);
    let cron = Cron::new("#!/bin/sh\n[ \"$1\" = -l ] && exit 0\necho 'errors in crontab file' >&2\nexit 1\n");
    expect(&cron.run(&INSTALL), 70, &["kept the old one", "errors in crontab file"]);
}

#[test]
fn rejects_invalid_times() {
    let cron = Cron::new(CRONTAB);
    for at in ["24:00", "3", "noon"] {
        expect(&cron.run(&["install", "cron", "--at", at]), 64, &["HH:MM"]);
    }
    assert!(!cron.table().exists());
}

/// cron would interpret the backslash or the line end.
#[test]
fn refuses_an_invalid_path() {
    let cron = Cron::new(CRONTAB);
    let odd = cron.repo.tmp().join("back\\slash");
    cron.repo.git(&["init", "-q", odd.to_str().unwrap()]);
    expect(&cron.run(&["-C", odd.to_str().unwrap(), "install", "cron"]), 5, &["back\\slash", "canonry install ci"]);
}

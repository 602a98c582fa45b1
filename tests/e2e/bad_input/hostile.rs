//! Malicious or extreme repositories: very many files, deep nesting, very long texts, unusual names. Each run ends
//! with a finding that names the path, and still reports other findings.

use crate::support::repo::{Ran, Repo, document};
use crate::support::unprivileged::run_unprivileged;
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const BAD: &str = "agent/skills/bad/SKILL.md";

/// Asserts that check reports these words, and still checks the other skill.
fn assert_checked(repo: &Repo, words: &[&str]) -> Ran {
    let ran = repo.check(&[]);
    assert!(!ran.stderr.contains("internal error") && !ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran.expect(1).says(words)
}

fn with_bad(text: impl AsRef<[u8]>) -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(BAD, text);
    repo
}

#[test]
fn a_skill_with_two_thousand_files_is_checked() {
    skill_with_files(2);
}

#[test]
#[ignore = "slow: run by .ci/nightly"]
fn nightly_a_skill_with_a_hundred_thousand_files_is_checked() {
    skill_with_files(100);
}

fn skill_with_files(thousands: usize) {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(BAD, format!("{}\nSee [what is not there](assets/none.txt).\n", document("bad")));
    for folder in 0..thousands {
        let folder = repo.path(&format!("agent/skills/bad/assets/{folder}"));
        std::fs::create_dir_all(&folder).unwrap();
        for file in 0..1000 {
            // Some files need a content check for text, most are recognised by their name.
            let ending = if file < 100 { "bin" } else { "png" };
            std::fs::write(folder.join(format!("{file}.{ending}")), "").unwrap();
        }
    }
    let ran = repo.check(&[]).expect(0).says(&["broken-link", "assets/none.txt"]);
    assert!(ran.stdout.contains("2 skills"), "{}", ran.stdout);
}

#[test]
fn folders_three_thousand_levels_deep_are_reported() {
    let repo = Repo::with_skills(&["alpha"]);
    let top = repo.path("agent/skills/alpha/deep");
    std::fs::create_dir(&top).unwrap();
    let open = |folder: &dyn std::os::fd::AsFd, name: &Path| {
        openat(folder, name, OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty()).unwrap()
    };
    let mut here = open(&CWD, &top);
    for _ in 0..3_000 {
        mkdirat(&here, "d", Mode::RWXU).unwrap();
        here = open(&here, Path::new("d"));
    }
    let ran = assert_checked(&repo, &["file-unreadable", "agent/skills/alpha/deep/d/d", "shorten the path"]);
    // The library that removes the temporary folder opens one folder per level.
    assert!(repo.command("rm").arg("-rf").arg(&top).status().unwrap().success());
    assert!(ran.stdout.contains("1 error"), "{}", &ran.stdout[ran.stdout.len().saturating_sub(500)..]);
}

#[test]
fn yaml_ten_thousand_levels_deep_is_reported() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000));
    let blocks: String = (0..2_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    for value in [deep("[", "]"), deep("{a: ", "}"), deep("[", ""), format!("\n{blocks}"), "- ".repeat(10_000)] {
        let repo = with_bad(format!("---\nname: bad\ndescription: Does it. Use when.\nmetadata: {value}\n---\n"));
        repo.write("agent/plans/deep/plan.yaml", format!("steps: {value}\n"));
        repo.write("agent/reports/deep/a.1.json", deep("[", "]"));
        assert_checked(&repo, &[BAD, "agent/plans/deep/plan.yaml", "agent/reports/deep/a.1.json"]);
        repo.sync(&[]);
        repo.assert_mirrored(&["alpha"]);
    }
}

#[test]
fn markdown_ten_thousand_levels_deep_is_checked() {
    let texts = ["> ", "- ", ">", "[", "*a _b ", "![", "<div>", "# "].map(|part| part.repeat(10_000));
    for text in texts {
        let broken = "\n\nSee [it](references/none.md).\n";
        let repo = with_bad(format!("{}\n{text}{broken}", document("bad")));
        repo.write("agent/skills/bad/references/more.md", &text);
        repo.check(&[]).expect(0).says(&["broken-link", "references/none.md"]);
    }
}

#[test]
fn a_document_of_fifty_megabytes_is_reported() {
    let repo = with_bad("");
    std::fs::File::options().write(true).open(repo.path(BAD)).unwrap().set_len(50 << 20).unwrap();
    assert_checked(&repo, &["file-unreadable", BAD, "52428800 bytes", "shorten it"]);
}

#[test]
fn a_document_of_nul_bytes_is_reported() {
    let repo = with_bad(vec![0; 1 << 20]);
    let ran = assert_checked(&repo, &["frontmatter-missing", BAD, "does not start with frontmatter"]);
    assert!(!ran.stdout.contains('\0') && ran.stdout.len() < 10_000, "{} bytes", ran.stdout.len());
}

#[test]
fn a_document_with_one_long_line_is_checked() {
    let repo = with_bad(format!("{}\n{}[it](references/none.md)\n", document("bad"), "word ".repeat(400_000)));
    let ran = repo.check(&[]).says(&["broken-link"]);
    assert!(ran.stdout.len() < 3 << 20, "{} bytes", ran.stdout.len());
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_utf8_are_reported() {
    let repo = Repo::with_skills(&["alpha"]);
    let odd = |path: &str| repo.path(path).join(OsStr::from_bytes(b"caf\xe9"));
    let folder = odd("agent/skills");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("SKILL.md"), document("cafe")).unwrap();
    std::fs::write(odd("agent/skills/alpha"), "x\n").unwrap();
    assert_checked(&repo, &["agent/skills/caf\u{fffd}", "name-directory-mismatch"]);
    repo.check(&["--format", "json"]).expect(1).says(&["agent/skills/caf\u{fffd}/SKILL.md"]);
    repo.check(&["--format", "sarif"]).expect(1).says(&["agent/skills/caf%E9/SKILL.md"]);
}

#[test]
fn a_byte_order_mark_and_crlf_are_reported_or_accepted() {
    let repo = with_bad(format!("\u{feff}{}", document("bad").replace('\n', "\r\n")));
    let ran = repo.check(&[]).expect(0).says(&["frontmatter-missing", BAD]);
    assert!(ran.stdout.contains("1 warning"), "{}", ran.stdout);
}

#[test]
fn a_document_without_read_permission_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let repo = with_bad(document("bad"));
    std::fs::set_permissions(repo.path(BAD), std::fs::Permissions::from_mode(0o000)).unwrap();
    run_unprivileged(&repo, &["check"]).expect(1).says(&["file-unreadable", BAD, "Permission denied", "chmod"]);
}

/// The path in the canon has the maximum length, so the path in a mirror exceeds it.
#[test]
#[cfg(target_os = "linux")]
fn a_mirror_path_above_the_maximum_length_is_reported() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["antigravity"]);
    let room = 4095 - repo.path("agent/skills/alpha/").as_os_str().len();
    let mut below = String::new();
    while room - below.len() > 200 {
        below.push_str(&"a".repeat(99));
        below.push('/');
    }
    below.push_str(&"b".repeat(room - below.len() - 2));
    let path = format!("agent/skills/alpha/{below}");
    repo.write(&path, "x\n");
    repo.sync(&[]).expect(70).says(&["too long", "help: shorten the path"]);
}

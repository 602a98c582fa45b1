//! Applies the fixes of each rule to its fixtures `fix-safe-*`, `fix-unsafe-*` and `fix-none-*`. Each has a `before`
//! and an `after` tree.

use crate::tests::files::Files;
use canonry_lint::Finding;
use canonry_lint::{self as rules, Profile};
use canonry_model::finding::{Applicability, Fix, apply_fixes};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn folders(of: &Path) -> Vec<PathBuf> {
    let Ok(read) = std::fs::read_dir(of) else { return Vec::new() };
    let mut found: Vec<PathBuf> = read.map(|e| e.unwrap().path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// Every fixture of every rule: rule id, name, folder.
fn fixtures() -> Vec<(String, String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let of_rule =
        |rule: PathBuf| folders(&rule).into_iter().map(move |f| (name(&rule), name(&f), f)).collect::<Vec<_>>();
    folders(&root).into_iter().flat_map(of_rule).collect()
}

/// The profile of a fixture: `fix-safe-spec-*` has findings only under the profile `spec`.
fn profile(fixture: &str) -> Profile {
    if fixture.starts_with("fix-") && fixture.split('-').nth(2) == Some("spec") { Profile::Spec } else { Profile::Team }
}

/// Applies the wanted fixes once and returns their number.
fn round(files: &mut Files, findings: &[Finding], wanted: impl Fn(&Finding, &Fix) -> bool) -> usize {
    let mut by_path: BTreeMap<RepoPath, Vec<&Fix>> = BTreeMap::new();
    for finding in findings {
        let fix = finding.fix.as_ref().filter(|fix| wanted(finding, fix));
        by_path.entry(finding.location.path.clone()).or_default().extend(fix);
    }
    let mut count = 0;
    for (path, fixes) in by_path.into_iter().filter(|(_, fixes)| !fixes.is_empty()) {
        let (names, fixes): (Vec<&Fix>, Vec<&Fix>) = fixes.into_iter().partition(|fix| fix.rename.is_some());
        let mut at = path.clone();
        let mut file = files.0.remove(&path).unwrap();
        if let Some(name) = names.first().and_then(|fix| fix.rename.as_ref()) {
            at = path.parent().unwrap().join(name);
            count += 1;
        }
        let bytes = &mut file.1;
        let fixed = apply_fixes(std::str::from_utf8(bytes).unwrap(), fixes);
        count += fixed.count;
        *bytes = fixed.text.into_bytes();
        assert!(files.0.insert(at, file).is_none(), "overwrote another file");
    }
    count
}

/// Applies all fixes up to an applicability until none is left.
fn fixed(files: &mut Files, most: Applicability, profile: Profile) {
    for _ in 0..10 {
        let findings = files.findings(profile);
        if round(files, &findings, |_, fix| fix.applicability <= most) == 0 {
            return;
        }
    }
    panic!("fixes that undo each other");
}

fn ids(files: &Files, profile: Profile) -> BTreeSet<&'static str> {
    files.findings(profile).iter().map(|f| f.rule.id).collect()
}

#[test]
fn fixes_turn_the_before_tree_into_the_after_tree() {
    let mut pairs = 0;
    for (rule, name, folder) in fixtures().into_iter().filter(|(_, name, _)| name.starts_with("fix-")) {
        pairs += 1;
        let most = match name.split('-').nth(1) {
            Some("unsafe" | "none") => Applicability::Unsafe,
            Some("safe") => Applicability::Safe,
            _ => panic!("{rule}: {name} must be fix-safe-*, fix-unsafe-* or fix-none-*"),
        };
        let mut files = Files::from_disk(&folder.join("before"));
        let after = Files::from_disk(&folder.join("after"));
        let count = |files: &Files| files.findings(profile(&name)).iter().filter(|f| f.rule.id == rule).count();
        let found = count(&files);
        assert!(found > 0, "{rule}: {name} has no finding");
        if most == Applicability::Unsafe && !name.starts_with("fix-none") {
            let before = files.0.clone();
            let of_rule =
                |finding: &Finding, fix: &Fix| finding.rule.id == rule && fix.applicability == Applicability::Safe;
            let findings = files.findings(profile(&name));
            round(&mut files, &findings, of_rule);
            assert!(files.0 == before, "{rule}: {name} has an unsafe fix marked as safe");
        }
        fixed(&mut files, most, profile(&name));
        assert!(files.0.keys().eq(after.0.keys()), "{rule}: {name}: {:?}", files.0.keys());
        for (path, (_, bytes)) in &files.0 {
            let want = &after.0[path].1;
            assert!(bytes == want, "{rule}: {name}: {path} is\n{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(count(&files) == found, name.starts_with("fix-none"), "{rule}: {name}");
    }
    assert!(pairs >= 15, "only {pairs} pairs");
}

/// Rules whose findings hide other findings of the same file.
const HIDING: [&str; 3] = ["yaml-invalid", "frontmatter-missing", "plan-schema"];

#[test]
fn a_safe_fix_removes_its_finding_and_adds_no_other() {
    let mut made = 0;
    for (rule, name, folder) in fixtures() {
        let tree = if name.starts_with("fix-") { folder.join("before") } else { folder };
        let files = || Files::from_disk(&tree);
        let findings = files().findings(profile(&name));
        let safe = |f: &&Finding| f.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Safe);
        for (at, finding) in findings.iter().enumerate().filter(|(_, f)| safe(f)) {
            let mut files = files();
            assert_eq!(round(&mut files, &findings[at..=at], |_, _| true), 1, "{rule}: {name}");
            let after = files.findings(profile(&name));
            let count = |of: &[Finding]| of.iter().filter(|f| f.rule.id == finding.rule.id).count();
            assert!(count(&after) < count(&findings), "{rule}: {name}: {} remains", finding.rule.id);
            let known: BTreeSet<&str> = findings.iter().map(|f| f.rule.id).collect();
            let new: Vec<&str> = after.iter().map(|f| f.rule.id).filter(|id| !known.contains(id)).collect();
            assert!(new.is_empty() || HIDING.contains(&finding.rule.id), "{rule}: {name}: {new:?} came");
            made += 1;
        }
    }
    assert!(made >= 15, "only {made} safe fixes");
}

#[test]
fn fixing_twice_changes_nothing() {
    for (rule, name, folder) in fixtures() {
        for most in [Applicability::Safe, Applicability::Unsafe] {
            let mut files =
                Files::from_disk(&if name.starts_with("fix-") { folder.join("before") } else { folder.clone() });
            if files.findings(profile(&name)).iter().all(|finding| finding.fix.is_none()) {
                continue;
            }
            fixed(&mut files, most, profile(&name));
            let before = files.0.clone();
            let found = ids(&files, profile(&name));
            fixed(&mut files, most, profile(&name));
            assert!(files.0 == before && ids(&files, profile(&name)) == found, "{rule}: {name}");
        }
    }
}

#[test]
fn fixes_have_titles_and_stay_inside_their_file() {
    for (rule, name, folder) in fixtures() {
        for finding in Files::from_disk(&folder).findings(profile(&name)) {
            let Some(fix) = &finding.fix else { continue };
            let is_text = !fix.edits.is_empty() && finding.location.source.is_some();
            assert!(!fix.title.is_empty() && is_text != fix.rename.is_some(), "{rule}: {name}");
            assert!(rules::find(finding.rule.id).is_some(), "{rule}: {name}");
        }
    }
}

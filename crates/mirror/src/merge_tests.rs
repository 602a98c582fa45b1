//! Merges compared with `git merge-file`.

use super::merge::{MergeLabels, MergeSides, merge};
use std::process::Command;

/// A pseudo-random number below a limit.
fn next(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap() % below
}

fn some_line(seed: &mut u64) -> String {
    format!("{}\n", ["a", "b", "c", "d", "e"][next(seed, 5)])
}

/// The same lines with one or two of them changed, removed or added.
fn edited(lines: &[String], seed: &mut u64) -> String {
    let mut lines = lines.to_vec();
    for _ in 0..=next(seed, 2) {
        let at = next(seed, lines.len() + 1);
        match next(seed, 3) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at] = some_line(seed),
            _ => lines.insert(at, some_line(seed)),
        }
    }
    let text = lines.concat();
    if next(seed, 6) > 0 { text } else { text.trim_end().to_owned() }
}

#[test]
fn merged_texts_equal_those_of_git_merge_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut seed = 7;
    let mut clean = 0;
    let rounds = 400;
    for round in 0..rounds {
        let lines: Vec<String> = (0..next(&mut seed, 9)).map(|_| some_line(&mut seed)).collect();
        let base = lines.concat();
        let canon = edited(&lines, &mut seed);
        let mirror = edited(&lines, &mut seed);
        let sides = MergeSides { base: base.as_bytes(), canon: canon.as_bytes(), mirror: mirror.as_bytes() };
        let Ok(ours) = merge(&sides, &MergeLabels { canon: "canon", mirror: "mirror" }) else { continue };
        for (name, text) in [("base", &base), ("canon", &canon), ("mirror", &mirror)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let args = ["merge-file", "-p", "-q", "canon", "base", "mirror"];
        let gits = Command::new("git").args(args).current_dir(folder.path()).output().unwrap();
        let ours = String::from_utf8_lossy(&ours);
        let text = String::from_utf8_lossy(&gits.stdout);
        assert!(gits.status.success(), "{round}: git sees a conflict in {base:?} {canon:?} {mirror:?}, ours: {ours:?}");
        assert_eq!(ours, text, "{round}: {base:?} {canon:?} {mirror:?}");
        clean += 1;
    }
    assert!(clean > 50 && clean < rounds, "{clean}");
}

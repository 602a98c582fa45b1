//! Measures the grouping on `fixtures/memory/themes.tsv` and `authors.tsv`: pairs of texts of one theme that are grouped, and pairs of groups that
//! are of one theme.

use super::*;
use std::collections::HashMap;

const THEMES: &str = include_str!("../../../fixtures/memory/themes.tsv");
const AUTHORS: &str = include_str!("../../../fixtures/memory/authors.tsv");

/// A text with the name of its theme.
struct Labeled<'a> {
    theme: &'a str,
    text: ThemeText,
}

/// The texts of one half: each wording of an action with its own reflection and with the next, by the skills in turn.
fn labeled(half: &str) -> Vec<Labeled<'_>> {
    let mut found = Vec::new();
    for block in THEMES.split("\n\n").chain(AUTHORS.split("\n\n")) {
        let mut lines = block.lines().filter(|line| !line.starts_with('#'));
        let Some(head) = lines.next() else { continue };
        let head: Vec<&str> = head.split('\t').collect();
        if head[0] != half {
            continue;
        }
        let (theme, skills): (&str, Vec<&str>) = (head[2], head[3].split(' ').collect());
        let wordings: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once('\t')).collect();
        for (at, (action, _)) in wordings.iter().enumerate() {
            for turn in 0..2 {
                let (_, reflection) = wordings[(at + turn) % wordings.len()];
                let skill = skills[(at + turn) % skills.len()].to_owned();
                let text = ThemeText { skill, action: (*action).to_owned(), reflection: reflection.to_owned() };
                found.push(Labeled { theme, text });
            }
        }
    }
    found
}

/// The number of pairs of equal labels.
fn pairs<'a>(labels: impl Iterator<Item = &'a str>) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    labels.for_each(|label| *counts.entry(label).or_default() += 1);
    counts.into_values().map(|count| count * (count - 1) / 2).sum()
}

/// The precision and the recall of grouped pairs.
fn measure(half: &str) -> [f64; 2] {
    let labeled = labeled(half);
    let texts: Vec<ThemeText> = labeled.iter().map(|one| one.text.clone()).collect();
    let themes = Themes::group(&texts);
    let groups = || themes.groups.iter();
    let correct: usize = groups().map(|group| pairs(group.iter().map(|at| labeled[*at].theme))).sum();
    let grouped: usize = groups().map(|group| group.len() * (group.len() - 1) / 2).sum();
    let expected = pairs(labeled.iter().map(|one| one.theme));
    [correct as f64 / grouped as f64, correct as f64 / expected as f64]
}

#[test]
fn near_themes_stay_apart_and_wordings_meet() {
    for (half, texts) in [("tune", 140), ("hold", 140), ("authors", 260)] {
        assert_eq!(labeled(half).len(), texts);
        let [precision, recall] = measure(half);
        assert!(precision >= 0.85 && recall >= 0.85, "{half}: precision {precision:.3}, recall {recall:.3}");
    }
}

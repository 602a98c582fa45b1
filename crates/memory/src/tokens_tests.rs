use super::*;
use crate::context::{ContextSection, SectionKind, Snippet, assemble};
use proptest::prelude::*;
use serde::Deserialize;

/// A text with its number of tokens in published vocabularies.
#[derive(Clone, Debug, Deserialize)]
struct Counted {
    class: String,
    text: String,
    o200k: usize,
    cl100k: usize,
}

fn counted() -> Vec<Counted> {
    let lines = include_str!("../../../fixtures/memory/token_counts.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The most that a class may be counted below a vocabulary, in percent of the true count.
const TOLERANCE: usize = 5;

#[test]
fn no_class_is_counted_more_than_5_percent_too_low() {
    let all = counted();
    let mut classes: Vec<&str> = all.iter().map(|one| one.class.as_str()).collect();
    classes.dedup();
    for class in classes {
        let of_class: Vec<&Counted> = all.iter().filter(|one| one.class == class).collect();
        let estimate: usize = of_class.iter().map(|one| units(&one.text)).sum();
        let o200k: usize = of_class.iter().map(|one| one.o200k).sum();
        let cl100k: usize = of_class.iter().map(|one| one.cl100k).sum();
        for real in [o200k, cl100k] {
            assert!(estimate >= real * (100 - TOLERANCE), "{class}: {estimate} units, o200k {o200k}, cl100k {cl100k}");
        }
    }
}

#[test]
fn prose_and_code_are_not_counted_much_too_high() {
    for (class, most) in [("english", 130), ("german", 145), ("code", 150), ("markdown", 130), ("paths", 150)] {
        let all = counted();
        let of_class = all.iter().filter(|one| one.class == class);
        let (estimate, real) = of_class.fold((0, 0), |(sum, real), one| (sum + units(&one.text), real + one.o200k));
        assert!(estimate <= real * most, "{class}: {estimate} units, o200k {real}");
    }
}

proptest! {
    #[test]
    fn lines_cost_at_least_as_much_apart(a in "[ -~é世\\n]{0,30}", b in "[ -~é世\\n]{0,30}") {
        let (a, b) = (format!("{a}\n"), format!("{b}\n"));
        let both = a.clone() + &b;
        prop_assert!(units(&both) <= units(&a) + units(&b));
    }

    /// The independent count is that of the samples which the text contains.
    #[test]
    fn a_context_of_counted_texts_is_within_its_budget(
        drawn in prop::collection::vec(prop::sample::select(counted()), 1..60),
        budget in 100..2_000usize,
    ) {
        let snippet = |(at, one): (usize, &Counted)| Snippet {
            name: at.to_string(),
            text: format!("<{at}>{}", one.text.trim()),
            ..Snippet::default()
        };
        let section = ContextSection {
            kind: SectionKind::Workspace,
            source: "a".to_owned(),
            snippets: drawn.iter().enumerate().map(snippet).collect(),
            left_out: Vec::new(),
        };
        let got = assemble(vec![section], budget);
        let contained = drawn.iter().enumerate().filter(|(at, _)| got.text.contains(&format!("<{at}>")));
        let real: usize = contained.map(|(_, one)| one.o200k).sum();
        prop_assert!(real * 100 <= budget * (100 + TOLERANCE), "{real} of {budget}");
    }
}

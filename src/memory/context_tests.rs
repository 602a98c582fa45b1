use super::*;
use proptest::prelude::*;

fn document(kind: Kind, text: &str) -> Part {
    Part { kind, source: "a.md".to_owned(), body: Body::Document(text.to_owned()), left_out: Vec::new() }
}

fn pieces(kind: Kind, texts: &[&str]) -> Part {
    let pieces = texts.iter().enumerate().map(|(at, text)| (format!("p{at}"), (*text).to_owned())).collect();
    Part { kind, source: "b.md".to_owned(), body: Body::Pieces(pieces), left_out: Vec::new() }
}

#[test]
fn parts_stand_in_their_order() {
    let parts = vec![
        document(Kind::Permissions, "Ask.\n"),
        pieces(Kind::Lessons, &["- one", "- two"]),
        document(Kind::Personal, "Short answers."),
        document(Kind::Workspace, " \n"),
    ];
    let got = assemble(parts, 1_000);
    assert_eq!(
        got.text,
        "# Personal preferences (a.md)\n\nShort answers.\n\n# Lessons (b.md)\n\n- one\n- two\n\n# Permissions (a.md)\n\nAsk.\n\n"
    );
    assert_eq!(
        got.accounts.iter().map(|account| account.kind).collect::<Vec<_>>(),
        [Kind::Personal, Kind::Lessons, Kind::Permissions]
    );
    assert!(got.accounts.iter().all(|account| account.left_out.is_empty() && account.cost == account.whole));
}

#[test]
fn permissions_get_room_first_and_documents_are_cut_at_a_line() {
    let long = "A line of the workspace.\n".repeat(20);
    let parts = vec![document(Kind::Workspace, &long), document(Kind::Permissions, "Never push.")];
    let got = assemble(parts, 50);
    assert!(got.text.ends_with("# Permissions (a.md)\n\nNever push.\n\n"), "{}", got.text);
    assert!(got.text.contains("workspace.\n… cut here; all of it is in a.md\n"), "{}", got.text);
    let workspace = &got.accounts[0];
    assert!(workspace.cost < workspace.whole && workspace.left_out[0].starts_with("its last "), "{workspace:?}");
    assert!(got.used <= 50);
}

#[test]
fn a_piece_is_taken_whole_or_not_at_all() {
    let (small, large) = ("x".repeat(40), "y".repeat(4_000));
    let got = assemble(vec![pieces(Kind::Skills, &[&large, &small])], 100);
    assert!(got.text.contains(&small) && !got.text.contains('y'));
    assert_eq!(got.accounts[0].left_out, ["p0: 1001 tokens"]);
    let nothing = assemble(vec![pieces(Kind::Skills, &[&large])], 100);
    assert_eq!((nothing.text.as_str(), nothing.accounts.len(), nothing.accounts[0].cost), ("", 1, 0));
}

#[test]
fn what_is_to_be_done_stands_at_the_top_without_a_title() {
    let parts = vec![
        document(Kind::Map, "The map."),
        pieces(Kind::Rewrite, &["- deploy failed 3 times"]),
        pieces(Kind::Notice, &["Run it."]),
    ];
    assert_eq!(
        assemble(parts, 1_000).text,
        "Run it.\n\n# Map (a.md)\n\nThe map.\n\n# Skills that keep failing (b.md)\n\n- deploy failed 3 times\n\n"
    );
}

#[test]
fn neither_the_map_nor_permissions_crowd_lessons_out() {
    let long = "A line of a document.\n".repeat(400);
    let lessons: Vec<String> = (0..400).map(|n| format!("- lesson {n}")).collect();
    let parts = vec![
        document(Kind::Map, &long),
        document(Kind::Permissions, &long),
        pieces(Kind::Lessons, &lessons.iter().map(String::as_str).collect::<Vec<_>>()),
    ];
    let got = assemble(parts, 200);
    let cost = |kind: Kind| got.accounts.iter().find(|account| account.kind == kind).unwrap().cost;
    assert!(cost(Kind::Lessons) > 40 && cost(Kind::Permissions) > 80 && cost(Kind::Map) > 20, "{:?}", got.accounts);
}

fn any_kind() -> impl Strategy<Value = Kind> {
    let documents = [Kind::Map, Kind::Personal, Kind::Workspace, Kind::Plan, Kind::Permissions];
    let pieces = [Kind::Notice, Kind::Rewrite, Kind::Lessons, Kind::Episodes, Kind::Skills];
    prop::sample::select([documents, pieces].concat())
}

proptest! {
    /// No text costs more than the budget, every part that there was is accounted for, and the order of the parts does not
    /// count.
    #[test]
    fn the_budget_is_never_exceeded(
        drawn in prop::collection::btree_map(any_kind(), prop::collection::vec("[aé\n ]{0,60}", 0..5), 0..10),
        budget in 0..120usize,
    ) {
        let part = |(kind, texts): (&Kind, &Vec<String>)| match kind {
            Kind::Notice | Kind::Rewrite | Kind::Lessons | Kind::Episodes | Kind::Skills => {
                pieces(*kind, &texts.iter().map(String::as_str).collect::<Vec<_>>())
            }
            kind => document(*kind, &texts.concat()),
        };
        let parts: Vec<Part> = drawn.iter().map(part).collect();
        let got = assemble(parts.clone(), budget);
        prop_assert!(got.used <= budget && cost(&got.text) == got.used);
        for part in parts.iter().filter(|part| !part.whole().is_empty()) {
            prop_assert!(got.accounts.iter().any(|account| account.kind == part.kind));
        }
        let reversed: Vec<Part> = parts.into_iter().rev().collect();
        prop_assert_eq!(assemble(reversed, budget), got);
    }
}

use super::*;
use proptest::prelude::*;

const PARTED: &str = "---\nname: a\n---\n\none\ntwo\nthree\n<!-- canonry: only claude -->\nfor claude\n<!-- canonry: end -->\nfour\nfive\nsix\n";
const WITHOUT: &str = "---\nname: a\n---\n\none\ntwo\nthree\nfour\nfive\nsix\n";
const NAMES: MergeLabels<'_> = MergeLabels { canon: "c", mirror: "m" };

fn back(document: &str, overlay: Option<&str>, (written, now): (&str, &str)) -> Result<String, ReverseMergeError> {
    let recipe =
        RenderInput { document: document.as_bytes(), overlay: overlay.map(str::as_bytes), target: Target::Gemini };
    let edited = EditedCopy { written: written.as_bytes(), now: now.as_bytes() };
    reverse_merge(&recipe, &edited, &NAMES).map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn a_tool_gets_what_the_document_says() {
    let gated = "---\nname: a\nmetadata:\n  canonry-targets: claude, codex\n---\n";
    for (text, target, want) in [
        (PARTED, Target::Claude, Ok(Rendered::Unchanged)),
        (PARTED, Target::Gemini, Ok(Rendered::Text(WITHOUT.to_owned()))),
        (gated, Target::Codex, Ok(Rendered::Unchanged)),
        (gated, Target::Gemini, Ok(Rendered::Excluded)),
    ] {
        assert_eq!(render(text.as_bytes(), None, target), want, "{text}");
    }
    let unknown = gated.replace("codex", "codx");
    let fault = render(unknown.as_bytes(), None, Target::Claude).unwrap_err().to_string();
    assert_eq!(fault, "line 4: there is no tool `codx`; did you mean `codex`?");
    let spans: Vec<&str> = unknown_targets(&unknown).iter().map(|(span, _)| &unknown[span.range()]).collect();
    assert_eq!(spans, ["codx"]);
    let open = render(b"a\n\n<!-- canonry: only claude -->\n", None, Target::Claude).unwrap_err().to_string();
    assert!(open.starts_with("line 3: the part that begins here has no"), "{open}");
    assert_eq!(render(b"\xff canonry: only", None, Target::Claude), Ok(Rendered::Unchanged));
}

#[test]
fn keys_and_parts_go_together_and_keys_decide_who_gets_it() {
    let made = |overlay: &str| render(PARTED.as_bytes(), Some(overlay.as_bytes()), Target::Gemini);
    let want = WITHOUT.replace("name: a\n", "name: a\nmodel: x\n");
    assert_eq!(made("---\nmodel: x\n---\n"), Ok(Rendered::Text(want)));
    assert_eq!(made("---\nmetadata:\n  canonry-targets: claude\n---\n"), Ok(Rendered::Excluded));
    assert_eq!(render(WITHOUT.as_bytes(), Some(b"---\nname: a\n---\n"), Target::Gemini), Ok(Rendered::Unchanged));
}

#[test]
fn an_edit_goes_back_into_the_document() {
    let edit = |from: &str, to: &str| (WITHOUT.to_owned(), WITHOUT.replace(from, to));
    let (written, now) = edit("six", "SIX");
    assert_eq!(back(PARTED, None, (&written, &now)), Ok(PARTED.replace("six", "SIX")));
    // The canon changed as well, elsewhere.
    let news = PARTED.replace("one", "ONE");
    assert_eq!(back(&news, None, (&written, &now)), Ok(news.replace("six", "SIX")));
    let clash = PARTED.replace("six", "6");
    assert!(
        matches!(back(&clash, None, (&written, &now)), Err(ReverseMergeError::Conflict(lines)) if lines.contains("SIX"))
    );
    // Beside the part that is left out nobody can tell on which side of it the edit belongs.
    let (written, now) = edit("three\nfour", "three\nnew\nfour");
    assert_eq!(back(PARTED, None, (&written, &now)), Err(ReverseMergeError::ToolSpecific));
}

#[test]
fn an_edit_of_what_an_overlay_gives_stays() {
    let overlay = "---\nmodel: x\n---\n";
    let Ok(Rendered::Text(written)) = render(PARTED.as_bytes(), Some(overlay.as_bytes()), Target::Gemini) else {
        panic!()
    };
    let own = written.replace("model: x", "model: y");
    assert_eq!(back(PARTED, Some(overlay), (&written, &own)), Err(ReverseMergeError::ToolSpecific));
    let other = written.replace("five", "5");
    assert_eq!(back(PARTED, Some(overlay), (&written, &other)), Ok(PARTED.replace("five", "5")));
    // An edit that makes a part of its own would not be mirrored as it stands.
    let part = format!("{written}<!-- canonry: only claude -->\nx\n<!-- canonry: end -->\n");
    assert_eq!(back(PARTED, Some(overlay), (&written, &part)), Err(ReverseMergeError::ToolSpecific));
}

fn document() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[a-c]{1,3}",
        1 => Just("```".to_owned()),
        1 => Just("- x".to_owned()),
        1 => Just("    code".to_owned()),
        1 => Just("<pre>".to_owned()),
        1 => Just(String::new()),
        2 => Just("<!-- canonry: only claude -->\nonly\n<!-- canonry: end -->".to_owned()),
        1 => Just("<!-- canonry: except claude -->\n<!-- canonry: end -->".to_owned()),
        1 => Just("    <!-- canonry: only codex -->".to_owned()),
        1 => Just("<!-- canonry: end -->".to_owned()),
    ];
    let targets = prop::option::of(prop::sample::select(vec!["claude", "claude gemini", ""]));
    (targets, prop::collection::vec(line, 0..10)).prop_map(|(targets, lines)| {
        let gate = targets.map(|names| format!("metadata:\n  canonry-targets: \"{names}\"\n")).unwrap_or_default();
        format!("---\nname: a\n{gate}---\n{}\n", lines.join("\n"))
    })
}

proptest! {
    #[test]
    fn what_comes_out_gives_the_same_again(text in document(), keyed in any::<bool>()) {
        let overlay = keyed.then_some(&b"---\nmodel: x\n---\n"[..]);
        for target in Target::ALL {
            if let Ok(Rendered::Text(out)) = render(text.as_bytes(), overlay, target) {
                prop_assert!(renders_unchanged(out.as_bytes(), target), "{}", out);
            }
        }
    }

    #[test]
    fn an_edit_that_goes_back_is_all_in_the_copy(at in 0..6usize, word in "[d-f]{1,2}", keyed in any::<bool>()) {
        let overlay = keyed.then_some(&b"---\nmodel: x\n---\n"[..]);
        let Ok(Rendered::Text(written)) = render(PARTED.as_bytes(), overlay, Target::Gemini) else { panic!() };
        let line = ["one", "two", "three", "four", "five", "six"][at];
        let now = written.replace(line, &word);
        let recipe = RenderInput { document: PARTED.as_bytes(), overlay, target: Target::Gemini };
        let edited = EditedCopy { written: written.as_bytes(), now: now.as_bytes() };
        if let Ok(document) = reverse_merge(&recipe, &edited, &NAMES) {
            prop_assert_eq!(render(&document, overlay, Target::Gemini), Ok(Rendered::Text(now)));
            prop_assert!(document.contains_str("for claude"));
        } else {
            prop_assert!([2, 3].contains(&at));
        }
    }
}

use super::*;
use proptest::prelude::*;

fn render(document: &[u8], overlay: Option<&[u8]>, target: Target) -> Result<Rendered, MirrorDocumentError> {
    super::render(document, overlay, target, &[])
}

const WITH_SECTION: &str = "---\nname: a\n---\n\none\ntwo\nthree\n<!-- canonry: only claude -->\nfor claude\n<!-- canonry: end -->\nfour\nfive\nsix\n";
const WITHOUT: &str = "---\nname: a\n---\n\none\ntwo\nthree\nfour\nfive\nsix\n";
const LABELS: MergeLabels<'_> = MergeLabels { canon: "c", mirror: "m" };

fn back(document: &str, overlay: Option<&str>, (written, now): (&str, &str)) -> Result<String, MergeError> {
    let input = RenderInput {
        document: document.as_bytes(),
        overlay: overlay.map(str::as_bytes),
        target: Target::GEMINI,
        configured: &[],
    };
    let edited = EditedCopy { written: written.as_bytes(), now: now.as_bytes() };
    reverse_merge(&input, &edited, &LABELS).map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn renders_sections_and_targets() {
    let gated = "---\nname: a\nmetadata:\n  canonry-targets: claude, codex\n---\n";
    for (text, target, want) in [
        (WITH_SECTION, Target::CLAUDE, Ok(Rendered::Unchanged)),
        (WITH_SECTION, Target::GEMINI, Ok(Rendered::Text(WITHOUT.to_owned()))),
        (gated, Target::CODEX, Ok(Rendered::Unchanged)),
        (gated, Target::GEMINI, Ok(Rendered::Excluded)),
    ] {
        assert_eq!(render(text.as_bytes(), None, target), want, "{text}");
    }
    let unknown = gated.replace("codex", "codx");
    let error = render(unknown.as_bytes(), None, Target::CLAUDE).unwrap_err().to_string();
    assert_eq!(error, "line 4: unknown tool `codx`; did you mean `codex`?");
    let spans: Vec<&str> = unknown_targets(&unknown, &[]).iter().map(|(span, _)| &unknown[span.range()]).collect();
    assert_eq!(spans, ["codx"]);
    let open = render(b"a\n\n<!-- canonry: only claude -->\n", None, Target::CLAUDE).unwrap_err().to_string();
    assert!(open.starts_with("line 3: the section that starts here has no"), "{open}");
    assert_eq!(render(b"\xff canonry: only", None, Target::CLAUDE), Ok(Rendered::Unchanged));
}

#[test]
fn keys_are_merged_before_sections_and_targets_apply() {
    let with_keys = |overlay: &str| render(WITH_SECTION.as_bytes(), Some(overlay.as_bytes()), Target::GEMINI);
    let want = WITHOUT.replace("name: a\n", "name: a\nmodel: x\n");
    assert_eq!(with_keys("---\nmodel: x\n---\n"), Ok(Rendered::Text(want)));
    assert_eq!(with_keys("---\nmetadata:\n  canonry-targets: claude\n---\n"), Ok(Rendered::Excluded));
    assert_eq!(render(WITHOUT.as_bytes(), Some(b"---\nname: a\n---\n"), Target::GEMINI), Ok(Rendered::Unchanged));
}

#[test]
fn an_edit_is_merged_back_into_the_document() {
    let edit = |from: &str, to: &str| (WITHOUT.to_owned(), WITHOUT.replace(from, to));
    let (written, now) = edit("six", "SIX");
    assert_eq!(back(WITH_SECTION, None, (&written, &now)), Ok(WITH_SECTION.replace("six", "SIX")));
    // The canon changed too, in other lines.
    let changed = WITH_SECTION.replace("one", "ONE");
    assert_eq!(back(&changed, None, (&written, &now)), Ok(changed.replace("six", "SIX")));
    let clash = WITH_SECTION.replace("six", "6");
    assert!(matches!(back(&clash, None, (&written, &now)), Err(MergeError::Conflict(lines)) if lines.contains("SIX")));
    // Next to a removed section, the side of the section that the edit belongs to is unknown.
    let (written, now) = edit("three\nfour", "three\nnew\nfour");
    assert_eq!(back(WITH_SECTION, None, (&written, &now)), Err(MergeError::ToolSpecific));
}

#[test]
fn an_edit_of_overlay_keys_is_not_merged_back() {
    let overlay = "---\nmodel: x\n---\n";
    let Ok(Rendered::Text(written)) = render(WITH_SECTION.as_bytes(), Some(overlay.as_bytes()), Target::GEMINI) else {
        panic!()
    };
    let own = written.replace("model: x", "model: y");
    assert_eq!(back(WITH_SECTION, Some(overlay), (&written, &own)), Err(MergeError::ToolSpecific));
    let other = written.replace("five", "5");
    assert_eq!(back(WITH_SECTION, Some(overlay), (&written, &other)), Ok(WITH_SECTION.replace("five", "5")));
    // An added section would not be mirrored as it is.
    let section = format!("{written}<!-- canonry: only claude -->\nx\n<!-- canonry: end -->\n");
    assert_eq!(back(WITH_SECTION, Some(overlay), (&written, &section)), Err(MergeError::ToolSpecific));
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
    fn rendering_is_idempotent(text in document(), keyed in any::<bool>()) {
        let overlay = keyed.then_some(&b"---\nmodel: x\n---\n"[..]);
        for target in Target::ALL {
            if let Ok(Rendered::Text(out)) = render(text.as_bytes(), overlay, target) {
                prop_assert!(renders_unchanged(out.as_bytes(), target, &[]), "{}", out);
            }
        }
    }

    #[test]
    fn a_merged_edit_reproduces_the_copy(at in 0..6usize, word in "[d-f]{1,2}", keyed in any::<bool>()) {
        let overlay = keyed.then_some(&b"---\nmodel: x\n---\n"[..]);
        let Ok(Rendered::Text(written)) = render(WITH_SECTION.as_bytes(), overlay, Target::GEMINI) else { panic!() };
        let line = ["one", "two", "three", "four", "five", "six"][at];
        let now = written.replace(line, &word);
        let input = RenderInput { document: WITH_SECTION.as_bytes(), overlay, target: Target::GEMINI, configured: &[] };
        let edited = EditedCopy { written: written.as_bytes(), now: now.as_bytes() };
        if let Ok(document) = reverse_merge(&input, &edited, &LABELS) {
            prop_assert_eq!(render(&document, overlay, Target::GEMINI), Ok(Rendered::Text(now)));
            prop_assert!(document.contains_str("for claude"));
        } else {
            prop_assert!([2, 3].contains(&at));
        }
    }
}

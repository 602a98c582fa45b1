//! Generated frontmatter: typical, unusual and invalid.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The folder of a skill and its document.
#[derive(Clone, Debug)]
pub struct GeneratedCase {
    pub folder: String,
    pub text: String,
}

/// Returns the same cases each time. In a debug build, the strategy tree needs more stack than a test thread has.
pub fn cases(count: usize) -> Vec<GeneratedCase> {
    std::thread::Builder::new().stack_size(64 << 20).spawn(move || drawn(count)).unwrap().join().unwrap()
}

fn drawn(count: usize) -> Vec<GeneratedCase> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = case();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => "[a-z]{1,8}(-[a-z0-9]{1,6}){0,2}",
        2 => "[a-zA-Z0-9_.-]{1,10}",
        1 => "[a-z]{60,66}",
        1 => prop::sample::select(vec![
            "résumé", "发布说明", "ЗАМЕТКИ", "заметки", "2024", "true", "null", "1.5", "-a", "a-", "a--b", "a b", "docs:x",
            "ａｂｃ", "re\u{200b}x", "ß", "ǆ", "ǅ", "ⅷ", "२", "हिन्दी", "e\u{301}t\u{e9}", "~", "no", "a²", "ªb",
        ]).prop_map(str::to_owned),
    ]
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[A-Za-z][a-z]{0,8}( [a-z]{1,8}){0,6}[.]?",
        1 => "[a-z ]{1,10}(: | #|: #|- )[a-z ]{0,10}",
        1 => "[a-zé—’\"'\\[{&*!|>%@`,:#?-][ a-z0-9:#\"'{}\\[\\]&*!|>%@`,<-]{0,20}",
        1 => prop::sample::select(vec![1_023usize, 1_024, 1_025, 500, 501]).prop_map(|n| "é".repeat(n)),
        1 => prop::sample::select(vec![
            "", " ", "~", "null", "true", "no", "12", "1.0", "2024-01-01", "a --- b", "x\u{1f1e9}\u{1f1ea}", "a\tb", "0x1f", ".inf",
        ]).prop_map(str::to_owned),
    ]
}

/// A value in one of the YAML notations.
fn value() -> impl Strategy<Value = String> {
    let scalar = || words();
    prop_oneof![
        10 => scalar().prop_map(|text| format!(" {text}")),
        3 => scalar().prop_map(|text| format!(" '{}'", text.replace('\'', "''"))),
        3 => scalar().prop_map(|text| format!(" \"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))),
        2 => (prop::sample::select(vec!["|", ">", "|-", ">-", "|+"]), scalar(), scalar())
            .prop_map(|(style, a, b)| format!(" {style}\n  {a}\n  {b}")),
        1 => (scalar(), scalar()).prop_map(|(a, b)| format!(" {a}\n  {b}")),
        1 => (scalar(), scalar()).prop_map(|(a, b)| format!("\n  - {a}\n  - {b}")),
        1 => (scalar(), scalar()).prop_map(|(a, b)| format!(" [{a}, {b}]")),
        1 => Just(String::new()),
    ]
}

fn metadata() -> impl Strategy<Value = String> {
    let entry = ("[a-z]{1,6}", value()).prop_map(|(key, value)| format!("  {key}:{}", value.replace('\n', "\n  ")));
    prop_oneof![
        4 => prop::collection::vec(entry, 1..3).prop_map(|entries| format!("metadata:\n{}", entries.join("\n"))),
        1 => ("[a-z]{1,5}", "[a-z]{1,5}").prop_map(|(key, value)| format!("metadata: {{{key}: {value}}}")),
        1 => value().prop_map(|value| format!("metadata:{value}")),
    ]
}

fn other() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => value().prop_map(|value| format!("license:{value}")),
        2 => value().prop_map(|value| format!("compatibility:{value}")),
        2 => value().prop_map(|value| format!("allowed-tools:{value}")),
        3 => metadata(),
        1 => ("[a-z-]{1,12}", value()).prop_map(|(key, value)| format!("{key}:{value}")),
        1 => prop::sample::select(vec![
            "# a comment", "", "name: again", "\tlicense: MIT", "license: &a MIT", "license: *a", "license: !!str MIT", "? license",
            "<<: {license: MIT}", "%YAML 1.2", "...", "license : MIT", "\"license\": MIT", "12: x", "- license",
        ]).prop_map(str::to_owned),
    ]
}

fn fences() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop_oneof![
        20 => Just(("---\n", "---\n")),
        1 => prop::sample::select(vec![
            ("----\n", "---\n"), ("--- \n", "---\n"), ("---\n", "--- \n"), ("\n---\n", "---\n"), ("---\n", "...\n"), ("---\n", ""),
            ("---\n", "---"), ("---\n", "----\n"), ("---\n", " ---\n"), ("\u{feff}---\n", "---\n"), ("---\n", "---x\n"), ("", ""),
            ("--- # x\n", "---\n"),
        ]),
    ]
}

fn case() -> impl Strategy<Value = GeneratedCase> {
    let name = prop_oneof![9 => name().prop_map(Some), 1 => Just(None)];
    let style = prop::sample::select(vec!["{}", "{}", "{}", "{}", "\"{}\"", "'{}'", "\" {} \"", "{} # so"]);
    let folder = prop_oneof![9 => Just(None), 1 => "[a-z]{1,5}".prop_map(Some)];
    let description = prop_oneof![9 => value().prop_map(Some), 1 => Just(None)];
    let others = prop::collection::vec(other(), 0..3);
    let endings = prop_oneof![9 => Just(false), 1 => Just(true)];
    (name, style, folder, description, others, fences(), endings).prop_map(
        |(name, style, folder, description, others, (open, close), crlf)| {
            let usable =
                |name: &String| !name.trim().is_empty() && !name.contains(['/', '\0']) && !name.starts_with('.');
            let folder = folder.or_else(|| name.clone().filter(usable)).unwrap_or_else(|| "release-notes".to_owned());
            let mut lines: Vec<String> =
                name.iter().map(|name| format!("name: {}", style.replace("{}", name))).collect();
            lines.extend(description.iter().map(|value| format!("description:{value}")));
            lines.extend(others);
            let body = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let text = format!("{open}{body}{close}\n# Body\n");
            GeneratedCase { folder, text: if crlf { text.replace('\n', "\r\n") } else { text } }
        },
    )
}

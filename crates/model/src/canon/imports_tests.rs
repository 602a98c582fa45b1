use super::*;

/// Follows the imports of the first of `files`, given as `(path, text)`. Each result reads `importing file: path:
/// error`.
fn found(files: &[(&str, &str)], hops: usize) -> Vec<String> {
    let read = |path: &RepoPath| match files.iter().find(|(name, _)| path.as_bstr() == *name) {
        Some((_, text)) => Blob::Bytes(text.as_bytes().to_vec()),
        None => Blob::Missing(BlobError::Absent),
    };
    let root = Arc::new(Source::new(RepoPath::from(files[0].0), files[0].1.to_owned()));
    let describe = |import: BrokenImport| {
        let error = match import.error {
            ImportError::Cycle(files) => files.iter().map(RepoPath::to_display).collect::<Vec<_>>().join(" > "),
            error => format!("{error:?}"),
        };
        format!("{}: {}: {error}", import.source.path(), import.path)
    };
    follow(&root, hops, &read).into_iter().map(describe).collect()
}

#[test]
fn only_intended_paths_are_missing() {
    for (text, want) in [
        ("@docs/a.md", Some("Missing { at_top: false }")),
        ("@docs/A.MD.", Some("Missing { at_top: false }")),
        ("@./a", Some("Missing { at_top: false }")),
        ("@package.json", Some("Missing { at_top: false }")),
        ("@~/.claude/own.md", Some("Outside(Home)")),
        ("@/home/jane/notes.md", Some("Outside(Absolute)")),
        ("@C:/notes.md", Some("Outside(Absolute)")),
        ("@../../a.md", Some("Outside(Climbs)")),
        ("@jane @jane.roe @types/node @angular/core @org/pkg/package.json", None),
        ("@Component @media @2x @/lib/utils.ts @/docs/a.md @lib/button.tsx", None),
        ("@docs/*.md @{file}.md @<name>.md @docs/... @docs/ @./ @.. @.", None),
        ("@CLAUDE.local.md @node_modules/next/README.md", None),
        ("@https://example.com/a.md @user@example.com", None),
        ("@.md", None),
    ] {
        let got = found(&[("web/CLAUDE.md", text)], 4);
        let want: Vec<String> =
            want.iter().map(|flaw| format!("web/CLAUDE.md: {}: {flaw}", &text[1..].trim_end_matches('.'))).collect();
        assert_eq!(got, want, "{text}");
    }
}

#[test]
fn resolves_paths_from_the_importing_file() {
    let files = [
        ("web/CLAUDE.md", "@docs/a.md @../docs/b.md @docs/c.md"),
        ("docs/a.md", ""),
        ("docs/b.md", "@c.md"),
        ("docs/c.md", ""),
    ];
    assert_eq!(
        found(&files, 4),
        ["web/CLAUDE.md: docs/a.md: Missing { at_top: true }", "web/CLAUDE.md: docs/c.md: Missing { at_top: true }"]
    );
}

#[test]
fn reports_each_cycle_once() {
    let files =
        [("CLAUDE.md", "@a.md @b.md @CLAUDE.md"), ("a.md", "@b.md"), ("b.md", "@c.md"), ("c.md", "@a.md `@b.md`")];
    assert_eq!(
        found(&files, 9),
        ["c.md: a.md: a.md > b.md > c.md > a.md", "CLAUDE.md: CLAUDE.md: CLAUDE.md > CLAUDE.md"]
    );
}

#[test]
fn shortest_chain_decides_the_depth() {
    let chain = [("A.md", "@b.md"), ("b.md", "@c.md"), ("c.md", "@d.md"), ("d.md", "no more")];
    assert_eq!(found(&chain, 3), [""; 0]);
    assert_eq!(found(&chain, 2), ["c.md: d.md: TooDeep { hops: 3 }"]);
    let short = [("A.md", "@b.md @d.md"), ("b.md", "@c.md"), ("c.md", "@d.md"), ("d.md", "")];
    assert_eq!(found(&short, 2), [""; 0]);
    // A cycle ends the search, whatever the limit.
    assert_eq!(found(&[("A.md", "@b.md"), ("b.md", "@A.md")], 100).len(), 1);
}

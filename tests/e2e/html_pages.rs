//! The HTML pages and the drawings of the documentation in a browser, at two widths, light and dark.

use crate::dream::team::{LOG, NOW, row, rows, team};
use crate::plan::report::{failed, reported};
use crate::support::repo::Repo;
use crate::workflow_views::{rejected, shipped};
use std::path::Path;
use std::process::{Command, Stdio};

const SCRIPT: &str = include_str!("support/inspect_pages.js");

/// A memory with lessons, candidates, patterns and a word that no line can break.
fn remembered() -> Repo {
    let long = format!("pushed ghcr.io/example/{}", "image".repeat(30));
    let failing: String = (1..=4)
        .map(|second| {
            format!(
                "{{\"timestamp\": \"2026-04-30T00:00:0{second}Z\", \"action\": \"make {long}\", \"result\": \"failure\", \
                 \"context\": \"session s1\", \"pain_score\": 8, \"importance\": 7}}\n"
            )
        })
        .collect();
    let repo = team(rows() + &row("l1", 1, &long, 9) + &row("l2", 2, &long, 9) + &failing + "oops\n");
    repo.dream(&[]).expect(0);
    repo.write(LOG, repo.text(LOG) + &row("c1", 10, "c", 6) + &row("c2", 11, "c", 6));
    repo
}

fn page(repo: &Repo, args: &[&str]) -> String {
    repo.canonry(args).expect(0);
    repo.text("page.html")
}

/// Faults of pages, as a line each, in a browser that prefers light or dark pages.
fn faults(pages: &[(&str, String)], scheme: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.html");
    let pages = serde_json::to_string(pages).unwrap().replace("</", "<\\/").replace("<!--", "<\\u0021--");
    let html = format!(
        "<!doctype html>\n<meta name=\"color-scheme\" content=\"light dark\">\n<body>\n<script>\nconst pages = {pages};\n\
         const scheme = \"{scheme}\";\n{SCRIPT}</script>\n"
    );
    std::fs::write(&file, html).unwrap();
    let preferred = if scheme == "dark" { "0" } else { "1" };
    let ran = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("--blink-settings=preferredColorScheme={preferred}"))
        .args(["--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("file://{}", file.display()))
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let dom = String::from_utf8(ran.stdout).unwrap();
    let findings = dom.split("<pre>").nth(1).and_then(|rest| rest.split("</pre>").next());
    findings.unwrap_or_else(|| panic!("the browser wrote no findings: {dom}")).lines().map(str::to_owned).collect()
}

#[test]
#[ignore = "needs chromium"]
fn needs_chromium_pages_fit_and_are_readable() {
    let [complete, failed] = [reported(), failed()];
    let [rejected, shipped] = [rejected(), shipped()];
    let memory = remembered();
    rejected.canonry(&["run", "approve", "notes-1", "--option", "CHANGES", "--reason", "too long"]).expect(0);
    let pages = [
        ("complete plan", page(&complete, &["run", "report", "-o", "page.html"])),
        ("failed plan", page(&failed, &["run", "report", "-o", "page.html"])),
        ("rejected run", page(&rejected, &["run", "report", "-o", "page.html"])),
        ("run at a gate", page(&shipped, &["run", "report", "-o", "page.html"])),
        ("memory", page(&memory, &["memory", "status", "--html", "page.html", "--now", NOW])),
    ];
    for scheme in ["light", "dark"] {
        assert_eq!(faults(&pages, scheme), Vec::<String>::new(), "{scheme}");
    }
}

#[test]
#[ignore = "needs chromium"]
fn needs_chromium_drawings_fit_and_are_readable() {
    let drawing = |name: &'static str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/pictures/{name}.svg"));
        let svg = std::fs::read_to_string(file).unwrap();
        (name, format!("<!doctype html><style>svg {{ max-width: 100%; height: auto; }}</style>{svg}"))
    };
    let drawings = ["canon", "night", "run"].map(drawing);
    for scheme in ["light", "dark"] {
        assert_eq!(faults(&drawings, scheme), Vec::<String>::new(), "{scheme}");
    }
}

/// The inspection itself finds each kind of fault.
#[test]
#[ignore = "needs chromium"]
fn needs_chromium_faults_are_found() {
    let bad = "<!doctype html><style>:root { color-scheme: light dark; } body { margin: 0; background: #ffffff; color: #000000; }</style>\
         <div style=\"width: 600px\">wide</div><p style=\"color: #999999\">pale</p><svg width=\"200\" height=\"60\">\
         <g><rect width=\"20\" height=\"20\" fill=\"#ffffff\"/><text x=\"5\" y=\"15\" fill=\"#000000\">longer than its box</text></g>\
         <g><rect x=\"90\" width=\"90\" height=\"20\" fill=\"#222222\"/><text x=\"95\" y=\"15\" fill=\"#000000\">dark</text></g></svg>";
    let found = faults(&[("bad", bad.to_owned())], "dark");
    insta::assert_snapshot!(found.join("\n"));
}

//! Translations of single commands, and properties of all texts.

use super::{is_likely, translate};
use crate::protocol::shell;

/// Translates a text, in one line.
fn script(text: &str) -> String {
    translate(text).script.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn cmdlets_become_programs() {
    for (text, want) in [
        ("Remove-Item -Recurse -Force C:\\", "rm -r '/'"),
        ("ri ~ -rec", "rm -r ~"),
        ("del /s /q C:\\*", "rm -r '/'*"),
        ("Remove-Item a, 'b c'", "rm 'a' 'b c'"),
        ("Remove-Item -LiteralPath:C:\\x -WhatIf", "true"),
        ("Remove-Item Env:\\X", "true"),
        ("gc .\\.env", "cat './.env'"),
        ("gci src -Recurse -Filter *.cs", "find 'src' -name '*.cs'"),
        ("gci | Remove-Item -Recurse", "ls | xargs rm -r"),
        ("Set-Content x.txt 'a'", "{ : echo 'a' | tee 'x.txt' }"),
        ("'a' | Out-File x.txt -Append", "tee 'x.txt'"),
        ("git commit -m \"a`\"b\" 2>&1 > log.txt", "'git' '-m' 'a\"b' > 'log.txt'"),
        ("iwr -Uri https://a.example -OutFile b", "curl 'https://a.example' -o 'b'"),
        ("iex 'ri -r C:\\'", "if :; then rm -r '/' fi"),
        ("$c = 'ri -r /'; iex $c", "ps_c='ri -r /' if :; then rm -r '/' fi"),
        ("Set-Alias zap Remove-Item; zap -r C:\\", "'set-alias' 'zap' 'Remove-Item' rm -r '/'"),
        ("# ri -r C:\\\nGet-Date", "'get-date'"),
        ("<# ri -r C:\\ #> Get-Date", "'get-date'"),
        ("cmd /c rd /s %USERPROFILE%", "if :; then rm -r ~ fi"),
        ("Join-Path $HOME 'x'", "echo ~/'x'"),
    ] {
        let want = want.replace("'git' '-m'", "'git' 'commit' '-m'");
        assert_eq!(script(text), want, "{text}");
        assert_eq!(translate(text).doubts, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_a_doubt() {
    for text in ["'a", "\"a", "(a", "a)", "{ a", "@'\na", "pwsh -enc QQ==", &"(".repeat(100), &"a".repeat(70_000)] {
        assert!(!translate(text).doubts.is_empty(), "{}", &text[..text.len().min(20)]);
    }
}

#[test]
fn cmdlets_are_recognised() {
    for text in ["Get-Item x", "cd a; Remove-Item b", "$x = Get-Date", "irm x | iex", "& Invoke-Foo"] {
        assert!(is_likely(text), "{text}");
    }
    for text in ["ls -la", "git commit -m 'Add-On'", "A-B", "apt-get install x", "cat Foo-Bar.txt"] {
        assert_eq!(is_likely(text), text == "A-B", "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_translated(text in "\\PC{0,80}") {
        shell::read(&translate(&text).script, None);
    }

    #[test]
    fn any_code_can_be_translated(words in proptest::collection::vec(word(), 0..24)) {
        let text = words.concat();
        let translation = translate(&text);
        let script = shell::read(&translation.script, None);
        // A text without errors becomes a script without errors.
        let is_readable = |doubt: &String| !doubt.contains("parse");
        proptest::prop_assert!(script.doubts.iter().all(is_readable) || !translation.doubts.is_empty(), "{text}\n{}\n{:?}", translation.script, script.doubts);
    }

    /// A dangerous command is found wherever it stands.
    #[test]
    fn commands_are_found_in_every_place(at in 0_usize..PLACES.len(), command in proptest::sample::select(&COMMANDS[..])) {
        let text = PLACES[at].replace("CMD", command);
        let script = shell::read(&translate(&text).script, Some("/srv/repo"));
        let runs = |simple: &shell::SimpleCommand| simple.program() == Some("rm") && simple.words.iter().any(|word| word.text == "/x");
        proptest::prop_assert!(script.commands.iter().any(runs), "{text}\n{}", translate(&text).script);
    }
}

const COMMANDS: [&str; 4] =
    ["Remove-Item -Recurse C:\\x", "ri -r '\\x'", "cmd /c 'rd /s C:\\x'", "[IO.Directory]::Delete(\"C:\\x\")"];
const PLACES: [&str; 22] = [
    "CMD",
    "Get-Date; CMD",
    "Get-Date\nCMD",
    "a && CMD",
    "a || CMD",
    "if ($x) { CMD }",
    "if (a) { b } elseif (c) { CMD }",
    "try { CMD } catch { } finally { x }",
    "try { a } catch [Exception] { CMD }",
    "while ($true) { CMD }",
    "foreach ($a in 1, 2) { CMD }",
    "function f { CMD }",
    "function f($a) { param([int]$b) CMD }; f 1",
    "1..3 | ForEach-Object { CMD }",
    "Get-Process | Where-Object { CMD }",
    "$x = $(CMD)",
    "\"a $(CMD) b\"",
    "Write-Host (CMD)",
    "& { CMD }",
    "Invoke-Command -ScriptBlock { CMD }",
    "$x = @(CMD)",
    "return (CMD)",
];

/// Pieces of code.
fn word() -> impl proptest::strategy::Strategy<Value = &'static str> {
    proptest::sample::select(
        &[
            " ",
            " ",
            " ",
            "\n",
            ";",
            "|",
            "&",
            "&&",
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            "'",
            "\"",
            "`",
            "$",
            "$x",
            "$(",
            "@(",
            "@{",
            "@'\n",
            "\n'@",
            ",",
            "=",
            "+=",
            ">",
            "2>&1",
            "-Path",
            "-r",
            "::",
            ".",
            ".Delete(",
            "rm",
            "Remove-Item",
            "iex",
            "iwr",
            "if",
            "else",
            "foreach",
            "in",
            "function",
            "try",
            "catch",
            "return",
            "cmd /c",
            "pwsh -c",
            "C:\\",
            "*",
            "~",
            "#",
            "<#",
            "#>",
            "%",
            "?",
            "1",
            "é",
            "\u{201c}",
            "\0",
            "Join-Path",
            "gci",
            "[IO.File]",
            "$env:X",
            "\\",
        ][..],
    )
}

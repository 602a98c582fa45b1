//! The work and the memory for a command line are bounded by its length, whatever it expands to.

use super::read::{ShellReader, WORK};
use super::{Script, Stdin};
use crate::STACK;
use proptest::prelude::*;

/// The work and the size of the result for a command line, in bytes.
fn measure(text: &str) -> (usize, usize) {
    let mut reader = ShellReader::new(Some("/repo"));
    reader.script(text);
    let (script, spent) = reader.finish_with_work();
    (spent, size(&script))
}

fn size(script: &Script) -> usize {
    let of = |simple: &super::SimpleCommand| {
        let words = simple.words.iter().chain(simple.redirects.iter().map(|redirect| &redirect.target));
        let input = if let Stdin::Text(text) = &simple.input { text.len() } else { 0 };
        words.map(|word| word.text.len() + 8).sum::<usize>() + input
    };
    script.commands.iter().map(of).sum()
}

#[track_caller]
fn assert_bounded(text: &str) {
    let (spent, size) = measure(text);
    let start: String = text.chars().take(80).collect();
    assert!(spent <= 8 * WORK + 256 * text.len(), "{spent} steps for {} bytes: {start}", text.len());
    assert!(size <= 2 * WORK + 64 * text.len(), "{size} bytes from {} bytes: {start}", text.len());
}

/// `a1=$a0$a0;a2=$a1$a1;…`
fn doubled(assign: impl Fn(usize) -> String, links: usize) -> String {
    (1..=links).map(assign).collect::<Vec<_>>().join(";")
}

/// Each line grows with the square of its length, or faster, if nothing bounds it.
fn growing(n: usize) -> Vec<String> {
    let calls =
        |n: usize| (0..n).map(|at| format!("f{at}(){{ f{0} \"$@\" \"$@\"; f{0} \"$@\";}}", at + 1)).collect::<Vec<_>>();
    vec![
        format!("a0=xy;{};rm -rf ~", doubled(|at| format!("a{at}=$a{0}$a{0}", at - 1), 34)),
        format!("a0=xy;{};rm -rf ~", doubled(|at| format!("a{at}=\"${{a{0}:-x}}$a{0}\"", at - 1), 34)),
        format!("a0=xy;{};rm -rf ~", doubled(|at| format!("a{at}=$(echo $a{0}$a{0})", at - 1), 34)),
        format!("a0=xy;{};rm -rf ~", doubled(|at| format!("a{at}=$(cat <<E\n$a{0}$a{0}\nE\n)", at - 1), 34)),
        format!("a0=xy;{};rm -rf ~", doubled(|at| format!("a{at}=$(printf %s%s $a{0} $a{0})", at - 1), 34)),
        format!("set -- x;{}", vec!["set -- \"$@\" \"$@\""; 40].join(";")),
        format!("{};f0 x;f13() {{ :; }}", calls(13).join(";")),
        format!("f(){{ {} }}; f {}", "g \"$@\";".repeat(n / 16), "x ".repeat(n / 4)),
        format!("x='{}'; {}", "echo a;".repeat(n / 14), "eval \"$x\";".repeat(n / 20)),
        format!("x='{}'; {}", "y".repeat(n / 2), "(a=1);".repeat(n / 12)),
        format!("x='{}'; {}", "y".repeat(n / 2), "echo $x;".repeat(n / 16)),
        format!("for i in {{1..64}}; do for j in {{1..64}}; do echo {}; done; done", "$i$j".repeat(n / 4)),
        format!("foo {}", "rm ".repeat(n / 3)),
        format!("A='{}' foo", "rm x; ".repeat(n / 6)),
        format!("A='{}' foo", "a ".repeat(n / 2)),
        format!("find {} {}", "a ".repeat(n / 4), "-name b ".repeat(n / 16)),
        format!("find {} -exec rm {} \\;", "a ".repeat(n / 4), "{} ".repeat(n / 6)),
        format!("echo {} | xargs -Ia echo {}", "b".repeat(n / 2), "a".repeat(n / 2)),
        format!("echo {0} | xargs -I{{}} echo {0}", "{}".repeat(n / 4)),
        format!("printf '{}%s' {}", "b".repeat(n / 2), "x ".repeat(n / 4)),
        format!("cat {}\na", "<<a ".repeat(n / 4)),
        format!("cat <<E\n{}\nE\n", "$(".repeat(n / 2)),
        format!("cat <<E\n{}\nE\n", "`".repeat(n)),
        format!("{{ {} }} <<E\n{}\nE\n", ":;".repeat(n / 8), "x".repeat(n / 2)),
        format!("sed '{}'", ";w /x".repeat(n / 5)),
        format!("echo {}", "{a,b}".repeat(n / 5)),
        format!("echo {}", "{1..64} ".repeat(n / 8)),
        format!("{}rm{}", "${a:-".repeat(300), "}".repeat(300)),
        format!("{} rm -rf ~", "sudo ".repeat(n / 5)),
        ":|".repeat(n / 2) + ":",
        format!("alias {}", "a='rm x' ".repeat(n / 9)),
        format!("ssh {} host", "-oProxyCommand=rm ".repeat(n / 18)),
    ]
}

#[test]
fn the_work_is_bounded_by_the_length() {
    // As deep as the hook's own thread.
    let run = || [100, 2_000, 60_000].into_iter().flat_map(growing).for_each(|text| assert_bounded(&text));
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn what_is_written_is_read_behind_what_expands_to_too_much() {
    for text in growing(0).iter().take(5) {
        let mut reader = ShellReader::new(Some("/repo"));
        reader.script(text);
        let script = reader.finish();
        let last = script.commands.last().map(|simple| simple.shown()).unwrap_or_default();
        assert_eq!(last, "rm -rf ~", "{text}");
    }
}

/// Pieces of command lines that repeat, nest or expand.
const PIECES: [&str; 36] = [
    "a=$a$b;",
    "b=\"$a$a\";",
    "c=$(echo $a $b);",
    "set -- \"$@\" \"$@\";",
    "f(){ ",
    "g(){ ",
    "};",
    "f \"$@\";",
    "g $a;",
    "eval \"$a\";",
    "sh -c \"$b\";",
    "for i in {1..64}; do ",
    "done;",
    "( ",
    ");",
    "{ ",
    "cat <<E\n",
    "\nE\n",
    "$(",
    ")",
    "`",
    "${a:-",
    "}",
    "xargs -I{} echo {}{}",
    "| ",
    "find a b -name x -exec rm {} {} \\;",
    "printf '%s%s' $a $b;",
    "sudo ",
    "rm -rf ~;",
    "echo ",
    "'",
    "\"",
    "if true; then ",
    "fi;",
    "while :; do ",
    "A='rm x' ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn the_work_of_any_command_line_is_bounded(pieces in prop::collection::vec(0..PIECES.len(), 1..400)) {
        assert_bounded(&pieces.into_iter().map(|at| PIECES[at]).collect::<String>());
    }
}

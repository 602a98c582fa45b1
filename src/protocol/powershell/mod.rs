//! PowerShell, translated into shell commands with the same effect on files, hosts and programs, so that one set of
//! guards checks both. The translation is not meant to be run.
//!
//! Cmdlets become the programs that guards know (`Remove-Item -Recurse` is `rm -r`), variables and subexpressions become
//! those of a shell, and blocks become branches. What cannot be known is a variable without a value.

mod cmdlet_table;
mod cmdlets;
mod methods;
mod reader;
mod statements;
mod value;

/// The maximum length of a text in bytes.
const LENGTH: usize = 64 << 10;
/// The maximum nesting of blocks, groups and command texts.
const DEPTH: usize = 24;

/// A PowerShell text as a shell script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translation {
    pub script: String,
    /// Messages about parts that cannot be analysed.
    pub doubts: Vec<String>,
}

/// Translates a text.
pub fn translate(text: &str) -> Translation {
    if text.len() > LENGTH {
        return Translation { script: String::new(), doubts: vec!["it is too long".to_owned()] };
    }
    let mut translator = reader::Translator::new(text);
    let script = translator.statements(None);
    let mut doubts = translator.doubts;
    doubts.sort();
    doubts.dedup();
    Translation { script, doubts }
}

/// Checks whether a command line is likely meant for PowerShell: it calls a cmdlet such as `Get-Item`.
pub fn is_likely(text: &str) -> bool {
    let starts = text.split(['|', ';', '\n', '(', '{', '&', '=']);
    starts.into_iter().any(|part| {
        let first = part.split_whitespace().next().unwrap_or_default();
        let is_capitalised = |word: &str| {
            let mut letters = word.chars();
            letters.next().is_some_and(|c| c.is_ascii_uppercase()) && letters.all(|c| c.is_ascii_alphabetic())
        };
        first.eq_ignore_ascii_case("iex")
            || first.split_once('-').is_some_and(|(verb, noun)| is_capitalised(verb) && is_capitalised(noun))
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

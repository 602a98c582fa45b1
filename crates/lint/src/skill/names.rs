//! Names of skills: normalization, suggestions and findings.

use super::fields::Field;
use crate::{Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Fix, TextEdit};
use unicode_normalization::UnicodeNormalization;

/// A name that is a string and not blank. `skill-schema` reports all others.
pub(super) struct SkillNameField<'a> {
    /// The value as YAML reads it.
    pub text: &'a str,
    field: Field<'a>,
    rule: &'static Rule,
    directory: Option<String>,
}

impl<'a> SkillNameField<'a> {
    /// The name of a skill, for the findings of a rule.
    pub fn from_skill(rule: &'static Rule, skill: &'a Skill) -> Option<Self> {
        let field = Field::find(skill, "name")?;
        let text = field.text().filter(|_| !field.is_blank())?;
        Some(Self { text, field, rule, directory: skill.directory_name() })
    }

    /// The name in Unicode form NFC, so that a letter and its accent count as one character.
    pub fn composed(&self) -> String {
        if self.text.is_ascii() { self.text.to_owned() } else { self.text.nfc().collect() }
    }

    /// A finding at the name.
    pub fn finding(&self, message: impl Into<String>) -> Finding {
        self.field.at_value(self.rule, message)
    }

    /// A finding at the name that suggests a valid one.
    pub fn finding_with_suggestion(&self, message: impl Into<String>) -> Finding {
        let finding = self.finding(message);
        let fix = |name: &str| self.rename(name);
        match (self.valid_directory(), suggestion(self.text)) {
            (Some(directory), _) => {
                finding.help(format!("write `name: {directory}`, the name of the directory")).fix(fix(directory))
            }
            (None, Some(better)) if self.directory.as_deref() == Some(self.text) => {
                finding.help(format!("write `name: {better}`, and rename the directory to it")).fix(fix(&better))
            }
            (None, Some(better)) => finding.help(format!("write `name: {better}`")).fix(fix(&better)),
            (None, None) => finding,
        }
    }

    /// Whether the name itself is wrong in any directory. Then one rule says everything that is wrong with it, and the
    /// directory does not matter.
    pub fn is_malformed(&self) -> bool {
        self.has_invalid_characters() || self.has_capitals() || !hyphen_problems(self.text).is_empty()
    }

    /// Whether it contains characters other than letters, digits and hyphens.
    pub fn has_invalid_characters(&self) -> bool {
        self.composed().chars().any(is_invalid)
    }

    /// Whether it contains capital letters.
    pub fn has_capitals(&self) -> bool {
        self.composed().chars().any(is_capital)
    }

    /// An edit that replaces the name.
    pub fn write(&self, name: &str) -> Option<TextEdit> {
        self.field.set(name)
    }

    /// A fix that renames the skill. It is unsafe, because references to the old name may break.
    pub fn rename(&self, name: &str) -> Option<Fix> {
        Some(Fix::unsafe_edits(format!("write `name: {name}`"), vec![self.write(name)?]))
    }

    /// The name of the directory, if it is a valid skill name.
    pub fn valid_directory(&self) -> Option<&str> {
        self.directory.as_deref().filter(|directory| suggestion(directory).as_deref() == Some(*directory))
    }
}

/// The form in which names are compared: Unicode form NFKC.
pub(super) fn comparable(name: &str) -> String {
    if name.is_ascii() { name.to_owned() } else { name.nfkc().collect() }
}

/// Whether a name may not contain the character. Capital letters are another matter.
pub(super) fn is_invalid(character: char) -> bool {
    !character.is_alphanumeric() && character != '-'
}

/// Problems with the hyphens of a name, for a message.
pub(super) fn hyphen_problems(name: &str) -> Vec<&'static str> {
    let problems = [
        (name.starts_with('-'), "starts with a hyphen"),
        (name.ends_with('-'), "ends with a hyphen"),
        (name.contains("--"), "has two hyphens in a row"),
    ];
    problems.into_iter().filter(|(is_true, _)| *is_true).map(|(_, words)| words).collect()
}

/// Whether a letter is upper case or title case, in any script.
pub(super) fn is_capital(letter: char) -> bool {
    letter.to_lowercase().ne(std::iter::once(letter))
}

/// The closest valid name: in lower case, with hyphens instead of invalid characters. `None` if nothing remains.
pub(super) fn suggestion(name: &str) -> Option<String> {
    let lower = comparable(name).to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join("-"))
}

/// A visible form of a character: its code point if it is invisible.
pub(super) fn visible(character: char) -> String {
    match character {
        ' ' => "a space".to_owned(),
        c if c.is_ascii_graphic() || c.is_alphanumeric() => format!("`{c}`"),
        c => format!("U+{:04X}", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn suggestions_are_valid_names() {
        let table = [
            ("Release Notes", Some("release-notes")),
            ("release_notes", Some("release-notes")),
            ("-release--notes-", Some("release-notes")),
            ("docs:release", Some("docs-release")),
            ("re\u{200b}lease", Some("re-lease")),
            ("\u{ff21}bc", Some("abc")),
            ("ЗАМЕТКИ", Some("заметки")),
            ("---", None),
        ];
        for (name, want) in table {
            assert_eq!(suggestion(name).as_deref(), want, "{name}");
        }
    }
}

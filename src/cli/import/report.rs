//! What an import did, in words and as JSON.

use crate::app::Error;
use crate::app::Workspace;
use crate::cli::status::Status;
use crate::edit::Edit;
use crate::import::{Import, Left, Origin, Taken};
use crate::render::{counted, json};
use crate::syntax::RepoPath;
use serde::Serialize;
use std::collections::BTreeSet;

/// Whether it was done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// It was.
    Happened,
    /// It would be.
    Foreseen,
}

/// What happened, or would.
pub struct Outcome {
    origin: Option<Origin>,
    import: Import,
    written: Vec<RepoPath>,
    /// New files that git ignores.
    ignored: BTreeSet<RepoPath>,
    others: Vec<Origin>,
    mood: Mood,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    from: Option<&'static str>,
    also_found: Vec<&'static str>,
    written: Vec<String>,
    taken: Vec<JsonTaken>,
    left: Vec<JsonLeft>,
    refused: Vec<JsonRefused>,
    config: Option<JsonConfig>,
    next: Vec<String>,
}

#[derive(Serialize)]
struct JsonTaken {
    from: Vec<String>,
    to: String,
    files: usize,
    new: usize,
    changes: Vec<String>,
}

#[derive(Serialize)]
struct JsonLeft {
    path: String,
    reason: String,
    advice: Option<String>,
    unreadable: bool,
}

#[derive(Serialize)]
struct JsonRefused {
    from: String,
    to: String,
    reason: String,
}

#[derive(Serialize)]
struct JsonConfig {
    path: String,
    written: bool,
    text: String,
}

impl Outcome {
    /// Where there is nothing to import from.
    pub fn nothing() -> Self {
        Self {
            origin: None,
            import: Import::default(),
            written: Vec::new(),
            ignored: BTreeSet::new(),
            others: Vec::new(),
            mood: Mood::Happened,
        }
    }

    /// Of a run. `overtaken`: what someone else wrote in the meantime, and which is therefore left as it is.
    pub fn new(origin: Origin, mut import: Import, overtaken: Vec<RepoPath>, mood: Mood) -> Self {
        let paths = import.edits.iter().map(Edit::path);
        let written: Vec<RepoPath> = paths.filter(|path| !overtaken.contains(path)).cloned().collect();
        for path in overtaken {
            let of = import.taken.iter_mut().find(|taken| path.is_within(&taken.to));
            let from = of.map_or_else(RepoPath::default, |taken| {
                taken.new = taken.new.saturating_sub(1);
                taken.from.first().cloned().unwrap_or_default()
            });
            let why = "something else stands there by now; look at it and run this again".to_owned();
            import.refused.push(crate::import::Refused { from, to: path, why });
        }
        Self { origin: Some(origin), import, written, ignored: BTreeSet::new(), others: Vec::new(), mood }
    }

    /// With the origins that are here too.
    #[must_use]
    pub fn beside(mut self, others: &[Origin]) -> Self {
        self.others = others.to_vec();
        self
    }

    /// With what git does not see of it.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn ignored(mut self, context: &Workspace) -> Result<Self, Error> {
        self.ignored = context.view.ignored(&self.written)?;
        Ok(self)
    }

    /// 5 where something would have been written over, 65 where something cannot be read.
    pub fn status(&self) -> Status {
        let refused = if self.import.refused.is_empty() { Status::Done } else { Status::Refused };
        let unreadable = self.import.left.iter().any(|left| left.unreadable);
        refused.and(if unreadable { Status::Unreadable } else { Status::Done })
    }

    /// `canonry/import/v1`
    pub fn to_json(&self) -> String {
        let paths = |paths: &[RepoPath]| paths.iter().map(RepoPath::to_display).collect::<Vec<String>>();
        let taken = |taken: &Taken| JsonTaken {
            from: paths(&taken.from),
            to: taken.to.to_display(),
            files: taken.files,
            new: taken.new,
            changes: taken.changes.clone(),
        };
        let left = |left: &Left| JsonLeft {
            path: left.path.to_display(),
            reason: left.why.clone(),
            advice: Some(left.advice.clone()).filter(|advice| !advice.is_empty()),
            unreadable: left.unreadable,
        };
        json::to_text(&Document {
            schema: "canonry/import/v1",
            from: self.origin.map(Origin::name),
            also_found: self.others.iter().map(|origin| origin.name()).collect(),
            written: paths(&self.written),
            taken: self.import.taken.iter().map(taken).collect(),
            left: self.import.left.iter().map(left).collect(),
            refused: self
                .import
                .refused
                .iter()
                .map(|r| JsonRefused { from: r.from.to_display(), to: r.to.to_display(), reason: r.why.clone() })
                .collect(),
            config: self.import.config.as_ref().map(|config| JsonConfig {
                path: config.path.to_display(),
                written: config.written,
                text: config.text.clone(),
            }),
            next: self.import.next.clone(),
        })
    }

    /// For people.
    pub fn in_words(&self) -> String {
        let mut text: String = self.import.taken.iter().map(|taken| self.taken_in_words(taken)).collect();
        if let Some(config) = self.import.config.as_ref() {
            text.push_str(&self.config_in_words(config));
        }
        for left in &self.import.left {
            let advice = if left.advice.is_empty() { String::new() } else { format!("\n          {}", left.advice) };
            text.push_str(&format!("left      {}: {}{advice}\n", left.path, left.why));
        }
        for refused in &self.import.refused {
            text.push_str(&format!("refused   {} -> {}: {}\n", refused.from, refused.to, refused.why));
        }
        if !self.import.refused.is_empty() {
            text.push_str(
                "          Bring what you want to keep over by hand; what stands in the canon is never written over.\n",
            );
        }
        text.extend(self.ignored.iter().map(|path| format!("note      git ignores {path}\n")));
        text.push_str(&self.counts());
        text.push_str(&self.next());
        text
    }

    fn taken_in_words(&self, taken: &Taken) -> String {
        let verb = match (taken.new, self.mood) {
            (0, _) => "there",
            (_, Mood::Happened) => "took",
            (_, Mood::Foreseen) => "to take",
        };
        let from = taken.from.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let files = if taken.files > 1 { format!(" ({})", counted(taken.files, "file")) } else { String::new() };
        let changes = if taken.new == 0 { &[][..] } else { &taken.changes };
        let changes: String = changes.iter().map(|change| format!("          {change}\n")).collect();
        format!("{verb:9} {from} -> {}{files}\n{changes}", taken.to)
    }

    fn config_in_words(&self, config: &crate::import::Config) -> String {
        if config.written {
            let verb = if self.mood == Mood::Happened { "wrote" } else { "to write" };
            return format!("{verb:9} {}: what matches the tools that were written for\n", config.path);
        }
        let lines = config.text.lines().filter(|line| !line.starts_with('#'));
        let lines: String = lines.map(|line| format!("            {line}\n")).collect();
        format!("note      what was written so far is, in the config:\n{lines}")
    }

    fn counts(&self) -> String {
        let name = self.origin.map_or("", Origin::name);
        let there = self.import.taken.iter().filter(|taken| taken.new == 0).count();
        let mut parts = Vec::new();
        for (count, what) in
            [(there, "there already"), (self.import.left.len(), "left"), (self.import.refused.len(), "refused")]
        {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        let rest = if parts.is_empty() { String::new() } else { format!(", {}", parts.join(", ")) };
        if self.written.is_empty() {
            return format!("Nothing to take from {name}{rest}.\n");
        }
        let end = match self.mood {
            Mood::Happened => ["written", "."],
            Mood::Foreseen => ["to write", "; nothing was written."],
        };
        format!("From {name}: {} {}{rest}{}\n", counted(self.written.len(), "file"), end[0], end[1])
    }

    fn next(&self) -> String {
        if self.written.is_empty() || self.mood == Mood::Foreseen {
            return String::new();
        }
        let mut text = "\nNext:\n  canonry check    judges what is there now\n  canonry sync     gives each tool its copy; nothing is committed yet\n".to_owned();
        if self.origin == Some(Origin::Tools) {
            text.push_str("  canonry sync --adopt --all    afterwards: owns the copies in the tools' folders that equal the canon\n");
        }
        text.extend(self.import.next.iter().map(|advice| format!("  - {advice}\n")));
        if !self.others.is_empty() {
            let names: Vec<String> =
                self.others.iter().map(|origin| format!("`canonry import --from {}`", origin.name())).collect();
            text.push_str(&format!("  - what else is here, and not in the canon yet: {}\n", names.join(", ")));
        }
        text
    }
}

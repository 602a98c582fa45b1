//! Parts of a SKILL.md that are for some tools only, between two comments on lines of their own.

use super::tool_names::{UnknownTool, named};
use crate::config::Target;
use crate::syntax::{Span, frontmatter, markdown};

/// What every such comment begins with. Comments that allow a finding begin with it too.
pub const MARK: &str = "canonry:";

/// The parts of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    /// In file order; they neither touch nor nest.
    pub blocks: Vec<Section>,
    /// What is wrong with the comments. Then nobody knows what a tool should be shown.
    pub problems: Vec<SectionError>,
}

/// A part that is for some tools only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// All its lines, those of the two comments included.
    pub span: Span,
    /// The tools that it is for.
    pub kept_for: Vec<Target>,
}

/// A comment that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionError {
    /// The comment, or the name in it.
    pub span: Span,
    /// What is wrong.
    pub fault: SectionErrorKind,
}

/// What is wrong with a comment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SectionErrorKind {
    /// It has no end.
    #[error("the part that begins here has no `<!-- canonry: end -->`")]
    Unclosed,
    /// It begins inside another one.
    #[error("this part begins inside another one; parts do not nest")]
    Nested,
    /// An end without a start.
    #[error("nothing that this could be the end of has begun")]
    EndAlone,
    /// It names no tool.
    #[error("no tool is named")]
    NoTool,
    /// It names a tool that there is not.
    #[error("{0}")]
    UnknownTool(UnknownTool),
    /// A word that means nothing.
    #[error("`{0}` means nothing here; there are `only`, `except`, `end` and `allow`")]
    UnknownWord(String),
    /// Words behind `end`.
    #[error("`end` stands alone")]
    EndWithWords,
    /// It shares its line with something else, or goes over several lines.
    #[error("this does not stand alone on one line")]
    NotAlone,
}

/// A comment of ours.
enum Mark {
    Start(Vec<Target>),
    End,
}

impl Sections {
    /// Those of the text of a SKILL.md. Comments inside code are text like any other.
    pub fn parse(text: &str) -> Self {
        let mut found = Self::default();
        if !text.contains(MARK) {
            return found;
        }
        let body = frontmatter::split(text).map_or(Span::new(0, text.len()), |front| front.body);
        let mut open: Option<(Span, Vec<Target>)> = None;
        for comment in markdown::outline(&text[body.range()], body.offset).comments {
            match mark(text, comment, &mut found.problems) {
                None => {}
                Some(Mark::Start(_)) if open.is_some() => found.tell(comment, SectionErrorKind::Nested),
                Some(Mark::Start(targets)) => open = Some((comment, targets)),
                Some(Mark::End) => match open.take() {
                    None => found.tell(comment, SectionErrorKind::EndAlone),
                    Some((start, kept_for)) => {
                        let span = Span::new(lines_of(text, start).offset, lines_of(text, comment).end());
                        found.blocks.push(Section { span, kept_for });
                    }
                },
            }
        }
        if let Some((start, _)) = open {
            found.tell(start, SectionErrorKind::Unclosed);
        }
        found.problems.sort_by_key(|problem| problem.span);
        found
    }

    /// The text without the parts that are not for a tool; `None` where nothing is left out.
    pub fn without(&self, text: &str, target: Target) -> Option<String> {
        let left_out: Vec<&Section> = self.blocks.iter().filter(|block| !block.kept_for.contains(&target)).collect();
        if left_out.is_empty() {
            return None;
        }
        let mut rest = String::with_capacity(text.len());
        let mut at = 0;
        for block in left_out {
            rest.push_str(&text[at..block.span.offset]);
            at = block.span.end();
        }
        rest.push_str(&text[at..]);
        Some(rest)
    }

    fn tell(&mut self, span: Span, fault: SectionErrorKind) {
        self.problems.push(SectionError { span, fault });
    }
}

/// What a comment says of parts; `None` where it says nothing of them, or nothing that can be followed.
fn mark(text: &str, comment: Span, problems: &mut Vec<SectionError>) -> Option<Mark> {
    let inner = text[comment.range()].strip_prefix("<!--")?;
    let inner = inner.strip_suffix("-->").unwrap_or(inner);
    let words = inner.trim_start().strip_prefix(MARK)?.trim();
    let (word, rest) = words.split_at(words.find(char::is_whitespace).unwrap_or(words.len()));
    if matches!(word, "allow" | "allow-file") {
        return None;
    }
    let mut tell = |span: Span, fault: SectionErrorKind| problems.push(SectionError { span, fault });
    let mark = match word {
        "end" if rest.trim().is_empty() => Mark::End,
        "end" => {
            tell(comment, SectionErrorKind::EndWithWords);
            Mark::End
        }
        "only" | "except" => {
            let offset = rest.as_ptr().addr() - text.as_ptr().addr();
            let (tools, unknown) = named(rest);
            for (span, unknown) in unknown {
                tell(span.shifted(offset), SectionErrorKind::UnknownTool(unknown));
            }
            if rest.trim().is_empty() {
                tell(comment, SectionErrorKind::NoTool);
            }
            let keeps = |target: &Target| tools.contains(target) == (word == "only");
            Mark::Start(Target::ALL.into_iter().filter(keeps).collect())
        }
        other => {
            tell(comment, SectionErrorKind::UnknownWord(other.to_owned()));
            return None;
        }
    };
    let whole = &text[comment.range()];
    if whole.contains('\n') || text[lines_of(text, comment).range()].trim() != whole {
        tell(comment, SectionErrorKind::NotAlone);
    }
    Some(mark)
}

/// The lines that a span stands on, with the last one's ending.
fn lines_of(text: &str, span: Span) -> Span {
    let start = text[..span.offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end()..].find('\n').map_or(text.len(), |at| span.end() + at + 1);
    Span::new(start, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str, target: Target) -> Option<String> {
        let sections = Sections::parse(text);
        assert_eq!(sections.problems, []);
        sections.without(text, target)
    }

    #[test]
    fn a_tool_gets_what_is_for_it_and_its_bytes_where_that_is_all() {
        let text = "---\nname: a\n---\r\n\nx\n\n<!-- canonry: only claude, codex -->\nfor two\r\n<!-- canonry: end -->\n\n\
                    - y\n  <!--canonry: except gemini-->\n  not for gemini\n  <!-- canonry: end -->\nz";
        for target in [Target::Claude, Target::Codex] {
            assert_eq!(shown(text, target), None);
        }
        assert_eq!(shown(text, Target::Gemini).as_deref(), Some("---\nname: a\n---\r\n\nx\n\n\n- y\nz"));
        let cursor = "---\nname: a\n---\r\n\nx\n\n\n- y\n  <!--canonry: except gemini-->\n  not for gemini\n  \
                      <!-- canonry: end -->\nz";
        assert_eq!(shown(text, Target::Cursor).as_deref(), Some(cursor));
    }

    #[test]
    fn marks_in_code_and_comments_that_allow_are_no_parts() {
        for text in [
            "```\n<!-- canonry: only claude -->\n```\n",
            "    <!-- canonry: end -->\n",
            "`<!-- canonry: only x -->`\n",
            "<!-- canonry: allow secret it is none -->\n",
            "<!-- canonry only claude -->\n",
        ] {
            assert_eq!(Sections::parse(text), Sections::default(), "{text}");
        }
    }

    #[test]
    fn says_what_cannot_be_followed() {
        let unknown = |name: &str| SectionErrorKind::UnknownTool(UnknownTool { name: name.to_owned() });
        for (text, span, fault) in [
            ("<!-- canonry: only claude -->\nx\n", "<!-- canonry: only claude -->", SectionErrorKind::Unclosed),
            ("<!-- canonry: end -->\n", "<!-- canonry: end -->", SectionErrorKind::EndAlone),
            ("<!-- canonry: only -->\n<!-- canonry: end -->\n", "<!-- canonry: only -->", SectionErrorKind::NoTool),
            ("<!-- canonry: only claud -->\n<!-- canonry: end -->\n", "claud", unknown("claud")),
            (
                "a <!-- canonry: only claude -->\nx\n<!-- canonry: end -->\n",
                "<!-- canonry: only claude -->",
                SectionErrorKind::NotAlone,
            ),
            (
                "<!--\ncanonry: only claude\n-->\nx\n<!-- canonry: end -->\n",
                "<!--\ncanonry: only claude\n-->",
                SectionErrorKind::NotAlone,
            ),
            (
                "<!-- canonry: olny claude -->\n",
                "<!-- canonry: olny claude -->",
                SectionErrorKind::UnknownWord("olny".to_owned()),
            ),
            (
                "<!-- canonry: only claude -->\n<!-- canonry: except codex -->\n<!-- canonry: end -->\n",
                "<!-- canonry: except codex -->",
                SectionErrorKind::Nested,
            ),
            (
                "<!-- canonry: only claude -->\n<!-- canonry: end x -->\n",
                "<!-- canonry: end x -->",
                SectionErrorKind::EndWithWords,
            ),
        ] {
            let problems = Sections::parse(text).problems;
            let said: Vec<_> = problems.iter().map(|p| (&text[p.span.range()], p.fault.clone())).collect();
            assert_eq!(said, [(span, fault)], "{text}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            4 => "[a-c#*> `-]{0,5}",
            1 => Just("```".to_owned()),
            1 => Just("    code".to_owned()),
            1 => Just("<pre>".to_owned()),
            2 => Just("<!-- canonry: only claude -->".to_owned()),
            1 => Just("  <!-- canonry: except claude gemini -->".to_owned()),
            3 => Just("<!-- canonry: end -->".to_owned()),
        ];
        (prop::collection::vec(line, 0..12), prop::sample::select(vec!["\n", "\r\n"]))
            .prop_map(|(lines, ending)| lines.join(ending))
    }

    proptest! {
        #[test]
        fn what_is_left_is_the_lines_outside(text in text()) {
            let sections = Sections::parse(&text);
            for target in Target::ALL {
                let rest = sections.without(&text, target).unwrap_or_else(|| text.clone());
                let out: usize = sections.blocks.iter().filter(|b| !b.kept_for.contains(&target)).map(|b| b.span.length).sum();
                prop_assert_eq!(rest.len() + out, text.len());
                let all: Vec<&str> = text.split_inclusive('\n').collect();
                // A subsequence of whole lines.
                let mut lines = all.iter();
                prop_assert!(rest.split_inclusive('\n').all(|line| lines.any(|whole| *whole == line)));
            }
        }
    }
}

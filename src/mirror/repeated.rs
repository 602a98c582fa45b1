//! Tools that see each skill several times, because they read several of the mirrors.

use crate::config::{RepeatedSkill, Target, ToolRow};

/// A tool that reads several of the mirrors.
#[derive(Clone, Debug)]
pub struct RepeatedReader {
    /// Its own target, which is the one to remove.
    pub target: Target,
    pub tool: &'static ToolRow,
    /// The mirrors that it reads; at least two.
    pub folders: Vec<&'static str>,
}

/// Lists the targets whose tools also read the mirror of another target.
pub fn repeated_readers(targets: &[Target]) -> Vec<RepeatedReader> {
    let reader = |target: &Target| {
        let tool = target.row()?;
        let is_written = |folder: &&'static str| targets.iter().any(|target| target.mirror() == *folder);
        let folders: Vec<&'static str> = tool.skill_folders().filter(is_written).collect();
        (folders.len() > 1).then_some(RepeatedReader { target: *target, tool, folders })
    };
    targets.iter().filter_map(reader).collect()
}

impl RepeatedReader {
    /// What the tool does: `Codex lists each skill twice`.
    pub fn effect(&self) -> String {
        let times = match self.folders.len() {
            2 => "twice".to_owned(),
            count => format!("{count} times"),
        };
        let name = self.tool.name;
        match self.tool.skills.repeated {
            RepeatedSkill::Lists => format!("{name} lists each skill {times}"),
            RepeatedSkill::Warns => format!("{name} warns about each skill"),
            RepeatedSkill::TakesOne => format!("{name} finds each skill {times} and takes one"),
            RepeatedSkill::Unknown => format!("{name} sees each skill {times}"),
        }
    }

    /// The mirrors that it reads: `.claude/skills` and `.cursor/skills`.
    pub fn folders(&self) -> String {
        let mut quoted: Vec<String> = self.folders.iter().map(|folder| format!("`{folder}`")).collect();
        quoted.sort();
        match quoted.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => quoted.concat(),
        }
    }

    /// How to avoid it.
    pub fn remedy(&self) -> String {
        let left: Vec<String> =
            self.folders.iter().filter(|folder| **folder != self.target.mirror()).map(|f| format!("`{f}`")).collect();
        let (target, name) = (self.target.name(), self.tool.name);
        match left.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!(
                "remove `{target}` from `targets`: {name} still reads {} and {last}, and sees each skill once only if one of \
                 them is left",
                rest.join(", ")
            ),
            _ => format!("remove `{target}` from `targets`: {name} still reads {}", left.concat()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_mirrors_that_a_tool_reads() {
        let effects = |names: &[&str]| -> Vec<String> {
            let targets: Vec<Target> = names.iter().filter_map(|name| Target::of_tool(name)).collect();
            repeated_readers(&targets).iter().map(RepeatedReader::effect).collect()
        };
        assert_eq!(effects(&["claude", "agents"]), [""; 0]);
        assert_eq!(effects(&["claude", "gemini", "codex"]), [""; 0]);
        assert_eq!(effects(&["claude", "agents", "codex"]), ["Codex lists each skill twice"]);
        assert_eq!(effects(&["agents", "gemini"]), ["Gemini CLI warns about each skill"]);
        assert_eq!(effects(&["claude", "cursor"]), ["Cursor sees each skill twice"]);
        assert_eq!(effects(&["goose", "claude"]), ["goose finds each skill twice and takes one"]);
        assert_eq!(
            effects(&["claude", "gemini", "cursor", "codex", "antigravity"]),
            ["Cursor sees each skill 3 times"]
        );
        let default = repeated_readers(&Target::DEFAULT);
        assert_eq!(default[0].folders(), "`.claude/skills`, `.codex/skills` and `.cursor/skills`");
        let remedy = "remove `cursor` from `targets`: Cursor still reads `.claude/skills` and `.codex/skills`, and sees each \
                      skill once only if one of them is left";
        assert_eq!(default[0].remedy(), remedy);
        let claude = repeated_readers(&[Target::CLAUDE, Target::CURSOR]);
        assert_eq!(claude[0].remedy(), "remove `cursor` from `targets`: Cursor still reads `.claude/skills`");
        assert!(repeated_readers(&[Target::custom("foo", ".foo/skills"), Target::CLAUDE]).is_empty());
    }
}

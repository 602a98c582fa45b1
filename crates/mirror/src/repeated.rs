//! Tools that see each skill several times, because they read several of the mirrors.

use canonry_model::config::{RepeatedSkill, SHARED_MIRROR, Target, ToolRow};

/// The targets of a repository without tools: Claude Code reads the one, the others read the other.
const WITHOUT_TOOLS: [Target; 2] = [Target::CLAUDE, Target::AGENTS];
/// Targets that are tried with and without each other; those after them stay.
const MAX_OPEN: usize = 14;

/// A tool that reads several of the mirrors.
#[derive(Clone, Debug)]
pub struct RepeatedReader {
    /// Its own target.
    pub target: Target,
    pub tool: &'static ToolRow,
    /// The mirrors that it reads; at least two.
    pub folders: Vec<&'static str>,
    /// Targets with which every tool still gets the skills, and as few as possible see them several times.
    pub better: Vec<Target>,
    /// The configured targets.
    configured: Vec<Target>,
}

/// Lists the targets whose tools also read the mirror of another target.
pub fn repeated_readers(targets: &[Target]) -> Vec<RepeatedReader> {
    let served: Vec<(Target, &'static ToolRow)> = served(targets).collect();
    if served.iter().all(|(_, tool)| extra_copies(tool, targets) == 0) {
        return Vec::new();
    }
    let better = improve(targets, &served);
    let reader = |(target, tool): &(Target, &'static ToolRow)| {
        (extra_copies(tool, targets) > 0).then(|| RepeatedReader {
            target: *target,
            tool,
            folders: folders_read(tool, targets),
            better: better.clone(),
            configured: targets.to_vec(),
        })
    };
    served.iter().filter_map(reader).collect()
}

/// The tools that have a target of their own.
fn served(targets: &[Target]) -> impl Iterator<Item = (Target, &'static ToolRow)> {
    targets.iter().filter(|target| **target != Target::AGENTS).filter_map(|target| Some((*target, target.row()?)))
}

/// The mirrors that a tool reads.
fn folders_read(tool: &'static ToolRow, targets: &[Target]) -> Vec<&'static str> {
    let is_written = |folder: &&'static str| targets.iter().any(|target| target.mirror() == *folder);
    tool.skill_folders().filter(is_written).collect()
}

/// The mirrors in which a tool sees a skill again. A tool that takes one of several copies sees none again.
fn extra_copies(tool: &'static ToolRow, targets: &[Target]) -> usize {
    if tool.skills.repeated == RepeatedSkill::TakesOne {
        return 0;
    }
    folders_read(tool, targets).len().saturating_sub(1)
}

/// Targets that reach these tools: each skill is seen as few times as possible, in as few folders as possible. The
/// `required` ones are among them.
pub fn choose_targets(tools: &[Target], required: &[Target]) -> Vec<Target> {
    if tools.is_empty() && required.is_empty() {
        return WITHOUT_TOOLS.to_vec();
    }
    let served: Vec<(Target, &'static ToolRow)> = served(tools).collect();
    let mut open: Vec<Target> = tools.iter().copied().filter(|target| !required.contains(target)).collect();
    if !required.contains(&Target::AGENTS) && !open.contains(&Target::AGENTS) {
        open.push(Target::AGENTS);
    }
    fewest_copies(required, &open, &served, tools)
}

/// Better targets than the configured ones for the same tools.
fn improve(targets: &[Target], served: &[(Target, &'static ToolRow)]) -> Vec<Target> {
    // Other tools may need the shared folder, and only the config knows who reads a mirror of its own.
    let is_fixed = |target: &Target| {
        let reads_other = |tool: &ToolRow| {
            let mut folders = tool.skill_folders().filter(|folder| *folder != target.mirror());
            folders.any(|folder| folder == SHARED_MIRROR || targets.iter().any(|other| other.mirror() == folder))
        };
        *target == Target::AGENTS || !target.row().is_some_and(reads_other)
    };
    let (fixed, mut open): (Vec<Target>, Vec<Target>) = targets.iter().copied().partition(is_fixed);
    if !fixed.contains(&Target::AGENTS) {
        open.push(Target::AGENTS);
    }
    fewest_copies(&fixed, &open, served, targets)
}

/// The fixed targets, and those of the open ones with which every tool is served with the fewest repeated reads. Among
/// equals, the fewest targets, then the preferred ones. All of them if no choice serves every tool.
fn fewest_copies(
    fixed: &[Target],
    open: &[Target],
    served: &[(Target, &'static ToolRow)],
    preferred: &[Target],
) -> Vec<Target> {
    let cost = |chosen: &[Target]| {
        let reads = served.iter().map(|(_, tool)| folders_read(tool, chosen).len());
        let repeated: usize = served.iter().map(|(_, tool)| extra_copies(tool, chosen)).sum();
        let new = chosen.iter().filter(|target| !preferred.contains(target)).count();
        reads.min().is_none_or(|least| least > 0).then_some((repeated, chosen.len(), new))
    };
    let choices = (0..1_usize << open.len().min(MAX_OPEN)).map(|bits| {
        let is_chosen = |(at, _): &(usize, &Target)| *at >= MAX_OPEN || bits >> at & 1 == 1;
        let mut chosen: Vec<Target> = fixed.to_vec();
        chosen.extend(open.iter().enumerate().filter(is_chosen).map(|(_, target)| *target));
        chosen.sort();
        chosen
    });
    let possible = choices.filter_map(|chosen| Some((cost(&chosen)?, chosen)));
    possible.min().map_or_else(|| preferred.to_vec(), |(_, chosen)| chosen)
}

impl RepeatedReader {
    /// Effect in the tool: `Codex lists each skill twice`.
    pub fn effect(&self) -> String {
        let times = match self.folders.len() {
            2 => "twice".to_owned(),
            count => format!("{count} times"),
        };
        let name = self.tool.name;
        match self.tool.skills.repeated {
            RepeatedSkill::Lists => format!("{name} lists each skill {times}"),
            RepeatedSkill::Warns => format!("{name} warns about each skill"),
            RepeatedSkill::TakesOne | RepeatedSkill::Unknown => format!("{name} sees each skill {times}"),
        }
    }

    /// The mirrors that it reads: `.claude/skills` and `.cursor/skills`.
    pub fn folders(&self) -> String {
        quoted(&self.folders)
    }

    /// Remedy: ``` `targets: [claude, agents]` makes it 2 ```.
    pub fn remedy(&self) -> String {
        let left = match folders_read(self.tool, &self.better).len() {
            1 => "once".to_owned(),
            count => count.to_string(),
        };
        let is_removed = |configured: &&Target| !self.better.contains(configured);
        let removed: Vec<&Target> = self.configured.iter().filter(is_removed).collect();
        let is_subset = self.better.iter().all(|target| self.configured.contains(target));
        if is_subset && removed == [&self.target] {
            return format!("removing `{}` from `targets` makes it {left}", self.target.name());
        }
        let names: Vec<&str> = self.better.iter().map(|target| target.name()).collect();
        format!("`targets: [{}]` makes it {left}", names.join(", "))
    }
}

/// `.claude/skills` and `.cursor/skills`
fn quoted(folders: &[&str]) -> String {
    let mut quoted: Vec<String> = folders.iter().map(|folder| format!("`{folder}`")).collect();
    quoted.sort();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        // goose takes one of the copies.
        assert_eq!(effects(&["goose", "claude"]), [""; 0]);
        assert_eq!(
            effects(&["claude", "gemini", "cursor", "codex", "antigravity"]),
            ["Cursor sees each skill 3 times"]
        );
        let default = repeated_readers(&Target::DEFAULT);
        assert_eq!(default[0].folders(), "`.claude/skills`, `.codex/skills` and `.cursor/skills`");
        assert_eq!(default[0].remedy(), "`targets: [claude, agents]` makes it 2");
        let claude = repeated_readers(&[Target::CLAUDE, Target::CURSOR]);
        assert_eq!(claude[0].remedy(), "removing `cursor` from `targets` makes it once");
        assert!(repeated_readers(&[Target::custom("foo", ".foo/skills"), Target::CLAUDE]).is_empty());
    }

    #[test]
    fn remedies_name_what_is_left() {
        let remedies = |names: &[&str]| -> Vec<String> {
            let targets: Vec<Target> = names.iter().filter_map(|name| Target::of_tool(name)).collect();
            repeated_readers(&targets).iter().map(RepeatedReader::remedy).collect()
        };
        assert_eq!(remedies(&["claude", "codex", "agents"]), ["removing `codex` from `targets` makes it once"]);
        assert_eq!(remedies(&["gemini", "codex", "agents"]), ["`targets: [agents]` makes it once"; 2]);
        assert_eq!(remedies(&["claude", "cursor", "agents"]), ["removing `cursor` from `targets` makes it 2"]);
    }

    #[test]
    fn chosen_targets_reach_each_tool_once_in_few_folders() {
        let targets = |names: &[&str]| -> Vec<Target> { names.iter().filter_map(|n| Target::of_tool(n)).collect() };
        for (tools, required, chosen) in [
            (&["claude"][..], &[][..], &["claude"][..]),
            (&["claude", "cursor"], &[], &["claude"]),
            (&["cursor"], &[], &["cursor"]),
            (&["gemini", "codex"], &[], &["agents"]),
            (&["claude", "codex"], &[], &["claude", "codex"]),
            (&["claude", "codex"], &["agents"], &["claude", "agents"]),
            (&["cursor"], &["claude"], &["claude"]),
            (&[], &["gemini"], &["gemini"]),
            (&["claude", "gemini", "cursor", "codex", "antigravity"], &[], &["claude", "agents"]),
        ] {
            assert_eq!(choose_targets(&targets(tools), &targets(required)), targets(chosen), "{tools:?} {required:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(canonry_testing::cases(400)))]
        /// Following the advice leads to no further advice, loses no tool, and leaves as few copies as any choice.
        #[test]
        fn the_advice_is_final(targets in prop::sample::subsequence(Target::ALL.to_vec(), 0..=8)) {
            let readers = repeated_readers(&targets);
            let Some(first) = readers.first() else { return Ok(()) };
            let better = first.better.clone();
            prop_assert!(repeated_readers(&better).is_empty(), "{targets:?} -> {better:?}");
            for (target, tool) in served(&targets) {
                let name = target.name();
                prop_assert!(!folders_read(tool, &better).is_empty(), "{targets:?} -> {better:?}: {name} gets nothing");
                let before = extra_copies(tool, &targets);
                prop_assert!(before == 0 || extra_copies(tool, &better) < before, "{targets:?} -> {better:?}: {name}");
            }
            // Every choice of targets that reaches all tools, with those whose readers are unknown.
            let all: Vec<Target> = targets.iter().copied().chain([Target::AGENTS]).collect();
            let repeated = |chosen: &[Target]| -> Option<usize> {
                let reaches_all = served(&targets).all(|(_, tool)| !folders_read(tool, chosen).is_empty());
                reaches_all.then(|| served(&targets).map(|(_, tool)| extra_copies(tool, chosen)).sum())
            };
            let own = repeated(&better);
            for bits in 0..1_usize << all.len() {
                let chosen: Vec<Target> = all.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, t)| *t).collect();
                let keeps_shared = !targets.contains(&Target::AGENTS) || chosen.contains(&Target::AGENTS);
                if let (true, Some(count)) = (keeps_shared, repeated(&chosen)) {
                    prop_assert!(own <= Some(count), "{chosen:?} is better than {better:?}");
                }
            }
        }
    }
}

//! The five phases of a plan. A phase opens only when the artifact before it exists, is not empty, and is valid.

use std::fmt;

/// A phase of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Intake,
    Plan,
    Execute,
    Verify,
    Report,
}

impl Phase {
    pub const ALL: [Self; 5] = [Self::Intake, Self::Plan, Self::Execute, Self::Verify, Self::Report];

    /// The phase as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Intake => "intake",
            Self::Plan => "plan",
            Self::Execute => "execute",
            Self::Verify => "verify",
            Self::Report => "report",
        }
    }
}

/// The skill of a phase, as the table in the policy of the workflow names it: the cell below `skill` in the row of the phase.
/// Otherwise the skill with the name of the phase.
pub fn phase_skill(policy: &str, phase: Phase) -> String {
    let mut column = None;
    for line in policy.lines() {
        let Some(row) = line.trim().strip_prefix('|') else {
            column = None;
            continue;
        };
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        match column {
            None => column = cells.iter().position(|cell| cell.eq_ignore_ascii_case("skill")),
            Some(at) => {
                let mut words = cells.first().into_iter().flat_map(|cell| cell.split_whitespace());
                let name = cells.get(at).filter(|name| !name.is_empty());
                if let Some(name) = name.filter(|_| words.any(|word| word.eq_ignore_ascii_case(phase.as_str()))) {
                    return (*name).to_owned();
                }
            }
        }
    }
    phase.as_str().to_owned()
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Intake => "Intake",
            Self::Plan => "Plan",
            Self::Execute => "Execute",
            Self::Verify => "Verify",
            Self::Report => "Report",
        })
    }
}

/// The state of an artifact that closes a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactState {
    /// It does not exist.
    Missing,
    /// It has only headings, comments or placeholders.
    Empty,
    /// Something is wrong with it: a sentence about it, such as `it has no acceptance criteria`.
    Invalid(String),
    Valid,
}

/// Facts that decide the phase. Each artifact comes with the path that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseInput {
    pub intake: (String, ArtifactState),
    pub plan: (String, ArtifactState),
    /// The ids of the steps that are not complete.
    pub open_steps: Vec<String>,
    pub verification: (String, ArtifactState),
    pub report: (String, ArtifactState),
}

/// The phase of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseState {
    pub phase: Phase,
    /// Missing requirement of the next phase, or of closing the plan in the last phase. `None` if the plan is closed.
    pub missing: Option<String>,
}

impl PhaseState {
    /// Whether every phase is done.
    pub fn is_closed(&self) -> bool {
        self.missing.is_none()
    }
}

impl fmt::Display for PhaseState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.missing {
            Some(missing) => write!(f, "phase {}: {missing}", self.phase),
            None => write!(f, "phase {}: closed", self.phase),
        }
    }
}

/// The first phase whose artifact is not valid; the last phase if all are.
pub fn phase(input: &PhaseInput) -> PhaseState {
    let execute = match input.open_steps.as_slice() {
        [] => None,
        [step] => Some(format!("step `{step}` is not complete")),
        [first, others @ ..] => Some(format!("{} steps are not complete, the first is `{first}`", others.len() + 1)),
    };
    // A plan whose work is done needs no intake any more.
    let needs_intake =
        input.intake.1 != ArtifactState::Missing || input.plan.1 != ArtifactState::Valid || execute.is_some();
    let missing = [
        (Phase::Intake, missing(&input.intake).filter(|_| needs_intake)),
        (Phase::Plan, missing(&input.plan)),
        (Phase::Execute, execute),
        (Phase::Verify, missing(&input.verification)),
        (Phase::Report, missing(&input.report)),
    ];
    let open = missing.into_iter().find_map(|(phase, missing)| Some(PhaseState { phase, missing: Some(missing?) }));
    open.unwrap_or(PhaseState { phase: Phase::Report, missing: None })
}

fn missing((path, artifact): &(String, ArtifactState)) -> Option<String> {
    match artifact {
        ArtifactState::Missing => Some(format!("{path} does not exist")),
        ArtifactState::Empty => Some(format!("{path} is empty: it has only headings, comments or placeholders")),
        ArtifactState::Invalid(why) => Some(format!("{path} is not ready: {why}")),
        ArtifactState::Valid => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> PhaseInput {
        let valid = |path: &str| (path.to_owned(), ArtifactState::Valid);
        PhaseInput {
            intake: valid("intake.md"),
            plan: valid("plan.yaml"),
            open_steps: Vec::new(),
            verification: valid("verification.json"),
            report: valid("combined.json"),
        }
    }

    #[test]
    fn the_policy_names_the_skill_of_a_phase() {
        let table = "| phase | artefact | skill |\n|---|---|---|\n| 2 Plan | x | `plan` |\n| 3 Execute | y | build |\n";
        for (policy, want) in [
            (table, "build"),
            ("| Phase | Skill | \n|-|-|\n| execute | `do` |\n", "do"),
            ("| phase | artefact |\n|---|---|\n| execute | x |\n", "execute"),
            ("| phase | skill |\n|---|---|\n| execute | |\n", "execute"),
            ("| phase | skill |\n\n| execute | no row of this table |\n", "execute"),
            ("Execute with skill.", "execute"),
        ] {
            assert_eq!(phase_skill(policy, Phase::Execute), want, "{policy}");
        }
    }

    #[test]
    fn each_phase_needs_the_artifact_before_it() {
        assert_eq!(phase(&input()), PhaseState { phase: Phase::Report, missing: None });
        let set = |change: fn(&mut PhaseInput)| {
            let mut input = input();
            change(&mut input);
            phase(&input).to_string()
        };
        for (change, want) in [
            (
                (|i| (i.intake.1, i.plan.1) = (ArtifactState::Missing, ArtifactState::Missing)) as fn(&mut PhaseInput),
                "phase Intake: intake.md does not exist",
            ),
            (
                |i| (i.intake.1, i.report.1) = (ArtifactState::Missing, ArtifactState::Missing),
                "phase Report: combined.json does not exist",
            ),
            (
                |i| i.intake.1 = ArtifactState::Empty,
                "phase Intake: intake.md is empty: it has only headings, comments or placeholders",
            ),
            (|i| i.plan.1 = ArtifactState::Invalid("x".to_owned()), "phase Plan: plan.yaml is not ready: x"),
            (|i| i.open_steps = vec!["a".to_owned()], "phase Execute: step `a` is not complete"),
            (
                |i| i.open_steps = vec!["a".to_owned(), "b".to_owned()],
                "phase Execute: 2 steps are not complete, the first is `a`",
            ),
            (|i| i.verification.1 = ArtifactState::Missing, "phase Verify: verification.json does not exist"),
            (|i| i.report.1 = ArtifactState::Missing, "phase Report: combined.json does not exist"),
        ] {
            assert_eq!(set(change), want);
        }
    }
}

//! Human gates: whether a person decides before a step is executed. Every command that starts, ends, runs or shows a step
//! asks here.

use canonry_model::canon::plan::PlanStep;

/// The decision of a person that is needed before a step is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing.
    Open,
    /// A person has approved the step.
    Approved,
    /// A person must approve the step, for this reason.
    NeedsApproval(String),
    /// The guard denies a command of the step, for this reason.
    Forbidden(String),
}

/// The guard's answer to a command line of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineVerdict {
    /// It may be run.
    Free,
    /// A person must approve it, for this reason.
    Asked(String),
    /// It must not be run, for this reason.
    Denied(String),
}

impl Gate {
    /// Decides about a step. `lines` are the answers to its commands; an approval counts if it covers the step as it is.
    pub fn decide(step: &PlanStep, lines: impl IntoIterator<Item = LineVerdict>, is_approved: bool) -> Self {
        let mut reason = step.approval.then(|| "the plan says `approval: true`".to_owned());
        for line in lines {
            match line {
                LineVerdict::Denied(reason) => return Self::Forbidden(reason),
                LineVerdict::Asked(asked) => reason = reason.or(Some(asked)),
                LineVerdict::Free => {}
            }
        }
        match reason {
            None => Self::Open,
            Some(_) if is_approved => Self::Approved,
            Some(reason) => Self::NeedsApproval(reason),
        }
    }

    /// Why a person is needed; `None` if nobody is.
    pub fn obstacle(&self) -> Option<String> {
        match self {
            Self::Open | Self::Approved => None,
            Self::NeedsApproval(reason) => Some(format!("needs approval: {reason}")),
            Self::Forbidden(reason) => Some(format!("forbidden: {reason}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::Blob;
    use canonry_model::canon::plan::Plan;
    use canonry_model::canon::schema::Schemas;
    use canonry_text::RepoPath;

    #[test]
    fn the_strictest_line_decides_and_no_approval_lifts_a_denial() {
        let free = || LineVerdict::Free;
        let asked = |reason: &str| LineVerdict::Asked(reason.to_owned());
        let denied = |reason: &str| LineVerdict::Denied(reason.to_owned());
        let needs = |reason: &str| Gate::NeedsApproval(reason.to_owned());
        let stated = "the plan says `approval: true`";
        for (approval, lines, unapproved, approved) in [
            (false, vec![], Gate::Open, Gate::Open),
            (false, vec![free()], Gate::Open, Gate::Open),
            (true, vec![free()], needs(stated), Gate::Approved),
            (false, vec![free(), asked("a"), asked("b")], needs("a"), Gate::Approved),
            (true, vec![asked("a")], needs(stated), Gate::Approved),
            (true, vec![asked("a"), denied("d")], Gate::Forbidden("d".to_owned()), Gate::Forbidden("d".to_owned())),
        ] {
            let text = format!("steps:\n  - {{id: a, owner: A, approval: {approval}}}\n");
            let plan = Plan::parse(RepoPath::from("p"), Blob::Bytes(text.into_bytes()), &Schemas::default());
            let step = &plan.document.as_ref().unwrap().steps[0];
            assert_eq!(Gate::decide(step, lines.clone(), false), unapproved, "{lines:?}");
            assert_eq!(Gate::decide(step, lines.clone(), true), approved, "{lines:?}");
        }
    }
}

//! Faults that the simulation has to find.

/// A fault of the world or of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bug {
    /// Work that fails its checks is accepted.
    ChecksPass,
    /// A work tree is removed whatever it holds.
    TreesGo,
    /// A usage limit is taken for a failure.
    LimitsCount,
    /// A step is claimed although somebody holds it.
    ClaimsAreShared,
    /// The claim on a complete step does not outlive it.
    ClaimsEnd,
    /// A plan that an editor saves overrides the journal.
    PlansAreBelieved,
    /// Attempts are not counted.
    RetriesAreEndless,
    /// The budget is not looked at.
    BudgetIsEndless,
    /// The worker of a killed run goes on.
    OrphansLive,
    /// A commit has the status of every step.
    PlansAreCommitted,
}

pub(super) const BUGS: [Bug; 10] = [
    Bug::ChecksPass,
    Bug::TreesGo,
    Bug::LimitsCount,
    Bug::ClaimsAreShared,
    Bug::ClaimsEnd,
    Bug::PlansAreBelieved,
    Bug::RetriesAreEndless,
    Bug::BudgetIsEndless,
    Bug::OrphansLive,
    Bug::PlansAreCommitted,
];

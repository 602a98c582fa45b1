//! Puts the lessons that a dream stages into the groups of the review queue.

use crate::memory::review::{CandidateKind, ReviewEvent, ReviewQueue, StagedCandidate};
use crate::memory::themes::{ReviewMember, group_for_review};
use std::collections::BTreeSet;

/// Sets the groups of the new lessons. Returns the events that put pending candidates into a group.
pub fn set_groups(
    staged: &mut [StagedCandidate],
    related: &[(String, String)],
    queue: &ReviewQueue,
) -> Vec<ReviewEvent> {
    let is_lesson = |staged: &&StagedCandidate| staged.kind == CandidateKind::Lesson;
    let pending: Vec<&StagedCandidate> = queue.pending().map(|entry| &entry.staged).filter(is_lesson).collect();
    let new = staged.to_vec();
    let all = pending.into_iter().map(|waiting| (waiting, false)).chain(new.iter().map(|new| (new, true)));
    let members: Vec<ReviewMember<'_>> = all
        .map(|(candidate, is_new)| ReviewMember {
            name: &candidate.candidate,
            text: &candidate.text,
            group: candidate.group.as_deref(),
            is_new,
        })
        .collect();
    let taken: BTreeSet<String> = queue.entries.iter().filter_map(|entry| entry.staged.group.clone()).collect();
    let mut events = Vec::new();
    for group in group_for_review(&members, related, &taken) {
        let joining = || group.joining.iter().map(|at| &members[*at]);
        let waiting: Vec<String> =
            joining().filter(|member| !member.is_new).map(|member| member.name.to_owned()).collect();
        for name in joining().filter(|member| member.is_new).map(|member| member.name) {
            staged.iter_mut().filter(|s| s.candidate == name).for_each(|s| s.group = Some(group.name.clone()));
        }
        if !waiting.is_empty() {
            events.push(ReviewEvent::Grouped { group: group.name, candidates: waiting });
        }
    }
    events
}

//! Groups of the review queue: candidates that a person should see side by side, because they are about one theme or say nearly
//! the opposite of each other.

use super::opposites::find_near_opposites;
use super::words::words;
use std::collections::BTreeSet;

/// Words of the name of a group.
const MAX_NAME_WORDS: usize = 3;

/// A candidate that waits, or is about to.
#[derive(Clone, Copy, Debug)]
pub struct ReviewMember<'a> {
    /// The name.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// The group it is in.
    pub group: Option<&'a str>,
    /// Whether it is about to be staged.
    pub is_new: bool,
}

/// A group, and the members that join it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewGroup {
    /// The name.
    pub name: String,
    /// The positions of the members without a group so far.
    pub joining: Vec<usize>,
}

/// Puts new members into groups: with members that they are related to, and with near-opposites. A member that is in a group
/// stays there. `related` are pairs of names; `taken` are names of other groups.
pub fn group_for_review(
    members: &[ReviewMember<'_>],
    related: &[(String, String)],
    taken: &BTreeSet<String>,
) -> Vec<ReviewGroup> {
    let texts: Vec<&str> = members.iter().map(|member| member.text).collect();
    let mut links = find_near_opposites(&texts);
    let position = |name: &String| members.iter().position(|member| member.name == name);
    for (one, other) in related {
        if let (Some(one), Some(other)) = (position(one), position(other)) {
            links[one].push(other);
            links[other].push(one);
        }
    }
    let mut taken = taken.clone();
    let mut seen = vec![false; members.len()];
    let mut groups = Vec::new();
    for first in 0..members.len() {
        let linked = component(first, &links, &mut seen);
        let is_group = linked.len() > 1 && linked.iter().any(|at| members[*at].is_new);
        let joining: Vec<usize> = linked.iter().copied().filter(|at| members[*at].group.is_none()).collect();
        if !is_group || joining.is_empty() {
            continue;
        }
        let known = linked.iter().find_map(|at| members[*at].group).map(str::to_owned);
        let name = known.unwrap_or_else(|| new_name(linked.iter().map(|at| texts[*at]), &taken));
        taken.insert(name.clone());
        groups.push(ReviewGroup { name, joining });
    }
    groups
}

/// Everything that is linked to `first` and was not seen before, in ascending order.
fn component(first: usize, links: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut open = vec![first];
    let mut found = Vec::new();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            found.push(at);
            open.extend(&links[at]);
        }
    }
    found.sort_unstable();
    found
}

/// The words of the first text that most others share, such as `vendor-dependencies`; without common words, its first words.
fn new_name<'a>(texts: impl Iterator<Item = &'a str>, taken: &BTreeSet<String>) -> String {
    let stems: Vec<Vec<(String, String)>> = texts.map(stems_and_words).collect();
    let Some((first, others)) = stems.split_first() else { return String::new() };
    let in_others = |stem: &str| others.iter().filter(|other| other.iter().any(|(known, _)| known == stem)).count();
    let shared = first.iter().filter(|(stem, _)| in_others(stem) * 2 > others.len());
    let mut words: Vec<&str> = shared.map(|(_, word)| word.as_str()).take(MAX_NAME_WORDS).collect();
    if words.is_empty() {
        words = first.iter().map(|(_, word)| word.as_str()).take(MAX_NAME_WORDS).collect();
    }
    let name = if words.is_empty() { "group".to_owned() } else { words.join("-") };
    let free = |name: &String| !taken.contains(name);
    if free(&name) {
        return name;
    }
    (2..).map(|number| format!("{name}-{number}")).find(free).unwrap_or(name)
}

/// The topic words of a text with their stems, each stem once.
fn stems_and_words(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase) {
        if let [topic] = &words(&word)[..]
            && !found.iter().any(|(stem, _)| *stem == topic.stem)
        {
            found.push((topic.stem.clone(), word));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member<'a>(name: &'a str, text: &'a str, group: Option<&'a str>, is_new: bool) -> ReviewMember<'a> {
        ReviewMember { name, text, group, is_new }
    }

    fn grouped(members: &[ReviewMember<'_>], related: &[(&str, &str)]) -> Vec<(String, Vec<usize>)> {
        let related: Vec<(String, String)> =
            related.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect();
        let groups = group_for_review(members, &related, &BTreeSet::from(["rotate-keys".to_owned()]));
        groups.into_iter().map(|group| (group.name, group.joining)).collect()
    }

    #[test]
    fn near_opposites_and_related_candidates_form_groups() {
        let waiting = member("a", "always vendor the dependencies", None, false);
        let opposite = member("b", "never vendor dependencies", None, true);
        let other = member("c", "write the changelog by hand", None, true);
        assert_eq!(grouped(&[waiting, opposite, other], &[]), [("vendor-dependencies".to_owned(), vec![0, 1])]);
        assert_eq!(
            grouped(&[waiting, opposite, other], &[("c", "b")]),
            [("vendor-dependencies".to_owned(), vec![0, 1, 2])]
        );
        assert_eq!(grouped(&[waiting, other], &[("gone", "c")]), []);
    }

    #[test]
    fn a_group_keeps_its_name_and_its_members() {
        let waiting = member("a", "always vendor the dependencies", Some("vendoring"), false);
        let elsewhere = member("b", "never vendor dependencies", Some("clones"), false);
        let new = member("c", "do not vendor dependencies", None, true);
        assert_eq!(grouped(&[waiting, elsewhere, new], &[]), [("vendoring".to_owned(), vec![2])]);
        // Without a new member nothing changes.
        assert_eq!(grouped(&[waiting, elsewhere], &[]), []);
        let keys = [member("a", "rotate keys", None, false), member("b", "never rotate keys", None, true)];
        assert_eq!(grouped(&keys, &[]), [("rotate-keys-2".to_owned(), vec![0, 1])]);
        let strange = [member("a", "1", None, true), member("b", "", None, true)];
        assert_eq!(grouped(&strange, &[("a", "b")]), [("group".to_owned(), vec![0, 1])]);
    }
}

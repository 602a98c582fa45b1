//! The space in which a tool lists the skills at the start of a session.

/// A tool's list of skills.
#[derive(Clone, Copy, Debug)]
pub struct SkillListing {
    /// Characters for all skills.
    pub characters: usize,
    /// When it has this many, in words.
    pub condition: &'static str,
    /// Characters of a description that are listed at most.
    pub description: usize,
    pub overflow: ListingOverflow,
}

/// Treatment of descriptions for which the space does not suffice. Names are always listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingOverflow {
    /// A description is listed if the rest of the space suffices for all of it, in the order of the names.
    LeavesOut,
    /// All descriptions are cut to one length.
    Cuts,
}

/// The lengths of a skill's name and description in characters.
#[derive(Clone, Copy, Debug)]
pub struct ListedSkill {
    pub name: usize,
    pub description: usize,
}

/// Claude Code's list gets 1 % of the model's context: 200,000 tokens if it is not known.
pub const CLAUDE_LISTING: SkillListing = SkillListing {
    characters: 8_000,
    condition: "with a context of 200,000 tokens",
    description: 1_536,
    overflow: ListingOverflow::LeavesOut,
};

/// The length of a description with `when_to_use`: Claude Code lists `DESCRIPTION - WHEN_TO_USE` (2.1.330).
pub fn joined_length(description: &str, when_to_use: Option<&str>) -> usize {
    description.chars().count() + when_to_use.map_or(0, |text| " - ".len() + text.chars().count())
}

impl SkillListing {
    /// The characters of each description that the tool lists, for skills in the order of their names.
    pub fn listed(&self, skills: &[ListedSkill]) -> Vec<usize> {
        let wanted: Vec<usize> = skills.iter().map(|skill| skill.description.min(self.description)).collect();
        match self.overflow {
            ListingOverflow::LeavesOut => {
                // `- NAME`, with `: DESCRIPTION`, one line each.
                let names: usize = skills.iter().map(|skill| skill.name + 3).sum();
                let mut left = (self.characters + 1).saturating_sub(names);
                let take = |wanted: usize| {
                    let rest = left.checked_sub(wanted + 2);
                    left = rest.unwrap_or(left);
                    if rest.is_some() { wanted } else { 0 }
                };
                wanted.into_iter().map(take).collect()
            }
            ListingOverflow::Cuts => {
                // `- NAME: DESCRIPTION (file: r1/NAME/SKILL.md)`
                let lines: usize = skills.iter().map(|skill| 2 * skill.name + 26).sum();
                let length = common_length(&wanted, self.characters.saturating_sub(lines));
                wanted.into_iter().map(|wanted| wanted.min(length)).collect()
            }
        }
    }
}

/// The length to which texts of these lengths are cut so that they fit into the space.
fn common_length(texts: &[usize], space: usize) -> usize {
    let mut sorted = texts.to_vec();
    sorted.sort_unstable();
    let mut left = space;
    for (at, length) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - at);
        if *length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(overflow: ListingOverflow, characters: usize, descriptions: &[usize]) -> Vec<usize> {
        let listing = SkillListing { characters, condition: "", description: 50, overflow };
        let skills: Vec<ListedSkill> =
            descriptions.iter().map(|description| ListedSkill { name: 5, description: *description }).collect();
        listing.listed(&skills)
    }

    #[test]
    fn descriptions_that_do_not_fit_are_left_out() {
        use ListingOverflow::LeavesOut;
        // Three names take 24 with the ends of lines between them.
        assert_eq!(listed(LeavesOut, 23 + 12 + 22 + 32, &[10, 20, 30]), [10, 20, 30]);
        assert_eq!(listed(LeavesOut, 23 + 12 + 22 + 31, &[10, 20, 30]), [10, 20, 0]);
        assert_eq!(listed(LeavesOut, 23 + 12 + 12, &[10, 30, 10]), [10, 0, 10]);
        assert_eq!(listed(LeavesOut, 1000, &[60]), [50]);
        assert_eq!(listed(LeavesOut, 0, &[1]), [0]);
    }

    #[test]
    fn descriptions_are_cut_to_one_length() {
        use ListingOverflow::Cuts;
        let lines = 3 * 36;
        assert_eq!(listed(Cuts, lines + 60, &[10, 20, 30]), [10, 20, 30]);
        assert_eq!(listed(Cuts, lines + 50, &[10, 20, 30]), [10, 20, 20]);
        assert_eq!(listed(Cuts, lines + 30, &[40, 5, 40]), [12, 5, 12]);
        assert_eq!(listed(Cuts, 0, &[10]), [0]);
        assert_eq!(listed(Cuts, 0, &[]), [0; 0]);
    }
}

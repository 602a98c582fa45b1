//! Reciprocal rank fusion: combines rankings whose scores cannot be compared.

/// Rate at which the ranks lose weight. The usual 60 suits lists of thousands; a canon has tens to hundreds of
/// skills.
const K: f64 = 5.0;

/// Combines several scores of the same documents, one list per ranking: the sum of `1 / (K + rank)` over the rankings in which a
/// document has a positive score, scaled so that the first of all rankings gets 1. Equal scores share a rank.
pub fn fuse(rankings: &[Vec<f64>]) -> Vec<f64> {
    let count = rankings.iter().map(Vec::len).max().unwrap_or_default();
    let mut fused = vec![0.0; count];
    let share = (K + 1.0) / rankings.len().max(1) as f64;
    for scores in rankings {
        let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let mut rank = 0;
        for (position, at) in order.iter().enumerate() {
            if position > 0 && scores[*at] < scores[order[position - 1]] {
                rank = position;
            }
            fused[*at] += share / (K + rank as f64 + 1.0);
        }
    }
    fused
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn documents_that_every_ranking_finds_come_first() {
        let fused = fuse(&[vec![9.0, 8.0, 7.0, 0.0], vec![0.0, 5.0, 4.0, 6.0]]);
        assert!(fused[1] > fused[2] && fused[2] > fused[3] && fused[0] == fused[3], "{fused:?}");
        assert_eq!(fuse(&[vec![2.0, 2.0, 0.0]]), [1.0, 1.0, 0.0]);
        assert_eq!(fuse(&[]), Vec::<f64>::new());
    }

    proptest! {
        #[test]
        fn scores_are_between_0_and_1(lists in prop::collection::vec(prop::collection::vec(0.0..3.0f64, 5), 1..4)) {
            for score in fuse(&lists) {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&score));
            }
        }
    }
}

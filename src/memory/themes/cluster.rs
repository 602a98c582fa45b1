//! Average-link clustering: two groups are joined if the mean similarity of their pairs is high enough. Unlike joining
//! whatever has one similar pair, it does not chain different topics together.

/// A symmetric matrix.
#[derive(Clone, Debug)]
pub(super) struct Matrix<T> {
    size: usize,
    cells: Vec<T>,
}

impl<T: Copy> Matrix<T> {
    pub fn filled(size: usize, value: T) -> Self {
        Self { size, cells: vec![value; size * size] }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn get(&self, one: usize, other: usize) -> T {
        self.cells[one * self.size + other]
    }

    pub fn set(&mut self, one: usize, other: usize, value: T) {
        self.cells[one * self.size + other] = value;
        self.cells[other * self.size + one] = value;
    }
}

/// Groups the items of a similarity matrix. Items that `apart` keeps apart are never in the same group. Each item is in one
/// group; groups are in the order of their first item.
///
/// Follows chains of nearest neighbours to pairs that are each other's nearest (Murtagh 1983): the groups of joining the
/// nearest pair first, in a time that grows with the square of the number of items, however alike they are.
pub(super) fn average_link(similarity: &Matrix<f32>, apart: &Matrix<bool>, threshold: f32) -> Vec<Vec<usize>> {
    let mut state = Clusters::new(similarity, apart);
    for start in 0..similarity.size() {
        // Joining others never brings them nearer to a cluster that has no near one.
        let mut chain = vec![start];
        while let Some(last) = chain.pop() {
            if state.members[last].is_empty() {
                continue;
            }
            let before = chain.last().copied();
            match state.find_nearest(last, before).filter(|nearest| nearest.similarity >= threshold) {
                Some(nearest) if Some(nearest.cluster) == before => {
                    chain.pop();
                    let (one, other) = (last.min(nearest.cluster), last.max(nearest.cluster));
                    state.join(one, other);
                    if chain.is_empty() {
                        chain.push(one);
                    }
                }
                Some(nearest) => chain.extend([last, nearest.cluster]),
                None => {}
            }
        }
    }
    state.members.into_iter().filter(|members| !members.is_empty()).map(sorted).collect()
}

fn sorted(mut members: Vec<usize>) -> Vec<usize> {
    members.sort_unstable();
    members
}

/// The nearest other cluster and its similarity.
#[derive(Clone, Copy)]
struct Nearest {
    similarity: f32,
    cluster: usize,
}

struct Clusters {
    /// The sums of the similarities of all pairs of two clusters.
    sums: Matrix<f32>,
    apart: Matrix<bool>,
    /// The items of each cluster. A joined cluster is empty.
    members: Vec<Vec<usize>>,
}

impl Clusters {
    fn new(similarity: &Matrix<f32>, apart: &Matrix<bool>) -> Self {
        let members = (0..similarity.size()).map(|item| vec![item]).collect();
        Self { sums: similarity.clone(), apart: apart.clone(), members }
    }

    fn similarity(&self, one: usize, other: usize) -> f32 {
        let pairs = self.members[one].len() * self.members[other].len();
        self.sums.get(one, other) / pairs as f32
    }

    fn may_join(&self, one: usize, other: usize) -> bool {
        one != other && !self.members[other].is_empty() && !self.apart.get(one, other)
    }

    /// Of equally near clusters `preferred`, so that no chain goes around in a circle, otherwise the first.
    fn find_nearest(&self, cluster: usize, preferred: Option<usize>) -> Option<Nearest> {
        let preferred = preferred.filter(|other| self.may_join(cluster, *other));
        let mut nearest =
            preferred.map(|other| Nearest { similarity: self.similarity(cluster, other), cluster: other });
        for other in (0..self.members.len()).filter(|other| self.may_join(cluster, *other)) {
            let similarity = self.similarity(cluster, other);
            if nearest.is_none_or(|nearest| similarity > nearest.similarity) {
                nearest = Some(Nearest { similarity, cluster: other });
            }
        }
        nearest
    }

    /// Moves the items of `other` to `one`.
    fn join(&mut self, one: usize, other: usize) {
        for third in (0..self.members.len()).filter(|third| !self.members[*third].is_empty()) {
            let sum = self.sums.get(one, third) + self.sums.get(other, third);
            self.sums.set(one, third, sum);
            let apart = self.apart.get(one, third) || self.apart.get(other, third);
            self.apart.set(one, third, apart);
        }
        let joined = std::mem::take(&mut self.members[other]);
        self.members[one].extend(joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn groups(size: usize, pairs: &[(usize, usize, f32)], apart: &[(usize, usize)], threshold: f32) -> Vec<Vec<usize>> {
        let (mut similarity, mut kept) = (Matrix::filled(size, 0.0), Matrix::filled(size, false));
        pairs.iter().for_each(|(one, other, value)| similarity.set(*one, *other, *value));
        apart.iter().for_each(|(one, other)| kept.set(*one, *other, true));
        average_link(&similarity, &kept, threshold)
    }

    #[test]
    fn a_chain_is_not_one_group() {
        let chain = [(0, 1, 0.9), (1, 2, 0.8), (2, 3, 0.9)];
        assert_eq!(groups(4, &chain, &[], 0.3), [[0, 1], [2, 3]]);
        assert_eq!(groups(4, &chain, &[], 0.1).len(), 1);
    }

    #[test]
    fn items_that_are_kept_apart_never_meet() {
        let all = [(0, 1, 0.9), (0, 2, 0.8), (1, 2, 0.7)];
        assert_eq!(groups(3, &all, &[(1, 2)], 0.1), [vec![0, 1], vec![2]]);
        assert_eq!(groups(0, &[], &[], 0.1), Vec::<Vec<usize>>::new());
    }

    /// Joins the nearest two groups until none are near enough.
    fn nearest_first(size: usize, similarity: &Matrix<f32>, threshold: f32) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = (0..size).map(|item| vec![item]).collect();
        let mean = |one: &[usize], other: &[usize]| {
            let sum: f32 = one.iter().flat_map(|a| other.iter().map(|b| similarity.get(*a, *b))).sum();
            sum / (one.len() * other.len()) as f32
        };
        loop {
            let pairs = (0..groups.len()).flat_map(|one| (one + 1..groups.len()).map(move |other| (one, other)));
            let means = pairs.map(|(one, other)| (mean(&groups[one], &groups[other]), one, other));
            match means.max_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((mean, one, other)) if mean >= threshold => {
                    let joined = groups.remove(other);
                    groups[one].extend(joined);
                }
                _ => return groups.into_iter().map(sorted).collect(),
            }
        }
    }

    #[test]
    fn a_thousand_equal_items_are_one_group() {
        let (similarity, apart) = (Matrix::filled(1_000, 1.0), Matrix::filled(1_000, false));
        assert_eq!(average_link(&similarity, &apart, 0.5), [(0..1_000).collect::<Vec<_>>()]);
    }

    proptest! {
        #[test]
        fn groups_are_those_of_joining_the_nearest_first(size in 1..12usize, seed in any::<u64>(), threshold in 0.0..1.0f32) {
            let mut similarity = Matrix::filled(size, 0.0);
            let mut state = seed | 1;
            for (one, other) in (0..size).flat_map(|one| (0..one).map(move |other| (one, other))) {
                // Multiplicative hashing: the values differ, so that there are no ties.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                similarity.set(one, other, (state >> 40) as f32 / (1 << 24) as f32);
            }
            let found = average_link(&similarity, &Matrix::filled(size, false), threshold);
            prop_assert_eq!(found, nearest_first(size, &similarity, threshold));
        }

        /// Every item is in exactly one group, no group has a pair that is kept apart, and no two groups could still be joined.
        #[test]
        fn groups_are_complete_and_final(
            size in 1..14usize,
            drawn in prop::collection::vec((0..14usize, 0..14usize, 0..100u8), 0..60),
            kept in prop::collection::vec((0..14usize, 0..14usize), 0..6),
        ) {
            let inside = |pair: &(usize, usize)| pair.0 != pair.1 && pair.0 < size && pair.1 < size;
            let pairs: Vec<(usize, usize, f32)> = drawn
                .into_iter().filter(|(one, other, _)| inside(&(*one, *other)))
                .map(|(one, other, value)| (one, other, f32::from(value) / 100.0)).collect();
            let kept: Vec<(usize, usize)> = kept.into_iter().filter(inside).collect();
            let found = groups(size, &pairs, &kept, 0.25);
            let mut items: Vec<usize> = found.iter().flatten().copied().collect();
            items.sort_unstable();
            prop_assert_eq!(items, (0..size).collect::<Vec<_>>());
            let mut similarity = Matrix::filled(size, 0.0);
            pairs.iter().for_each(|(one, other, value)| similarity.set(*one, *other, *value));
            let is_apart = |a: &[usize], b: &[usize]| kept.iter().any(|(one, other)| {
                (a.contains(one) && b.contains(other)) || (a.contains(other) && b.contains(one))
            });
            for (at, one) in found.iter().enumerate() {
                prop_assert!(!is_apart(one, one));
                for other in found.iter().skip(at + 1).filter(|other| !is_apart(one, other)) {
                    let sum: f32 = one.iter().flat_map(|a| other.iter().map(|b| similarity.get(*a, *b))).sum();
                    prop_assert!(sum / ((one.len() * other.len()) as f32) < 0.2501);
                }
            }
        }
    }
}

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

    pub fn row(&self, one: usize) -> &[T] {
        &self.cells[one * self.size..(one + 1) * self.size]
    }

    pub fn set(&mut self, one: usize, other: usize, value: T) {
        self.cells[one * self.size + other] = value;
        self.cells[other * self.size + one] = value;
    }
}

/// Groups the items of a similarity matrix. Items that `apart` keeps apart are never in the same group. Each item is in one
/// group; groups are in the order of their first item.
pub(super) fn average_link(similarity: &Matrix<f32>, apart: &Matrix<bool>, threshold: f32) -> Vec<Vec<usize>> {
    let mut state = Clusters::new(similarity, apart);
    while let Some((one, other)) = state.find_closest(threshold) {
        state.join(one, other);
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
    /// The clusters with items, in ascending order, and the number of items of each cluster.
    live: Vec<usize>,
    sizes: Vec<f32>,
    /// The nearest other cluster of each, or an upper bound if it is outdated: joining two clusters brings neither of them
    /// nearer to a third.
    nearest: Vec<Option<Nearest>>,
    is_outdated: Vec<bool>,
}

impl Clusters {
    fn new(similarity: &Matrix<f32>, apart: &Matrix<bool>) -> Self {
        let members = (0..similarity.size()).map(|item| vec![item]).collect();
        let mut clusters = Self {
            sums: similarity.clone(),
            apart: apart.clone(),
            members,
            live: (0..similarity.size()).collect(),
            sizes: vec![1.0; similarity.size()],
            nearest: vec![None; similarity.size()],
            is_outdated: vec![false; similarity.size()],
        };
        for cluster in 0..similarity.size() {
            clusters.nearest[cluster] = clusters.find_nearest(cluster);
        }
        clusters
    }

    /// The first of equally near clusters.
    fn find_nearest(&self, cluster: usize) -> Option<Nearest> {
        let (sums, apart, size) = (self.sums.row(cluster), self.apart.row(cluster), self.sizes[cluster]);
        let mut nearest: Option<Nearest> = None;
        for other in self.live.iter().copied().filter(|other| *other != cluster && !apart[*other]) {
            let similarity = sums[other] / (size * self.sizes[other]);
            if nearest.is_none_or(|nearest| similarity > nearest.similarity) {
                nearest = Some(Nearest { similarity, cluster: other });
            }
        }
        nearest
    }

    /// The two clusters to join next.
    fn find_closest(&mut self, threshold: f32) -> Option<(usize, usize)> {
        loop {
            let cluster = self.closest(threshold)?;
            if !std::mem::take(&mut self.is_outdated[cluster]) {
                let other = self.nearest[cluster]?.cluster;
                return Some((cluster.min(other), cluster.max(other)));
            }
            self.nearest[cluster] = self.find_nearest(cluster);
        }
    }

    /// The cluster whose nearest one, or whose upper bound, is the nearest of all.
    fn closest(&self, threshold: f32) -> Option<usize> {
        let mut closest: Option<(usize, Nearest)> = None;
        for cluster in self.live.iter().copied() {
            let Some(nearest) = self.nearest[cluster].filter(|nearest| nearest.similarity >= threshold) else {
                continue;
            };
            if closest.is_none_or(|(_, best)| nearest.similarity > best.similarity) {
                closest = Some((cluster, nearest));
            }
        }
        closest.map(|(cluster, _)| cluster)
    }

    fn join(&mut self, one: usize, other: usize) {
        for third in self.live.iter().copied() {
            let sum = self.sums.get(one, third) + self.sums.get(other, third);
            self.sums.set(one, third, sum);
            // Rarely true, and each write to a column takes longer than all the rest.
            if self.apart.get(other, third) {
                self.apart.set(one, third, true);
            }
        }
        let joined = std::mem::take(&mut self.members[other]);
        self.members[one].extend(joined);
        self.live.retain(|cluster| *cluster != other);
        self.sizes[one] += self.sizes[other];
        self.nearest[other] = None;
        self.nearest[one] = self.find_nearest(one);
        self.is_outdated[one] = false;
        for third in self.live.iter().copied().filter(|third| *third != one) {
            let pointed_here = self.nearest[third].is_some_and(|near| near.cluster == one || near.cluster == other);
            self.is_outdated[third] |= pointed_here;
        }
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

    proptest! {
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

//! Where the steps of a plan are in a drawing: rows by the longest path to a step, so that every arrow points down.

/// The positions of steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphLayout {
    /// The row and the place in it of each step.
    pub places: Vec<GraphPlace>,
    /// The steps of each row, in order.
    pub rows: Vec<Vec<usize>>,
}

/// The position of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphPlace {
    pub row: usize,
    pub slot: usize,
}

/// The length of the longest path to each step: 0 without dependencies. Steps of one level do not depend on each other. Steps in a cycle get 0. Linear in steps and dependencies.
pub fn levels<'a>(count: usize, deps: impl Fn(usize) -> &'a [usize]) -> Vec<usize> {
    let mut followers = vec![Vec::new(); count];
    let mut open: Vec<usize> = vec![0; count];
    for (step, open) in open.iter_mut().enumerate() {
        for &dep in deps(step).iter().filter(|dep| **dep < count) {
            followers[dep].push(step);
            *open += 1;
        }
    }
    let mut level = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|step| open[*step] == 0).collect();
    while let Some(step) = ready.pop() {
        for &next in &followers[step] {
            level[next] = level[next].max(level[step] + 1);
            open[next] -= 1;
            if open[next] == 0 {
                ready.push(next);
            }
        }
    }
    (0..count).map(|step| if open[step] == 0 { level[step] } else { 0 }).collect()
}

/// The layout. Within a row, steps follow the order of the steps that they depend on.
pub fn layout<'a>(count: usize, deps: impl Fn(usize) -> &'a [usize]) -> GraphLayout {
    let level = levels(count, &deps);
    let mut rows = vec![Vec::new(); level.iter().max().map_or(0, |last| last + 1)];
    for (step, row) in level.iter().enumerate() {
        rows[*row].push(step);
    }
    let mut places = vec![GraphPlace::default(); count];
    // The place of a step between 0 and 1, so that rows of different length can be compared.
    let mut relative = vec![0.0_f64; count];
    for (number, row) in rows.iter_mut().enumerate() {
        let wanted = |step: usize| {
            let above = deps(step).iter().filter(|dep| level.get(**dep).is_some_and(|above| *above < number));
            let (sum, count) = above.fold((0.0, 0), |(sum, count), dep| (sum + relative[*dep], count + 1));
            if count == 0 { 0.5 } else { sum / f64::from(count) }
        };
        let mut keyed: Vec<(f64, usize)> = row.iter().map(|step| (wanted(*step), *step)).collect();
        // The sort is stable: equal steps keep the order of the file.
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let length = keyed.len() as f64;
        for (slot, (_, step)) in keyed.iter().enumerate() {
            places[*step] = GraphPlace { row: number, slot };
            relative[*step] = (slot as f64 + 0.5) / length;
        }
        *row = keyed.into_iter().map(|(_, step)| step).collect();
    }
    GraphLayout { places, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(deps: &[&[usize]]) -> GraphLayout {
        layout(deps.len(), |step| deps[step])
    }

    #[test]
    fn a_diamond_has_three_rows() {
        let all = of(&[&[], &[0], &[0], &[2, 1]]);
        assert_eq!(all.rows, [vec![0], vec![1, 2], vec![3]]);
        assert_eq!(all.places[2], GraphPlace { row: 1, slot: 1 });
    }

    #[test]
    fn a_row_follows_the_row_above() {
        // 0 1 above; 2 depends on 1, 3 on 0.
        assert_eq!(of(&[&[], &[], &[1], &[0]]).rows, [vec![0, 1], vec![3, 2]]);
    }

    #[test]
    fn cycles_and_unknown_steps_do_not_hang() {
        assert_eq!(of(&[&[1], &[0], &[9], &[0]]).rows, [vec![0, 1, 2, 3]]);
        assert_eq!(of(&[]), GraphLayout::default());
    }

    #[test]
    fn ten_thousand_steps_are_laid_out_in_linear_time() {
        let chain: Vec<Vec<usize>> = (0..10_000_usize).map(|at| at.checked_sub(1).into_iter().collect()).collect();
        let all = layout(chain.len(), |step| &chain[step]);
        assert_eq!((all.rows.len(), all.places[9_999].row), (10_000, 9_999));
        let fan: Vec<Vec<usize>> = (0..10_000).map(|at| if at == 0 { vec![] } else { vec![0] }).collect();
        assert_eq!(layout(fan.len(), |step| &fan[step]).rows.len(), 2);
    }
}

//! Outcomes as text for people and as documents for programs.

pub mod bench;
pub mod check;
pub mod concise;
pub mod context;
pub mod diff;
pub mod doctor;
pub mod drawing;
pub mod dream;
mod excerpt;
pub mod explain;
pub mod github;
pub mod hook;
pub mod human;
pub mod import;
pub mod init;
pub mod install;
pub mod json;
pub mod markdown;
pub mod memory;
pub mod overview;
pub mod pack;
pub mod page;
pub mod protocol;
pub mod protocol_list;
pub mod recall;
pub mod remote_skills;
pub mod repositories;
pub mod run;
pub mod sarif;
pub mod skill_use;
pub mod skills;
mod statistics;
pub mod sync;
pub mod timeline;
pub mod trust;
pub mod workers;

/// A number with its noun, such as `1 error` or `2 errors`.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A duration for people: `0.4 s`, `12 s`, `2 min 5 s`, `1 h 2 min`.
fn seconds_text(seconds: f64) -> String {
    let whole = if seconds.is_finite() && seconds > 0.0 { seconds.round() as u64 } else { 0 };
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, 0..10) if seconds > 0.0 => format!("{seconds:.1} s").replace(".0 ", " "),
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A time for people, without parts of a second.
fn time_text(time: canonry_app::Timestamp) -> String {
    let second = jiff::Timestamp::from_second(time.to_jiff().as_second()).expect("its fraction is cut off");
    canonry_app::Timestamp::from(second).to_string()
}

/// The line that reports a commit.
pub fn committed_line(commit: &canonry_repo::git::commit::Committed) -> String {
    format!("Committed as {}.\n", commit.id.to_hex_with_len(10))
}

#[cfg(test)]
mod tests {
    use super::seconds_text;

    #[test]
    fn durations_have_two_units_at_most() {
        let cases = [
            (-1.0, "0 s"),
            (0.0, "0 s"),
            (0.04, "0 s"),
            (0.44, "0.4 s"),
            (3.0, "3 s"),
            (9.44, "9.4 s"),
            (9.97, "10 s"),
            (59.4, "59 s"),
            (59.6, "1 min"),
            (125.0, "2 min 5 s"),
            (3600.0, "1 h"),
            (3725.0, "1 h 2 min"),
            (f64::NAN, "0 s"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(seconds_text(seconds), expected, "{seconds}");
        }
    }
}

//! Length of a list of lessons for its reader. Blank lines and the date headings of dreams do not count: with one
//! lesson a night they are three of four lines.

use super::MAX_LINES;

/// The number of lines that agents have to read.
pub fn count_read_lines(text: &str) -> usize {
    text.lines().filter(|line| is_read(line)).count()
}

/// The offset after the last line within the limit.
pub fn end_of_read_lines(text: &str) -> usize {
    let mut offset = 0;
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        count += usize::from(is_read(line));
        if count > MAX_LINES {
            break;
        }
        offset += line.len();
    }
    offset
}

fn is_read(line: &str) -> bool {
    let line = line.trim();
    let is_date =
        line.strip_prefix("## ").is_some_and(|title| title.len() == 10 && title.parse::<jiff::civil::Date>().is_ok());
    !line.is_empty() && !is_date
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_lesson_a_night_is_one_line() {
        let nights: String = (1..=28).map(|day| format!("## 2026-02-{day:02}\n\n- lesson {day}\n\n")).collect();
        assert_eq!(count_read_lines(&nights), 28);
        assert_eq!(count_read_lines("# Lessons\n\n## 2026\n- a\n"), 3);
        assert_eq!(end_of_read_lines(&nights), nights.len());
        let many = "- a\n\n".repeat(MAX_LINES + 2);
        assert_eq!(end_of_read_lines(&many), "- a\n\n".len() * MAX_LINES);
    }
}

//! Pictures of terminal screens in the documentation, from the output of the binary.
//!
//! `cargo xtask docs` writes them.

use crate::readme::{shell, without_times};
use crate::support::generated::assert_current;
use crate::support::repo::{COLON, GOOD, Ran, Repo};
use crate::tour::masked;
use anstyle_svg::{Palette, Term};

/// A terminal of 80 columns with colours.
const TERMINAL: [(&str, &str); 2] = [("COLUMNS", "80"), ("CLICOLOR_FORCE", "1")];

/// The width of 80 columns in anstyle-svg. Such a picture has its full size on a page of GitHub and of mdBook.
const WIDTH_PX: usize = 672;

type Rgb = (u8, u8, u8);

/// The colours of GitHub's dark theme for terminals. The default red of anstyle-svg has a contrast of only 2.7 on black.
const COLOURS: [Rgb; 16] = [
    (0x48, 0x4f, 0x58),
    (0xff, 0x7b, 0x72),
    (0x3f, 0xb9, 0x50),
    (0xd2, 0x99, 0x22),
    (0x58, 0xa6, 0xff),
    (0xbc, 0x8c, 0xff),
    (0x39, 0xc5, 0xcf),
    (0xb1, 0xba, 0xc4),
    (0x6e, 0x76, 0x81),
    (0xff, 0xa1, 0x98),
    (0x56, 0xd3, 0x64),
    (0xe3, 0xb3, 0x41),
    (0x79, 0xc0, 0xff),
    (0xd2, 0xa8, 0xff),
    (0x56, 0xd4, 0xdd),
    (0xff, 0xff, 0xff),
];
const TEXT: Rgb = (0xe6, 0xed, 0xf3);
const BACKGROUND: Rgb = (0x0d, 0x11, 0x17);

fn assert_picture(name: &str, screen: &str) {
    let terminal = Term::new()
        .palette(Palette(COLOURS.map(Into::into)))
        .fg_color(TEXT.into())
        .bg_color(BACKGROUND.into())
        .min_width_px(WIDTH_PX);
    assert_current(&format!("docs/pictures/{name}.svg"), &terminal.render_svg(screen.trim_matches('\n')));
}

/// A repository with skills that only one tool reads.
fn with_skills(skills: &[(&str, &str)]) -> Repo {
    let repo = Repo::empty();
    for (name, text) in skills {
        repo.write(&format!(".claude/skills/{name}/SKILL.md"), text);
    }
    repo.commit_all("Skills for one tool");
    repo
}

/// Runs commands as typed in the terminal.
fn screen(repo: &Repo, commands: &[&str]) -> String {
    let run = |command: &&str| {
        let Ran { stdout, .. } = shell(repo, command, &TERMINAL);
        format!("\u{1b}[1m$ {command}\u{1b}[0m\n{}", without_times(&stdout))
    };
    commands.iter().map(run).collect()
}

#[test]
fn generated_picture_of_check_is_current() {
    let repo = with_skills(&[("release-notes", GOOD), ("triage-bug", COLON)]);
    repo.write(".claude/skills/release-notes/references/format.md", "# The format\n\nOne line a change.\n");
    assert_picture("check", &screen(&repo, &["canonry check", "canonry check --fix"]));
}

#[test]
fn generated_picture_of_init_is_current() {
    let repo = with_skills(&[("release-notes", GOOD)]);
    repo.write("GEMINI.md", "# Working here\n");
    assert_picture("init", &screen(&repo, &["canonry init", "canonry sync --commit -m 'Share our skills'"]));
}

/// Sections of the tour, each by the beginning of its title.
#[test]
fn generated_pictures_of_the_tour_are_current() {
    let outside = Repo::without_git();
    let ran: Ran = outside.canonry_command().arg("tour").envs(TERMINAL).output().unwrap().into();
    // The ids of some commits differ from run to run.
    let tour = masked(&ran.expect(0).stdout, outside.tmp().to_str().unwrap()).replace(&"0".repeat(10), "9704f40e49");
    for (title, name) in [("A denied call", "denied"), ("A night", "dream"), ("A plan with a liar", "plan-run")] {
        let is_titled = |section: &&str| section.lines().next().unwrap().contains(&format!(". {title}"));
        let section = tour.split("\n\u{1b}[1m").find(is_titled);
        let section = section.unwrap_or_else(|| panic!("the tour has no section `{title}`"));
        // Commands and their output are indented, explanations are not.
        let lines: Vec<&str> = section.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        assert_picture(name, &lines.join("\n"));
    }
}

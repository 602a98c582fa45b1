//! Words around a path that say what it is: a file to read, one to write, an example, or a file of somebody else.
//!
//! The words for reading make a finding certain, and all others leave one out.

/// Words before a path that mark it as an example.
pub(super) const EXAMPLE_PHRASES: [&str; 17] = [
    "example file",
    "e.g.",
    "for example",
    "for instance",
    "such as",
    "imagine",
    "example:",
    "example**:",
    "examples:",
    "examples**:",
    "example:**",
    "examples:**",
    "common locations",
    "typical locations",
    "usual locations",
    "look for ",
    "one of these",
];
/// Words after a path that place it elsewhere: "`references/a.md` in the `other` skill".
pub(super) const ELSEWHERE_WORDS: [&str; 8] =
    ["in the `", "of the `", "from the `", "in `", "of `", "from `", "in the [", "in your "];
/// Words after a path that only propose it.
pub(super) const PROPOSAL_WORDS: [&str; 3] = ["would be", "could be", "might be"];
/// Words after a path that say that it is not committed.
pub(super) const UNCOMMITTED_WORDS: [&str; 7] =
    ["ignored local", "gitignored", "git-ignored", "is ignored", "is generated", "are generated", "not committed"];
/// Words before a path that announce it.
pub(super) const FUTURE_WORDS: [&str; 4] = ["will add", "will create", "to be added", "will be"];
/// Words at the end of an introduction that announce the files of a list.
pub(super) const ANNOUNCING_WORDS: [&str; 4] = ["to implement", "to be implemented", "to be added", "to be written"];
/// Words before a path that name an owner other than the skill.
pub(super) const OWNER_WORDS: [&str; 9] = ["'s", "’s", "s'", "s’", "your", "project", "スキルの", "技能的", "스킬의"];
/// Verbs of sentences about a file that does not exist yet.
pub(super) const WRITING_WORDS: [&str; 12] =
    ["save", "saves", "saved", "write", "writes", "paste", "create", "creates", "output", "store", "move", "moves"];
/// Words of sentences about a file that exists. The last word before a path counts.
pub(super) const READING_WORDS: [&str; 25] = [
    "see",
    "read",
    "run",
    "use",
    "using",
    "with",
    "via",
    "follow",
    "following",
    "refer",
    "from",
    "per",
    "check",
    "load",
    "consult",
    "execute",
    "sees",
    "reads",
    "runs",
    "uses",
    "follows",
    "checks",
    "loads",
    "consults",
    "executes",
];
/// Words before a path that introduce an example.
pub(super) const EXAMPLE_WORDS: [&str; 14] = [
    "e.g",
    "example",
    "for instance",
    "such as",
    "ej.",
    "ejemplo",
    "z.b.",
    "z. b.",
    "beispiel",
    "exemple",
    "p. ex",
    "例",
    "예:",
    "예시",
];
/// Words of a heading whose section shows an example.
pub(super) const EXAMPLE_HEADINGS: [&str; 9] =
    ["example", "beispiel", "exemple", "ejemplo", "exemplo", "示例", "範例", "例:", "예시"];
/// Words that introduce a list of what is wrong, or of what would be made.
pub(super) const WRONG_INTRODUCTIONS: [&str; 5] =
    ["violation", "anti-pattern", "mistake", "would contain", "do not use"];
/// Words for "such as" directly before the code with a path.
pub(super) const EXAMPLE_ENDS: [&str; 8] =
    ["如", "例えば", "たとえば", "예를 들어", "z. b.", "p. ex.", "par exemple", "por ejemplo"];
/// Words before a path that tell an agent to read or run it, in languages other than English.
pub(super) const READING_BEFORE: [&str; 37] = [
    "移至", "参考", "參考", "参照", "详见", "詳見", "参见", "參見", "阅读", "閱讀", "读取", "查看", "查阅", "使用",
    "按照", "根据", "遵循", "执行", "运行", "加载", "见", "siehe", "lies", "lese", "vgl", "gemäß", "nutze", "véase",
    "ver", "lee", "consulta", "según", "usa", "voir", "lire", "selon", "veja",
];
/// Words after a path with this meaning.
pub(super) const READING_AFTER: [&str; 18] = [
    "を参照",
    "を読",
    "を確認",
    "を使",
    "を実行",
    "に従",
    "に基づ",
    "参照",
    "를 참고",
    "을 참고",
    "를 참조",
    "을 참조",
    "참고",
    "참조",
    "를 읽",
    "을 읽",
    "를 실행",
    "을 실행",
];
/// Ends of a text that names the skill as the owner. That of another skill is no link at all.
pub(super) const OWN_WORDS: [&str; 7] =
    [" skill", "skill's", "skill’s", "スキルの", "技能的", "스킬의", "dieses skills"];
/// What follows the name of an owner.
pub(super) const OWNER_ENDS: [&str; 9] = ["skill", "'s", "’s", "— its", "- its", "の", "的", "의", "スキル"];

/// Words around a path that say that the file need not exist: "`scripts/a.md`, if present".
pub(super) const OPTIONAL_PHRASES: [&str; 22] = [
    "if present",
    "when present",
    "if it exists",
    "if they exist",
    "if one exists",
    "if it is there",
    "if available",
    "when available",
    "if applicable",
    "(optional)",
    "があれば",
    "存在する場合",
    "ある場合",
    "如果存在",
    "若存在",
    "있으면",
    "존재하면",
    "falls vorhanden",
    "si existe",
    "s'il existe",
    "se existir",
    "если есть",
];
/// Words around a path, or in the introduction of a list, that say that the file does not exist, or what to do without it.
pub(super) const ABSENT_PHRASES: [&str; 35] = [
    "not yet created",
    "not yet written",
    "not yet implemented",
    "not created yet",
    "not written yet",
    "not implemented yet",
    "not exist yet",
    "not yet exist",
    "yet to be written",
    "are planned",
    "is planned",
    "(planned)",
    "coming soon",
    "if it does not exist",
    "if it doesn't exist",
    "if it doesn’t exist",
    "if missing",
    "if absent",
    "存在しなければ",
    "存在しない場合",
    "なければ",
    "未作成",
    "作成予定",
    "如果不存在",
    "若不存在",
    "尚未创建",
    "计划中",
    "없으면",
    "존재하지 않으면",
    "falls nicht vorhanden",
    "noch nicht",
    "si no existe",
    "s'il n'existe pas",
    "se não existir",
    "если не существует",
];

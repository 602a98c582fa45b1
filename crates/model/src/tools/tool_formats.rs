//! The formats of tool files. Each names a writer in `crates/agents`, so a row of the table with a known format needs no code.

/// A format of MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpFormat {
    /// An object per server in a JSON file.
    Json(JsonServers),
    /// OpenCode: `command` is a list with the arguments, and `type` is `local` or `remote`.
    OpenCode,
    /// Codex: a table per server in a TOML file.
    CodexToml,
}

/// The keys of a server in a JSON file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonServers {
    pub variables: VariableSyntax,
    /// The key of the URL of a streamable HTTP server.
    pub http_url_key: &'static str,
    /// The key of the URL of an SSE server; `None` if the tool has no such servers.
    pub sse_url_key: Option<&'static str>,
    pub transport: TransportKey,
    pub has_web_sockets: bool,
    /// The key of the working directory.
    pub cwd: Option<&'static str>,
    pub timeout: TimeLimit,
    /// The tool can run a command that prints headers.
    pub has_headers_helper: bool,
    pub oauth: OauthForm,
    pub filters: ToolFilters,
    /// The key of the tools that run without a question.
    pub always_allow: Option<&'static str>,
    /// A key that every server has, and its value.
    pub fixed: Option<(&'static str, &'static str)>,
    /// An entry with `settings` configures a server that an extension starts.
    pub has_extensions: bool,
    /// The tool also reads an older form, in which `command` is an object.
    pub has_command_objects: bool,
}

impl JsonServers {
    /// `command`, `args` and `env`, or `url` and `headers`: what every tool with `mcpServers` reads.
    pub const PLAIN: Self = Self {
        variables: VariableSyntax::Unsupported,
        http_url_key: "url",
        sse_url_key: Some("url"),
        transport: TransportKey::None,
        has_web_sockets: false,
        cwd: None,
        timeout: TimeLimit::None,
        has_headers_helper: false,
        oauth: OauthForm::None,
        filters: ToolFilters::NONE,
        always_allow: None,
        fixed: None,
        has_extensions: false,
        has_command_objects: false,
    };
}

/// The key that says how a tool talks to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKey {
    None,
    /// For servers with a URL.
    Remote(&'static str),
    /// For programs too, which are `stdio`.
    Every(&'static str),
}

/// Syntax of an environment variable in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableSyntax {
    /// `${NAME}` and `${NAME:-default}`
    Shell,
    /// `${NAME}`
    ShellWithoutDefault,
    /// `${env:NAME}`
    Env,
    /// `{env:NAME}`
    Braces,
    /// The tool is not known to expand variables.
    Unsupported,
}

/// The key for the time limit of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    None,
    /// In milliseconds, at least this many.
    Milliseconds(&'static str, u64),
    /// A whole number of seconds.
    WholeSeconds(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OauthForm {
    None,
    /// All keys.
    Canon,
    Claude,
    Gemini,
    Cursor,
}

/// Limits on the tools of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFilters {
    /// The keys of the only tools, and of the tools that the agent does not get.
    Keys { include: Option<&'static str>, exclude: Option<&'static str> },
    /// Permissions of Claude Code, which can name tools but not "all others".
    Permissions,
}

impl ToolFilters {
    pub const NONE: Self = Self::Keys { include: None, exclude: None };
}

/// The form of a file with instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextForm {
    /// Markdown.
    Text,
    /// Markdown that can import another file: the text before its path.
    Import(&'static str),
    /// A folder with one file per rule.
    Rules(RuleFolder),
}

/// Folder of rules, as a tool reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleFolder {
    /// The end of a rule's file name.
    pub extension: &'static str,
    /// The tool reads folders in its folder.
    pub has_folders: bool,
    pub header: RuleHeader,
}

impl RuleFolder {
    pub const fn flat(header: RuleHeader) -> Self {
        Self { extension: ".md", has_folders: false, header }
    }
}

/// The frontmatter of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleHeader {
    Cursor,
    Copilot,
    Kiro,
    /// Of Claude Code and Cline.
    Paths,
    /// Of Antigravity and Windsurf.
    Trigger,
}

/// A format of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandFormat {
    /// Claude Code: the canonical file itself.
    Claude,
    /// A description, and the prompt in Claude Code's syntax.
    DescribedClaude,
    /// Gemini CLI: TOML, with placeholders in braces.
    GeminiToml,
    /// The prompt without placeholders.
    Plain,
    /// A description, and the prompt without placeholders.
    Described,
    /// GitHub Copilot: like [`Self::Described`], with `${input:…}` for the arguments.
    CopilotPrompt,
}

impl CommandFormat {
    /// The end of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Claude | Self::DescribedClaude | Self::Plain | Self::Described => ".md",
            Self::GeminiToml => ".toml",
            Self::CopilotPrompt => ".prompt.md",
        }
    }
}

/// The words of a tool's permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionGrammar {
    Claude,
    /// Cursor has no list of calls that need a question.
    Cursor,
    /// Rules for commands in a file of their own, and the tools that the model does not get.
    Gemini,
    /// Rules for commands in a file of their own, and limits of MCP servers.
    Codex,
    Antigravity,
    /// Rules by action, whose order decides.
    OpenCode,
}

impl PermissionGrammar {
    /// A rule, for docs.
    pub fn example(self) -> &'static str {
        match self {
            Self::Claude => "Bash(git status *)",
            Self::Cursor => "Shell(git)",
            Self::Gemini => "[[rule]] commandPrefix",
            Self::Codex => "prefix_rule(pattern, decision)",
            Self::Antigravity => "action(target)",
            Self::OpenCode => "bash: {git status *: allow}",
        }
    }
}

/// A format of hooks, and of their answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookFormat {
    /// `hooks.EVENT[].hooks[]`
    Claude,
    /// The same with names.
    Gemini,
    /// `hooks.EVENT[]` beside a `version`.
    Cursor,
    /// `NAME.EVENT[]`; a group with a matcher for events of tools.
    Antigravity,
    /// A script for each event.
    Cline,
    /// A list of hooks that name their event.
    Kiro,
    /// A plugin in JavaScript.
    OpenCode,
}

/// The names of tools in the matchers of a tool's hooks.
#[derive(Clone, Copy, Debug)]
pub enum ToolNames {
    /// Claude Code's names, which the canon uses, and its patterns.
    Claude,
    /// A tool's name of a tool of Claude Code, or several with `|` between them; `None` if it has none.
    Own(fn(&str) -> Option<String>),
}

/// Way in which a hook denies a call if canonry fails, for tools that go by the status of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailClosed {
    /// Its status is 2, with the reason on stderr.
    Status,
    /// The same with the reason on stdout: the tool shows the first line of stderr, which the shell may have written.
    StatusAndAnswer,
    /// Also a key with this value, for failures that end without a status.
    StatusAndWord(&'static str, &'static str),
    /// Also a key that is true, for the same failures.
    StatusAndFlag(&'static str),
}

/// Whether a tool asks its user because a hook answers `ask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookQuestions {
    Always,
    /// Without a terminal, it waits for an answer forever.
    WithTerminal,
    Never,
}

/// Where a tool records whether it runs the hooks of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTrust {
    /// It runs those of any folder.
    Always,
    /// Not known, for this reason.
    Unknown(&'static str),
    Undocumented,
    Recorded {
        /// The file below the home.
        file: &'static str,
        record: TrustRecord,
        /// Remedy if the tool does not trust the hooks.
        remedy: &'static str,
        worktrees: SharedByWorktrees,
        scope: TrustScope,
    },
}

/// The form of a record of trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustRecord {
    /// `projects.FOLDER.hasTrustDialogAccepted`
    Claude,
    /// `FOLDER: TRUST_FOLDER`
    Gemini,
    /// `projects.FOLDER.trust_level`, and a hash for each hook
    Codex,
    /// `folders.FOLDER.trusted`
    Grok,
}

/// The files that a tool ignores until a person trusts the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustScope {
    /// Only hooks. A tool that asks at its start ignores nothing without a word.
    Hooks,
    /// Every file in the folder of the hooks but skills.
    Settings,
    /// The same, and each hook by itself until a person reviews it, also after each change.
    SettingsAndEachHook,
}

/// The parts that a tool takes from the main checkout in a linked worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedByWorktrees {
    Nothing,
    Trust,
    /// It ignores the file with the hooks in the worktree.
    TrustAndHooks,
}

/// A format of subagents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubagentFormat {
    /// Claude Code: the canonical file itself.
    Claude,
    /// Markdown with a list of Gemini CLI's tools.
    Gemini,
    /// Markdown with `readonly`.
    Cursor,
    /// TOML with `sandbox_mode`.
    CodexToml,
    /// Markdown without a form for restrictions.
    Markdown,
    /// `NAME.agent.md` with a list of GitHub Copilot's tools.
    Copilot,
    /// Markdown with OpenCode's `mode` and `permission`.
    OpenCode,
    /// Markdown with lists of Qwen Code's tools.
    Qwen,
    /// Markdown with a list of Factory Droid's tools.
    Factory,
}

impl SubagentFormat {
    /// The end of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Claude
            | Self::Gemini
            | Self::Cursor
            | Self::Markdown
            | Self::OpenCode
            | Self::Qwen
            | Self::Factory => ".md",
            Self::CodexToml => ".toml",
            Self::Copilot => ".agent.md",
        }
    }
}

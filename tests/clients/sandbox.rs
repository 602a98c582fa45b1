//! A repository, a home and a PATH of their own for a client, without a network.

use crate::client::Client;
use crate::server::{Role, Seen, Server, Turn};
use crate::support::repo::{Ran, Repo, binary};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The longest time of a session; they take seconds.
const LIMIT: Duration = Duration::from_secs(120);

pub struct Sandbox {
    pub repo: Repo,
    /// A folder with canonry, first on PATH.
    bin: PathBuf,
}

/// A session of a client, or a run of canonry that starts clients.
pub struct Session {
    pub ran: Ran,
    /// The requests to the model that offered tools.
    pub seen: Vec<Seen>,
}

impl Sandbox {
    /// A repository without a canon.
    pub fn empty() -> Self {
        let repo = Repo::empty();
        let bin = repo.outside("bin");
        symlink(binary(), bin.join("canonry")).unwrap();
        Self { repo, bin }
    }

    /// A repository that `canonry init` and `canonry sync` prepared for these tools, around what was there before. Each tool
    /// has its own mirror.
    pub fn prepared(tools: &[&str], before: impl FnOnce(&Repo)) -> Self {
        Self::initialized(tools, Some(&format!("targets: [{}]", tools.join(", "))), before)
    }

    /// As [`Self::prepared`], with these targets or those that `init` chooses.
    pub fn initialized(tools: &[&str], targets: Option<&str>, before: impl FnOnce(&Repo)) -> Self {
        let sandbox = Self::empty();
        before(&sandbox.repo);
        sandbox.canonry(&["init", "--tools", &tools.join(","), "--all"]).expect(0);
        if let Some(targets) = targets {
            let config = sandbox.repo.text("agent/canonry.yaml");
            let chosen = config.lines().find(|line| line.starts_with("targets: ")).unwrap();
            sandbox.repo.write("agent/canonry.yaml", config.replace(chosen, targets));
        }
        sandbox.canonry(&["sync"]).expect(0);
        sandbox.repo.commit_all("canon");
        sandbox
    }

    pub fn canonry(&self, args: &[&str]) -> Ran {
        Ran::from(self.command("canonry").args(args).output().unwrap())
    }

    /// A file in the home.
    pub fn write_home(&self, path: &str, text: &str) {
        let file = self.repo.home().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Removes canonry from PATH.
    pub fn remove_canonry(&self) {
        fs::remove_file(self.bin.join("canonry")).unwrap();
    }

    /// Replaces canonry on PATH by a shell script, in which `CANONRY` is the real one.
    pub fn replace_canonry(&self, script: &str) {
        self.remove_canonry();
        let file = self.bin.join("canonry");
        fs::write(&file, format!("#!/bin/sh\nCANONRY='{}'\n{script}\n", binary().display())).unwrap();
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// A command with the environment of a session, except for the client's own variables.
    pub fn command(&self, program: &str) -> Command {
        let clients = clients().join("node_modules/.bin");
        let path = format!("{}:{}:/usr/local/bin:/usr/bin:/bin", self.bin.display(), clients.display());
        let home = self.repo.home();
        // `Command` searches the PATH of the test, not this one, if the name has no slash.
        let mut command = self.repo.command("/usr/bin/env");
        command.arg(program).env("PATH", path);
        for (variable, folder) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_CACHE_HOME", ".cache"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("TMPDIR", "tmp"),
        ] {
            fs::create_dir_all(home.join(folder)).unwrap();
            command.env(variable, home.join(folder));
        }
        // Port 9 (discard) is closed: nothing but the model server can be reached.
        for variable in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(variable, "http://127.0.0.1:9");
        }
        command.env("NO_PROXY", "127.0.0.1,localhost").env("no_proxy", "127.0.0.1,localhost");
        command
    }

    /// A session of a client without a terminal, with these answers of its model.
    pub fn session(&self, client: &Client, script: &[Turn]) -> Session {
        let argv: Vec<&str> = client.argv.iter().copied().chain(["Do the work."]).collect();
        self.run(client, script, &argv)
    }

    /// Any command that starts this client, with these answers of the model in all of its sessions together.
    pub fn run(&self, client: &Client, script: &[Turn], argv: &[&str]) -> Session {
        self.run_with(client, script, &[], argv)
    }

    /// The same with other answers for requests that contain a mark, such as those of a subagent.
    pub fn run_with(&self, client: &Client, script: &[Turn], marked: &[(&str, &[Turn])], argv: &[&str]) -> Session {
        self.run_all(&[client], script, marked, argv)
    }

    /// Any command that starts these clients, which share the model.
    pub fn run_all(&self, clients: &[&Client], script: &[Turn], marked: &[(&str, &[Turn])], argv: &[&str]) -> Session {
        let server = Server::start(script, marked);
        let mut command = self.command(argv[0]);
        command.args(&argv[1..]);
        for client in clients {
            command.envs((client.configure)(self, &server.url()));
        }
        let ran = self.wait(command);
        let session = Session { ran, seen: server.seen() };
        assert!(!session.seen.is_empty(), "no client sent a request\n{}", session.ran.all());
        session
    }

    /// Runs a command in a process group of its own, which ends with it or at the limit.
    pub fn wait(&self, mut command: Command) -> Ran {
        let output = |name: &str| self.repo.outside("output").join(name);
        let file = |name: &str| fs::File::create(output(name)).unwrap();
        command.stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr")).process_group(0);
        let mut child = command.spawn().unwrap();
        let group = rustix::process::Pid::from_child(&child);
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status.code().unwrap_or(-1);
            }
            if start.elapsed() > LIMIT {
                break -2;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        // It fails if nothing is left in the group.
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
        child.wait().unwrap();
        let text = |name: &str| String::from_utf8_lossy(&fs::read(output(name)).unwrap()).into_owned();
        let ran = Ran { status, stdout: text("stdout"), stderr: text("stderr") };
        assert_ne!(status, -2, "it did not end within {} s\n{}", LIMIT.as_secs(), ran.all());
        ran
    }

    /// The episodes that hooks logged.
    pub fn episodes(&self) -> Vec<serde_json::Value> {
        let log = self.repo.text_if_any(".git/canonry/pending.jsonl");
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Session {
    /// The last request, which contains all that came before.
    pub fn last(&self) -> &Seen {
        self.seen.last().unwrap()
    }

    /// The results of the calls of the script, oldest first.
    pub fn results(&self) -> Vec<&str> {
        self.last().results()
    }

    /// Prompts of canonry and results of tools, request after request, for messages of failed assertions.
    pub fn transcript(&self) -> String {
        let seen = self.seen.iter().enumerate();
        let messages = seen.flat_map(|(at, seen)| seen.messages.iter().map(move |message| (at, message)));
        // Without what the clients add.
        let own = messages.filter(|(_, message)| message.role != Role::User || message.text.starts_with("# Step"));
        own.map(|(at, message)| format!("{at} {:?}: {}\n", message.role, message.text)).collect()
    }

    /// Asserts that the client ended well and complained about nothing.
    #[track_caller]
    pub fn assert_quiet(&self, client: &Client) {
        let complaints: Vec<&str> = self.complaints(client);
        assert!(self.ran.status == 0 && complaints.is_empty(), "{} {complaints:#?}\n{}", client.id, self.ran.all());
    }

    /// Lines on stderr that look like warnings or errors.
    pub fn complaints(&self, client: &Client) -> Vec<&str> {
        let words =
            ["warn", "error", "fail", "invalid", "unknown", "ignor", "skip", "deprecat", "not found", "conflict"];
        let is_complaint = |line: &&str| {
            let line = line.to_lowercase();
            words.iter().any(|word| line.contains(word))
        };
        // What the client says of calls of the server's tools is not about the repository.
        let is_usual = |line: &&str| {
            let usual = client.usual.iter().chain(&["shown", "hidden"]);
            usual.into_iter().any(|usual| line.contains(usual))
        };
        self.ran.stderr.lines().filter(is_complaint).filter(|line| !is_usual(line)).collect()
    }
}

/// The folder with `node_modules`.
fn clients() -> PathBuf {
    let folder = std::env::var_os("CANONRY_CLIENTS").expect(
        "CANONRY_CLIENTS is not set: install the clients with `npm install --prefix tests/clients` and set it to `tests/clients`",
    );
    fs::canonicalize(folder).expect("CANONRY_CLIENTS is a folder")
}

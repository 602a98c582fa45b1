//! Sources over HTTP on this machine: a server with plain files, and git's own.

use super::source::{Source, canon, skills};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Serves the folder of a bare repository until the test ends.
fn serve(folder: PathBuf, smart: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folder = folder.clone();
            std::thread::spawn(move || answer(stream, &folder, smart));
        }
    });
    port
}

fn answer(stream: TcpStream, folder: &Path, smart: bool) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let method = words.next()?.to_owned();
    let target = words.next()?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let bytes = if smart {
        backend(folder, &method, path, query, &headers, &body)?
    } else {
        match std::fs::read(folder.join(path.trim_start_matches('/'))) {
            Ok(bytes) if method == "GET" => {
                [format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", bytes.len()).into_bytes(), bytes].concat()
            }
            _ => b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        }
    };
    let mut stream = stream;
    stream.write_all(&bytes).ok()
}

/// Runs `git http-backend` as a web server would.
fn backend(
    folder: &Path,
    method: &str,
    path: &str,
    query: &str,
    headers: &BTreeMap<String, String>,
    body: &[u8],
) -> Option<Vec<u8>> {
    let header = |name: &str| headers.get(name).cloned().unwrap_or_default();
    let mut command = Command::new("git");
    command.arg("http-backend").env("GIT_PROJECT_ROOT", folder).env("GIT_HTTP_EXPORT_ALL", "1");
    command.env("PATH_INFO", path).env("QUERY_STRING", query).env("REQUEST_METHOD", method);
    command.env("CONTENT_TYPE", header("content-type")).env("CONTENT_LENGTH", body.len().to_string());
    command.env("HTTP_CONTENT_ENCODING", header("content-encoding")).env("GIT_PROTOCOL", header("git-protocol"));
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "safe.directory").env("GIT_CONFIG_VALUE_0", "*");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(body).ok()?;
    let output = child.wait_with_output().ok()?.stdout;
    let status = match output.strip_prefix(b"Status: ") {
        Some(rest) => String::from_utf8_lossy(rest).lines().next().unwrap_or_default().to_owned(),
        None => "200 OK".to_owned(),
    };
    Some([format!("HTTP/1.0 {status}\r\n").as_bytes(), &output].concat())
}

fn add_and_update(smart: bool) {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    let first = source.work.git(&["rev-parse", "HEAD"]);
    source.git(&["update-server-info"]);
    let url = format!("http://127.0.0.1:{}/source.git", serve(source.path().parent().unwrap().to_owned(), smart));
    skills(&repo, &["add", &url, "--yes"]).expect(0).says(&["added     pdf"]);
    source.edit("pdf", "One.", "Uno.");
    source.publish();
    source.git(&["update-server-info"]);
    skills(&repo, &["outdated"]).expect(1).says(&["outdated  pdf"]);
    skills(&repo, &["update", "--yes"]).expect(0).says(&["updated   pdf"]);
    assert!(repo.text("agent/skills/pdf/SKILL.md").contains("Uno."));
    // An older commit, which no branch names.
    let other = canon();
    skills(&other, &["add", &url, "--ref", &first, "--yes"]).expect(0);
    assert!(other.text("agent/skills/pdf/SKILL.md").contains("One."));
    skills(&canon(), &["add", &url.replace("source.git", "none.git"), "--yes"]).expect(65).says(&["git: "]);
}

#[test]
fn a_server_with_plain_files() {
    add_and_update(false);
}

#[test]
fn a_server_that_runs_git() {
    add_and_update(true);
}

#[test]
fn a_repository_of_many_skills() {
    add_many(100);
}

#[test]
#[ignore = "large: run by .ci/nightly"]
fn nightly_a_repository_of_two_thousand_skills() {
    add_many(2_000);
}

/// Adds all skills of one commit.
fn add_many(count: usize) {
    let source = Source::new(&["skill-0000"]);
    let repo = canon();
    let mut stream = String::from("commit refs/heads/main\ncommitter U <u@example.com> 1700000000 +0000\ndata 0\n");
    for number in 0..count {
        let name = format!("skill-{number:04}");
        let text = format!(
            "---\nname: {name}\ndescription: Does task {number}. Use when task {number} is asked for.\n---\n\n# {name}\n"
        );
        let _ = write!(stream, "M 644 inline skills/{name}/SKILL.md\ndata {}\n{text}\n", text.len());
    }
    let mut command = source.work.command("git");
    command.arg(format!("--git-dir={}", source.path().display())).args(["fast-import", "--quiet", "--force"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let url = source.url();
    let listed = skills(&repo, &["list", "--remote", &url]).expect(0);
    assert_eq!(listed.stdout.lines().count(), count);
    skills(&repo, &["add", &url, "--all", "--yes"]).expect(0).says(&[&format!("added     skill-{:04}", count - 1)]);
    skills(&repo, &["outdated"]).expect(0).says(&[&format!("{count} skills current.")]);
    skills(&repo, &["install", "--frozen"]).expect(0).says(&[&format!("unchanged {count} skills")]);
}

/// A server that accepts connections and says nothing.
fn silent_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().flatten().collect::<Vec<_>>());
    port
}

#[test]
fn a_silent_server_is_given_up() {
    let port = silent_server();
    for protocol in ["http", "ssh"] {
        let repo = canon();
        repo.git(&["config", "--global", "http.lowSpeedTime", "1"]);
        let url = format!("{protocol}://127.0.0.1:{port}/source.git");
        let started = std::time::Instant::now();
        skills(&repo, &["add", &url, "--yes"]).expect(65).says(&["the server said nothing for 1 s"]);
        assert!(started.elapsed().as_secs() < 20);
        assert!(!repo.exists("agent/skills.lock"));
    }
}

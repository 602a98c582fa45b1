//! Tables of texts that are secrets, and of texts that are not. In the texts, `¦` is removed first, so that no
//! scanner reports this file.

use super::search::find;
use super::table::{Confidence, TABLE};
use super::{find_certain, redact, redact_any};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::string::bytes_regex;

/// A kind of secret, a text with one, and the part that must not be logged.
const SECRETS: [(&str, &str, &str); 104] = [
    ("env line in camel case", "dbPass=letmein", "letmein"),
    ("JSON escaped twice", r#"{\\\"password\\\": \\\"letmein\\\"}"#, "letmein"),
    ("escaped quote", r#"password="let\"mein""#, "mein"),
    ("make", "API_TOKEN ?= q7zp2lxv9mkd", "q7zp2lxv9mkd"),
    ("short option name", "tool --pass letmein", "letmein"),
    ("no-break space", "\u{a0}password:\u{a0}hunter2\u{a0}", "hunter2"),
    ("env line", "DB_PASSWORD=hunter2", "hunter2"),
    ("env line with export", "export GITHUB_TOKEN=abc123def456", "abc123def456"),
    ("env line with quotes", "SECRET_KEY_BASE=\"f00dbabe1234\"", "f00dbabe1234"),
    ("env line of digits", "PGPASSWORD=483920 psql -h db", "483920"),
    (
        "AWS secret key by name",
        "AWS_SECRET_ACCESS_KEY=wJalrXU¦tnFEMI/K7MDENG/bPxRfiCYzzKEY1234",
        "wJalrXUtnFEMI/K7MDENG",
    ),
    ("AWS secret key in a config", "aws_secret_access_key = wJalrXU¦tnFEMI/K7MDENG/bPxRfiCYzzKEY1234", "wJalrXUtnFEMI"),
    (
        "AWS secret key in a command",
        "aws configure set aws_secret_access_key wJalrXU¦tnFEMI7K7MDENG1bPx",
        "wJalrXUtnFEMI",
    ),
    ("AWS access key ID", "using AK¦IAQ7ZP2LXV9MKDR4TW in eu-west-1", "AKIAQ7ZP2LXV9MKDR4TW"),
    ("AWS session token", "AWS_SESSION_TOKEN=IQoJb3JpZ2luX2VjEJr", "IQoJb3JpZ2luX2VjEJr"),
    ("GCP private key id by name", "{\"private_key\": \"MIIEvQIBADANBgkqhkiG9w0\"}", "MIIEvQIBADANBgkqhkiG9w0"),
    ("Google API key", "?key=AI¦zaSyD7q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gT", "zaSyD7q7Zp2LxV9m"),
    ("Google OAuth token", "ya¦29.a0AfH6SMBq7Zp2LxV9mKdR4tWc8", "a0AfH6SMBq7Zp2LxV9mKdR4tWc8"),
    (
        "Azure account key",
        "AccountName=a;AccountKey=q7Zp2LxV9mKdR4tWc8NbYf3HsJ6g==;X=y",
        "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6g",
    ),
    ("Azure shared access key", "Endpoint=sb://x/;SharedAccessKey=q7Zp2LxV9mKdR4tW=", "q7Zp2LxV9mKdR4tW"),
    ("Azure SAS signature", "https://a.blob.core.windows.net/c?sv=2024&sig=q7Zp2LxV9mKd%3D&se=1", "q7Zp2LxV9mKd"),
    ("bearer header", "curl -H 'Authorization: Bearer abc123def456' https://x", "abc123def456"),
    ("bearer header in JSON", "{\"Authorization\": \"Bearer abc123def456\"}", "abc123def456"),
    ("bearer alone", "sent Bearer q7Zp2LxV9mKdR4tW and got 401", "q7Zp2LxV9mKdR4tW"),
    ("basic header", "Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("token header", "Authorization: token q7zp2lxv9mkd", "q7zp2lxv9mkd"),
    ("header without a scheme", "-H \"Authorization: q7zp2lxv9mkd\"", "q7zp2lxv9mkd"),
    ("proxy header", "Proxy-Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("cookie", "curl -H 'Cookie: session=abc; csrf=def' https://x", "session=abc; csrf=def"),
    ("set-cookie", "Set-Cookie: sid=q7zp2lxv; Path=/; HttpOnly", "q7zp2lxv"),
    ("API key header", "-H 'X-Api-Key: q7zp2lxv9mkd'", "q7zp2lxv9mkd"),
    ("auth token header", "X-Auth-Token: q7zp2lxv9mkd", "q7zp2lxv9mkd"),
    ("private token header", "--header \"PRIVATE-TOKEN: q7zp2lxv9mkd\"", "q7zp2lxv9mkd"),
    ("URL with a password", "psql postgres://app:s3cret@db.local:5432/app", "s3cret"),
    ("URL with a plain password", "redis://:letmein@cache:6379", "letmein"),
    ("URL of MongoDB", "mongodb+srv://u:p@ssw0rd@cluster0.x.net/db", "p@ssw0rd"),
    ("URL of AMQP", "amqp://guest:bunny@mq/vhost", "bunny"),
    ("URL with a token", "git clone https://q7Zp2LxV9mKdR4tWc8Nb@github.com/a/b", "q7Zp2LxV9mKdR4tWc8Nb"),
    ("URL with oauth2", "https://oauth2:q7Zp2LxV9mKd@gitlab.com/a/b.git", "q7Zp2LxV9mKd"),
    ("query parameter", "GET /v1?access_token=q7zp2lxv&x=1", "q7zp2lxv"),
    ("DSN", "dsn: password=abc1 host=h", "abc1"),
    ("connection string", "Server=h;User=u;Password=letmein;", "letmein"),
    ("mysql", "mysql -u root -pS3cretPw app", "S3cretPw"),
    ("mysqldump", "mysqldump -uroot -phunter2 --all-databases", "hunter2"),
    ("curl user", "curl -u admin:letmein https://x", "letmein"),
    ("curl long user", "curl --user admin:letmein https://x", "letmein"),
    ("password option", "tool --password letmein --verbose", "letmein"),
    ("password option with =", "tool --password=letmein", "letmein"),
    ("token option", "tool --token q7zp2lxv9mkd", "q7zp2lxv9mkd"),
    ("API key option", "tool --api-key q7zp2lxv9mkd run", "q7zp2lxv9mkd"),
    ("client secret option", "az login --client-secret q7zp2lxv9mkd", "q7zp2lxv9mkd"),
    ("docker login", "docker login -u me -p letmein registry.io", "letmein"),
    ("sshpass", "sshpass -p letmein ssh me@host", "letmein"),
    ("redis-cli", "redis-cli -h cache -a letmein ping", "letmein"),
    ("openssl", "openssl enc -aes256 -pass pass:letmein -in f", "letmein"),
    ("htpasswd", "htpasswd -b .htpasswd me letmein", "letmein"),
    ("kubectl literal", "kubectl create secret generic s --from-literal=password=letmein", "letmein"),
    ("npm auth token", "npm config set //registry.npmjs.org/:_authToken=q7zp2lxv9mkd", "q7zp2lxv9mkd"),
    ("netrc", "machine x.io login me password letmein", "letmein"),
    ("JSON password", "{\"user\": \"me\", \"password\": \"letmein\"}", "letmein"),
    ("JSON client secret", "{\"clientSecret\":\"q7zp2lxv9mkd\"}", "q7zp2lxv9mkd"),
    ("escaped JSON", r#"body: {\"api_key\": \"q7zp2lxv9mkd\"}"#, "q7zp2lxv9mkd"),
    ("YAML password", "  password: hunter2\n", "hunter2"),
    ("sentence", "the password is hunter2.", "hunter2"),
    ("JWT", "ey¦JhbGciOiJIUzI1NiJ9.ey¦JyIjoiYWRtaW4ifQ.q7Zp2LxV9mKd", "JyIjoiYWRtaW4ifQ"),
    ("GitHub token", "gh¦p_q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo", "q7Zp2LxV9mKdR4tW"),
    ("GitLab token", "gl¦pat-q7Zp2LxV9mKdR4tWc8Nb", "q7Zp2LxV9mKdR4tW"),
    ("OpenAI key", "sk¦-q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXoq7Zp2LxV9mKd", "q7Zp2LxV9mKdR4tW"),
    ("Anthropic key", "sk¦-ant-api03-q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo", "q7Zp2LxV9mKdR4tW"),
    ("Stripe test key", "sk¦_test_q7Zp2LxV9mKdR4tWc8Nb", "q7Zp2LxV9mKdR4tW"),
    ("Stripe webhook secret", "wh¦sec_q7Zp2LxV9mKdR4tWc8NbYf3H", "q7Zp2LxV9mKdR4tW"),
    ("Slack token", "xo¦xb-123456789012-q7Zp2LxV9mKdR4tW", "q7Zp2LxV9mKdR4tW"),
    (
        "Slack webhook",
        "https://hooks.slack.com/services/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",
        "q7Zp2LxV9mKdR4tW",
    ),
    (
        "Discord webhook",
        "https://discord.com/api/webhooks/1098765432109876543/q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gT",
        "q7Zp2LxV9mKdR4tW",
    ),
    ("Discord bot", "MT¦k4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs", "ZnCjm1XVW7vRze4b7Cq4se7kKWs"),
    ("Telegram bot", "bot 110201543:AA¦HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"),
    ("SendGrid", "SG¦.q7Zp2LxV9mKdR4tWc8NbYf.3HsJ6gTaQe5uXoq7Zp2LxV9mKdR4tWc8Nb", "q7Zp2LxV9mKdR4tW"),
    ("Twilio", "SK¦0123456789abcdef0123456789abcde1", "0123456789abcdef0123456789abcde1"),
    ("Mailchimp", "a1b2c3d4e5f60718¦293a4b5c6d7e8f90-us14", "293a4b5c6d7e8f90"),
    ("npm token", "np¦m_q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo", "q7Zp2LxV9mKdR4tW"),
    ("Hugging Face", "h¦f_q7ZpLxVmKdRtWcNbYfHsJgTaQeuXoqZpLx", "q7ZpLxVmKdRtWcNbYf"),
    (
        "PEM key",
        "-----BEGIN RSA PRIV¦ATE KEY-----\nMIIEpAIBAAKCAQEA7q7Zp2\n-----END RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA7q7Zp2",
    ),
    ("PGP key", "-----BEGIN PGP PRIV¦ATE KEY BLOCK-----\n\nlQdGBGXo7q7Zp2LxV9mKd\n", "lQdGBGXo7q7Zp2LxV9mKd"),
    ("Supabase", "sb¦p_0fa9c3e7b2d4815f6a0c9e3d8b1f4c7e2a9d05b3", "0fa9c3e7b2d4815f"),
    (
        "Airtable",
        "pat¦q7Zp2LxV9mKdR4.0fa9c3e7b2d4815f6a0c9e3d8b1f4c7e2a9d05b36f18e4c7092ad3b5f6e81c40",
        "0fa9c3e7b2d4815f",
    ),
    ("PlanetScale", "pscale¦_tkn_q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo", "q7Zp2LxV9mKdR4tW"),
    ("PlanetScale password", "pscale¦_pw_q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo", "q7Zp2LxV9mKdR4tW"),
    (
        "Terraform",
        "q7Zp2LxV9mKdR4.atla¦sv1.q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXoq7Zp2LxV9mKdR4tWc8NbYf3H",
        "c8NbYf3HsJ6gTaQe",
    ),
    (
        "Discord bot of another form",
        "MTA¦5ODc2NTQzMjEwOTg3NjU0Mw.G-abcd.q7zp2lxv-9mkdr4twc8nbyf3hsj6gtaqe5uxo",
        "q7zp2lxv",
    ),
    (
        "Fly.io",
        "FlyV1 fm¦2_lJPE/q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo+q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo/x==",
        "9mKdR4tWc8NbYf3HsJ6gTaQe5uXo/x",
    ),
    ("Pulumi", "pu¦l-0fa9c3e7b2d4815f6a0c9e3d8b1f4c7e2a9d05b3", "0fa9c3e7b2d4815f"),
    ("crates.io", "cargo publish uses ci¦oq7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe", "q7Zp2LxV9mKdR4tW"),
    ("password in prose", "the staging password: swordfish, ask Ann", "swordfish"),
    ("password in prose, first", "Password: open-sesame", "open-sesame"),
    ("passphrase in prose", "signed with passphrase: swordfish and pushed", "swordfish"),
    ("vault login", "vault login swordfish", "swordfish"),
    ("vault login with options", "vault login -no-print swordfish && vault status", "swordfish"),
    ("openssl -k", "openssl enc -aes-256-cbc -k swordfish -in a", "swordfish"),
    ("here-string", "gh auth login --with-token <<< swordfish", "swordfish"),
    ("here-string, quoted", "gh auth login <<<\"swordfish\"", "swordfish"),
    ("printed into a login", "echo swordfish | docker login -u me --password-stdin", "swordfish"),
    ("printed for chpasswd", "printf '%s' 'me:swordfish' | sudo chpasswd", "swordfish"),
    ("printed for a login", "printf swordfish | gh auth login", "swordfish"),
    ("random word", "stored q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo in the vault", "q7Zp2LxV9mKdR4tW"),
];

/// Texts that stay as they are.
const BENIGN: [&str; 89] = [
    "git show 7e617e54",
    "fixed in 9f2c1b7d4e5a6f8091a2b3c4d5e6f708192a3b4c",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "golang.org/x/net v0.1.0 h1:hZ/3BUoy5aId7sCpA/Tc5lt8DkFgdVS2onTpJsZ/fl0=",
    "run 3f2504e0-4f89-41d3-9a0c-0305e82c3301 failed",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "src/app/consolidation/candidates.rs:42:17",
    "/usr/local/lib/python3.12/site-packages/requests/auth.py",
    "C:\\Users\\me\\AppData\\Local\\Temp\\q7Zp2LxV9mKd",
    "serde@1.0.219, tokio 1.47.1-rc.2+build.5",
    "example.com/mod v0.0.0-20240101123456-0123456789ab",
    "password=$DB_PASSWORD",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer ${{ secrets.TOKEN }}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "curl -H \"Authorization: Bearer <token>\"",
    "postgres://user:${PW}@db/app",
    "postgres://user:<password>@db/app",
    "postgres://app@db:5432/app",
    "export API_KEY=",
    "PASSWORD=********",
    "password=xxxxxxxx",
    "token = os.environ[\"TOKEN\"]",
    "const token = process.env.TOKEN;",
    "let token = lexer.next_token();",
    "token = tokenizer",
    "password: &str",
    "token: expired",
    "secret: not found",
    "error: invalid token: unexpected end of input",
    "the password is wrong",
    "the password was incorrect, ask the owner",
    "Bearer token missing",
    "Basic authentication failed",
    "Authorization header is missing",
    "max_tokens=4096",
    "tokens: 51234",
    "--max-tokens 4096",
    "use --token to authenticate",
    "--password-file /run/secrets/db",
    "docker login --password-stdin",
    "--token-file ./token.txt",
    "secretName: my-tls-secret",
    "password_reset_url=https://x.io/reset",
    "token_type=bearer",
    "tests/test_auth.py::TestLogin::test_token_expires[case-12] FAILED",
    "test_user_can_login_with_oauth2_token_and_refresh_it_later",
    "thread 'auth::tests::rejects_expired_token' panicked at src/auth.rs:42:9",
    "primary_key=id",
    "sort --key=2 file",
    "pass: everything, fail: nothing",
    "pwd: /home/me/project",
    "secret: db-credentials",
    "password: /etc/app/password.txt",
    "pattern-matching-in-2024.md and path-to-something-2024-foo",
    "v1.0-rc.20240501-linux-x86_64",
    "cat notes.txt <<< hello",
    "echo done | tee login.log",
    "vault login -method=oidc role=dev",
    "az login --use-device-code",
    "foreign key: user_id",
    "docker run -p 8080:80 -p8443:443 nginx",
    "mkdir -p a/b && cp -p x y",
    "ssh -p 2222 me@host",
    "mysql -u root -p app",
    "tar -pxzf a.tgz",
    "mvn -Pproduction package",
    "curl -u \"$USER:$PASS\" https://x",
    "git clone git@github.com:org/repo.git",
    "scp me@host:/var/log/app.log .",
    "https://example.com/a@b:c?mode=fast",
    "http://localhost:8080/login?next=/home",
    "https://docs.google.com/document/d/1A2bC3dE4fG5hI6jK7lM8nO9pQ0rS1tU2vW3xY4z/edit",
    "arn:aws:iam::123456789012:role/deploy",
    "AKIA and sk_live_... are prefixes",
    "AK¦IAIOSFODNN7EXAMPLE",
    "skipped sk-SK locale, task-1234567890, risk-assessment-2026",
    "scikit-learn==1.5.2",
    "ETag: W/\"9f2c1b7d-4e5a\"",
    "at 2026-05-01T12:00:00.123456Z (1777636800)",
    "x86_64-unknown-linux-gnu-1.90.0-nightly-2026-05-01",
    "assets/index-BwK3q9zX.js",
    "cookie: not set",
    "Cookie consent banner = hidden",
    "if password == expected { return }",
    "password != confirmation",
    "fn auth(token: &Token, key: [u8; 32]) -> Result<Session>",
    "author=Ann, authority: none",
    "keyboard: us, monkey=banana",
];

#[test]
fn secrets_are_redacted() {
    let mut missed = Vec::new();
    for (kind, text, secret) in SECRETS {
        let text = text.replace('¦', "");
        let secret = secret.replace('¦', "");
        assert!(text.contains(&secret), "{kind}");
        let redacted = redact_any(&text);
        if redacted.contains(&secret) {
            missed.push(format!("{kind}: {redacted}"));
        }
        assert_eq!(redact_any(&redacted), redacted, "{kind}: redacting twice changes nothing");
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn other_texts_stay() {
    let texts = BENIGN.map(|text| text.replace('¦', ""));
    let changed: Vec<_> =
        texts.iter().map(|text| redact_any(text)).zip(&texts).filter(|(now, text)| now != *text).collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn names_make_secrets() {
    for (name, value, want) in [
        ("password", "hunter2", true),
        ("clientSecret", "q7zp2lxv9mkd", true),
        ("password", "$PASSWORD", false),
        ("token", "expired", false),
        ("action", "q7zp2lxv9mkd", false),
    ] {
        assert_eq!(super::settings::is_named_secret(name, value), want, "{name}: {value}");
    }
}

#[test]
fn only_the_secret_is_replaced() {
    for (text, want) in [
        ("mysql -u root -pS3cretPw app", "mysql -u root -p[a password, redacted] app"),
        ("a PASSWORD='x y1' b", "a PASSWORD='[a password, redacted]' b"),
        ("postgres://u:pw@h/db", "postgres://u:[a password, redacted]@h/db"),
        ("ä=ö Cookie: a=b\nnext", "ä=ö Cookie: [a cookie, redacted]\nnext"),
        ("", ""),
    ] {
        assert_eq!(redact_any(text), want);
    }
}

/// Texts with a value that is reported in a file, and the value.
const CERTAIN: [(&str, &str); 9] = [
    ("api_key = \"q7Zp2LxV9mKdR4tWc8NbYf3H\"", "q7Zp2LxV9mKdR4tWc8NbYf3H"),
    ("export ACME_TOKEN=q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe"),
    ("  clientSecret: 'q7Zp2LxV9mKdR4tWc8Nb'", "q7Zp2LxV9mKdR4tWc8Nb"),
    ("apiKey: \"9f1c47e0b2d85a36c7e4f09d1b6a8253\"", "9f1c47e0b2d85a36c7e4f09d1b6a8253"),
    ("-H 'Authorization: Bearer q7Zp2LxV9mKdR4tWc8NbYf3H'", "q7Zp2LxV9mKdR4tWc8NbYf3H"),
    ("postgres://app:q7Zp2LxV9mKd@db1.acme.io/main", "q7Zp2LxV9mKd"),
    ("AWS_SECRET_ACCESS_KEY=q7Zp2LxV9mKdR4tW/8NbYf3HsJ6gTaQe+uXoB1nM", "q7Zp2LxV9mKdR4tW/8NbYf3HsJ6gTaQe+uXoB1nM"),
    (
        "refresh 1¦//0q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXoq7Zp2LxV9mKdR4tWc8NbYf3HsJ6",
        "1//0q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXoq7Zp2LxV9mKdR4tWc8NbYf3HsJ6",
    ),
    ("{\"password\": \"q7Zp2LxV9mKdR4tWc8Nb\"}", "q7Zp2LxV9mKdR4tWc8Nb"),
];

/// Texts without one.
const UNCERTAIN: [&str; 17] = [
    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.q7Zp2LxV9mKdR4tWc8NbYf3H",
    "password = hunter2",
    "api_key = \"your-api-key-goes-here-please\"",
    "API_KEY=${ACME_API_KEY_FROM_VAULT_1}",
    "token: process.env.ACME_TOKEN_FOR_2026",
    "const apiKey = getSecretFromTheVault2()",
    "publicKey: \"q7Zp2LxV9mKdR4tWc8NbYf3H\"",
    "NEXT_PUBLIC_ANON_KEY=q7Zp2LxV9mKdR4tWc8NbYf3H",
    "commit: 9f1c47e0b2d85a36c7e4f09d1b6a8253",
    "max_tokens: 100000000000000000000000",
    "token: \"1234567890abcdef1234567890abcdef\"",
    "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod",
    "auth: src/components/auth/LoginForm2.tsx",
    "postgres://user:password@localhost:5432/app",
    "postgres://user:${PASSWORD}@db.acme.io/app",
    "secretKey: AcmeSecretKeyProvider2Factory",
    "integrity=sha512-q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe",
];

#[test]
fn files_are_searched_for_certain_secrets_only() {
    for (text, secret) in CERTAIN {
        let text = text.replace('¦', "");
        let found: Vec<&str> = find_certain(&text).iter().map(|secret| &text[secret.span.range()]).collect();
        assert_eq!(found, [secret], "{text}");
        assert!(!redact_any(&text).contains(secret), "{text}");
    }
    for text in UNCERTAIN {
        assert_eq!(find_certain(text), [], "{text}");
    }
}

#[test]
fn the_user_of_a_url_and_its_password_may_have_an_at_sign() {
    assert_eq!(redact_any("https://me@a.b:S3cretPw@h/p"), "https://me@a.b:[a password, redacted]@h/p");
    assert_eq!(redact_any("(https://h/x,redis://u:S3cretPw@h)"), "(https://h/x,redis://u:[a password, redacted]@h)");
}

#[test]
fn a_block_without_a_line_break_has_a_short_name() {
    let many = "-----BEGIN ".repeat(9);
    assert_eq!(redact_any(&many), many);
    let key = format!("{many}RSA PRIVATE KEY-----{}-----END RSA PRIVATE KEY-----.", "Ab1".repeat(20));
    assert_eq!(redact_any(&key), format!("{}[a private key, redacted].", "-----BEGIN ".repeat(8)));
}

/// A value may be as long as the text: a search that looks at all of it for each name does not end.
#[test]
fn a_text_of_names_is_searched_once() {
    let parts = [
        "password=",
        "password:",
        "token=",
        "token: ",
        "password='",
        "secret=a1",
        "Cookie:",
        "Cookie:a=",
        "Authorization:",
        "Authorization: ab12cd ",
        "Authorization: Bearer ",
        "mysql -p",
        "x -y ",
        "Bearer ",
        "password is ",
        "login a password ",
        "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe ",
        "--token ",
        "@",
        "x://y:z@",
        "://abcdefgh@",
        "-u a:b ",
        "echo x |login ",
        "login <<< x",
        "token=\"",
        "eyJabcdefghijklmnop.",
        "xoxb-a1-",
        "-----BEGIN PRIVATE KEY-----Ab: ",
        "-----BEGIN PRIVATE KEY-----\nAbCdEfGhIjKlMnOp",
    ];
    for part in parts {
        let started = std::time::Instant::now();
        let text = part.repeat(60_000 / part.len());
        let rest = redact_any(&text);
        find_certain(&text);
        assert!(rest.len() <= 4 * text.len(), "{part}");
        // A fraction of a second where it is linear, many seconds where it is not.
        assert!(started.elapsed().as_secs() < 5, "{part}: {:?}", started.elapsed());
    }
}

#[test]
fn a_long_secret_is_replaced_to_its_end() {
    let long = "aB3-".repeat(500);
    for (text, want) in [
        (format!("PASSWORD={long} b"), "PASSWORD=[a password, redacted] b"),
        (format!("PASSWORD='{long}' b"), "PASSWORD='[a password, redacted]' b"),
        (format!("Cookie: a={long}; b={long}\nc"), "Cookie: [a cookie, redacted]\nc"),
        (format!("-H 'Authorization: Bearer {long}' c"), "-H 'Authorization: Bearer [a secret, redacted]' c"),
        // Two that overlap: neither leaves a part of the other.
        (format!("redis://u:p4ss?token={long}@h"), "redis://u:p4ss?token=[a secret, redacted]"),
    ] {
        assert_eq!(redact_any(&text), want);
    }
}

/// The descriptions of the secrets of published formats.
fn formats_in(text: &str) -> Vec<&'static str> {
    find(text, Confidence::Format).into_iter().map(|secret| secret.what).collect()
}

/// Builds values at run time, so that no scanner reports this file.
fn value(prefix: &str, rest: &str) -> String {
    format!("{prefix}{rest}")
}

const RANDOM: &str = "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo";

const CLOUDFLARE: &str = concat!(
    "a4c123b1612dd272d1371c17-149d439536b3216fdaeeb975729fae923d5a4fd12aabfe228f219e9cb0eb53f16",
    "947ccf25ec84d8dbc74254770f58904dba41ecccc3fc1626e53a13043b026c48bbf33feff9243a8f5"
);

#[test]
fn finds_known_formats() {
    for (text, what) in [
        (value("ghp_", RANDOM), "a GitHub personal access token"),
        (value("export KEY=\"AKIA", "Q7ZP2LXV9MKDR4TW\""), "an AWS access key ID"),
        (value("npm_", RANDOM), "an npm access token"),
        (value("key: AIza", "Sy7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe-u."), "a Google API key"),
        (value("refresh_token: 1//0", &format!("{RANDOM}{RANDOM}")), "a Google refresh token"),
        (value("'ya29.", &format!("{RANDOM}-{RANDOM}'")), "a Google access token"),
        (value("sk-", &format!("{RANDOM}q7Zp2LxV9mKd")), "an OpenAI API key"),
    ] {
        assert_eq!(formats_in(&text), [what], "{text}");
    }
}

#[test]
fn finds_formats_with_a_mark_in_the_middle_or_in_base64() {
    let long = format!("{RANDOM}{RANDOM}");
    for (text, what) in [
        (value("q7Zp2LxV9mKdR4.atlasv1", &format!(".{}", &long[..64])), "an HCP Terraform token"),
        (value("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ", ".ZnCjm1XVW7vRze4b7Cq4se7kKWs"), "a Discord bot token"),
        (value("FlyV1 fm2", &format!("_lJPE/{long}+x/A==")), "a Fly.io access token"),
        (value("v1.0-", CLOUDFLARE), "a Cloudflare origin CA key"),
        (value("TOKEN=123456789:AA", &RANDOM[..33]), "a Telegram bot token"),
        (value("sb_secret_", &RANDOM[..31]), "a Supabase secret key"),
        (value("tvly-", &RANDOM[..32]), "a Tavily API key"),
    ] {
        assert_eq!(formats_in(&text), [what], "{text}");
    }
    for text in ["patterns-of-usage.md", "v1.0-rc.20240501-linux-x86_64", "cioran", "MTIz.a.b"] {
        assert_eq!(formats_in(text), [""; 0], "{text}");
    }
}

#[test]
fn leaves_what_is_placeholder_alone() {
    for text in [
        value("AKIA", "IOSFODNN7EXAMPLE"),
        value("ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        value("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"),
        value("ghp_", &RANDOM[1..]),
        value("my_ghp_", RANDOM),
        value("risk-", &format!("{RANDOM}q7Zp2LxV9mKd")),
        value("https://x.org/1//0", RANDOM),
        "sk_live_... and AKIA".to_owned(),
    ] {
        assert_eq!(formats_in(&text), [""; 0], "{text}");
    }
}

#[test]
fn finds_web_tokens_and_webhooks() {
    let token =
        ["eyJhbGciOiJIUzI1NiJ9", "eyJyb2xlIjoiYWRtaW4iLCJpZCI6N30", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe"].join(".");
    let path = "T0AB12CD3/B0EF45GH6/q7Zp2LxV9mKdR4tWc8NbYf3H";
    let hook = format!("https://hooks.slack.com/services/{path}");
    assert_eq!(redact(&format!("x?jwt={token}&y")), "x?jwt=[a JSON Web Token, redacted]&y");
    assert_eq!(redact(&hook), "https://hooks.slack.com/services/[a Slack webhook, redacted]");
    let example = token.replace("eyJyb2xlIjoiYWRtaW4iLCJpZCI6N30", "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkoifQ");
    for text in [example.as_str(), "https://hooks.slack.com/services/T000/B000/XXXX", "eyJhbGciOiJIUzI1NiJ9.a.b"] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn redacts_secrets() {
    let token = value("ghp_", RANDOM);
    let text = format!("a {token} b {token}");
    let out = "[a GitHub personal access token, redacted]";
    assert_eq!(redact(&text), format!("a {out} b {out}"));
    assert_eq!(redact("nothing of the kind"), "nothing of the kind");
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXoB1nMwPz0SvE";
    for end in ["-----END PRIVATE KEY----- z", ""] {
        let text = format!("a -----BEGIN {}-----\n{key}\n{end}", "PRIVATE KEY");
        let rest = if end.is_empty() { "" } else { " z" };
        assert_eq!(redact(&text), format!("a [a private key, redacted]{rest}"));
    }
}

/// A pattern that matches a text without its keywords would never be searched in it.
#[test]
fn matches_have_a_keyword() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for pattern in TABLE.iter().filter(|pattern| !pattern.keywords.is_empty()) {
        let boundaries = [r"(?:^|\s)", r"(?:\b|_)", r"(?:\s|\z)", r"|\z", r"\b"];
        let regex = boundaries.iter().fold(pattern.expanded(), |regex, part| regex.replace(part, ""));
        let texts = bytes_regex(&format!("(?-u){regex}")).expect(&regex);
        for _ in 0..8 {
            let text = String::from_utf8_lossy(&texts.new_tree(&mut runner).unwrap().current()).to_ascii_lowercase();
            let has_keyword = pattern.keywords.iter().any(|keyword| text.contains(&keyword.to_ascii_lowercase()));
            assert!(has_keyword, "{}: {text}", pattern.what);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_searched(text in r#"(password|token|[-:=@'"\\ ]|Cookie: a=|://|eyJ|-----BEGIN |é|…|\u{a0}|[a-zA-Z0-9]){0,40}"#) {
        let once = redact_any(&text).into_owned();
        find_certain(&text);
        prop_assert!(once.len() <= 60 * (text.len() + 1));
    }
}

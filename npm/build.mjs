// Writes the npm packages of a release: `node npm/build.mjs OUTPUT ARCHIVE...`, with dist's archives. Each platform has a
// package with its binary; `canonry` has the launcher, and depends on them optionally, so npm installs the one that fits.
// No package has an install script. Names and versions come from Cargo.toml.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Linux has the static binary, which runs with every libc.
const PLATFORMS = {
  "x86_64-unknown-linux-musl": { os: "linux", cpu: "x64" },
  "aarch64-unknown-linux-musl": { os: "linux", cpu: "arm64" },
  "x86_64-apple-darwin": { os: "darwin", cpu: "x64" },
  "aarch64-apple-darwin": { os: "darwin", cpu: "arm64" },
};

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const metadata = execFileSync("cargo", ["metadata", "--no-deps", "--format-version", "1"], { cwd: root, encoding: "utf8" });
const { name, version, description, license, repository, keywords } = JSON.parse(metadata).packages.find(
  (each) => each.name === "canonry",
);
const scope = `@${new URL(repository).pathname.split("/")[1]}`;
const common = { version, license, homepage: repository, repository: { type: "git", url: `git+${repository}.git` } };

const [output, ...archives] = process.argv.slice(2);
const packageOf = ({ os, cpu }) => `${scope}/${os}-${cpu}`;

function write(folder, manifest, files) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [from, to] of files) copyFileSync(from, join(folder, to));
}

const missing = new Set(Object.keys(PLATFORMS));
for (const archive of archives) {
  const target = basename(archive).replace(/^canonry-|\.tar\.gz$/g, "");
  const platform = PLATFORMS[target];
  if (!platform) continue;
  missing.delete(target);
  const unpacked = mkdtempSync(join(tmpdir(), "canonry-npm-"));
  execFileSync("tar", ["-xzf", archive, "-C", unpacked, "--strip-components", "1"]);
  const { os, cpu } = platform;
  const manifest = {
    name: packageOf(platform),
    description: `The binary of ${name} for ${os} ${cpu}`,
    ...common,
    os: [os],
    cpu: [cpu],
    files: ["canonry"],
    // Yarn's Plug'n'Play then unpacks the binary.
    preferUnplugged: true,
  };
  write(join(output, `${os}-${cpu}`), manifest, [
    [join(unpacked, "canonry"), "canonry"],
    [join(root, "LICENSE"), "LICENSE"],
  ]);
  rmSync(unpacked, { recursive: true });
}
if (missing.size > 0) {
  console.error(`npm/build.mjs: no archive of ${[...missing].join(", ")}`);
  process.exitCode = 1;
}

const manifest = {
  name,
  description,
  ...common,
  keywords,
  bin: { canonry: "canonry.js" },
  files: ["canonry.js"],
  engines: { node: ">=18" },
  optionalDependencies: Object.fromEntries(Object.values(PLATFORMS).map((platform) => [packageOf(platform), version])),
};
write(join(output, name), manifest, [
  [join(here, "canonry.js"), "canonry.js"],
  [join(root, "README.md"), "README.md"],
  [join(root, "LICENSE"), "LICENSE"],
]);

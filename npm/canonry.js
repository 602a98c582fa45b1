#!/usr/bin/env node
// Runs the binary from the package of this platform, and ends as the binary ends.
"use strict";
const { spawn } = require("node:child_process");
const { optionalDependencies } = require("./package.json");

const platform = `${process.platform}-${process.arch}`;
const name = Object.keys(optionalDependencies).find((each) => each.endsWith(`/${platform}`));

function fail(message) {
  process.stderr.write(`canonry: ${message}\n`);
  process.exit(70);
}

function find() {
  if (!name) {
    fail(`there is no npm package for ${platform}; install canonry another way: \`cargo install --locked canonry\``);
  }
  try {
    return require.resolve(`${name}/canonry`);
  } catch {
    fail(
      `the package ${name} is not installed; install canonry again without \`--omit=optional\` and ` +
        "`--no-optional`, and on the platform on which it runs",
    );
  }
}

const binary = find();
// Before the start, so that no signal ends this process alone. A terminal sends SIGINT to the binary as well; others send
// signals to this process only.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(error.message));
child.on("exit", (status, signal) => {
  if (!signal) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

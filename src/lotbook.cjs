#!/usr/bin/env node
"use strict"
// Runs the command line on the Node 24 from npm, whatever Node version runs this file.
const { spawn } = require("node:child_process")
const fs = require("node:fs")
const path = require("node:path")

/** Pause between two checks of the parent process, ms. */
const parentPollMs = 500

const root = path.join(__dirname, "..")
const node = path.join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node")
const built = path.join(root, ".built", "main.js")
// An installation without scripts has no build. It starts too, more slowly.
const main = fs.existsSync(built) ? built : path.join(__dirname, "main.ts")
// The channel closes when this process dies, also by SIGKILL; then main.ts stops.
const child = spawn(node, [main, ...process.argv.slice(2)], {
  stdio: ["inherit", "inherit", "inherit", "ipc"]
})
// Forwards signals sent to this process alone. Ctrl-C in a terminal reaches the child twice, which is harmless.
const signals = ["SIGTERM", "SIGHUP", "SIGINT"]
for (const signal of signals) process.on(signal, () => child.kill(signal))
// A shell between npm and this process may die of npm's signal without forwarding it.
const parent = process.ppid
const watch =
  process.env.npm_lifecycle_event === undefined
    ? undefined
    : setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), parentPollMs)
child.on("error", (error) => {
  clearInterval(watch)
  process.stderr.write(`lotbook: ${error.message}; run npm ci first\n`)
  process.exitCode = 1
})
child.on("exit", (code, signal) => {
  clearInterval(watch)
  for (const own of signals) process.removeAllListeners(own)
  if (signal !== null) process.kill(process.pid, signal)
  else process.exitCode = code ?? 1
})

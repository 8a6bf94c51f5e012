#!/usr/bin/env node
"use strict"
// Runs the command line on the Node 24 that npm installed, whatever Node runs this file.
const { spawn } = require("node:child_process")
const path = require("node:path")

/** Time between two looks for the parent process, ms. */
const parentPollMs = 500

const root = path.join(__dirname, "..")
const node = path.join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node")
// The channel tells the child of this process's death, also by SIGKILL: main.ts stops when it closes.
const child = spawn(node, [path.join(__dirname, "main.ts"), ...process.argv.slice(2)], {
  stdio: ["inherit", "inherit", "inherit", "ipc"]
})
// Passes on signals sent to this process alone; Ctrl-C in a terminal reaches the child twice, which does no harm.
const signals = ["SIGTERM", "SIGHUP", "SIGINT"]
for (const signal of signals) process.on(signal, () => child.kill(signal))
// A shell between npm and this process may die of npm's signal without passing it on.
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

#!/usr/bin/env node
"use strict"
// Runs the command line on the Node 24 that npm installed, whatever Node runs this file.
const { spawn } = require("node:child_process")
const path = require("node:path")

const root = path.join(__dirname, "..")
const node = path.join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node")
const child = spawn(node, [path.join(__dirname, "main.ts"), ...process.argv.slice(2)], { stdio: "inherit" })
// A terminal's Ctrl-C reaches the child by itself; what is sent to this process alone is passed on.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
process.on("SIGINT", () => undefined)
child.on("error", (error) => {
  process.stderr.write(`lotbook: ${error.message}; run npm ci first\n`)
  process.exitCode = 1
})
child.on("exit", (code, signal) => {
  if (signal !== null) process.kill(process.pid, signal)
  else process.exitCode = code ?? 1
})

#!/usr/bin/env node
"use strict"
// Runs the command line on the Node 24 that npm installed, whatever Node runs this file.
const { spawn } = require("node:child_process")
const path = require("node:path")
const { scripts } = require("../package.json")

const root = path.join(__dirname, "..")
const node = path.join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node")
const given = process.argv.slice(2)
// The service runs as `npm start` runs it; other commands are done the sooner, the more helpers the collector has.
const flags = given[0] === "serve" ? scripts.start.split(" ").filter((word) => word.startsWith("--")) : []
const child = spawn(node, [...flags, path.join(__dirname, "main.ts"), ...given], { stdio: "inherit" })
// What is sent to this process alone is passed on; a terminal's Ctrl-C reaches the child twice, which does no harm.
const signals = ["SIGTERM", "SIGHUP", "SIGINT"]
for (const signal of signals) process.on(signal, () => child.kill(signal))
child.on("error", (error) => {
  process.stderr.write(`lotbook: ${error.message}; run npm ci first\n`)
  process.exitCode = 1
})
child.on("exit", (code, signal) => {
  for (const own of signals) process.removeAllListeners(own)
  if (signal !== null) process.kill(process.pid, signal)
  else process.exitCode = code ?? 1
})

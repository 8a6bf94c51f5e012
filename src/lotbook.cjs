#!/usr/bin/env node
"use strict"
// Runs the command line on the Node 24 from npm, whatever Node version runs this file, in a checkout and in the npm package.
const { spawn } = require("node:child_process")
const fs = require("node:fs")
const path = require("node:path")

/** Pause between two checks of the parent process, ms. */
const parentPollMs = 500

/** The Node.js that the service needs. */
const newEnough = 24

/** The Node 24 from npm, of an optional package for this platform; else the one that runs this file, if it is new enough. */
const findNode = () => {
  const { arch, platform } = process
  try {
    return require.resolve(platform === "win32" ? `node-win-${arch}/bin/node.exe` : `node-${platform}-${arch}/bin/node`)
  } catch {
    return Number.parseInt(process.versions.node, 10) >= newEnough ? process.execPath : undefined
  }
}

const node = findNode()
if (node === undefined) {
  process.stderr.write(
    `lotbook needs Node ${newEnough}, this is ${process.versions.node}. The optional package of npm that brings one is missing, or ` +
      `there is none for ${process.platform} ${process.arch}. Install without \`--omit=optional\`, or use a newer Node.\n`
  )
  process.exit(1)
}

const root = path.join(__dirname, "..")
// A checkout that was installed without scripts has no build, and starts more slowly. The npm package has `dist` alone.
const main = [".built/main.js", "src/main.ts", "dist/main.js"]
  .map((file) => path.join(root, file))
  .find((file) => fs.existsSync(file))
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
  process.stderr.write(`lotbook: ${error.message}\n`)
  process.exitCode = 1
})
child.on("exit", (code, signal) => {
  clearInterval(watch)
  for (const own of signals) process.removeAllListeners(own)
  if (signal !== null) process.kill(process.pid, signal)
  else process.exitCode = code ?? 1
})

/**
 * A headless Chromium out of npm, with the libraries and fonts that a bare
 * system lacks. It is unpacked once, into the folder of caches in node_modules.
 */

import { inflate } from "@sparticuz/chromium"
import type { Browser } from "playwright-core"
import { chromium } from "playwright-core"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..", "..")
const unpacked = path.join(root, "node_modules", ".cache", "lotbook-chromium")

/** The package's own file names other folders. These are beside the file, so the tree may be moved or copied. */
const fonts =
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>` +
  `<dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>`

/** Unpacks beside the final place and moves it there whole, so that another test file never sees half of it. */
const unpack = async (): Promise<void> => {
  if (fs.existsSync(unpacked)) return
  fs.mkdirSync(path.dirname(unpacked), { recursive: true })
  const folder = fs.mkdtempSync(`${unpacked}-`)
  const before = process.env["TMPDIR"]
  // The package unpacks into the system's temporary folder, whichever that is.
  process.env["TMPDIR"] = folder
  try {
    const bin = path.join(root, "node_modules", "@sparticuz", "chromium", "bin")
    for (const file of ["chromium.br", "fonts.tar.br", "al2023.tar.br"]) await inflate(path.join(bin, file))
    fs.writeFileSync(path.join(folder, "fonts", "fonts.conf"), fonts)
  } finally {
    if (before === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = before
  }
  try {
    fs.renameSync(folder, unpacked)
  } catch (error) {
    fs.rmSync(folder, { recursive: true })
    // Another test file was first.
    if (!fs.existsSync(unpacked)) throw error
  }
}

/** Starts a browser. */
export const launch = async (): Promise<Browser> => {
  await unpack()
  return chromium.launch({
    executablePath: path.join(unpacked, "chromium"),
    timeout: 200_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ],
    env: {
      HOME: os.tmpdir(),
      LANG: "en_US.UTF-8",
      PATH: process.env["PATH"] ?? "",
      LD_LIBRARY_PATH: path.join(unpacked, "al2023", "lib"),
      FONTCONFIG_PATH: path.join(unpacked, "fonts"),
      XDG_CACHE_HOME: path.join(unpacked, "cache")
    }
  })
}

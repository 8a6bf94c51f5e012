/** A till's store in a folder loses nothing that it said it keeps, and has one owner. */
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import type { FolderStep } from "lotbook/client/node"
import { folderStore } from "lotbook/client/node"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Folders from "../Folders.ts"

const child = path.join(import.meta.dirname, "FolderChild.ts")

let base = ""
let folder = ""
beforeEach(() => {
  base = Folders.make("till-store-")
  folder = path.join(base, "queue")
})
afterEach(() => fs.rmSync(base, { recursive: true }))

const run = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [child, folder, ...args], { encoding: "utf8" })

/** Texts that a new owner finds, by id. */
const found = async (): Promise<Readonly<Record<string, string>>> => {
  const store = folderStore(folder)
  const { entries } = await store.open()
  await store.close()
  return Object.fromEntries(entries.map(({ id, text }) => [id, text]))
}

const kindOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "resolved",
    (error: { readonly kind?: string }) => error.kind
  )

/** Without the room that is kept for the next owner. */
const files = () =>
  fs
    .readdirSync(folder)
    .filter((name) => name !== "spare")
    .toSorted()

describe("a folder", () => {
  it("keeps, replaces and forgets texts under any ids", async () => {
    const store = folderStore(folder)
    assert.deepStrictEqual(await store.open(), { entries: [], damaged: [] })
    const long = `sale:${"ü/..\\😀".repeat(40)}`
    await store.put(long, "line\nline\r\n\u2028")
    await store.put("sale:1", "old")
    await store.put("sale:1", "new")
    await store.put("sale:2", "2")
    await store.remove("sale:2")
    await store.remove("sale:3")
    await store.close()
    assert.strictEqual(await kindOf(store.put("sale:4", "4")), "failed")
    assert.deepStrictEqual(await found(), { [long]: "line\nline\r\n\u2028", "sale:1": "new" })
  })

  const steps: ReadonlyArray<readonly [FolderStep, string]> = [
    ["write", "1"],
    ["sync", "1"],
    ["rename", "1"],
    ["sync_folder", "2"]
  ]
  for (const [step, text] of steps)
    it(`has the former or the new text, whole, after kill -9 before ${step}`, async () => {
      const { signal, stdout } = run("kill", step)
      assert.strictEqual(signal, "SIGKILL")
      assert.strictEqual(stdout, "owner\nkept first\n")
      assert.deepStrictEqual(await found(), { first: text })
      assert.strictEqual(files().length, 1, "nothing is left of the half and of the owner")
    })

  it("tells a full disk, and keeps what it had", async () => {
    const shell = `ulimit -f 16; exec "$0" "$@"`
    const { stdout } = spawnSync("sh", ["-c", shell, process.execPath, child, folder, "fill"], { encoding: "utf8" })
    assert.match(
      stdout,
      /^owner\nkept first\nfull keeping large: the disk is full \(EFBIG\)\nfull keeping first: .*\nkept small\n$/
    )
    assert.deepStrictEqual(await found(), { first: "1", small: "2" })
    const store = folderStore(folder, {
      onStep: (step) => {
        if (step === "sync") throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
      }
    })
    await store.open()
    assert.strictEqual(await kindOf(store.put("first", "2")), "full")
    await store.close()
    assert.deepStrictEqual(await found(), { first: "1", small: "2" })
    assert.isEmpty(files().filter((name) => name.endsWith(".half")))
  })

  it("is opened with a full disk, so that what is stored is sent, and takes nothing new", async () => {
    const first = folderStore(folder)
    await first.open()
    await first.put("first", "1")
    await first.close()
    const full = () => Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
    const spare = path.join(folder, "spare")
    const store = folderStore(folder, {
      onStep: (step) => {
        if (step === "write" || (step === "claim" && fs.existsSync(spare))) throw full()
      }
    })
    assert.deepStrictEqual((await store.open()).entries, [{ id: "first", text: "1" }])
    assert.strictEqual(await kindOf(store.put("second", "2")), "full")
    await store.remove("first")
    await store.close()
    assert.deepStrictEqual(await found(), {})
  })

  it("keeps a damaged file aside and says where it is, at every start", async () => {
    const store = folderStore(folder)
    await store.open()
    await store.put("first", "1")
    const [name = ""] = files().filter((one) => one.endsWith(".entry"))
    await store.put("second", "2")
    await store.close()
    const file = path.join(folder, name)
    const half = fs.readFileSync(file, "utf8").slice(0, 90)
    fs.writeFileSync(file, half)
    for (const start of ["first", "second"]) {
      const again = folderStore(folder)
      const opened = await again.open()
      await again.close()
      assert.deepStrictEqual(opened, { entries: [{ id: "second", text: "2" }], damaged: [`${file}.damaged`] }, start)
    }
    assert.strictEqual(fs.readFileSync(`${file}.damaged`, "utf8"), half)
  })

  it("opens no newer format, and changes nothing of it", async () => {
    run("kill", "rename")
    const [name = ""] = files().filter((one) => one.endsWith(".entry"))
    fs.writeFileSync(path.join(folder, "later.entry"), "lotbook-till 2 something else")
    fs.writeFileSync(path.join(folder, name), "half")
    const before = files().filter((one) => !one.startsWith("owner"))
    assert.strictEqual(await kindOf(folderStore(folder).open()), "newer_format")
    assert.deepStrictEqual(files(), before)
  })
})

describe("the owner of a folder", () => {
  const hold = async () => {
    const holder = spawn(process.execPath, [child, folder, "hold"], { stdio: ["pipe", "pipe", "inherit"] })
    await new Promise((resolve) => holder.stdout.once("data", resolve))
    const ended = new Promise((resolve) => holder.once("exit", resolve))
    return { holder, ended }
  }

  it("is one till of a process", async () => {
    const store = folderStore(folder)
    await store.open()
    assert.strictEqual(await kindOf(folderStore(folder).open()), "owned")
    await store.close()
    assert.strictEqual(await kindOf(found()), "resolved")
  })

  it("is one process until it ends, in order or not", async () => {
    for (const ending of ["SIGKILL", "close"] as const) {
      const { ended, holder } = await hold()
      assert.strictEqual(await kindOf(found()), "owned")
      if (ending === "close") holder.stdin.end("\n")
      else holder.kill(ending)
      await ended
      assert.strictEqual(await kindOf(found()), "resolved", ending)
    }
  })

  it("is taken over from a dead process by one alone", async () => {
    const { ended, holder } = await hold()
    holder.kill("SIGKILL")
    await ended
    assert.strictEqual(files().length, 1)
    const racers = Array.from({ length: 6 }, () => {
      const racer = spawn(process.execPath, [child, folder, "race"], { stdio: ["pipe", "pipe", "inherit"] })
      let output = ""
      const said = new Promise<void>((resolve) => {
        racer.stdout.on("data", (chunk) => {
          output += String(chunk)
          if (output.includes("\n")) resolve()
        })
      })
      const ended = new Promise((resolve) => racer.once("close", resolve))
      return { racer, said, ended, output: () => output }
    })
    await Promise.all(racers.map(({ said }) => said))
    assert.deepStrictEqual(racers.map(({ output }) => output()).toSorted(), [
      ...Array.from({ length: 5 }, () => "owned\n"),
      "owner\n"
    ])
    // The others have ended: what is written to them is an error.
    for (const { output, racer } of racers) if (output() === "owner\n") racer.stdin.end("\n")
    await Promise.all(racers.map(({ ended }) => ended))
  })

  const ownerWith = (change: object) => {
    fs.mkdirSync(folder, { recursive: true })
    const me = { pid: process.pid, host: os.hostname(), boot: null, space: null, began: null }
    fs.writeFileSync(path.join(folder, "owner-7"), JSON.stringify({ ...me, ...change }))
  }

  it("is not taken for dead where that is not certain, unless the caller knows", async () => {
    ownerWith({ host: "elsewhere" })
    assert.strictEqual(await kindOf(found()), "owned")
    fs.writeFileSync(path.join(folder, "owner-7"), "half of a fi")
    assert.strictEqual(await kindOf(found()), "owned")
    const store = folderStore(folder, { takesOver: true })
    await store.open()
    assert.deepStrictEqual(files(), ["owner-8"])
    await store.close()
    assert.deepStrictEqual(files(), [])
  })

  it("is dead if the machine was started again since, or another process has its number", async () => {
    ownerWith({ boot: "an earlier run" })
    assert.strictEqual(await kindOf(found()), "resolved")
    if (process.platform !== "linux") return
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    ownerWith({ boot, space: fs.readlinkSync("/proc/self/ns/pid"), began: "1" })
    assert.strictEqual(await kindOf(found()), "resolved")
  })
})

/**
 * A till's store in a folder, for Node, Bun and Deno: a file for each entry. A file is written under a temporary name,
 * synced, and renamed; then the folder is synced. So an entry is whole or not there, whenever the process or the machine ends.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { Opened, Stored, TillStore } from "../till/Store.ts"
import { StoreError } from "../till/Store.ts"
import { own } from "./Owner.ts"
import { makeFolder, syncFolder } from "./SyncFolder.ts"

export interface FolderStoreOptions {
  /**
   * Takes the folder from an owner that may be running unseen by this process: one in another container or on
   * another machine. Only for a caller that knows that it has ended. False by default.
   */
  readonly takesOver?: boolean
  /** For tests: called before each step. */
  readonly onStep?: (step: FolderStep, file: string) => void | Promise<void>
}

export type FolderStep = "claim" | "write" | "sync" | "rename" | "sync_folder" | "remove"

/** First word of a file, and the form in which the rest is written. */
const format = "lotbook-till"
const version = 1
const ending = { whole: ".entry", half: ".half", damaged: ".damaged" } as const

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Ids hold any character and may be longer than names of files. */
const nameOf = (id: string): string => `${hashOf(id).slice(0, 40)}${ending.whole}`

const encode = (entry: Stored): string => {
  const text = JSON.stringify(entry)
  return `${format} ${version} ${hashOf(text)}\n${text}\n`
}

/** The entry of a file; undefined where the file is not what was written. */
const decode = (content: string): Stored | undefined => {
  const [, found, hash, text] = /^lotbook-till (\d{1,9})(?: ([0-9a-f]{64})\n(.*)\n$)?/s.exec(content) ?? []
  if (Number(found) > version)
    throw new StoreError("newer_format", `it has format ${found}, and this version reads ${version}`)
  return text !== undefined && hashOf(text) === hash ? (JSON.parse(text) as Stored) : undefined
}

const full = ["ENOSPC", "EDQUOT", "EFBIG"]

const faultOf = (error: unknown, what: string): StoreError => {
  if (error instanceof StoreError) return new StoreError(error.kind, `${what}: ${error.message}`, error)
  const { code = "", message } = error as NodeJS.ErrnoException
  return full.includes(code)
    ? new StoreError("full", `${what}: the disk is full (${code})`, error)
    : new StoreError("failed", `${what}: ${message}`, error)
}

class Folder implements TillStore {
  private readonly folder: string
  private readonly options: FolderStoreOptions
  private release: (() => Promise<void>) | undefined

  constructor(folder: string, options: FolderStoreOptions) {
    this.folder = folder
    this.options = options
  }

  async open(): Promise<Opened> {
    try {
      await makeFolder(this.folder)
      const { takesOver = false } = this.options
      const release = await own(this.folder, takesOver, (file) => this.step("claim", file))
      try {
        const opened = await this.read()
        this.release = release
        return opened
      } catch (error) {
        await release()
        throw error
      }
    } catch (error) {
      throw faultOf(error, `opening ${this.folder}`)
    }
  }

  /** Decodes every file before it changes one: a newer format leaves all as it is. */
  private async read(): Promise<Opened> {
    const entries: Array<Stored> = []
    const damaged: Array<string> = []
    const names = await fs.readdir(this.folder)
    for (const name of names.filter((one) => one.endsWith(ending.whole))) {
      const file = path.join(this.folder, name)
      const entry = decode(await fs.readFile(file, "utf8"))
      if (entry === undefined || nameOf(entry.id) !== name) damaged.push(file)
      else entries.push(entry)
    }
    for (const file of damaged) await fs.rename(file, file + ending.damaged)
    // A writer of half a file was never told that it is kept.
    for (const name of names.filter((one) => one.endsWith(ending.half)))
      await fs.rm(path.join(this.folder, name), { force: true })
    const before = names.filter((name) => name.endsWith(ending.damaged)).map((name) => path.join(this.folder, name))
    return { entries, damaged: [...before, ...damaged.map((file) => file + ending.damaged)] }
  }

  private checkOpen(): void {
    if (this.release === undefined) throw new StoreError("failed", "the store is not open")
  }

  private async step(step: FolderStep, file: string): Promise<void> {
    await this.options.onStep?.(step, file)
  }

  async put(id: string, text: string): Promise<void> {
    const whole = path.join(this.folder, nameOf(id))
    const half = whole + ending.half
    try {
      this.checkOpen()
      try {
        await this.step("write", half)
        const handle = await fs.open(half, "w")
        try {
          await handle.writeFile(encode({ id, text }))
          await this.step("sync", half)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await this.step("rename", whole)
        await fs.rename(half, whole)
      } catch (error) {
        await fs.rm(half, { force: true }).catch(() => undefined)
        throw error
      }
      await this.step("sync_folder", this.folder)
      await syncFolder(this.folder)
    } catch (error) {
      throw faultOf(error, `keeping ${id}`)
    }
  }

  async remove(id: string): Promise<void> {
    try {
      this.checkOpen()
      const file = path.join(this.folder, nameOf(id))
      await this.step("remove", file)
      await fs.rm(file, { force: true })
    } catch (error) {
      throw faultOf(error, `forgetting ${id}`)
    }
  }

  async close(): Promise<void> {
    const { release } = this
    this.release = undefined
    await release?.()
  }
}

/** A store in a folder, which is made if it is missing. One process owns it; the others get `owned`. */
export const folderStore = (folder: string, options: FolderStoreOptions = {}): TillStore => new Folder(folder, options)

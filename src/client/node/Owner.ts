/**
 * One owner of a folder. The owner is the file `owner-N` with the highest number. A process that finds it dead links
 * `owner-(N+1)`, which one process alone can, and owns the folder if no higher one is there afterwards.
 */
import { randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { StoreError } from "../till/Store.ts"

/** Owner of a folder: enough to tell a process from a later one with its number. */
interface Owner {
  readonly pid: number
  readonly host: string
  /** This run of the machine, on Linux. */
  readonly boot: string | null
  /** The numbering of processes that `pid` belongs to: each container has its own. On Linux. */
  readonly space: string | null
  /** When the process began, in ticks of the machine. On Linux. */
  readonly began: string | null
}

const file = /^owner-(\d{1,15})$/

const textOf = async (name: string): Promise<string | null> => {
  try {
    return (await fs.readFile(name, "utf8")).trim()
  } catch {
    return null
  }
}

/** Field 22 of the process's state, counted behind its name, which may hold blanks; null where no such process runs. */
const beganOf = async (pid: number): Promise<string | null> => {
  const fields = (await textOf(`/proc/${pid}/stat`))?.replace(/^.*\) /s, "").split(" ")
  return fields === undefined || fields[0] === "Z" ? null : (fields[19] ?? null)
}

const self = async (): Promise<Owner> => ({
  pid: process.pid,
  host: os.hostname(),
  boot: await textOf("/proc/sys/kernel/random/boot_id"),
  space: await fs.readlink("/proc/self/ns/pid").catch(() => null),
  began: await beganOf(process.pid)
})

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}

/** True only where it is certain. */
const isDead = async (owner: Owner, me: Owner): Promise<boolean> => {
  if (owner.boot !== me.boot) return owner.host === me.host
  if (owner.host !== me.host || owner.space !== me.space) return false
  if (owner.began === null) return !runs(owner.pid)
  return (await beganOf(owner.pid)) !== owner.began
}

const parse = (text: string | null): Owner | undefined => {
  try {
    return JSON.parse(text ?? "") as Owner
  } catch {
    return undefined
  }
}

const highest = async (folder: string): Promise<number> =>
  Math.max(0, ...(await fs.readdir(folder)).map((name) => Number(file.exec(name)?.[1] ?? 0)))

const removeBelow = async (folder: string, number: number): Promise<void> => {
  for (const name of await fs.readdir(folder))
    if (Number(file.exec(name)?.[1] ?? number) < number) await fs.rm(path.join(folder, name), { force: true })
}

/** Attempts while others come and go: each lost one means that somebody else moved. */
const maxAttempts = 10

/** Folders that this process owns: it sees itself run, whichever till of it is the owner. */
const mine = new Set<string>()

/** Gives way to a claim where the disk is full: what is stored can be sent, although nothing more can be. Bytes. */
const spareBytes = 8 * 1024

const spareOf = (folder: string): string => path.join(folder, "spare")

/** Keeps the room for the next claim, if there is any. */
const keepSpare = async (folder: string): Promise<void> => {
  const spare = spareOf(folder)
  await fs.writeFile(spare, randomBytes(spareBytes), { flag: "wx" }).catch(async ({ code }: NodeJS.ErrnoException) => {
    // The room that a half of it takes is for sales.
    if (code !== "EEXIST") await fs.rm(spare, { force: true }).catch(() => undefined)
  })
}

/** Writes the file of a claim, in the spare room if there is no other. */
const writeClaim = async (folder: string, whole: string, me: Owner, onClaim: OnClaim): Promise<void> => {
  const write = async () => {
    await onClaim(whole)
    await fs.writeFile(whole, JSON.stringify(me))
  }
  try {
    await write()
  } catch (error) {
    if (!["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
    await fs.rm(spareOf(folder), { force: true })
    await write()
  }
}

/** For tests: called before a claim is written. */
type OnClaim = (file: string) => void | Promise<void>

/** Becomes the owner; the result gives that back. `takesOver`: the caller knows that the former owner has ended. */
export const own = async (
  folder: string,
  takesOver: boolean,
  onClaim: OnClaim = () => undefined
): Promise<() => Promise<void>> => {
  const real = await fs.realpath(folder)
  const owned = (detail: string) => new StoreError("owned", `${folder} ${detail}`)
  if (mine.has(real)) throw owned("belongs to another till of this process")
  mine.add(real)
  try {
    const me = await self()
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const before = await highest(real)
      if (before > 0 && !takesOver) {
        const name = path.join(real, `owner-${before}`)
        const text = await textOf(name)
        if (text === null) continue
        const owner = parse(text)
        if (owner === undefined || !(await isDead(owner, me))) {
          const who = owner === undefined ? "an unknown process" : `process ${owner.pid} of ${owner.host}`
          throw owned(`belongs to ${who}; if it has ended, remove ${name}`)
        }
      }
      const number = before + 1
      if (await claim(real, number, me, onClaim)) {
        await removeBelow(real, number)
        await keepSpare(real)
        return async () => {
          await fs.rm(path.join(real, `owner-${number}`), { force: true })
          mine.delete(real)
        }
      }
    }
    throw owned("is being taken by other processes")
  } catch (error) {
    mine.delete(real)
    throw error
  }
}

/** Links a file that is whole already, so that nobody reads half of it. False where somebody else was first. */
const claim = async (folder: string, number: number, me: Owner, onClaim: OnClaim): Promise<boolean> => {
  const name = path.join(folder, `owner-${number}`)
  const whole = path.join(folder, `claim-${me.pid}-${me.began ?? ""}`)
  try {
    await writeClaim(folder, whole, me, onClaim)
    await fs.link(whole, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    return false
  } finally {
    await fs.rm(whole, { force: true })
  }
  if ((await highest(folder)) === number) return true
  await fs.rm(name, { force: true })
  return false
}

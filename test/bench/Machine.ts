/** What the operating system says: CPU and memory of processes, and what machine this is. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"

/** Clock ticks a second, in which `/proc/<pid>/stat` counts. */
const ticks = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }))

interface Stat {
  readonly parent: number
  /** Of the process itself, seconds. */
  readonly own: number
  /** Of its children that have ended and were waited for, seconds. */
  readonly ended: number
}

/** `/proc/<pid>/stat`, whose second field may hold spaces and brackets; undefined once the process is gone. */
const statOf = (pid: number): Stat | undefined => {
  let text: string
  try {
    text = fs.readFileSync(`/proc/${pid}/stat`, "latin1")
  } catch {
    // It ended between the listing and the reading.
    return undefined
  }
  // From the third field on: state, ppid, …; utime, stime, cutime and cstime are the 14th to the 17th.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const at = (field: number) => Number(fields[field - 3])
  return { parent: at(4), own: (at(14) + at(15)) / ticks, ended: (at(16) + at(17)) / ticks }
}

const pids = (): ReadonlyArray<number> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

export const childrenOf = (parent: number): ReadonlyArray<number> =>
  pids().filter((pid) => statOf(pid)?.parent === parent)

/** CPU of a process, its children, and the children it had, seconds. */
export const cpuSeconds = (pid: number): number => {
  const root = statOf(pid)
  if (root === undefined) throw new Error(`process ${pid} is gone`)
  let sum = root.own + root.ended
  for (const child of childrenOf(pid)) {
    const stat = statOf(child)
    if (stat !== undefined) sum += stat.own + stat.ended
  }
  return sum
}

/** CPU of a process alone, seconds. */
export const ownCpuSeconds = (pid: number): number => {
  const stat = statOf(pid)
  if (stat === undefined) throw new Error(`process ${pid} is gone`)
  return stat.own
}

/** CPU that everybody on the machine has used, and what its host gave to other machines meanwhile, seconds. */
export const allCpuSeconds = (): { readonly used: number; readonly stolen: number } => {
  const [, user, nice, system, , , irq, softirq, steal = 0] = (
    fs.readFileSync("/proc/stat", "latin1").split("\n")[0] ?? ""
  )
    .split(/\s+/)
    .map(Number)
  const used = [user, nice, system, irq, softirq].reduce<number>((sum, value) => sum + (value ?? 0), 0)
  return { used: used / ticks, stolen: steal / ticks }
}

/** Resident memory of a process, bytes. */
export const residentBytes = (pid: number): number => {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, "latin1"))
  return Number(found?.[1] ?? 0) * 1024
}

/** Memory of a process and its children, what they share counted once, bytes; 0 where the system does not tell. */
export const proportionalBytes = (pid: number): number => {
  let sum = 0
  for (const one of [pid, ...childrenOf(pid)]) {
    try {
      sum += Number(/^Pss:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${one}/smaps_rollup`, "latin1"))?.[1] ?? 0)
    } catch {
      // Another user's process, or one that has just ended.
    }
  }
  return sum * 1024
}

export const machine = () => ({
  cores: os.availableParallelism(),
  cpu: os.cpus()[0]?.model ?? "unknown",
  memoryGb: Math.round(os.totalmem() / 2 ** 30),
  kernel: `${os.type()} ${os.release()}`,
  node: process.version,
  loadAverage: os.loadavg()[0] ?? 0
})

/**
 * Processes and folders of a fault run: what they are, how they are signalled,
 * and that none of them outlives the run, however it ends.
 */
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as Folders from "../Folders.ts"

/** How often a condition is looked at, ms. */
const pollMs = 10

/** Longest wait for a condition, ms: far above what it takes on a busy machine, so that only a real fault meets it. */
const untilMs = 180_000

/** Waits until something holds; its last value. */
export const until = async <A>(
  what: string,
  look: () => A | Promise<A>,
  limitMs = untilMs,
  pauseMs = pollMs
): Promise<NonNullable<A>> => {
  const deadline = Date.now() + limitMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<A>
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Ports below those that systems choose by themselves: a service that is started again finds its own one free. */
const firstPort = 20_000
const ports = 10_000

/** Processes that run at the same time begin far from each other. */
let next = process.pid * 101

/** A port that nothing listens at; every call gives another one. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = firstPort + (next++ % ports)
    const server = net.createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false))
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

/** A process and those that it started. */
export const familyOf = (pid: number): ReadonlyArray<number> => {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n")
  const children = lines.flatMap((line) => {
    const [child, parent] = line.trim().split(/\s+/).map(Number)
    return child !== undefined && parent === pid ? [child] : []
  })
  return [pid, ...children]
}

/** A process, those that it started, and so on. */
export const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const [, ...children] = familyOf(pid)
  return [pid, ...children.flatMap(descendantsOf)]
}

/** Signals processes; those that are gone already have what they were sent for. */
export const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
    }
  }
}

/** Where a run's folder keeps the service's process id, and where a small disk is mounted. */
export const pidFile = "service.pid"
export const diskFolder = "disk"

/**
 * Ends what a run of this folder left behind once this process is gone: the
 * service first, or it would start its PostgreSQL again. A process counts only
 * while its command line names the folder.
 */
const cleanUp = `cat > /dev/null
owned() { ps -o args= -p "$1" 2> /dev/null | grep -qF "$0"; }
end() { owned "$1" "$0" && kill -9 "$1" $(ps -A -o pid=,ppid= | awk -v parent="$1" '$2 == parent { print $1 }'); }
for file in "$0/service.pid" "$0"/*/service.pid; do pid=$(cat "$file" 2> /dev/null) && end "$pid"; done
for file in "$0"/*/postgres/postmaster.pid "$0"/*/*/postgres/postmaster.pid; do
  pid=$(head -n 1 "$file" 2> /dev/null) && end "$pid"
done
if [ -d "$0/disk" ]; then while ! umount "$0/disk" 2> /dev/null && grep -qF "$0/disk" /proc/mounts; do sleep 0.1; done; fi
rm -rf "$0" 2> /dev/null || { sleep 1; rm -rf "$0"; }`

/** A folder on the disk that PostgreSQL's user can reach; its `remove` is for after everything in it has ended. */
export const runFolder = (
  folder = Folders.make("lotbook-faults-", os.tmpdir())
): { readonly folder: string; readonly remove: () => void } => {
  const watcher = spawn("sh", ["-c", cleanUp, folder], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  watcher.unref()
  return {
    folder,
    remove: () => {
      fs.rmSync(folder, { recursive: true, force: true })
      watcher.stdin.end()
    }
  }
}

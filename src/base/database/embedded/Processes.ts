/** State of processes by id, and files that may disappear at any time. */
import * as fs from "node:fs"

/** Undefined if there is no such file. */
export const readIfThere = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // ESRCH: the process ended between opening and reading its file in /proc.
    if (code === "ENOENT" || code === "ESRCH") return undefined
    throw error
  }
}

/** True for a process that has ended and whose parent has not reaped it; init in some containers never reaps. */
export const isZombie = (pid: number): boolean => /\) [ZX] /.test(readIfThere(`/proc/${pid}/stat`) ?? "")

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

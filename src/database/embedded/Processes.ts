/** Processes by their number, and files that may go at any moment. */
import * as fs from "node:fs"

/** Undefined where there is no such file. */
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

/** Ended, and its parent has not asked how; some containers have a first process that never asks. */
export const isZombie = (pid: number): boolean => /\) [ZX] /.test(readIfThere(`/proc/${pid}/stat`) ?? "")

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

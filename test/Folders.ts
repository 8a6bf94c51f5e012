/** Temporary folders of the databases under test. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const memory = "/dev/shm"

/** Free memory that a file system in memory is used from, bytes: PostgreSQL keeps up to 4 GB of WAL there. */
const neededBytes = 8 * 1024 ** 3

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = fs.statfsSync(folder)
  return Math.min(bavail * bsize, process.availableMemory())
}

/**
 * In memory, where a new database costs a tenth: it is hundreds of small files. A process that is killed loses
 * nothing there that it would keep on a disk. The system's folder for temporary files on a machine with little memory.
 */
const quickest = (): string => (fs.existsSync(memory) && freeBytes(memory) >= neededBytes ? memory : os.tmpdir())

/** A new folder that PostgreSQL's user can reach; the caller removes it. */
export const make = (prefix: string, base = quickest()): string => {
  const folder = fs.mkdtempSync(path.join(base, prefix))
  fs.chmodSync(folder, 0o755)
  return folder
}

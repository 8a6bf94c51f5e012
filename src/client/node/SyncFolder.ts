/** Makes the names in a folder durable. */
import * as fs from "node:fs/promises"
import * as path from "node:path"

export const syncFolder = async (folder: string): Promise<void> => {
  // Windows syncs no folders: it writes names with the file's own sync.
  if (process.platform === "win32") return
  const handle = await fs.open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder with those above it, if it is not there. */
export const makeFolder = async (folder: string): Promise<void> => {
  const created = await fs.mkdir(folder, { recursive: true })
  if (created === undefined) return
  const last = path.dirname(path.resolve(created))
  for (let at = path.resolve(folder); at !== last; at = path.dirname(at)) await syncFolder(path.dirname(at))
}

/** Keeps the position of a feed's reader in a file, for Node, Bun and Deno. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { FeedPosition } from "../Feed.ts"
import { makeFolder, syncFolder } from "./SyncFolder.ts"

/** A position of the feed, and nothing else but the end of the line. */
const pattern = /^(\S{1,512})\n$/

/**
 * A file with the position alone. It is written beside, synced, and renamed, so that a kill or a loss of power leaves the
 * one before or this one. Its folder is created. Remove the file to read from the beginning again.
 */
export const filePosition = (file: string): FeedPosition => ({
  read: async () => {
    const text = await fs.readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined
      throw error
    })
    if (text === undefined) return undefined
    const [, position] = pattern.exec(text) ?? []
    if (position === undefined)
      throw new Error(`${file} is no file of a position; remove it to read from the beginning again`)
    return position
  },
  write: async (position) => {
    const folder = path.dirname(file)
    const beside = `${file}.new`
    await makeFolder(folder)
    const handle = await fs.open(beside, "w")
    try {
      await handle.writeFile(`${position}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await fs.rename(beside, file)
    await syncFolder(folder)
  }
})

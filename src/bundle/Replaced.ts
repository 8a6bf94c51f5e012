/** The end of each build of pages for browsers. */
import type { Plugin } from "vite"
import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"

/**
 * Replaces each file of `unfinished` by its brotli form, then puts the build in the place of the one before. The best
 * compression takes seconds, too long for a start of the service; the other forms are made of this one.
 */
export const replacedBy = (unfinished: string, built: string): Plugin => ({
  name: "compressed",
  // Not closeBundle: that runs after a failed build too, and its own failure would hide the first one.
  writeBundle() {
    const files = fs.readdirSync(unfinished, { recursive: true, withFileTypes: true })
    for (const { name, parentPath } of files.filter((one) => one.isFile())) {
      const file = path.join(parentPath, name)
      fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(fs.readFileSync(file)))
      fs.rmSync(file)
    }
    const before = `${built}.old`
    fs.rmSync(before, { recursive: true, force: true })
    if (fs.existsSync(built)) fs.renameSync(built, before)
    fs.renameSync(unfinished, built)
    fs.rmSync(before, { recursive: true, force: true })
  }
})

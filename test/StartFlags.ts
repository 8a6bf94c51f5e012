/** The flags of Node's that `npm start` runs the service with, for whoever starts it otherwise. */
import * as fs from "node:fs"
import * as path from "node:path"

const about = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "..", "package.json"), "utf8")) as {
  readonly scripts: { readonly start: string }
}

export const startFlags: ReadonlyArray<string> = about.scripts.start.split(" ").filter((word) => word.startsWith("--"))

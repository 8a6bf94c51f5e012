/** Imported first: the packages of this folder are an install of their own, which `npm ci` of the root leaves out. */
import * as fs from "node:fs"
import * as path from "node:path"

if (!fs.existsSync(path.join(import.meta.dirname, "node_modules", ".package-lock.json")))
  throw new Error("the generators of clients are not installed: npm run clients")

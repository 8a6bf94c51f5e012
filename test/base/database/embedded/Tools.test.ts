/** The PostgreSQL of an installation whose install scripts did not run. */
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { link } from "../../../../src/base/database/embedded/Tools.ts"
import * as Folders from "../../../Folders.ts"

it("makes the links of its libraries where the package's install script has not, once", () => {
  const folder = Folders.make("lotbook-tools-")
  const native = path.join(folder, "native")
  const lib = path.join(native, "lib")
  fs.mkdirSync(lib, { recursive: true })
  fs.writeFileSync(path.join(lib, "libpq.so.5.18"), "library")
  link(native)
  const links = ["libpq.so", "libpq.so.5"]
  const listed = links.map((name) => ({ source: "native/lib/libpq.so.5.18", target: `native/lib/${name}` }))
  fs.writeFileSync(path.join(native, "pg-symlinks.json"), JSON.stringify(listed))
  link(native)
  link(native)
  for (const name of links) {
    assert.strictEqual(fs.readlinkSync(path.join(lib, name)), "libpq.so.5.18")
    assert.strictEqual(fs.readFileSync(path.join(lib, name), "utf8"), "library")
  }
  fs.rmSync(folder, { recursive: true })
})

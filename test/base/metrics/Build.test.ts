/** A version is known by its commit, in a checkout and in a tarball without git. */
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { commit } from "../../../src/base/metrics/Build.ts"
import { main } from "../../Built.ts"

it("a build carries the commit that it was made from, whatever the tree beside it has become", () => {
  const text = fs.readFileSync(main, "utf8")
  assert.notInclude(text, "LOTBOOK_BUILT_COMMIT")
  assert.match(text, /const built = "(?:[0-9a-f]{7,40}|unknown)"/)
})

it("the commit comes from the environment, a tarball's file, or git; else it is unknown", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-build-"))
  try {
    const at = (name: string) => {
      const made = path.join(folder, name)
      fs.mkdirSync(made)
      return made
    }
    assert.strictEqual(commit(at("nothing")), "unknown")
    const tarball = at("tarball")
    fs.writeFileSync(path.join(tarball, ".commit"), "0123456789ab\n")
    assert.strictEqual(commit(tarball), "0123456789ab")
    process.env["LOTBOOK_COMMIT"] = "abcdef0123"
    assert.strictEqual(commit(at("image")), "abcdef0123")
  } finally {
    delete process.env["LOTBOOK_COMMIT"]
    fs.rmSync(folder, { recursive: true })
  }
})

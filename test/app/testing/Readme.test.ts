/** Code that the README shows is the code that runs. */
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const read = (...at: ReadonlyArray<string>) => fs.readFileSync(path.join(import.meta.dirname, ...at), "utf8")

it("the README's example is the example test, to the letter", () => {
  assert.include(read("..", "..", "..", "README.md"), `\`\`\`ts\n${read("Example.test.ts")}\`\`\``)
})

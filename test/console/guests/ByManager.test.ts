/** Actions for which a clerk asks a manager. */
import { assert, describe, it } from "@effect/vitest"
import { byManager } from "../../../src/console/guests/byManager.ts"
import { scopesOf } from "../../../src/contract/Roles.ts"
import { allows, askedFor, type Operation } from "../../../src/contract/Scopes.ts"

const mayAs = (role: Parameters<typeof scopesOf>[0]) => (operation: Operation) => {
  const asked = askedFor(operation)
  return asked !== undefined && allows(scopesOf(role), asked)
}

describe("a guest's page", () => {
  it("says to support that a manager prints everything, merges and erases, and nothing to a manager", () => {
    assert.strictEqual(
      byManager(mayAs("support")),
      "A manager can do this: Everything, to print, Merge into another, Erase personal data."
    )
    assert.isUndefined(byManager(mayAs("manager")))
  })
})

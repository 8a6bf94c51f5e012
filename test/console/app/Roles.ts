/** Each role begins at its own work, and has the pages that it may use, in a real browser (contract/people.md *Roles*). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Role } from "../../../src/contract/Roles.ts"
import { roles, scopesOf } from "../../../src/contract/Roles.ts"
import type { It } from "../Console.ts"
import { Console } from "../Console.ts"

/** The address and the heading of the first page of each role. */
const begins: Readonly<Record<Role, readonly [RegExp, string]>> = {
  owner: [/\/console\/today$/, "Today"],
  manager: [/\/console\/today$/, "Today"],
  marketer: [/\/console\/audience\/segments$/, "Audience"],
  support: [/\/console\/counter$/, "Counter"],
  analyst: [/\/console\/today$/, "Today"],
  developer: [/\/console\/developers$/, "Developers"],
  finance: [/\/console\/finance/, "Finance"],
  franchisee: [/\/console\/restaurants$/, "Restaurants"]
}

/** The session of a person of a role, as the service tells it. */
const sessionOf = (role: Role, before: object) => ({
  ...before,
  name: `Somebody, ${role}`,
  scopes: [...scopesOf(role)],
  user: { user_id: "usr_somebody", email: "somebody@example.org", role },
  ...(role === "franchisee" ? { franchisee_ids: ["franchisee-1"] } : undefined)
})

export const beginnings = (it: It): void => {
  it.effect("begins where each role works, and has the page of the service for those who may freeze writes alone", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/account")
      yield* Effect.promise(async () => {
        let role: Role = "owner"
        await page.route("**/admin/api/v1/session", async (route) => {
          const answer = await route.fetch()
          await route.fulfill({ response: answer, json: sessionOf(role, (await answer.json()) as object) })
        })
        for (role of roles) {
          const [address, heading] = begins[role]
          await page.goto(page.url().replace(/\/console.*/, "/console"))
          await page.getByRole("heading", { level: 1, name: heading }).waitFor()
          await page.waitForURL(address)
          const menu = page.getByRole("navigation", { name: "Pages" })
          const hasService = (await menu.getByRole("link", { name: "Service", exact: true }).count()) === 1
          assert.strictEqual(hasService, scopesOf(role).has("service:write"), role)
        }
      })
      assert.deepStrictEqual(faults, [])
    })
  )
}

/** contract/people.md *First start*: a start tells where the console is, and a key only if everybody knows it. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { consoleText } from "../../../src/app/service/Welcome.ts"

const consoleUrl = "http://localhost:3210/console"
const told = (key: string, isRootWelcome = true) => consoleText({ consoleUrl, isRootWelcome }, Redacted.make(key))

describe("where the console is", () => {
  it("comes with the development key, which signs in to a service of one's own machine", () => {
    assert.strictEqual(told("proto-dev-admin-key"), `${consoleUrl} – sign in with proto-dev-admin-key`)
  })

  it("comes without a key of one's own, and without one that does not sign in", () => {
    assert.strictEqual(told("a-secret-of-our-own"), consoleUrl)
    assert.strictEqual(told("proto-dev-admin-key", false), consoleUrl)
  })
})

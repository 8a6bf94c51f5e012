/** contract/configuration.md *Secrets in files*: keys of the environment that are read again. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { machineTime } from "../../../src/base/time/Times.ts"
import { digestOf, KnownKeys } from "../../../src/desk/access/Keys.ts"

const grant = (secret: string) => ({
  token_sha256: digestOf(secret).toString("hex"),
  scopes: ["protocol:read"] as const
})

it.effect("a key that is no longer there ends at once with its streams; one that stays keeps its object", () =>
  Effect.gen(function* () {
    const options = (admin: string, token: string, ...others: ReadonlyArray<string>) => ({
      adminKey: Redacted.make(admin),
      token: Redacted.make(token),
      tokens: others.map(grant)
    })
    const keys = new KnownKeys(options("admin 1", "sandbox", "stays", "goes"), yield* machineTime)
    const callerOf = (key: string) => keys.adminKey(digestOf(key))
    const known = (key: string) => callerOf(key) ?? assert.fail(key)
    const [root, stays, goes] = [known("admin 1"), known("stays"), known("goes")]
    const hash = keys.sessionHash(root, digestOf("admin 1"))
    stays.isUsed = true
    const { generation } = keys
    keys.replaceEnvironment(options("admin 2", "sandbox", "stays", "comes"))
    for (const key of ["admin 1", "goes"]) assert.isUndefined(callerOf(key), key)
    for (const key of ["admin 2", "sandbox", "comes"]) assert.isDefined(callerOf(key), key)
    assert.strictEqual(callerOf("stays"), stays)
    assert.deepStrictEqual([keys.isStill(stays), keys.isStill(goes)], [true, false])
    assert.isUndefined(keys.ofSession(hash), "a session of the former admin key")
    assert.isAbove(keys.generation, generation, "connections forget the keys that they know")
    assert.isTrue(keys.mustRead, "what a token has issued ends with it")
  })
)

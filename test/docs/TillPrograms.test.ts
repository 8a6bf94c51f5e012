/** The programs of the guide *Integrating a till*, on a demo. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Demo from "../../src/app/demo/Demo.ts"
import * as DemoServer from "../app/service/DemoServer.ts"
import * as TestServer from "../app/service/TestServer.ts"
import * as GuidePrograms from "./GuidePrograms.ts"

it.live("the guide's basket is paid with a reward, and earns on what is left", () =>
  Effect.gen(function* () {
    yield* Demo.seed
    const env = { LOTBOOK_URL: `http://127.0.0.1:${yield* TestServer.port}` }
    const { error, output } = yield* GuidePrograms.run("basket", yield* GuidePrograms.folder, env)
    assert.isNull(error, output)
    assert.match(output, /^1512 210$/m)
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)

it.live("the guide's journey enrols a guest, shows rewards, posts the order and lists the ledger", () =>
  Effect.gen(function* () {
    yield* Demo.seed
    const env = { LOTBOOK_URL: `http://127.0.0.1:${yield* TestServer.port}` }
    const { error, output } = yield* GuidePrograms.run("journey", yield* GuidePrograms.folder, env)
    assert.isNull(error, output)
    assert.match(output, /^165\naccrual 165\n/m)
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)

it.live("the guide's till sells without the service, and sends both sales once it is there", () =>
  Effect.gen(function* () {
    yield* Demo.seed
    const folder = yield* GuidePrograms.folder
    // Nothing listens at the port of discarded traffic.
    const away = yield* GuidePrograms.run("till", folder, { LOTBOOK_URL: "http://127.0.0.1:9" })
    assert.isNull(away.error, away.output)
    assert.match(away.output, /^accepted sale:away-\d+\npaused sale:away-\d+\n(?:.*\n)*points will follow undefined\n$/)
    const [, first = ""] = /(sale:away-\d+)/.exec(away.output) ?? []
    const env = { LOTBOOK_URL: `http://127.0.0.1:${yield* TestServer.port}` }
    const { error, output } = yield* GuidePrograms.run("till", folder, env)
    assert.isNull(error, output)
    assert.include(output, `posted ${first}\n`)
    assert.strictEqual(output.match(/^posted sale:/gm)?.length, 2, output)
    assert.include(output, "points for the receipt")
  }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
)

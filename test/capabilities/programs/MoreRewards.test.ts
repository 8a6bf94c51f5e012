/** contract/operators.md *Limits*: a stamp card with which the same stamps give more waits for a pause of the campaigns of stamps. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { post } from "../operators/Operators.ts"
import { person, said } from "../staff/Clerks.ts"
import { coffee } from "../staff/Coffee.ts"
import { ask } from "../staff/Marketing.ts"

const stamps = coffee(10)
const program_id = stamps.id
const published = Programs.layer.pipe(
  Layer.provide(Layer.effectDiscard(Publishing.publishFiles([{ file: "coffee.json", program: stamps }], "changed")))
)
const layer = TestServer.layerFor(PgJournal.layer, published, Pools.layer).pipe(
  Layer.provide(MemoryJournal.MemoryStorage.layer),
  Layer.provideMerge(TestDatabase.layer)
)

it.layer(layer, { excludeTestServices: true })("a card that gives more", (it) => {
  it.effect("is refused by the words of what it changes, while a campaign credits its stamps", () =>
    Effect.gen(function* () {
      const [nora, olga] = [yield* person("nora", "manager"), yield* person("olga", "owner")]
      const action = { credit: { amount: 1, reason: "bonus" } }
      const facts = { campaign_id: "one", program_id, name: "one", trigger: { on: "member.enrolled" }, action }
      assert.deepStrictEqual(yield* said(ask("PUT", "/campaigns", nora, { ...facts, limit: { rewards: 5 } })), [200])
      const become = (status: string) => said(ask("POST", "/campaigns/status", nora, { campaign_id: "one", status }))
      assert.deepStrictEqual(yield* become("active"), [200])
      const { stamp_card, ...without } = stamps.file
      const publish = (headers: Record<string, string>, threshold?: number) => {
        const card = threshold === undefined ? undefined : { stamp_card: { ...stamp_card, threshold } }
        return post("/programs/publish", { program: { ...without, ...card } }, headers)
      }
      const refused = (threshold: number) =>
        Effect.map(publish(nora, threshold), ({ body }) => {
          const errors = body["errors"] as ReadonlyArray<{ readonly path: string; readonly message: string }>
          return errors.map(({ message, path }) => [path, message])
        })
      const why = "while the campaign one is active, which credits them: pause it, and who resumes it is counted"
      assert.deepStrictEqual(yield* refused(9), [["/program/stamp_card", `must not fill with fewer stamps ${why}`]])
      assert.deepStrictEqual(yield* said(publish(nora)), [200])
      // Put back as it was: its stamps gave nothing meanwhile.
      assert.deepStrictEqual(yield* refused(10), [["/program/stamp_card", `must not be added ${why}`]])
      assert.deepStrictEqual(yield* become("paused"), [200])
      assert.deepStrictEqual(yield* said(publish(nora, 10)), [200])
      assert.deepStrictEqual(yield* become("active"), [200])
      assert.deepStrictEqual(yield* said(publish(olga, 9)), [200])
    })
  )
})

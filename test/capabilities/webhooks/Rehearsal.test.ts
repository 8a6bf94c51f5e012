/** contract/programmes.md *Rehearsals*: connectors rest, and what happened in a rehearsal is told to none later. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { credit } from "../../../src/app/testing/Guests.ts"
import * as Rehearsals from "../campaigns/Rehearsals.ts"
import * as Receiver from "./Receiver.ts"
import { enrollAll, layerOf, post, put, until } from "./World.ts"

it.effect("a rehearsal is told to no connector, neither when it has ended nor by a replay", () => {
  const rehearsal = Rehearsals.rehearsed()
  const test = Effect.gen(function* () {
    const receiver = yield* Receiver.make
    const made = yield* put("all", receiver.url, { thresholds: [{ unit: "points", amount: 5 }] })
    assert.strictEqual(made.status, 200, JSON.stringify(made.body))
    yield* enrollAll("early")
    yield* credit("early", 10)
    yield* rehearsal.end
    yield* enrollAll("later")
    yield* credit("early", 1)
    yield* until(() => receiver.heard.length >= 2)
    const told = () => receiver.heard.map(({ event }) => [event.subject, event.type]).toSorted()
    const expected = [
      ["early", "proto.balance.changed.v1"],
      ["later", "proto.member.enrolled.v1"]
    ]
    assert.deepStrictEqual(told(), expected)
    const replayed = yield* post("replay", { connector_id: "all", after: "0" })
    assert.strictEqual(replayed.status, 202, JSON.stringify(replayed.body))
    yield* until(() => receiver.heard.length >= 4)
    assert.deepStrictEqual(told(), [...expected, ...expected].toSorted())
  })
  const scene = Effect.provide(Effect.scoped(test), layerOf(rehearsal.layer))
  return Effect.andThen(TestClock.setTime(Date.now()), scene)
})

/** contract/members.md *Merging*: a merge that another owner has done is answered again, and shown from then on. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { MemoryStorage, MemoryTables } from "../../../src/core/journal/MemoryJournal.ts"

const program_id = Testing.demoProgram.id
const key = { key: "00000000-0000-0000-0000-000000000001", fingerprint: "00000000-0000-0000-0000-000000000002" }

it.effect(
  "a service that had both members in memory before another one merged them shows the merge that it repeats",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const storage = MemoryStorage.over(new MemoryTables())
        const [one, other] = yield* Effect.all([
          Layer.build(Layer.fresh(Testing.layerFromStorage(storage))),
          Layer.build(Layer.fresh(Testing.layerFromStorage(storage)))
        ])
        const merged = Effect.flatMap(Accounts, (accounts) =>
          accounts.merge(program_id, { from: "ben", into: "ada", key })
        )
        const memberOf = (member: string) =>
          Effect.map(
            Effect.flatMap(Accounts, (accounts) => accounts.read(program_id, member)),
            (read) => (read?._tag === "Resident" ? [read.state.member, read.state.identities.length] : read)
          )
        yield* Effect.provide(Effect.andThen(enroll("ada"), enroll("ben")), other)
        assert.deepStrictEqual(yield* Effect.provide(memberOf("ben"), other), ["ben", 1])
        assert.deepInclude(yield* Effect.provide(merged, one), { _tag: "Answered" })
        assert.deepInclude(yield* Effect.provide(merged, other), { _tag: "Answered", isReplay: true })
        for (const member of ["ben", "ada"])
          assert.deepStrictEqual(yield* Effect.provide(memberOf(member), other), ["ada", 2], member)
      })
    )
)

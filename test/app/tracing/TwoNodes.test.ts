/** A trace goes on at the node that owns the account: contract/databases.md *Forwarding*. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Tracer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as TracedAccounts from "../../../src/app/tracing/TracedAccounts.ts"
import * as TracedJournal from "../../../src/app/tracing/TracedJournal.ts"
import * as AccountsOf from "../../../src/core/account/Accounts.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { Partitions } from "../../../src/core/cluster/Partitions.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { allPartitions } from "../../core/account/AccountsOfNodes.ts"
import { LinkedNodes } from "../../core/cluster/LinkedNodes.ts"

const program = Testing.demoProgram.id

/** A tracer that keeps its spans. */
const collecting = (spans: Array<Tracer.Span>) =>
  Layer.succeed(
    Tracer.Tracer,
    Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
  )

/** Accounts with traces, as a service has them. */
const node = Effect.fnUntraced(function* (nodes: LinkedNodes, tables: MemoryJournal.MemoryTables, id: string) {
  const partitions = yield* nodes.add(id)
  const storage = Layer.succeed(MemoryJournal.MemoryStorage, MemoryJournal.MemoryStorage.over(tables))
  const accounts = TracedAccounts.layer(AccountsOf.layer()).pipe(
    Layer.provide(Programs.layerFrom([Testing.demoProgram])),
    Layer.provideMerge(TracedJournal.layer(Layer.provide(Layer.fresh(MemoryJournal.layer), storage))),
    Layer.provide(Layer.succeed(Partitions, partitions))
  )
  return yield* Layer.build(Layer.fresh(accounts))
})

it.effect("spans at the owner are children of the caller's, down to the journal", () => {
  const spans: Array<Tracer.Span> = []
  return Effect.gen(function* () {
    const nodes = new LinkedNodes()
    const tables = new MemoryJournal.MemoryTables()
    const [front, owner] = [yield* node(nodes, tables, "a"), yield* node(nodes, tables, "b")]
    nodes.give("b", ...allPartitions)
    const { claimKey } = Context.get(owner, Journal)
    const identity = { type: "external", value: "card" } as const
    yield* Context.get(owner, Accounts).enroll({ program, member: "ada", identity })
    // The way between the nodes carries text alone.
    nodes.way = (_, __, deliver) =>
      Effect.updateContext(deliver, (context: Context.Context<never>) => Context.omit(Tracer.ParentSpan)(context))
    const key = { key: claimKey("key"), fingerprint: claimKey("facts") }
    const command = {
      action: { type: "set_status", status: "suspended", reason: "test" },
      guards: { key }
    } as const
    yield* Context.get(front, Accounts)
      .execute(program, "ada", command)
      .pipe(Effect.withSpan("request", { kind: "server", root: true }))
    const named = (name: string) => spans.find((span) => span.name === name)
    const forwarded = named("account.forwarded")
    const called = named("account.execute")
    assert.strictEqual(forwarded?.traceId, named("request")?.traceId)
    assert.strictEqual(Option.getOrUndefined(forwarded?.parent ?? Option.none())?.spanId, called?.spanId)
    const written = named("journal.submit")
    assert.strictEqual(Option.getOrUndefined(written?.parent ?? Option.none())?.spanId, forwarded?.spanId)
  }).pipe(Effect.scoped, Effect.provide(collecting(spans)))
})

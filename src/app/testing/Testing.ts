/**
 * For other developers' tests: the whole service on an in-memory journal and the
 * test's own clock, with or without HTTP, and builders for requests.
 */
import { Effect, Layer } from "effect"
import { machineNow } from "../../base/time/Times.ts"
import type { BodyOf, OperationId, RequestOf } from "../../contract/protocol/Operations.ts"
import { profile, protocolVersion } from "../../contract/protocol/Protocol.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Accounts from "../../core/account/Accounts.ts"
import { Expiry } from "../../core/expiry/Expiry.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import * as MemoryJournal from "../../core/journal/MemoryJournal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Caller, Handled } from "../../core/protocol/Handler.ts"
import { Handlers } from "../../core/protocol/Handler.ts"
import * as HandlersOf from "../../core/protocol/Handlers.ts"
import type { Program } from "../../core/rules/Program.ts"
import { demoProgram } from "./TestPrograms.ts"

export { type FaultOptions, type FaultProxy, faults, type Which } from "./FaultProxy.ts"
export { type ServedService, type ServeOptions, serve } from "./Serve.ts"
export { demoProgram, programOf } from "./TestPrograms.ts"

/** Handlers, accounts and expiry over a journal, for programmes that may change. */
export const layerFrom = <E, R, F, S>(
  journal: Layer.Layer<Journal, E, R>,
  programs: Layer.Layer<Programs, F, S>,
  options: Accounts.AccountsOptions = {}
) =>
  HandlersOf.layer.pipe(
    Layer.provideMerge(Expiry.layer),
    Layer.provideMerge(Accounts.layer(options)),
    Layer.provideMerge(programs),
    Layer.provideMerge(journal)
  )

/** The same for these programmes. */
export const layerFromJournal = <E, R>(
  journal: Layer.Layer<Journal, E, R>,
  programs: ReadonlyArray<Program> = [demoProgram],
  options: Accounts.AccountsOptions = {}
) => layerFrom(journal, Programs.layerFrom(programs), options)

/** The same over a storage that outlives the layer, to test restarts. */
export const layerFromStorage = (
  storage: MemoryJournal.MemoryStorage["Service"],
  programs: ReadonlyArray<Program> = [demoProgram],
  options: Accounts.AccountsOptions = {}
) =>
  layerFromJournal(Layer.fresh(MemoryJournal.layer), programs, options).pipe(
    Layer.provideMerge(Layer.succeed(MemoryJournal.MemoryStorage, storage))
  )

/** The whole service in memory, for these programmes. */
export const layer = (programs: ReadonlyArray<Program> = [demoProgram], options: Accounts.AccountsOptions = {}) =>
  Layer.unwrap(
    Effect.sync(() =>
      layerFromStorage(MemoryJournal.MemoryStorage.over(new MemoryJournal.MemoryTables()), programs, options)
    )
  )

/** A caller with every scope of the protocol. */
export const caller: Caller = {
  name: "test",
  scopes: new Set(["protocol:read", "protocol:write"]),
  programs: undefined
}

let requests = 0

/** A request context with a new idempotency key, or with the given one. */
export const context = (key: string = `test-key-${++requests}`) =>
  ({
    protocol_version: protocolVersion,
    profile,
    request_id: `req-${++requests}`,
    idempotency_key: key,
    occurred_at: fromMillis(0),
    source: { system: "test" }
  }) as const

type Order = RequestOf<"accrual.post">["order"]

type WithObject<A> = Omit<A, "metadata"> & { readonly metadata?: Readonly<Record<string, unknown>> }

/** An order that `lotbook/client` takes as well: what is free-form in it is an object. */
export type TestOrder = WithObject<Omit<Order, "lines">> & {
  readonly lines: ReadonlyArray<WithObject<Order["lines"][number]>>
}

/** The dates of an order placed at an instant, ms. */
export const placedAt = (at: number) => {
  const placed_at = fromMillis(at)
  return { placed_at, business_date: placed_at.slice(0, 10) }
}

const usualTime = Date.UTC(2026, 6, 14, 10)

/** The dates of an order for a service on the machine's clock: the same as long as the process runs. */
export const placedNow = placedAt(Effect.runSync(machineNow))

/** A paid order with one line of `amount` minor units, placed at 2026-07-14T10:00:00Z unless `overrides` have other dates. */
export const order = (
  order_id: string,
  amount: number,
  overrides: Partial<Order> = {},
  program_id = "demo-foodservice"
): TestOrder => {
  const money = (value: number) => ({ amount: value, currency: "USD" })
  const made: Order = {
    order_id,
    scope: { program_id, brand_id: "brand", merchant_id: "merchant", location_id: "location-1" },
    channel: "counter",
    status: "paid",
    ...placedAt(usualTime),
    lines: [
      {
        line_id: "line-1",
        kind: "item",
        product_id: "bowl-classic",
        quantity: 1,
        unit_price: money(amount),
        subtotal: money(amount),
        discount: money(0),
        tax: money(0),
        category_ids: ["bowls"]
      }
    ],
    totals: {
      subtotal: money(amount),
      discount: money(0),
      tax: money(0),
      tip: money(0),
      service_charge: money(0),
      total: money(amount)
    },
    ...overrides
  }
  return made as TestOrder
}

/** Calls an operation like a request over HTTP, but without HTTP. */
export const call = <Id extends OperationId>(
  id: Id,
  request: RequestOf<Id>
): Effect.Effect<Handled<BodyOf<Id>>, never, Handlers> =>
  Effect.flatMap(Handlers, (handlers) => handlers[id](request, caller))

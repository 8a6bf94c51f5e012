/** Notes the products of accruals and of kept orders beside the use cases of tills, and writes them (contract/operators.md *Products*). */
import { Context, Effect, Layer } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { type Handler, Handlers } from "../../core/protocol/Handler.ts"
import { SoldOrders } from "../../core/protocol/SoldOrders.ts"
import * as Bounds from "./Bounds.ts"
import * as ProductStore from "./ProductStore.ts"
import { SoldProducts } from "./SoldProducts.ts"

/** An accrual whose products are noted once the journal has it. */
const noting =
  (accrue: Handler<"accrual.post">, sold: SoldProducts): Handler<"accrual.post"> =>
  (request, caller) =>
    Effect.map(accrue(request, caller), (handled) => {
      if (handled._tag === "Answer" && handled.isReplay !== true) {
        const { lines, scope } = request.order
        sold.note(scope.program_id, lines, handled.processedAt)
      }
      return handled
    })

/** Writes the products that wait, batch by batch. Those that cannot be written wait for the next time. */
export const write = Effect.fnUntraced(function* (sold: SoldProducts) {
  const { query } = yield* WorkPool
  const { mayWrite } = yield* WriteFreeze
  const { now } = yield* serviceTime
  if (!mayWrite()) return
  const taken = sold.take()
  let done = 0
  const writeAll = Effect.gen(function* () {
    for (; done < taken.length; done += Bounds.writeRows)
      yield* ProductStore.write(query, taken.slice(done, done + Bounds.writeRows), now())
  })
  yield* Effect.onError(writeAll, () => Effect.sync(() => sold.putBack(taken.slice(done))))
})

const keepWriting = (sold: SoldProducts) =>
  Effect.gen(function* () {
    yield* sold.someWait.await
    yield* Effect.sleep(Bounds.settleMs)
    yield* Effect.catchCause(write(sold), (cause) => Effect.logDebug("Products wait to be written", cause))
    yield* Effect.sleep(Bounds.pauseMs)
  }).pipe(Effect.forever)

/** The same use cases. Their accruals, and orders that are kept, are noted and written until the scope closes. */
export const layer: Layer.Layer<Handlers, never, Handlers | WorkPool | WriteFreeze> = Layer.effectContext(
  Effect.gen(function* () {
    const handlers = yield* Handlers
    const sold = new SoldProducts()
    yield* Effect.forkScoped(keepWriting(sold))
    return Context.make(Handlers, { ...handlers, "accrual.post": noting(handlers["accrual.post"], sold) }).pipe(
      Context.add(SoldOrders, ({ lines, scope }, at) => sold.note(scope.program_id, lines, at))
    )
  })
)

/** Transactions of tills by their vendor's contract, beside the operations that they stand for. */
import { Effect } from "effect"
import { programId, type TillAddress } from "./Bodies.ts"
import type { Options } from "./Options.ts"
import * as Processes from "./Processes.ts"
import * as Turns from "./Turns.ts"

const restaurant = "TOAST-BENCH"

/** Makes a connection of Toast's tills. */
export const connect = ({ port }: Processes.Server): Effect.Effect<TillAddress> =>
  Effect.promise(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/admin/api/v1/connections`, {
      method: "POST",
      headers: { authorization: `Bearer ${Processes.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        vendor: "toast",
        program_id: programId,
        name: "Bench",
        restaurants: [{ external_id: restaurant, location_id: "location-42" }],
        settings: { time_zone: "UTC" }
      })
    })
    if (!answer.ok) throw new Error(`no connection: ${answer.status} ${await answer.text()}`)
    const made = (await answer.json()) as { readonly connection: { readonly path: string }; readonly secret: string }
    return { path: made.connection.path, key: made.secret, restaurant }
  })

const kinds = ["order.evaluate", "till.inquire", "accrual.post", "till.accrue"] as const

/** The service's CPU for 1,000 requests of each kind, ms, in an order that turns with the round; none where tills are not asked for. */
export const turns = Effect.fnUntraced(function* (side: Turns.Side, round: number, options: Options) {
  const found: Array<readonly [kind: (typeof kinds)[number], cpuMs: number]> = []
  if (!options.only.has("tills")) return found
  for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
    const turn = yield* Turns.saturated(side, { type: "only", kind, members: side.members }, options)
    found.push([kind, turn.cpuMs])
  }
  return found
})

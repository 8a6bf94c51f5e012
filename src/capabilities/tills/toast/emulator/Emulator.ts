/** `lotbook emulate toast`: a lunch at a connection, and the guests' balances by the service's own `/proto/v1`. */
import { Effect } from "effect"
import { machineNow } from "../../../../base/time/Times.ts"
import type { ProgramDefinition } from "../../../../contract/protocol/Program.ts"
import { basePath, profile, protocolVersion } from "../../../../contract/protocol/Protocol.ts"
import { fromMillis } from "../../../../contract/Values.ts"
import * as Dice from "./Dice.ts"
import * as Lunch from "./Lunch.ts"
import * as Sums from "./Sums.ts"
import { type Estate, make, NoAnswer, type Send } from "./Till.ts"

export interface Options extends Estate {
  /** Of `/proto/v1`, with `protocol:read`. */
  readonly token: string
  readonly program: string
  readonly checks: number
  readonly seed: number
  readonly chaos: boolean
}

export interface Report {
  readonly guests: number
  readonly checks: number
  readonly rewards: number
  readonly requests: number
  readonly repeats: number
  readonly differences: ReadonlyArray<Lunch.Difference>
}

/** A read of `/proto/v1` may take this long, ms, and as many attempts. */
const readMs = 10_000
const maxReads = 20
const pauseMs = 250

interface Account {
  readonly tier_progress?: { readonly current_tier_id?: string }
  readonly balances: ReadonlyArray<{ readonly unit: string; readonly amount: number }>
}

/** Ids of a run: UUID-like, and other ones in each run. */
const idsOf = (run: string, seed: number) => {
  const dice = Dice.from(seed ^ 0x10b00c)
  const part = (length: number) => Array.from({ length }, () => dice.between(0, 15).toString(16)).join("")
  let count = 0
  return () => `${part(8)}-${part(4)}-${part(4)}-${run}-${(count++).toString(16).padStart(8, "0")}`
}

/** Plays a lunch and compares. */
export const emulate = Effect.fnUntraced(function* (options: Options, send: Send): Effect.fn.Return<Report, NoAnswer> {
  const { chaos, checks, program: program_id, seed, token, url } = options
  const base = url.slice(0, url.indexOf("/connect/toast/"))
  const read = Effect.fnUntraced(function* (path: string, asked: object) {
    const occurred_at = fromMillis(yield* machineNow)
    const body = {
      context: {
        protocol_version: protocolVersion,
        profile,
        request_id: "emulate",
        occurred_at,
        source: { system: "lotbook-emulate" }
      },
      ...asked
    }
    const headers = { authorization: `Bearer ${token}` }
    for (let attempt = 1; attempt <= maxReads; attempt++) {
      const reply = yield* send({ url: `${base}${basePath}${path}`, headers, body, waitMs: readMs })
      if (reply?.status === 200) return JSON.parse(reply.text)
      if (reply !== undefined && reply.status < 500)
        return yield* new NoAnswer({ message: `${path} was answered ${reply.status}: ${reply.text}` })
      yield* Effect.sleep(pauseMs)
    }
    return yield* new NoAnswer({ message: `${base}${basePath}${path} had no answer in ${maxReads} attempts.` })
  })
  const { context, program }: { context: { processed_at: string }; program: ProgramDefinition } = yield* read(
    "/programs/get",
    { program_id }
  )
  const now = Date.parse(context.processed_at)
  const run = (now % 2 ** 32).toString(16).padStart(8, "0")
  const ids = idsOf(run, seed)
  const unit = Sums.unitOf(program)
  const till = make(options, send, ids, chaos ? Dice.from(seed + 1) : undefined)
  const standing = (member_id: string) =>
    Effect.map(read("/accounts/get", { program_id, member_id }), ({ balances, tier_progress }: Account) => ({
      points: balances.find((balance) => balance.unit === unit)?.amount ?? 0,
      tier: tier_progress?.current_tier_id
    }))
  const table = { till, dice: Dice.from(seed), ids, program, standing, now, run: `${run}-${seed}`, hasDisorder: chaos }
  const played = yield* Lunch.play(table, checks)
  return { ...played, ...till.sent }
})

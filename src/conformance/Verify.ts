/**
 * Verifies a host: doctor, the conformance table, the rules for every answer,
 * closing, expectations.
 */
import { Effect, Random, Result, Schema } from "effect"
import { randomBytes } from "node:crypto"
import type { OperationId, ResponseOf } from "../contract/protocol/Operations.ts"
import { operationIds, operations } from "../contract/protocol/Operations.ts"
import { environmentName } from "../contract/protocol/Protocol.ts"
import { casesAtOnce } from "./Bounds.ts"
import type { Case } from "./Case.ts"
import type { CheckOutcome } from "./CheckOutcome.ts"
import { machineNow } from "./Clock.ts"
import * as Adjusting from "./cases/Adjusting.ts"
import * as Closing from "./cases/Closing.ts"
import * as Earning from "./cases/Earning.ts"
import * as Idempotency from "./cases/Idempotency.ts"
import * as Ledger from "./cases/Ledger.ts"
import * as Lots from "./cases/Lots.ts"
import * as Members from "./cases/Members.ts"
import * as Orders from "./cases/Orders.ts"
import * as Races from "./cases/Races.ts"
import * as Redemptions from "./cases/Redemptions.ts"
import * as Transport from "./cases/Transport.ts"
import * as Validation from "./cases/Validation.ts"
import * as Wallet from "./cases/Wallet.ts"
import * as Doctor from "./Doctor.ts"
import * as Expectations from "./Expectations.ts"
import type { Host } from "./Host.ts"
import * as HostOf from "./Host.ts"
import { isSuccess, Probe, summary } from "./Probe.ts"
import * as Shapes from "./Shapes.ts"
import * as Watches from "./Watches.ts"
import type { WatchResult, World } from "./World.ts"

/** The conformance table: every case, in the order of the report. */
export const cases: ReadonlyArray<Case> = [
  ...Transport.cases,
  ...Validation.cases,
  ...Members.cases,
  ...Earning.cases,
  ...Orders.cases,
  ...Adjusting.cases,
  ...Ledger.cases,
  ...Lots.cases,
  ...Redemptions.cases,
  ...Wallet.cases,
  ...Idempotency.cases,
  ...Races.cases
]

/** Cases that wait for the host's clock. They start first, so that other cases run during the wait. */
const waiting: ReadonlySet<string> = new Set(["redemption.expires", "lots.expires", "lots.held", "wallet.expires"])

/** The default programme: the demo of this service. */
export const demoProgram = "demo-foodservice"

export interface Options {
  readonly url: string
  readonly token: string | undefined
  readonly program: string | undefined
  readonly expectations: Expectations.Expectations | undefined
  readonly strict: boolean
  /** Only cases with this word in their id, title or rule. */
  readonly only: string | undefined
  readonly seed: number | undefined
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
}

export interface Progress {
  readonly done: number
  readonly total: number
  /** The current step or case. */
  readonly at: string
}

export interface Report {
  readonly url: string
  readonly program_id?: string
  readonly seed?: number
  readonly strict: boolean
  /** The reason if the run did not finish. */
  readonly stopped?: string
  readonly started_at: string
  readonly took_ms: number
  readonly outcomes: ReadonlyArray<CheckOutcome>
}

/** The verification cannot continue; outcomes so far are still reported. */
class VerificationStopped extends Schema.TaggedError<VerificationStopped>()("VerificationStopped", {
  why: Schema.String
}) {}

const matches = (only: string | undefined, ...texts: ReadonlyArray<string>): boolean =>
  only === undefined || texts.some((text) => text.toLowerCase().includes(only.toLowerCase()))

const isSelected = (only: string | undefined, { id, rule, title }: { id: string; rule: string; title: string }) =>
  matches(only, id, rule, title)

/** Operations whose path the host serves: a GET there is not 404. */
const servedBy = Effect.fnUntraced(function* (host: Host) {
  const found = yield* Effect.forEach(operationIds, (id) =>
    Effect.map(host.send({ method: "GET", path: operations[id].path }), ({ status }) => (status === 404 ? [] : [id]))
  )
  return new Set(found.flat())
})

const skipReason = (world: World, { needs }: Case): string | undefined => {
  const missing = needs.filter((id) => !world.served.has(id))
  if (missing.length > 0) return `the host does not serve ${missing.join(", ")}`
  return world.isFrozen && needs.some((id) => operations[id].write) ? "writes are frozen" : undefined
}

const runCase = (world: World, one: Case): Effect.Effect<CheckOutcome> =>
  Effect.gen(function* () {
    const began = yield* machineNow
    const probe = new Probe(world, one.id)
    const { id, level, rule, title } = one
    const why = skipReason(world, one)
    const skip =
      why ??
      (yield* one.run(probe).pipe(
        Effect.as(undefined),
        Effect.catchTags({
          Skip: ({ why }) => Effect.succeed(why),
          Stop: () => Effect.succeed(undefined),
          NoAnswer: ({ reason, request }) =>
            Effect.sync(() => {
              probe.differences.push({ request, expected: "an answer", got: reason })
              return undefined
            })
        }),
        // An answer of an unexpected shape ends its case, never the run.
        Effect.catchDefect((defect) =>
          Effect.sync(() => {
            probe.differences.push({ request: "", expected: "answers that the case can read", got: String(defect) })
            return undefined
          })
        )
      ))
    const tookMs = (yield* machineNow) - began
    const { differences } = probe
    const note = differences.length === 0 ? (skip ?? probe.note) : undefined
    return {
      id,
      level,
      rule,
      title,
      status: differences.length > 0 ? "differs" : skip === undefined ? "ok" : "skipped",
      ...(note === undefined ? {} : { note }),
      differences,
      tookMs
    }
  })

const watchOutcome = ({ answers, differences, watch }: WatchResult): CheckOutcome => ({
  id: watch.id,
  level: watch.level,
  rule: watch.rule,
  title: watch.title,
  status: differences.length > 0 ? "differs" : "ok",
  ...(differences.length > 0 ? {} : { note: `${answers} answers` }),
  differences,
  tookMs: 0
})

const programOf = Effect.fnUntraced(function* (host: Host, world: Omit<World, "program">, program_id: string) {
  // `post` does not read the programme, which is not known yet.
  const probe = new Probe({ ...world, host } as World, "programme")
  const exchange = yield* probe.post("program.get", { program_id })
  if (exchange.status === 404) {
    return yield* new VerificationStopped({ why: `The host has no programme ${program_id}: name one with --program.` })
  }
  if (!isSuccess(exchange)) return yield* new VerificationStopped({ why: `programs/get answers ${summary(exchange)}` })
  // A context that lacks something is a difference of every answer, and no reason to stop.
  const fault = Shapes.faultBesideContext("program.get", exchange.body)
  if (fault !== undefined) return yield* new VerificationStopped({ why: `programs/get is not as specified: ${fault}` })
  return (exchange.body as ResponseOf<"program.get">).program
})

const selected = ({ only, strict }: Options) => {
  const ofLevel = (one: Case) => (strict || one.level === "base") && isSelected(only, one)
  const table = cases.filter(ofLevel)
  const proofs = [...Watches.watches(strict, false), ...Closing.cases]
  // A rule over all answers or members needs the other cases to run; only the rule is reported.
  const needsAll = table.length === 0 && proofs.some((one) => isSelected(only, one))
  const toRun = needsAll ? cases.filter((one) => strict || one.level === "base") : table
  return {
    table,
    // Cases that wait start first, and the others run meanwhile.
    inOrder: [...toRun].sort((a, b) => Number(waiting.has(b.id)) - Number(waiting.has(a.id))),
    closing: Closing.cases.filter((one) => one.id === "closing.zero" || ofLevel(one)),
    hasWatches: (isSandbox: boolean) => Watches.watches(strict, isSandbox).filter((watch) => isSelected(only, watch)),
    expects: matches(only, "expect.members", "expect.counts", "expectations")
  }
}

/** True if `--only` matches no case. */
export const selectsNothing = (options: Options): boolean => {
  const { expects, hasWatches, table } = selected(options)
  const nothing = table.length === 0 && hasWatches(false).length === 0
  const closing = Closing.cases.some((one) => isSelected(options.only, one))
  return nothing && !closing && !(expects && options.expectations !== undefined)
}

const verified = Effect.fnUntraced(function* (
  host: Host,
  options: Options,
  outcomes: Array<CheckOutcome>,
  seed: number
) {
  const { onProgress } = options
  yield* onProgress({ done: 0, total: 1, at: "doctor" })
  const { facts, outcomes: examined } = yield* Doctor.examine(host, options.token !== undefined)
  outcomes.push(...examined)
  if (facts.stopped !== undefined) return yield* new VerificationStopped({ why: facts.stopped })
  if (!facts.tokenAccepted) {
    return yield* new VerificationStopped({ why: `The token in ${environmentName("TOKEN")} is not accepted.` })
  }
  const { closing, expects, hasWatches, inOrder, table } = selected(options)
  const served = yield* servedBy(host)
  outcomes.push(Doctor.listedOperations(served, facts.listed))
  const open = new Set<OperationId>([...served].filter((id) => !facts.isFrozen || !operations[id].write))
  const watchResults = hasWatches(facts.isSandbox).map((watch): WatchResult => ({ watch, answers: 0, differences: [] }))
  const nonce = randomBytes(8).toString("hex")
  const shared = {
    host,
    strict: options.strict,
    seed,
    nonce,
    served,
    open,
    members: new Map(),
    usable: new Map<string, boolean>(),
    watchResults,
    ...facts
  }
  const named = options.program ?? options.expectations?.members[0]?.program_id ?? demoProgram
  const program = yield* programOf(host, shared, named)
  const world: World = { ...shared, program }

  let done = 0
  const total = inOrder.length + closing.length
  const run = (one: Case) => runCase(world, one).pipe(Effect.tap(() => onProgress({ done: ++done, total, at: one.id })))
  const ran = yield* Effect.forEach(inOrder, run, { concurrency: casesAtOnce })
  const byId = new Map(ran.map((outcome) => [outcome.id, outcome]))
  outcomes.push(...table.flatMap(({ id }) => byId.get(id) ?? []))
  // A run that enrolled no members has nothing to close.
  const closed = world.members.size === 0 && options.only !== undefined ? [] : yield* Effect.forEach(closing, run)
  outcomes.push(...watchResults.map(watchOutcome), ...closed)

  if (options.expectations === undefined || !expects) return
  const probe = new Probe(world, "expect")
  const inTotal = (count: number, of: number) => onProgress({ done: count, total: of, at: "expectations" })
  outcomes.push(...(yield* Expectations.check(probe, options.expectations, inTotal)))
})

/** Runs only doctor. */
export const doctor = Effect.fnUntraced(function* (url: string, token: string | undefined) {
  const began = yield* machineNow
  const host = yield* HostOf.make(url, token)
  const { facts, outcomes } = yield* Doctor.examine(host, token !== undefined)
  const report: Report = {
    url: host.url,
    strict: false,
    started_at: new Date(began).toISOString(),
    took_ms: (yield* machineNow) - began,
    outcomes,
    ...(facts.stopped === undefined ? {} : { stopped: facts.stopped })
  }
  return report
})

/** Runs the verification; a stop is part of the report. */
export const verify = Effect.fnUntraced(function* (options: Options) {
  const began = yield* machineNow
  const host = yield* HostOf.make(options.url, options.token)
  const seed = options.seed ?? (yield* Random.nextIntBetween(1, 2 ** 31))
  const outcomes: Array<CheckOutcome> = []
  const ended = yield* Effect.result(verified(host, options, outcomes, seed))
  const stopped = Result.isSuccess(ended)
    ? undefined
    : ended.failure._tag === "VerificationStopped"
      ? ended.failure.why
      : ended.failure._tag === "NoAnswer"
        ? `${ended.failure.request}: ${ended.failure.reason}`
        : undefined
  const report: Report = {
    url: host.url,
    program_id: options.program ?? options.expectations?.members[0]?.program_id ?? demoProgram,
    seed,
    strict: options.strict,
    started_at: new Date(began).toISOString(),
    took_ms: (yield* machineNow) - began,
    outcomes,
    ...(stopped === undefined ? {} : { stopped })
  }
  return report
})

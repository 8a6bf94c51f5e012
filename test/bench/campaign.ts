/**
 * A campaign's run over many members, alone and with accruals beside it:
 *
 *     node test/bench/campaign.ts [--members 100000] [--seconds 5] [--connections 64]
 *
 * Prints rewards a second of the run alone; accruals a second alone and while another run goes on, and their share.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Fiber } from "effect"
import { parseArgs } from "node:util"
import type { RunListed, RunShown } from "../../src/contract/platform/Campaigns.ts"
import { campaignsPath } from "../../src/contract/platform/Campaigns.ts"
import { segmentsPath } from "../../src/contract/platform/Segments.ts"
import { programId } from "./Bodies.ts"
import * as Postgres from "./Postgres.ts"
import * as Processes from "./Processes.ts"
import * as Turns from "./Turns.ts"

const { values } = parseArgs({
  options: { members: { type: "string" }, seconds: { type: "string" }, connections: { type: "string" } }
})
const count = Number(values.members ?? 100_000)
const seconds = Number(values.seconds ?? 5)
const connections = Number(values.connections ?? 64)

/** How often a run is looked at, ms. */
const pollMs = 100

const send = <A>({ port }: Processes.Server, method: string, path: string, body?: object): Effect.Effect<A> =>
  Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${Processes.token}`, "content-type": "application/json" },
      ...(body === undefined ? undefined : { body: JSON.stringify(body) })
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer as A
  })

const runOf = (server: Processes.Server, campaign_id: string) =>
  Effect.map(
    send<{ readonly runs: ReadonlyArray<RunListed> }>(
      server,
      "GET",
      `${campaignsPath}/runs?campaign_id=${campaign_id}&limit=1`
    ),
    ({ runs }) => runs[0]
  )

/** Starts a run over all members. */
const begin = Effect.fnUntraced(function* (server: Processes.Server, campaign_id: string) {
  yield* send(server, "PUT", campaignsPath, {
    campaign_id,
    name: campaign_id,
    program_id: programId,
    segment_id: "all",
    reward_id: "free-bowl"
  })
  yield* send(server, "POST", `${campaignsPath}/status`, { campaign_id, status: "active" })
  yield* send<{ readonly run: RunShown }>(server, "POST", `${campaignsPath}/run`, { campaign_id })
})

/** Rewards a second of a run, from its start to its end. */
const rateOf = Effect.fnUntraced(function* (server: Processes.Server, campaign: string) {
  for (;;) {
    const run = yield* runOf(server, campaign)
    if (run?.completed_at !== undefined) {
      if (run.issued !== count) throw new Error(`the run ended with ${JSON.stringify(run)}`)
      return (run.issued * 1_000) / (Date.parse(run.completed_at) - Date.parse(run.started_at))
    }
    yield* Effect.sleep(pollMs)
  }
})

/** Waits until the rollups have counted every record: a run beside it would not be alone. */
const counted = ({ port }: Processes.Server) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${Processes.token}` }
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers })
    return /^lotbook_rollups_lag_seconds(?:\{.*\})? 0$/m.test(await response.text())
  }).pipe(
    Effect.tap((isCounted) => (isCounted ? Effect.void : Effect.sleep(pollMs))),
    Effect.repeat({ until: (isCounted) => isCounted })
  )

const program = Effect.gen(function* () {
  const { folder } = yield* Turns.temporaryFolder
  const load = yield* Processes.load()
  const database = yield* Postgres.make(folder)
  const server = yield* Processes.service(Processes.thisCheckout, { DATABASE_URL: database.url })
  const side: Turns.Side = { name: "service", load, server, members: Turns.members(count) }
  yield* Turns.carryOut(side, { type: "enroll", members: side.members })
  yield* send(server, "PUT", segmentsPath, {
    segment_id: "all",
    name: "All",
    program_id: programId,
    rules: { status: ["active"] }
  })
  yield* counted(server)
  yield* begin(server, "alone")
  const alone = yield* rateOf(server, "alone")
  yield* Console.log(`${count} members, alone: ${alone.toFixed(0)} rewards a second`)
  yield* counted(server)
  const options = { seconds, connections }
  const accruals = { type: "accruals", members: side.members } as const
  const before = yield* Turns.saturated(side, accruals, options)
  const beside = yield* Effect.forkChild(begin(server, "beside"))
  while ((yield* runOf(server, "beside").pipe(Effect.catchDefect(() => Effect.succeed(undefined)))) === undefined)
    yield* Effect.sleep(pollMs)
  const during = yield* Turns.saturated(side, accruals, options)
  yield* Fiber.join(beside)
  const run = yield* runOf(server, "beside")
  const isOver = run?.completed_at === undefined ? "goes on" : "has ended: take more members or fewer seconds"
  yield* Console.log(
    `accruals a second: ${before.rate.toFixed(0)} alone, ${during.rate.toFixed(0)} beside a run, ` +
      `a share of ${(during.rate / before.rate).toFixed(2)}; the run ${isOver}`
  )
  const rewards = yield* rateOf(server, "beside")
  yield* Console.log(`rewards a second of that run: ${rewards.toFixed(0)}`)
})

NodeRuntime.runMain(Effect.scoped(program))

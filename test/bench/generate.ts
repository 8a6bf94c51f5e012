/**
 * Fills a database with members and accruals through the journal's own append,
 * every record decided, folded and chained as the service does it, so that
 * `lotbook journal verify` holds on what it makes.
 *
 *     node test/bench/generate.ts --data-dir DIR | --database-url URL
 *       [--accounts 100000] [--entries 1000000] [--spend 1100] [--varied] [--spans 1]
 *
 * Members are `m-1` to `m-N` of the demo programme, with accruals of the last year. With `--varied` they joined over
 * five years, some are suspended or closed, and they spend more or less. With `--spans` the entries lie in so many spans of
 * the journal, the last of them the present one; every member has entries in each.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { PgConnection } from "@effect/sql-pg"
import { Array, Clock, Console, Effect, Layer, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as Testing from "../../src/app/testing/Testing.ts"
import { Database } from "../../src/base/database/Database.ts"
import * as EmbeddedPostgres from "../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../src/base/database/Migrations.ts"
import * as ClaimKeys from "../../src/core/account/ClaimKeys.ts"
import { decide } from "../../src/core/account/domain/Decide.ts"
import type { Decision } from "../../src/core/account/domain/Decision.ts"
import type { State } from "../../src/core/account/domain/State.ts"
import { initialState } from "../../src/core/account/domain/State.ts"
import * as Record from "../../src/core/account/Record.ts"
import { Journal } from "../../src/core/journal/Journal.ts"
import * as PgJournal from "../../src/core/journal/postgres/PgJournal.ts"
import type { AppendOutcome, Claim, NewAccount } from "../../src/core/journal/Records.ts"

const program = Testing.demoProgram
/** Records on their way at once: some groups for each of the journal's connections. */
const maxOnTheirWay = 4_096
/** The accruals of an account in a span lie within so many ms; those of the last one end now. */
const spanMs = 300 * 86_400_000
const progressMs = 2_000
/** Members whose orders come in turns, as from many tills. */
const filledTogether = 2_048

interface Plan {
  readonly accounts: number
  readonly entries: number
  /** Minor units of an order. */
  readonly spend: number
  readonly varied: boolean
  readonly spans: number
}

/** How far a member's records are. */
interface Filled {
  readonly account: number
  readonly state: State
  readonly previous: string
}

const decidedOf = (decision: Decision) => {
  if (decision._tag !== "Decided") throw new Error(`a plain decision was refused: ${JSON.stringify(decision)}`)
  return decision
}

const yearMs = 365 * 86_400_000

/** Facts of one member: by its number, so that each run makes the same. */
const memberOf = (index: number, { spend, varied }: Plan) => {
  const share = (prime: number) => ((index * prime) % 1_000) / 1_000
  if (!varied) return { joinedBefore: 0, spend, status: undefined }
  const status = share(617) < 0.05 ? "suspended" : share(617) < 0.08 ? "closed" : undefined
  return {
    joinedBefore: Math.floor(share(877) * 4 * yearMs) + index,
    spend: Math.floor(spend * 8 * share(331)),
    status
  } as const
}

const generate = Effect.fnUntraced(function* (plan: Plan) {
  const { accounts, entries, spans } = plan
  const { clientConfig } = yield* Database
  const { query } = yield* PgConnection.make(clientConfig)
  const journal = yield* Journal
  const { claimKey } = journal
  const revision = yield* journal.revision
  const now = yield* Clock.currentTimeMillis
  const began = performance.now()
  let written = 0
  let onTheirWay = 0
  let waiting: Array<() => void> = []
  let trouble: AppendOutcome | undefined

  const done = (outcome: AppendOutcome) => {
    onTheirWay--
    written++
    if (outcome._tag !== "committed") trouble ??= outcome
    if (onTheirWay >= maxOnTheirWay / 2) return
    const freed = waiting
    waiting = []
    for (const resume of freed) resume()
  }
  const room = Effect.callback<void>((ready) => {
    if (onTheirWay < maxOnTheirWay) return ready(Effect.void)
    waiting.push(() => ready(Effect.void))
  })
  const once = (key: string): Claim => ({ key, fingerprint: claimKey("payload", key) })

  /** A member's records in one span, each on top of the one before; one of many waits for room on the way. */
  const fill = Effect.fnUntraced(function* (filled: Filled, index: number, span: number) {
    const { account } = filled
    const orders = Math.floor((index * entries) / accounts) - Math.floor(((index - 1) * entries) / accounts)
    const [from, until] = [Math.floor((orders * span) / spans), Math.floor((orders * (span + 1)) / spans)]
    const member = `m-${index}`
    const { joinedBefore, spend, status } = memberOf(index, plan)
    const opens: NewAccount = {
      programId: program.id,
      memberId: member,
      identities: [{ type: "loyalty_id", value: `card-${member}`, issuer: "generated" }]
    }
    let { previous, state } = filled
    const submit = (decision: Decision, claims: ReadonlyArray<Claim>) => {
      const decided = decidedOf(decision)
      const record = Record.make(claimKey, decided, {
        account,
        before: state,
        previous,
        program,
        revision,
        claims,
        opens,
        member: undefined,
        actor: "generator",
        origin: `request-${account}-${state.seq} generator`
      })
      state = decided.state
      previous = record.hash
      onTheirWay++
      journal.submit(record, done)
    }
    const first = now - spans * spanMs
    const key = (operation: string, id: string) =>
      once(ClaimKeys.idempotency(claimKey, program.id, "generator", operation, `${operation}-${id}`))
    const identity = ClaimKeys.identity(claimKey, program.id, opens.identities[0]!)
    const joined = first - joinedBefore
    if (span === 0)
      submit(decide(state, { type: "enroll", program: program.id, member, identity }, { now: joined, program }), [
        key("member.enroll", member),
        once(ClaimKeys.member(claimKey, program.id, member))
      ])
    for (let index = from; index < until; index++) {
      // Each of the members that are filled together in turn.
      yield* Effect.yieldNow
      while (onTheirWay >= maxOnTheirWay) yield* room
      const order = `${member}-${index}`
      const at = first + Math.floor(((index + 1) * spans * spanMs) / (orders + 1))
      submit(
        decide(
          state,
          { type: "accrue", order: Testing.order(order, spend, Testing.placedAt(at)) },
          { now: at, program }
        ),
        [key("accrual.post", order), once(ClaimKeys.order(claimKey, program.id, order))]
      )
    }
    if (status !== undefined && span === spans - 1)
      submit(decide(state, { type: "set_status", status, reason: "generated" }, { now, program }), [])
    return { account, state, previous } satisfies Filled
  })

  let told = began
  const members: Array<Filled> = []
  const one = Effect.fnUntraced(function* (index: number, span: number) {
    yield* room
    const filled = members[index] ?? { account: yield* journal.newAccountNumber, state: initialState, previous: "" }
    members[index] = yield* fill(filled, index, span)
    if (trouble !== undefined) return yield* Effect.die(new Error(`the journal answered ${JSON.stringify(trouble)}`))
    if (performance.now() - told > progressMs) {
      told = performance.now()
      const rate = Math.round(written / ((told - began) / 1000))
      yield* Console.error(`span ${span + 1} of ${spans}, ${written} records, ${rate} records/s`)
    }
  })
  for (let span = 0; span < spans; span++) {
    if (span > 0)
      // A lock is waited for 250 ms, so that writers wait no longer.
      for (const statement of ["SELECT prepare_spans()", "SELECT begin_span(true)", "SELECT prepare_spans()"])
        yield* Effect.retry(query(statement), { times: 40 })
    const indexes = Array.makeBy(accounts, (index) => index + 1)
    yield* Effect.forEach(indexes, (index) => one(index, span), { concurrency: filledTogether, discard: true })
    yield* Effect.callback<void>((ready) => {
      const check = () => (onTheirWay === 0 ? ready(Effect.void) : void setImmediate(check))
      check()
    })
  }
  const seconds = (performance.now() - began) / 1000
  yield* Console.log(
    `${accounts} members, ${entries} entries in ${seconds.toFixed(1)} s: ${Math.round(written / seconds)} records/s`
  )
}, Effect.scoped)

const database = (dataDir: string, url: Option.Option<string>): Layer.Layer<Database, unknown> =>
  Option.isSome(url)
    ? Layer.succeed(Database, { clientConfig: { url: Redacted.make(url.value) }, describe: "the given database" })
    : EmbeddedPostgres.layer(dataDir)

const command = Command.make(
  "generate",
  {
    accounts: Flag.withDefault(Flag.Int("accounts"), 100_000),
    entries: Flag.withDefault(Flag.Int("entries"), 1_000_000),
    spend: Flag.withDefault(Flag.Int("spend"), 1_100),
    varied: Flag.withDefault(Flag.Boolean("varied"), false),
    spans: Flag.withDefault(Flag.Int("spans"), 1),
    dataDir: Flag.withDefault(Flag.String("data-dir"), ".data"),
    databaseUrl: Flag.optional(Flag.String("database-url"))
  },
  ({ dataDir, databaseUrl, ...plan }) => {
    const prepared = Layer.effectDiscard(Migrations.run()).pipe(Layer.provideMerge(database(dataDir, databaseUrl)))
    return Effect.provide(generate(plan), PgJournal.layer.pipe(Layer.provideMerge(prepared)))
  }
)

Command.run(command, { version: "1" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)

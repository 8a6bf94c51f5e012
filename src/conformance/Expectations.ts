/**
 * The file of expected members, with balances and tiers, and of expected member
 * counts. The whole file is validated before the first request.
 */
import { Effect, Result, Schema } from "effect"
import type { BodyFault } from "../contract/Decode.ts"
import { strictDecoder } from "../contract/Decode.ts"
import { Identity } from "../contract/protocol/Resources.ts"
import { Identifier, Integer, Text, whole } from "../contract/Values.ts"
import { readsAtOnce } from "./Bounds.ts"
import type { CaseError, CheckOutcome, Difference } from "./CheckOutcome.ts"
import type { Exchange, NoAnswer } from "./Host.ts"
import { described } from "./Host.ts"
import type { Probe } from "./Probe.ts"
import { isSuccess, summary } from "./Probe.ts"
import * as Shapes from "./Shapes.ts"

const amount = Schema.optionalKey(Integer)

const Member = Schema.Struct({
  program_id: Identifier,
  member_id: Schema.optionalKey(Identifier),
  identity: Schema.optionalKey(Identity),
  balances: Schema.optionalKey(
    Schema.Struct({ points: amount, visits: amount, stamps: amount, credits: amount, custom: amount })
  ),
  tier_id: Schema.optionalKey(Text)
})

const Count = Schema.Struct({
  program_id: Identifier,
  members: whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number of at least 0")
})

const Expectations = Schema.Struct({
  members: Schema.Array(Member),
  counts: Schema.optionalKey(Schema.Array(Count))
})
export type Expectations = typeof Expectations.Type
type ExpectedMember = Expectations["members"][number]

const decodeShape = strictDecoder(Expectations)

/** Decodes a parsed file; fails with every fault and its JSON Pointer. */
export const decode = (json: unknown): Result.Result<Expectations, ReadonlyArray<BodyFault>> => {
  const decoded = decodeShape(json)
  if (Result.isFailure(decoded)) {
    return Result.fail(decoded.failure.map(({ message, path }) => ({ path: path === "" ? "the file" : path, message })))
  }
  const faults = decoded.success.members.flatMap(({ balances, identity, member_id, tier_id }, index) => {
    const path = `/members/${index}`
    return [
      ...((member_id === undefined) === (identity === undefined)
        ? [{ path, message: "needs either member_id or identity" }]
        : []),
      ...(balances === undefined && tier_id === undefined ? [{ path, message: "needs balances or tier_id" }] : [])
    ]
  })
  return faults.length > 0 ? Result.fail(faults) : Result.succeed(decoded.success)
}

const memberRule = "expectations file, members"
const countRule = "expectations file, counts"

const nameOf = ({ identity, member_id }: ExpectedMember): string => member_id ?? `${identity?.type}:${identity?.value}`

const difference = (exchange: Exchange, expected: string, got: string): Difference => ({
  request: described(exchange.request),
  sent: exchange.request.body,
  expected,
  got
})

interface Found {
  readonly member: { readonly tier_id?: string } | null
  readonly balances: ReadonlyArray<{ readonly unit: string; readonly amount: number }>
}

/** All differences between a member and its expectation. */
const compare = (exchange: Exchange, expected: ExpectedMember): ReadonlyArray<Difference> => {
  const id = expected.member_id === undefined ? "member.lookup" : "account.get"
  if (!isSuccess(exchange) || Shapes.fault(id, exchange.body) !== undefined) {
    return [difference(exchange, "the member", summary(exchange))]
  }
  const { balances, member } = exchange.body as Found
  if (member === null) return [difference(exchange, "the member", "no member has this identity")]
  const found: Array<Difference> = []
  for (const [unit, amount] of Object.entries(expected.balances ?? {})) {
    const balance = balances.find((one) => one.unit === unit)
    if (balance?.amount !== amount) {
      found.push(
        difference(
          exchange,
          `${amount} ${unit}`,
          balance === undefined ? `no account of ${unit}` : `${balance.amount} ${unit}`
        )
      )
    }
  }
  if (expected.tier_id !== undefined && member.tier_id !== expected.tier_id) {
    found.push(difference(exchange, `tier ${expected.tier_id}`, `tier ${member.tier_id ?? "none"}`))
  }
  return found
}

const send = (probe: Probe, { identity, member_id, program_id }: ExpectedMember) =>
  member_id === undefined
    ? probe.post("member.lookup", { program_id, identity })
    : probe.post("account.get", { member_id, program_id })

const membersTitle = "every expected member has the expected balances and tier"

const checkMembers = Effect.fnUntraced(function* (
  probe: Probe,
  members: Expectations["members"],
  onProgress: (done: number, total: number) => Effect.Effect<void>
) {
  let done = 0
  const checked = yield* Effect.forEach(
    members,
    (expected, index) =>
      Effect.map(
        send(probe, expected).pipe(
          Effect.map((exchange) => compare(exchange, expected)),
          Effect.catchTag("NoAnswer", ({ reason, request }: NoAnswer) =>
            Effect.succeed([{ request, expected: "an answer", got: reason }])
          ),
          Effect.tap(() => onProgress(++done, members.length))
        ),
        (differences): { readonly index: number; readonly differences: ReadonlyArray<Difference> } => ({
          index,
          differences
        })
      ),
    { concurrency: readsAtOnce }
  )
  const wrong = checked.filter(({ differences }) => differences.length > 0)
  const base = { level: "base", rule: memberRule, tookMs: 0 } as const
  const outcomes = wrong.map(
    ({ differences, index }): CheckOutcome => ({
      ...base,
      id: `expect.members/${index}`,
      title: `${members[index]?.program_id} ${members[index] === undefined ? "" : nameOf(members[index])}`,
      status: "differs",
      differences
    })
  )
  const note = `${members.length - wrong.length} of ${members.length} members as expected`
  const all: CheckOutcome = { ...base, id: "expect.members", title: membersTitle, status: "ok", note, differences: [] }
  return wrong.length === 0 ? [all] : [...outcomes, { ...all, id: "expect.members.rest" }]
})

/**
 * `/proto/v1` has no member count; the operators' overview has one, if the token
 * may read it. A count that cannot be read is a difference.
 */
const checkCount = (probe: Probe, expected: typeof Count.Type, index: number): Effect.Effect<CheckOutcome> =>
  Effect.gen(function* () {
    const path = `/admin/api/v1/overview?program_id=${encodeURIComponent(expected.program_id)}`
    const exchange = yield* probe.send({ method: "GET", path })
    const { members } = (exchange.body ?? {}) as { readonly members?: { readonly total?: unknown } }
    const total = isSuccess(exchange) ? members?.total : undefined
    if (total === expected.members) return []
    const got =
      typeof total === "number"
        ? `${total} members`
        : `cannot be checked on this host with this token: ${summary(exchange)}`
    return [difference(exchange, `${expected.members} members`, got)]
  }).pipe(
    Effect.catchTag("NoAnswer", ({ reason, request }: NoAnswer) =>
      Effect.succeed([{ request, expected: `${expected.members} members`, got: reason }])
    ),
    Effect.map(
      (differences): CheckOutcome => ({
        id: `expect.counts/${index}`,
        level: "base",
        rule: countRule,
        title: `${expected.program_id} has ${expected.members} members`,
        status: differences.length === 0 ? "ok" : "differs",
        ...(differences.length === 0
          ? {}
          : { advice: "Counts need a token with admin:read; without one, remove them from the file." }),
        differences,
        tookMs: 0
      })
    )
  )

/** One outcome for each member or count that differs, and one for all others. */
export const check = (
  probe: Probe,
  expectations: Expectations,
  onProgress: (done: number, total: number) => Effect.Effect<void>
): Effect.Effect<ReadonlyArray<CheckOutcome>, CaseError> =>
  Effect.gen(function* () {
    const members =
      expectations.members.length === 0 ? [] : yield* checkMembers(probe, expectations.members, onProgress)
    const counts = yield* Effect.forEach(expectations.counts ?? [], (count, index) => checkCount(probe, count, index))
    return [...members, ...counts]
  })

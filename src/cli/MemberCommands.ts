/** `lotbook members`: show a member, adjust its points, suspend, re-open or close it (admin.md). */
import { Clock, Console, Effect, Layer, Option, Result } from "effect"
import type { Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Accounts from "../account/Accounts.ts"
import * as OneMember from "../admin/OneMember.ts"
import type { Refused } from "../contract/admin/Common.ts"
import * as Contract from "../contract/admin/Members.ts"
import { strictDecoder } from "../contract/Decode.ts"
import { Classification, Unit } from "../contract/Values.ts"
import * as Environment from "../database/Environment.ts"
import type { Journal } from "../journal/Journal.ts"
import * as PgJournal from "../journal/postgres/PgJournal.ts"
import type { Programs } from "../program/Programs.ts"
import { CurrentCaller } from "../protocol/CurrentCaller.ts"
import type { Open, TargetFlags } from "./Operators.ts"
import * as Operators from "./Operators.ts"
import { Refusal } from "./Operators.ts"
import { CannotRun } from "./StorageCommand.ts"

type Members = Effect.Success<typeof OneMember.make>

/** A request as each target sends it: a route of the operators' API. */
interface Asked {
  readonly named: OneMember.Named
  readonly method: "GET" | "POST"
  /** The part of the path after the member. */
  readonly rest: string
  readonly body?: object
  readonly onDatabase: (members: Members) => Effect.Effect<object, Refused, CurrentCaller>
}

/** Commands on the database have no key: the caller is the system. */
export const caller = CurrentCaller.of({
  kind: "system",
  name: "cli",
  keyId: "cli",
  scopes: new Set(["admin:read", "admin:write"]),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
})

/** The clock that accounts decide by. A sandbox's clock stands where its service left it. */
export const serviceClock = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const stood = yield* Environment.sandboxNow
  if (stood === undefined) return clock
  // A copy would lose the clock's methods.
  const standing: Clock.Clock = Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe: () => stood,
    currentTimeMillis: Effect.succeed(stood)
  })
  return standing
})

/** Runs an operators' use case on the database, with the service's clock. */
export const onDatabase = <A extends object>(
  open: Open,
  flags: TargetFlags,
  method: Asked["method"],
  work: (clock: Clock.Clock) => Effect.Effect<A, Refused, Accounts.Accounts | CurrentCaller | Journal | Programs>
) =>
  Effect.gen(function* () {
    const storage = yield* Operators.storageOf(flags)
    const done = Effect.gen(function* () {
      if (method === "POST") yield* Operators.mustBeAlone
      return yield* work(yield* serviceClock).pipe(
        Effect.provideService(CurrentCaller, caller),
        Effect.mapError(
          ({ code, detail, errors }) => new Refusal({ message: Operators.refusalText(code, detail, errors) })
        )
      )
    })
    const accounts = Layer.unwrap(
      Effect.map(serviceClock, (clock) => Layer.provide(Accounts.layer(), Layer.succeed(Clock.Clock, clock)))
    )
    const services = accounts.pipe(Layer.provideMerge(PgJournal.layer), Layer.provideMerge(open(storage)))
    return yield* Effect.provide(done, services)
  }).pipe(Effect.scoped)

const ask = (open: Open, flags: TargetFlags, asked: Asked) => {
  const { body, method, named, rest } = asked
  return Option.isSome(flags.url)
    ? Operators.send(flags.url.value, method, Contract.pathOf(named.program_id, named.member_id) + rest, body)
    : onDatabase(open, flags, method, (clock) =>
        Effect.flatMap(Effect.provideService(OneMember.make, Clock.Clock, clock), asked.onDatabase)
      )
}

/** A value that must be of its schema, as the API checks it. */
export const checked = <S extends Schema.Top>(schema: S, value: object): Effect.Effect<S["Type"], CannotRun> => {
  const decoded: Result.Result<
    S["Type"],
    ReadonlyArray<{ readonly path: string; readonly message: string }>
  > = strictDecoder(schema as never)(value)
  if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success)
  const faults = decoded.failure.map(({ message, path }) => `${path.slice(1).replaceAll("_", "-")} ${message}`)
  return Effect.fail(new CannotRun({ message: faults.join("\n") }))
}

const member = Argument.withDescription(Argument.String("member"), "the member's id")
export const program = Flag.withDescription(Flag.String("program"), "the member's programme")
export const json = Flag.withDefault(
  Flag.withDescription(Flag.Boolean("json"), "the answer as one JSON document"),
  false
)
export const reason = Flag.withDescription(Flag.String("reason"), "why, for the audit; no place for personal data")

const named = (member_id: string, program_id: string) => checked(Contract.MemberParams, { program_id, member_id })

export const print = (isJson: boolean, answer: unknown, lines: () => ReadonlyArray<string>) =>
  Effect.forEach(isJson ? [JSON.stringify(answer)] : lines(), (line) => Console.log(line), { discard: true })

const balanceLine = ({ amount, available, reserved, unit }: (typeof Contract.MemberShown.Type)["balances"][number]) =>
  `${unit}: ${amount} (${reserved} reserved, ${available} available)`

export const memberLine = ({ member_id, merged_into, program_id, status }: typeof Contract.AdminMember.Type) =>
  `${member_id} in ${program_id}: ${status}${merged_into === undefined ? "" : `, merged into ${merged_into}`}`

const shownLines = (shown: typeof Contract.MemberShown.Type): ReadonlyArray<string> => [
  memberLine(shown.member),
  `joined ${shown.member.joined_at}${shown.member.tier_id === undefined ? "" : `, tier ${shown.member.tier_id}`}`,
  `identities: ${shown.member.identities.map(({ issuer, type }) => (issuer === undefined ? type : `${type} of ${issuer}`)).join(", ")}`,
  ...shown.balances.map(balanceLine),
  ...shown.lots.map(
    ({ amount, earned_at, expires_at, remaining, unit }) =>
      `lot: ${remaining} of ${amount} ${unit}, earned ${earned_at}, ${expires_at === undefined ? "never expires" : `expires ${expires_at}`}`
  ),
  ...shown.reservations.map(
    ({ cost, expires_at, order_id, reward_id }) =>
      `reservation: ${reward_id} for order ${order_id}, ${cost.amount} ${cost.unit}, until ${expires_at}`
  ),
  ...shown.issued_rewards.map(({ issued_reward_id, reward_id }) => `reward: ${reward_id} (${issued_reward_id})`)
]

const show = (open: Open) =>
  Command.make("show", { ...Operators.targetFlags, member, program, json }, ({ json, member, program, ...flags }) =>
    Operators.running(
      Effect.gen(function* () {
        const name = yield* named(member, program)
        const asked: Asked = { named: name, method: "GET", rest: "", onDatabase: (members) => members.show(name) }
        const answer = (yield* ask(open, flags, asked)) as typeof Contract.MemberShown.Type
        yield* print(json, answer, () => shownLines(answer))
      })
    )
  ).pipe(Command.withDescription("Show a member: balances, lots, open reservations and rewards."))

const adjustFlags = {
  id: Flag.withDescription(Flag.String("id"), "your id of the adjustment: the same again changes nothing"),
  amount: Flag.withDescription(Flag.Int("amount"), "points to credit; negative to debit (--amount=-50)"),
  classification: Flag.withDescription(Flag.String("classification"), Classification.literals.join(", ")),
  reason,
  unit: Flag.optional(
    Flag.withDescription(Flag.String("unit"), `${Unit.literals.join(", ")} (the programme's primary account)`)
  ),
  qualifies: Flag.withDefault(
    Flag.withDescription(Flag.Boolean("qualifies-for-tier"), "count the amount towards the tier"),
    false
  ),
  expiresAt: Flag.optional(
    Flag.withDescription(Flag.String("expires-at"), "when a credit expires (as the programme says)")
  ),
  dryRun: Flag.withDefault(Flag.withDescription(Flag.Boolean("dry-run"), "tell what would be, and do nothing"), false)
}

const adjust = (open: Open) =>
  Command.make("adjust", { ...Operators.targetFlags, member, program, json, ...adjustFlags }, (given) =>
    Operators.running(
      Effect.gen(function* () {
        const name = yield* named(given.member, given.program)
        const payload = yield* checked(Contract.Adjustment, {
          adjustment_id: given.id,
          amount: given.amount,
          classification: given.classification,
          reason: given.reason,
          qualifies_for_tier: given.qualifies,
          ...(Option.isSome(given.unit) ? { unit: given.unit.value } : undefined),
          ...(Option.isSome(given.expiresAt) ? { expires_at: given.expiresAt.value } : undefined),
          ...(given.dryRun ? { dry_run: true } : undefined)
        })
        const answer = (yield* ask(open, given, {
          named: name,
          method: "POST",
          rest: "/adjustments",
          body: payload,
          onDatabase: (members) => members.adjust(name, payload)
        })) as typeof Contract.Adjusted.Type
        const { amount, entry_id, unit } = answer.entry
        yield* print(given.json, answer, () => [
          given.dryRun ? `Would post ${amount} ${unit}.` : `Posted ${amount} ${unit} as ${entry_id}.`,
          ...answer.balances.map(balanceLine)
        ])
      })
    )
  ).pipe(Command.withDescription("Credit or debit a member's points."))

const statusCommand = (open: Open, name: string, status: "active" | "suspended" | "closed", description: string) =>
  Command.make(
    name,
    { ...Operators.targetFlags, member, program, reason, json },
    ({ json, member, program, reason, ...flags }) =>
      Operators.running(
        Effect.gen(function* () {
          const name = yield* named(member, program)
          const payload = yield* checked(Contract.StatusChange, { status, reason })
          const answer = (yield* ask(open, flags, {
            named: name,
            method: "POST",
            rest: "/status",
            body: payload,
            onDatabase: (members) => members.setStatus(name, payload)
          })) as typeof Contract.MemberOnly.Type
          yield* print(json, answer, () => [memberLine(answer.member)])
        })
      )
  ).pipe(Command.withDescription(description))

/** The subcommands of `lotbook members`; `merge` has a file of its own. */
export const members = (open: Open) =>
  [
    show(open),
    adjust(open),
    statusCommand(open, "suspend", "suspended", "Suspend a member: what was begun goes on, nothing else."),
    statusCommand(open, "reopen", "active", "Re-open a suspended member."),
    statusCommand(
      open,
      "close",
      "closed",
      "Close a member for ever: open holds are released, wallet rewards cancelled."
    )
  ] as const

/**
 * `lotbook members`: show a member, adjust its points, suspend, re-open or close it (contract/operators.md *Commands*).
 */
import { PgConnection } from "@effect/sql-pg"
import type { Schema } from "effect"
import { Console, Effect, Layer, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Database } from "../../base/database/Database.ts"
import { clockFault } from "../../base/database/DatabaseTime.ts"
import * as Environment from "../../base/database/Environment.ts"
import { keepAlone } from "../../base/database/Locks.ts"
import { PeoplePool } from "../../base/database/Pools.ts"
import * as Times from "../../base/time/Times.ts"
import * as OneMember from "../../capabilities/members/OneMember.ts"
import * as Contract from "../../contract/admin/Members.ts"
import { strictDecoder } from "../../contract/Decode.ts"
import type { Refused } from "../../contract/Refused.ts"
import { Classification, Unit } from "../../contract/Values.ts"
import * as Accounts from "../../core/account/Accounts.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import * as PgJournal from "../../core/journal/postgres/PgJournal.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type { Storage } from "../service/Settings.ts"
import type { Open } from "./AdminTarget.ts"
import { ask, targetFlags, toExitCode } from "./AdminTarget.ts"
import { optionalText, toggle } from "./Flags.ts"
import { CannotRun } from "./StorageCommand.ts"

type Members = Effect.Success<typeof OneMember.make>

/** The service's time on a database. In a sandbox: the clock's time when its service stopped. */
export const databaseTime = Effect.gen(function* () {
  const stood = yield* Environment.sandboxNow
  return stood === undefined ? yield* Times.serviceTime : new Times.StandingTime(stood)
})

/**
 * Refuses to write while a service runs, because its accounts in memory would become stale, and lets none begin until the
 * scope closes. Refuses also while this machine's clock is not trusted, because a decision posts everything that is due.
 */
const mayWrite = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  if (!(yield* keepAlone(connection)))
    return yield* new CannotRun({ message: "A service runs on this database. Give its address with --url." })
  if ((yield* Environment.sandboxNow) !== undefined) return
  const fault = yield* clockFault(connection)
  if (fault !== undefined) return yield* new CannotRun({ message: fault.detail })
})

/** Runs a use case on the accounts of a database, at the service's time. */
export const onDatabase =
  <A, E>(
    open: Open,
    kind: "read" | "write",
    work: (
      time: Times.ServiceTime
    ) => Effect.Effect<A, E, Accounts.Accounts | PeoplePool | CurrentCaller | Journal | Programs>
  ) =>
  (storage: Storage) => {
    const accounts = Layer.unwrap(
      Effect.map(databaseTime, (time) => Layer.provide(Accounts.layer(), Times.layer(time)))
    )
    const tables = Layer.merge(PgJournal.layer, PeoplePool.layer)
    const services = accounts.pipe(Layer.provideMerge(tables), Layer.provideMerge(open(storage)))
    const alone = kind === "write" ? mayWrite : Effect.void
    return Effect.provide(Effect.andThen(alone, Effect.flatMap(databaseTime, work)), services).pipe(Effect.scoped)
  }

const onMembers = <A>(
  open: Open,
  kind: "read" | "write",
  work: (members: Members) => Effect.Effect<A, Refused, CurrentCaller>
) => onDatabase(open, kind, (time) => Effect.flatMap(Times.at(time)(OneMember.make), work))

/** Decodes a value by its schema, as the API does. */
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
export const program = Flag.withDescription(Flag.String("program"), "the member's programme; required")
export const json = toggle("json", "print one JSON document")
export const reason = Flag.withDescription(
  Flag.String("reason"),
  "the reason, for the audit, without personal data; required"
)

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
  Command.make(
    "show",
    { ...targetFlags, member, program, json },
    Effect.fnUntraced(function* ({ json, member, program, ...flags }) {
      const name = yield* named(member, program)
      const answer = yield* ask(flags, {
        at: (client) => client.member.showMember({ params: name }),
        on: onMembers(open, "read", (members) => members.show(name))
      })
      yield* print(json, answer, () => shownLines(answer))
    }, toExitCode)
  ).pipe(
    Command.withDescription("Show a member: balances, lots, open reservations and rewards."),
    Command.withExamples([
      {
        command: "lotbook members show member-003 --program demo-foodservice --url http://127.0.0.1:3210",
        description: "On a service; its key is in the environment"
      },
      {
        command: "lotbook members show member-003 --program demo-foodservice --json",
        description: "On the database, for a program"
      }
    ])
  )

const adjustFlags = {
  id: Flag.withDescription(Flag.String("id"), "your id for the adjustment; a repetition changes nothing; required"),
  amount: Flag.withDescription(Flag.Int("amount"), "points to credit; negative to debit (--amount=-50); required"),
  classification: Flag.withDescription(
    Flag.String("classification"),
    `${Classification.literals.join(", ")}; required`
  ),
  reason,
  unit: optionalText("unit", `${Unit.literals.join(", ")} (the programme's primary account)`),
  qualifies: toggle("qualifies-for-tier", "count the amount towards the tier"),
  expiresAt: optionalText("expires-at", "when a credit expires (by the programme's rule)"),
  dryRun: toggle("dry-run", "show the result and change nothing")
}

const adjust = (open: Open) =>
  Command.make(
    "adjust",
    { ...targetFlags, member, program, json, ...adjustFlags },
    Effect.fnUntraced(function* (given) {
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
      const answer = yield* ask(given, {
        at: (client) => client.member.adjustMember({ params: name, payload }),
        on: onMembers(open, "write", (members) => Effect.map(members.adjust(name, payload), ({ body }) => body))
      })
      const { amount, entry_id, unit } = answer.entry
      yield* print(given.json, answer, () => [
        given.dryRun ? `Would post ${amount} ${unit}.` : `Posted ${amount} ${unit} as ${entry_id}.`,
        ...answer.balances.map(balanceLine)
      ])
    }, toExitCode)
  ).pipe(
    Command.withDescription("Credit or debit a member's points."),
    Command.withExamples([
      {
        command:
          "lotbook members adjust member-003 --program demo-foodservice --url http://127.0.0.1:3210 --id thanks-1 --amount 100 --classification gift --reason 'Thanks' --dry-run",
        description: "Show the result of a gift without making it"
      },
      {
        command:
          "lotbook members adjust member-003 --program demo-foodservice --url http://127.0.0.1:3210 --id fix-1 --amount=-50 --classification correction --reason 'Booked twice'",
        description: "Take points back"
      }
    ])
  )

const statusCommand = (open: Open, name: string, status: "active" | "suspended" | "closed", description: string) =>
  Command.make(
    name,
    { ...targetFlags, member, program, reason, json },
    Effect.fnUntraced(function* ({ json, member, program, reason, ...flags }) {
      const name = yield* named(member, program)
      const payload = yield* checked(Contract.StatusChange, { status, reason })
      const answer = yield* ask(flags, {
        at: (client) => client.member.setMemberStatus({ params: name, payload }),
        on: onMembers(open, "write", (members) => members.setStatus(name, payload))
      })
      yield* print(json, answer, () => [memberLine(answer.member)])
    }, toExitCode)
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([
      {
        command: `lotbook members ${name} member-005 --program demo-foodservice --url http://127.0.0.1:3210 --reason 'Asked for it'`,
        description: "On a service; its key is in the environment"
      }
    ])
  )

/** The subcommands of `lotbook members`, without `merge`. */
export const members = (open: Open) =>
  [
    show(open),
    adjust(open),
    statusCommand(
      open,
      "suspend",
      "suspended",
      "Suspend a member: it can only finish open reservations and get refunds."
    ),
    statusCommand(open, "reopen", "active", "Re-open a suspended member."),
    statusCommand(
      open,
      "close",
      "closed",
      "Close a member permanently: releases open holds and cancels wallet rewards."
    )
  ] as const

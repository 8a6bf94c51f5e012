/**
 * The operators' commands on the journal: `journal verify`, `journal rebuild`,
 * `journal show` and `balance`.
 *
 * Exit codes: 0 no differences, 1 differences, 2 the command could not run.
 * Answers go to standard output, progress to standard error.
 */
import { Console, Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as fs from "node:fs"
import * as Connect from "../../base/database/Connect.ts"
import type { Database } from "../../base/database/Database.ts"
import * as Environment from "../../base/database/Environment.ts"
import { machineNow } from "../../base/time/Times.ts"
import { strictDecoder } from "../../contract/Decode.ts"
import { fromMillis, Timestamp, toMillis } from "../../contract/Values.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import * as ProgramStore from "../../core/programs/ProgramStore.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import * as Anchor from "../../reads/reconcile/Anchor.ts"
import * as Bounds from "../../reads/reconcile/Bounds.ts"
import type { Difference } from "../../reads/reconcile/Difference.ts"
import * as History from "../../reads/reconcile/History.ts"
import * as Rebuild from "../../reads/reconcile/Rebuild.ts"
import type { Progress, Verified } from "../../reads/reconcile/Verification.ts"
import * as Verifications from "../../reads/reconcile/Verifications.ts"
import * as Verify from "../../reads/reconcile/Verify.ts"
import * as Settings from "../service/Settings.ts"
import { archive, restore } from "./ArchiveCommand.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"
import { optionalText, toggle } from "./Flags.ts"
import { indexing } from "./IndexCommand.ts"
import { restoreExpired } from "./RestoreCommand.ts"
import { sealing } from "./SealCommand.ts"
import { span } from "./SpanCommand.ts"
import { CannotRun, type OpenStorage, printable, working } from "./StorageCommand.ts"

/** Opens the storage of a database that has this version's migrations. */
export type Open = OpenStorage<Database | Programs>

const noDifferences = 0
const differencesFound = 1

const count = (value: number): string => value.toLocaleString("en-US")

/** Shows progress: a moving bar on a terminal, a line now and then in a log. */
const progress = Effect.gen(function* () {
  const began = yield* machineNow
  const isTerminal = process.stderr.isTTY
  let reportedAt = began
  const barWidth = 30
  const text = ({ accounts, done, entries }: Progress, now: number) => {
    const filled = Math.round(done * barWidth)
    const bar = isTerminal ? `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} ` : ""
    const speed = Math.round((entries * 1000) / Math.max(1, now - began))
    return `${bar}${Math.floor(done * 100)} %  ${count(accounts)} accounts, ${count(entries)} entries, ${count(speed)} a second`
  }
  const onProgress = (at: Progress) =>
    Effect.flatMap(machineNow, (now) => {
      if (now - reportedAt < (isTerminal ? Bounds.terminalProgressMs : Bounds.logProgressMs)) return Effect.void
      reportedAt = now
      return Effect.sync(() => process.stderr.write(isTerminal ? `\r${text(at, now)}\u001b[K` : `${text(at, now)}\n`))
    })
  const clear = Effect.sync(() => {
    if (isTerminal) process.stderr.write("\r\u001b[K")
  })
  const seconds = Effect.map(machineNow, (now) => (now - began) / 1000)
  return { onProgress, clear, seconds }
})

export const printDifference = ({ account, message, row, table }: Difference, member: string | undefined) => {
  const subject = account === undefined ? table : `${table}: account ${account}`
  const where = `${subject}${member === undefined ? "" : ` (${member})`}${row === undefined ? "" : ` ${row}`}`
  return Console.log(printable(`${where}: ${message}`))
}

/** Prints differences, one a line, at most `Bounds.maxPrinted`. */
const printer = (clear: Effect.Effect<void>) => {
  let printed = 0
  return (difference: Difference, member: string | undefined) => {
    if (++printed > Bounds.maxPrinted) return Effect.void
    return Effect.andThen(clear, printDifference(difference, member))
  }
}

const printOmitted = (total: number) =>
  total > Bounds.maxPrinted ? Console.log(`… and ${count(total - Bounds.maxPrinted)} more`) : Effect.void

const verify = (open: Open) =>
  Command.make(
    "verify",
    {
      ...Settings.storageFlags,
      share: Flag.withDefault(
        Flag.withDescription(Flag.Int("share"), "percent of the accounts to verify, 1 to 100 (100)"),
        100
      ),
      program: optionalText("program", "only accounts of this programme (all)"),
      full: toggle("full", "everything, not only what came after the last seal"),
      from: ArchiveFolder.from,
      ...anchorFlags
    },
    ({ anchor, anchorKey, from, full, program, share, ...storage }) =>
      working(open)(
        storage,
        Effect.fnUntraced(function* () {
          if (share < 1 || share > 100) return yield* new CannotRun({ message: "--share must be from 1 to 100." })
          const only = Option.getOrUndefined(program)
          if (Option.isSome(anchor) && (share < 100 || only !== undefined))
            return yield* new CannotRun({
              message: "--anchor needs a verification of all accounts: leave out --share and --program."
            })
          if (only !== undefined && !(yield* Connect.apart(ProgramStore.allVersions)).has(only))
            return yield* new CannotRun({ message: `There is no programme ${only}.` })
          const anchored = yield* anchorOf(anchor, anchorKey, full ? "records" : "seals")
          const { clear, onProgress, seconds } = yield* progress
          const say = printer(clear)
          const verified = yield* Verify.run({
            share,
            isFull: full,
            program: only,
            onProgress,
            onDifference: say
          }).pipe(ArchiveFolder.reading(from))
          yield* Effect.forEach(anchored.differences, (difference) => say(difference, undefined), { discard: true })
          const found = { ...verified, differences: verified.differences + anchored.differences.length }
          yield* clear
          yield* printOmitted(found.differences)
          if (found.foreignSnapshots > 0) {
            yield* Console.log(
              `${count(found.foreignSnapshots)} snapshots have an older or newer format: not compared, because the service replaces them`
            )
          }
          const took = Math.max(0.001, yield* seconds)
          yield* Console.log(
            `${count(found.accounts)} accounts, ${count(found.records)} records, ${count(found.entries)} entries in ${took.toFixed(1)} s ` +
              `(${count(Math.round(found.entries / took))} entries a second): ${
                found.differences === 0 ? "no differences" : `${count(found.differences)} differences`
              }`
          )
          yield* Console.log(coverage(found))
          if (!(yield* Verifications.store(found, { share, program: only }, took)))
            yield* Console.log("The database is a replica, so the metrics do not show this verification.")
          if (found.differences > 0) return differencesFound
          yield* anchored.agreed
          return noDifferences
        })
      )
  ).pipe(
    Command.withDescription(
      "Replay the journal and compare it with every table; once a span is sealed, from the last seal on. Exit code 0: no differences, 1: differences, 2: could not run."
    ),
    Command.withExamples([
      { command: "lotbook journal verify", description: "What came after the last seal, and the seals, once a day" },
      { command: "lotbook journal verify --full", description: "Everything, once a month" },
      {
        command: "lotbook journal verify --full --from /archive",
        description: "The same where old months lie in files"
      },
      {
        command: "lotbook journal verify --anchor /safe/2026-07.json --anchor-key /safe/anchor.pem",
        description: "Also write an anchor to keep elsewhere, or compare with it if the file exists"
      },
      { command: "lotbook journal verify --full --share 10", description: "A tenth of the accounts, after an upgrade" }
    ])
  )

/** The tables that a verification compares, and the others, which neither the journal nor the audit tells of in full. */
const coverage = ({ after, archived, figuresTo, financeTo }: Verified): string => {
  if (after !== undefined) return coverageAfter(after)
  const files = archived === 0 ? "" : ` ${count(archived)} archived spans were read out of their files.`
  return `${coverageOfAll(String(figuresTo), String(financeTo))}${files}`
}

const coverageAfter = (span: number): string =>
  `Compared: the seals up to that of span ${span}; of later records journal, claims, ledger, accounts and snapshots; programmes, ` +
  "tokens, people, limits, locations, connectors, freeze, audit. With --full all records, wallets, identities and the operators' " +
  "figures are compared too."

const coverageOfAll = (figuresTo: string, financeTo: string): string =>
  "Compared: journal, claims, ledger, accounts, identities, attributes, wallet rewards, snapshots, programmes, tokens, people " +
  "(role, programmes, disabled or not, passkeys by id), limits of roles and people, locations, connectors (of an address the " +
  `host), freeze, audit; the operators' figures up to ${figuresTo}; of the sums of finance what guests ` +
  `hold of each unit, up to ${financeTo}. Not compared: the rest of these sums, names and addresses of people, keys of ` +
  "passkeys, secrets and paths of connectors, profiles, consents, events, segments, campaigns, imports, sessions."

export const anchorFlags = {
  anchor: optionalText(
    "anchor",
    "file of a signed summary: compared if it exists, else written; keep it on another machine than the database"
  ),
  anchorKey: optionalText("anchor-key", "Ed25519 key in PEM that signs and checks the anchor")
}

const noAnchor = { differences: [] as ReadonlyArray<Difference>, agreed: Effect.void }

/** The anchor's differences, and the last step if there are none: report that, or write it. Summarized before the verification. */
const anchorOf = Effect.fnUntraced(function* (
  anchor: Option.Option<string>,
  anchorKey: Option.Option<string>,
  heads: Anchor.Heads
) {
  if (Option.isNone(anchor)) return noAnchor
  if (Option.isNone(anchorKey)) return yield* new CannotRun({ message: "--anchor needs --anchor-key." })
  const key = yield* Anchor.readKey(anchorKey.value)
  const file = anchor.value
  if (fs.existsSync(file)) {
    const body = yield* Anchor.read(file, key)
    const { differences, revived, sealedTo } = yield* Anchor.compare(body, heads)
    const trusted = sealedTo < 0 ? "" : `, taking the seals' word up to span ${sealedTo}`
    return {
      differences: [...differences, ...revivedDifferences(revived)],
      agreed: Console.log(`The database agrees with the anchor of ${body.written_at}${trusted}.`)
    }
  }
  const summary = yield* Anchor.summarize(heads)
  const write = Effect.andThen(Anchor.write(file, summary, key), Console.log(`Anchor written to ${file}`))
  return { ...noAnchor, agreed: write }
})

const revivedDifferences = ({ accounts, tokens }: Anchor.Revived): ReadonlyArray<Difference> => [
  ...accounts.map(({ account }) => ({
    table: "members" as const,
    account,
    message: "the anchor has the member as erased, but the member is back"
  })),
  ...tokens.map((token) => ({
    table: "tokens" as const,
    row: token,
    message: "the anchor has the token as revoked, but the token is valid again"
  }))
]

const seal = (open: Open) => sealing(open, (difference) => printDifference(difference, undefined))

const memberArgument = Argument.withDescription(Argument.String("member"), "the member's id")
const programFlag = optionalText("program", "the programme, needed if several have this member id")
/** How far the figures are, if they were counted, and what was read and written. */
const rebuiltText = (done: Rebuild.Rebuilds): string => {
  const counted =
    done.countedTo === undefined ? "" : `Figures and sums of finance are counted up to ${done.countedTo}.\n`
  const skipped = done.skipped === 0 ? "" : `, ${count(done.skipped)} skipped because they have new records`
  const rest =
    done.unrepaired === 0 ? "" : `; ${count(done.unrepaired)} differences cannot be repaired from the journal`
  const remade = done.hasRemadeRollups ? ", rollups made again" : ""
  return `${counted}${count(done.accounts)} accounts read, ${count(done.written)} written${skipped}${remade}${rest}`
}

const rebuild = (open: Open) =>
  Command.make(
    "rebuild",
    {
      ...Settings.storageFlags,
      member: optionalText("member", "only this member's account (all)"),
      program: programFlag,
      from: ArchiveFolder.from
    },
    ({ from, member, program, ...storage }) =>
      working(open)(
        storage,
        Effect.fnUntraced(function* () {
          const only = Option.isSome(member)
            ? (yield* History.locate(member.value, Option.getOrUndefined(program))).account
            : undefined
          const { clear, onProgress } = yield* progress
          const done = yield* Rebuild.run({ account: only, onProgress, onUnrepaired: printer(clear) }).pipe(
            ArchiveFolder.reading(from)
          )
          yield* clear
          yield* printOmitted(done.unrepaired)
          yield* Console.log(rebuiltText(done))
          return done.unrepaired === 0 ? noDifferences : differencesFound
        })
      )
  ).pipe(
    Command.withDescription(
      "Repair accounts, identities, wallet rewards, snapshots and rollups that differ from the journal. Safe beside a running service."
    ),
    Command.withExamples([
      { command: "lotbook journal rebuild", description: "Repair everything that journal verify reports" },
      { command: "lotbook journal rebuild --member member-003", description: "One member" }
    ])
  )

const jsonFlag = toggle("json", "one JSON document a line")

const facts = (event: AccountEvent): string =>
  Object.entries(event)
    .filter(([name]) => name !== "type" && name !== "at")
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(" ")

const readable = (record: History.Shown): string =>
  [
    `${record.seq}  ${fromMillis(record.at)}  ${record.reply.type === "same" ? `repeats record ${record.reply.seq}` : record.reply.type}  ${printable(`by ${record.actor ?? "the service"}, programme version ${record.programVersion}`)}`,
    ...record.events.map((event) =>
      printable(`    ${event.type}${event.at === record.at ? "" : ` at ${fromMillis(event.at)}`}  ${facts(event)}`)
    )
  ].join("\n")

const show = (open: Open) =>
  Command.make(
    "show",
    {
      ...Settings.storageFlags,
      member: memberArgument,
      program: programFlag,
      from: ArchiveFolder.from,
      json: jsonFlag
    },
    ({ from, json, member, program, ...storage }) =>
      working(open)(storage, () =>
        Effect.as(
          History.show(member, Option.getOrUndefined(program), (record) =>
            Console.log(json ? JSON.stringify({ ...record, at: fromMillis(record.at) }) : readable(record))
          ).pipe(ArchiveFolder.reading(from)),
          noDifferences
        )
      )
  ).pipe(
    Command.withDescription("Show a member's journal: every record with its events, oldest first."),
    Command.withExamples([
      { command: "lotbook journal show member-003", description: "A member's history, for people" },
      {
        command: "lotbook journal show member-003 --program demo-foodservice --json",
        description: "The same for a program"
      }
    ])
  )

const Instant = strictDecoder(Timestamp)

export const balance = (open: Open) =>
  Command.make(
    "balance",
    {
      ...Settings.storageFlags,
      member: memberArgument,
      at: optionalText("at", "the time, such as 2026-07-14T10:00:00Z (default: now; in a sandbox, its clock)"),
      program: programFlag,
      from: ArchiveFolder.from,
      json: jsonFlag
    },
    ({ at, from, json, member, program, ...storage }) =>
      working(open)(
        storage,
        Effect.fnUntraced(function* () {
          const now = Option.isSome(at) ? undefined : yield* Environment.sandboxNow
          const text = Option.isSome(at) ? at.value : fromMillis(now ?? (yield* machineNow))
          if (Result.isFailure(Instant(text))) {
            return yield* new CannotRun({
              message: `--at must be a date-time such as 2026-07-14T10:00:00Z, not ${text}`
            })
          }
          const found = yield* History.balance(member, Option.getOrUndefined(program), toMillis(text)).pipe(
            ArchiveFolder.reading(from)
          )
          const { balances } = found
          if (json) {
            yield* Console.log(
              JSON.stringify({ program_id: found.program, member_id: member, at: fromMillis(toMillis(text)), balances })
            )
            return noDifferences
          }
          yield* Console.log(`${member} in ${found.program} at ${fromMillis(toMillis(text))}`)
          for (const { amount, available, reserved, unit } of balances) {
            yield* Console.log(`${unit}: ${amount} (${reserved} reserved, ${available} available)`)
          }
          return noDifferences
        })
      )
  ).pipe(
    Command.withDescription("Show a member's balances at any time, from the journal alone."),
    Command.withExamples([
      { command: "lotbook balance member-003", description: "Balances now" },
      {
        command: "lotbook balance member-003 --at 2026-12-31T23:00:00Z",
        description: "Balances at the end of the year"
      }
    ])
  )

export const journal = (open: Open) =>
  Command.make("journal").pipe(
    Command.withDescription("Verify, rebuild and read the journal."),
    Command.withExamples([{ command: "lotbook journal verify", description: "Check the whole database" }]),
    Command.withSubcommands([
      verify(open),
      rebuild(open),
      show(open),
      restoreExpired(open),
      span(open),
      indexing(open),
      seal(open),
      archive(open),
      restore(open)
    ])
  )

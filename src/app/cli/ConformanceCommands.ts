/**
 * `doctor` and `verify`: check a deployed host from outside.
 *
 * Exit codes: 0 no differences, 1 differences, 2 the command could not run.
 * Reports go to standard output, progress to standard error; with `--json`
 * standard output has only the JSON document.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option, Result } from "effect"
import { Argument, Command } from "effect/cli"
import * as fs from "node:fs/promises"
import * as Expectations from "../../conformance/Expectations.ts"
import * as Report from "../../conformance/Report.ts"
import type { Progress } from "../../conformance/Verify.ts"
import * as Verify from "../../conformance/Verify.ts"
import { environmentName } from "../../contract/protocol/Protocol.ts"
import { firstFault } from "../../core/rules/JsonPlace.ts"
import * as Settings from "../service/Settings.ts"
import { optionalInt, optionalText, toggle } from "./Flags.ts"
import { CannotRun, exiting, messageOf } from "./StorageCommand.ts"

const tokenName = environmentName("TOKEN")

const readUrl = (text: string): Effect.Effect<string, CannotRun> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:"
  return isHttp && url.search === "" && url.hash === "" && url.username === ""
    ? Effect.succeed(text)
    : Effect.fail(
        new CannotRun({ message: `The host must be an address such as https://loyalty.example.com, not ${text}` })
      )
}

const token = (): string | undefined => Settings.given({}, process.env).token

/** Reads a file of expectations; fails with every fault on a line of its own. */
const readExpectations = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: (error) => new CannotRun({ message: `Cannot read ${file}: ${messageOf(error)}` })
  })
  const fault = firstFault(text)
  if (fault !== undefined) return yield* new CannotRun({ message: `${file}: ${fault}` })
  const decoded = Expectations.decode(JSON.parse(text))
  if (Result.isSuccess(decoded)) return decoded.success
  const faults = decoded.failure.map(({ message, path }) => `${file}: ${path} ${message}`)
  return yield* new CannotRun({ message: faults.join("\n") })
})

/** Shows progress on standard error: one changing line on a terminal, nothing in a log. */
const onProgress = ({ at, done, total }: Progress): Effect.Effect<void> =>
  Effect.sync(() => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${total}  ${at}\u001b[K`)
  })

const clearProgress = Effect.sync(() => {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
})

interface Output {
  readonly json: boolean
  readonly junit: string | undefined
}

/** Prints a report, writes its files, and returns the exit code. */
const print = Effect.fnUntraced(function* (report: Verify.Report, { json, junit }: Output) {
  yield* clearProgress
  const text = Report.text(report).trimEnd()
  if (json) {
    yield* Console.error(text)
    yield* Console.log(Report.json(report))
  } else yield* Console.log(text)
  if (junit !== undefined) {
    yield* Effect.tryPromise({
      try: () => fs.writeFile(junit, Report.junit(report)),
      catch: (error) => new CannotRun({ message: `Cannot write ${junit}: ${messageOf(error)}` })
    })
  }
  return Report.exitCode(report)
})

const urlArgument = Argument.withDescription(Argument.String("url"), "the host, such as https://loyalty.example.com")
const jsonFlag = toggle("json", "the report as JSON on standard output; the text goes to standard error")
const junitFlag = optionalText("junit", "write the report to this file as JUnit XML")

export const doctor = Command.make("doctor", { url: urlArgument, json: jsonFlag, junit: junitFlag }, (given) =>
  exiting(
    Effect.gen(function* () {
      const url = yield* readUrl(given.url)
      const report = yield* Verify.doctor(url, token())
      return yield* print(report, { json: given.json, junit: Option.getOrUndefined(given.junit) })
    })
  ).pipe(Effect.provide(NodeHttpClient.layerNodeHttp))
).pipe(
  Command.withDescription(
    "Check that a host can be reached and used: discovery, health, readiness, authentication, capabilities, clock, " +
      `latency, certificate. Each failure comes with advice. The token comes from ${tokenName}. ` +
      "Exit code 0: no differences, 1: differences, 2: could not run."
  ),
  Command.withShortDescription("Check that a host can be reached and used."),
  Command.withExamples([
    { command: "lotbook doctor http://127.0.0.1:3210", description: "Check a local service, without a token" },
    {
      command: `${tokenName}=proto-dev-token lotbook doctor http://127.0.0.1:3210 --json`,
      description: "Check a deployed host, for a script"
    }
  ])
)

const verifyFlags = {
  url: urlArgument,
  program: optionalText(
    "program",
    `the programme to verify (default: the first in the expectations, else ${Verify.demoProgram})`
  ),
  expect: optionalText(
    "expect",
    "a file of expected balances, tiers and member counts: {members: [{program_id, " +
      "member_id or identity, balances?: {unit: amount}, tier_id?}], counts?: [{program_id, members}]}; " +
      "counts need a token with admin:read"
  ),
  strict: toggle(
    "strict",
    "also check this project's decisions beyond the protocol's specification: exact codes, rounding, cursors, headers"
  ),
  only: optionalText("only", "only cases with this word in their id, title or rule, such as replay"),
  seed: optionalInt("seed", "the seed of amounts and orders, to repeat a run (default: random; the report shows it)"),
  json: jsonFlag,
  junit: junitFlag
}

export const verify = Command.make("verify", verifyFlags, (given) =>
  exiting(
    Effect.gen(function* () {
      const url = yield* readUrl(given.url)
      if (token() === undefined) {
        return yield* new CannotRun({ message: `Set ${tokenName} to a token with protocol:read and protocol:write.` })
      }
      const file = Option.getOrUndefined(given.expect)
      const options: Verify.Options = {
        url,
        token: token(),
        program: Option.getOrUndefined(given.program),
        expectations: file === undefined ? undefined : yield* readExpectations(file),
        strict: given.strict,
        only: Option.getOrUndefined(given.only),
        seed: Option.getOrUndefined(given.seed),
        onProgress
      }
      if (Verify.selectsNothing(options)) {
        return yield* new CannotRun({ message: `--only ${options.only} matches no case` })
      }
      const report = yield* Verify.verify(options)
      return yield* print(report, { json: given.json, junit: Option.getOrUndefined(given.junit) })
    })
  ).pipe(Effect.provide(NodeHttpClient.layerNodeHttp))
).pipe(
  Command.withDescription(
    "Verify a deployed host from outside: doctor, then every operation, refusal, replay, race, page and domain rule " +
      "that is visible over HTTP, then the expected balances. The programme that the host returns decides what orders " +
      "must earn. The command enrols members of its own and leaves them with zero balances. It never freezes a host; " +
      `on a frozen host it checks only reads. The token comes from ${tokenName}. ` +
      "Exit code 0: no differences, 1: differences, 2: could not run."
  ),
  Command.withShortDescription("Verify a deployed host from outside."),
  Command.withExamples([
    {
      command: `${tokenName}=proto-dev-token lotbook verify http://127.0.0.1:3210 --program demo-foodservice`,
      description: "Check a host against the protocol's specification"
    },
    {
      command: `${tokenName}=proto-dev-token lotbook verify http://127.0.0.1:3210 --expect balances.json --only expect`,
      description: "Check only the balances in a file; works while writes are frozen"
    },
    {
      command: `${tokenName}=proto-dev-token lotbook verify http://127.0.0.1:3210 --strict --junit report.xml`,
      description: "Everything, for a build server"
    },
    {
      command: `${tokenName}=proto-dev-token lotbook verify http://127.0.0.1:3210 --strict --only refund --seed 7`,
      description: "Only the cases about refunds, with the amounts of an earlier run"
    }
  ])
)

/** `lotbook serve`: runs the service, and prints why it did not start. */
import { Effect, Formatter, Layer, Logger, Option, References, Result, Schema } from "effect"
import { Command, GlobalFlag } from "effect/cli"
import { causeOf } from "../../base/database/Database.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import * as Environment from "../service/Environment.ts"
import * as Service from "../service/Service.ts"
import type { Settings } from "../service/Settings.ts"
import * as SettingsOf from "../service/Settings.ts"
import { limitEnd, sayAtLimit } from "./ProcessStop.ts"
import { exitWith } from "./StorageCommand.ts"

/** The service did not start; the message is for the operator. */
class StartRefused extends Schema.TaggedError<StartRefused>()("StartRefused", { message: Schema.String }) {}

/** A line of JSON without the runtime's own identifiers, and without annotations where there are none. */
const jsonLogger = Logger.withConsoleLog(
  Logger.map(Logger.formatStructured, ({ annotations, fiberId: _, spans: __, ...line }) =>
    Formatter.formatJson(Object.keys(annotations).length === 0 ? line : { ...line, annotations })
  )
)

const loggers = (settings: Settings) =>
  Layer.mergeAll(
    Logger.layer([settings.logFormat === "pretty" ? Logger.consolePretty() : jsonLogger]),
    Layer.effect(
      References.MinimumLogLevel,
      Effect.map(
        GlobalFlag.LogLevel,
        Option.getOrElse(() => effectLevels[settings.logLevel])
      )
    )
  )

const effectLevels = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal"
} as const

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses this port; stop it, or set another PORT",
  EADDRNOTAVAIL: "this machine does not have this address; set another HOST",
  EACCES: "this user may not use this port; set another PORT"
}

const listenFault = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return listenFaults[code] ?? String(cause)
}

/** The process must end, because its state in memory may be stale. */
const replaced = ({ message }: { readonly message: string }) => Effect.andThen(stoppedBecause(message), exitWith(1))

const stoppedBecause = (reason: string) => LogEvent.of("stopped", { reason })(Effect.logWarning(reason))

/** Limits the end of a dead node. Its last line is logged in any case, as is that of a stop which takes too long. */
const limitedEnd = Effect.map(Effect.context<never>(), (context) => {
  const say = (reason: string) => Effect.runSyncWith(context)(stoppedBecause(reason))
  sayAtLimit(say)
  return (reason: string) => limitEnd(() => say(reason))
})

export const serve = Command.make("serve", SettingsOf.flags, (parsed) =>
  Effect.gen(function* () {
    const faults = Environment.environmentFaults(process.env)
    if (faults.length > 0) return yield* new StartRefused({ message: faults.join("\n") })
    const read = () => SettingsOf.read(SettingsOf.given(parsed, process.env), process.stdout.isTTY)
    const settings = read()
    if (Result.isFailure(settings)) return yield* new StartRefused({ message: settings.failure })
    yield* Effect.flatMap(limitedEnd, (onLost) => Service.run(settings.success, { reread: read, onLost })).pipe(
      Effect.catchTags({
        NodeLost: replaced,
        HistoryChanged: replaced,
        DatabaseStartError: (error) => Effect.fail(new StartRefused({ message: error.message })),
        JournalUnavailable: (error) => Effect.fail(new StartRefused({ message: String(error.cause) })),
        Refused: (error) => Effect.fail(new StartRefused({ message: error.detail })),
        ProgramsInvalid: (error) => Effect.fail(new StartRefused({ message: error.message })),
        SqlError: (error) => Effect.fail(new StartRefused({ message: `PostgreSQL cannot be used: ${causeOf(error)}` })),
        ListenFailed: ({ reason }) =>
          Effect.fail(new StartRefused({ message: `PROTO_NODE_ADDRESS: this node cannot listen there: ${reason}` })),
        ServeError: (error) =>
          Effect.fail(
            new StartRefused({
              message: `Cannot listen on ${settings.success.host}:${settings.success.port}: ${listenFault(error.cause)}`
            })
          )
      }),
      Effect.provide(loggers(settings.success))
    )
  })
).pipe(
  Command.withDescription(
    "Run the service. Every flag has an environment variable; the flag has precedence. Pass secrets in the environment: other users of the machine can see flags. Exit code 0: stopped by a signal, 1: refused to start, or another service took over, 2: failed."
  ),
  Command.withShortDescription("Run the service."),
  Command.withExamples([
    { command: "lotbook serve", description: "Try it: embedded PostgreSQL, demo programme, demo members" },
    {
      command: "lotbook serve --host 0.0.0.0 --programs /etc/lotbook/programs",
      description: "As in production: DATABASE_URL, PROTO_TOKEN and PROTO_ADMIN_KEY are in the environment"
    },
    {
      command: "lotbook serve --sandbox-clock 2026-07-14T10:00:00Z --data-dir .sandbox",
      description: "A sandbox whose clock moves on request"
    }
  ])
)

/**
 * The command line, and the only place where live layers are put together.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import {
  Cause,
  Console,
  Context,
  Deferred,
  Effect,
  Exit,
  Layer,
  Logger,
  Option,
  Redacted,
  References,
  Result,
  Schema
} from "effect"
import { CliOutput, Command, GlobalFlag } from "effect/cli"
import { HttpServer } from "effect/http"
import { randomBytes } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import * as Accounts from "./account/Accounts.ts"
import { AdminDatabase } from "./surface/AdminDatabase.ts"
import * as DatabaseMetrics from "./operators/DatabaseMetrics.ts"
import { Keys } from "./access/Keys.ts"
import * as KeyStore from "./access/KeyStore.ts"
import * as SandboxReset from "./operators/SandboxReset.ts"
import { Sessions } from "./access/Sessions.ts"
import * as ClockCommands from "./cli/ClockCommands.ts"
import * as BackupCommands from "./cli/BackupCommands.ts"
import * as ConformanceCommands from "./cli/ConformanceCommands.ts"
import * as Demo from "./cli/Demo.ts"
import * as DemoHistory from "./cli/DemoHistory.ts"
import * as JournalCommands from "./cli/JournalCommands.ts"
import * as MemberCommands from "./cli/MemberCommands.ts"
import * as MergeCommand from "./cli/MergeCommand.ts"
import { migrate } from "./cli/MigrateCommand.ts"
import { limitStopTime, stopWithParent } from "./cli/ProcessStop.ts"
import * as ProgramCommands from "./cli/ProgramCommands.ts"
import type { Settings } from "./cli/Settings.ts"
import * as TokenCommands from "./cli/TokenCommands.ts"
import * as SettingsOf from "./cli/Settings.ts"
import { exitWith, type OpenStorage } from "./cli/StorageCommand.ts"
import { basePath } from "./contract/protocol/Protocol.ts"
import { fromMillis } from "./contract/Values.ts"
import type { Refused } from "./contract/admin/Common.ts"
import { softwareVersion } from "./contract/Version.ts"
import type { Environment as EnvironmentName } from "./database/Active.ts"
import { Active } from "./database/Active.ts"
import { ClockCheck } from "./database/ClockCheck.ts"
import type { DatabaseStartError } from "./database/Database.ts"
import { causeOf, Database } from "./database/Database.ts"
import { sessionName } from "./database/SessionName.ts"
import * as Durability from "./database/Durability.ts"
import * as Environment from "./database/Environment.ts"
import * as EmbeddedPostgres from "./database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "./database/Migrations.ts"
import type { Lease } from "./database/Lease.ts"
import { Lineage } from "./database/Lineage.ts"
import * as PgLease from "./database/PgLease.ts"
import * as StartChecks from "./database/StartChecks.ts"
import { Expiry } from "./expiry/Expiry.ts"
import * as Sandbox from "./expiry/Sandbox.ts"
import { commit } from "./metrics/Build.ts"
import * as LogEvent from "./metrics/LogEvent.ts"
import { WriteFreeze } from "./journal/WriteFreeze.ts"
import * as Handlers from "./protocol/Handlers.ts"
import { Backend, BackendSlot, running } from "./http/Backend.ts"
import * as LogLines from "./http/LogLines.ts"
import * as Public from "./http/Public.ts"
import * as Server from "./http/Server.ts"
import * as PgFeed from "./feed/PgFeed.ts"
import * as PgJournal from "./journal/postgres/PgJournal.ts"
import { PrivateWebhooks } from "./connectors/WebhookUrl.ts"
import { CampaignRuns } from "./campaigns/CampaignRuns.ts"
import * as ProgramFiles from "./program/ProgramFiles.ts"
import { Programs } from "./program/Programs.ts"
import type { Program } from "./program/Program.ts"
import * as ProgramStore from "./program/ProgramStore.ts"
import * as Publishing from "./program/Publishing.ts"
import * as RollupReads from "./rollups/RollupReads.ts"
import { Rollups } from "./rollups/Rollups.ts"
import * as RollupStore from "./rollups/RollupStore.ts"
import * as Tracing from "./tracing/Tracing.ts"
import { machineTime } from "./time/Times.ts"

/** The service did not start; the message is for the operator. */
class StartRefused extends Schema.TaggedError<StartRefused>()("StartRefused", { message: Schema.String }) {}

/** The database as the service `holder` uses it. */
const databaseLayer = (settings: Settings, holder: string): Layer.Layer<Database, DatabaseStartError> => {
  const found =
    settings.databaseUrl === undefined ? EmbeddedPostgres.layer(settings.dataDir) : given(settings.databaseUrl)
  const named = Effect.gen(function* () {
    const database = yield* Database
    const config = { ...database.clientConfig, applicationName: sessionName("service", holder) }
    const lineage = new Lineage(config, holder)
    const durability = yield* Durability.make(config, holder, lineage)
    yield* Effect.forkScoped(lineage.watch)
    // A new connection may be of a server that has ended every wait for its standby.
    return { ...database, holder, lineage, durability, clientConfig: lineage.guarded(config, durability.doubt) }
  })
  return Layer.effect(Database, named).pipe(Layer.provide(found))
}

const given = (url: Redacted.Redacted): Layer.Layer<Database> => {
  const parsed = new URL(Redacted.value(url))
  return Layer.succeed(Database, {
    clientConfig: { url, ...partsOf(parsed) },
    describe: `PostgreSQL at ${placeOf(parsed)}`
  })
}

/**
 * Host, port and database of the URL. The client would parse them itself, but its spans only contain separate options.
 */
const partsOf = ({ hostname, pathname, port, searchParams }: URL) => {
  const host = searchParams.get("host") ?? decodeURIComponent(hostname).replace(/^\[|\]$/g, "")
  const number = Number(searchParams.get("port") ?? port)
  const database = searchParams.get("dbname") ?? decodeURIComponent(pathname.slice(1))
  return {
    ...(host === "" ? {} : { host }),
    ...(number > 0 ? { port: number } : {}),
    ...(database === "" ? {} : { database })
  }
}

/** Server and database, without the secret. A URL without a database means the one named like the user. */
const placeOf = ({ host, pathname, username }: URL): string =>
  `${host}${pathname.length > 1 ? pathname : `/${username}`}`

/** The database of commands: the service's own data, whether or not the service runs. */
const attached: OpenStorage<Database> = ({ databaseUrl, dataDir }) =>
  databaseUrl === undefined ? EmbeddedPostgres.attached(dataDir) : given(databaseUrl)

/** The storage of the commands on the journal. */
const opened: JournalCommands.Open = (storage) =>
  Programs.layer.pipe(Layer.provideMerge(Layer.effectDiscard(Migrations.check)), Layer.provideMerge(attached(storage)))

/** The database, checked and migrated before any other use. */
const preparedDatabase = (settings: Settings, url: string, confirmed: Effect.Effect<void>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { describe } = yield* Database
      const { isEncrypted } = yield* StartChecks.run
      const applied = yield* Migrations.run()
      const environment = environmentOf(settings)
      yield* Environment.settle(environment, settings.sandboxClock)
      yield* confirmed
      const programs = versionsOf([...(yield* ProgramStore.inForce).programs.values()])
      const facts = {
        version: softwareVersion,
        commit: commit(),
        url,
        database: describe,
        environment,
        encrypted: isEncrypted,
        programs,
        migrations: applied
      }
      yield* LogEvent.of(
        "start",
        facts
      )(
        Effect.logInfo(
          `Lotbook ${softwareVersion} (${commit()}) starts at ${url} on ${describe} (connection ${isEncrypted ? "encrypted" : "not encrypted"}), ${environment}, ${versionsText(programs)}`
        )
      )
    })
  )

/** Programmes with their versions in force. */
const versionsOf = (programs: ReadonlyArray<Program>): Readonly<Record<string, number>> =>
  Object.fromEntries(programs.map(({ id, version }) => [id, version]))

const versionsText = (versions: Readonly<Record<string, number>>): string => {
  const programs = Object.entries(versions).map(([id, version]) => `${id} version ${version}`)
  return programs.length === 0 ? "without a programme yet" : `with ${programs.join(", ")}`
}

const environmentOf = ({ sandboxClock }: Settings) => (sandboxClock === undefined ? "live" : "sandbox")

const urlOf = (settings: Settings, { address }: HttpServer.HttpServer["Service"]): string => {
  const port = "port" in address ? address.port : settings.port
  const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host
  return `http://${host}:${port}`
}

const announce = (settings: Settings, url: string) =>
  Effect.gen(function* () {
    yield* Effect.logInfo(`Listening on ${url}`)
    const sandbox = Option.getOrUndefined(yield* Effect.serviceOption(Sandbox.Sandbox))
    if (sandbox !== undefined)
      yield* Effect.logInfo(
        sandbox.now() === settings.sandboxClock
          ? `This is a sandbox; its clock stands at ${fromMillis(sandbox.now())}`
          : `This is a sandbox; its clock stands at ${fromMillis(sandbox.now())}, where it stood before: --sandbox-clock is for new sandboxes`
      )
    // Text for people: it would break a log of one JSON object a line.
    if (!settings.seedDemo || settings.logFormat === "json") return
    yield* Console.log(`
Lotbook listens on ${url} – description at ${url}/docs
Token: ${Redacted.value(settings.token)}

Read a demo member's account:

curl -s ${url}${basePath}/accounts/get -H 'Authorization: Bearer ${Redacted.value(settings.token)}' \\
  -H 'Content-Type: application/json' -d '{"context": {"protocol_version": "1.0", "profile": "foodservice/1.0",
  "request_id": "req-1", "occurred_at": "2026-07-14T10:00:00Z", "source": {"system": "pos"}},
  "member_id": "member-003", "program_id": "demo-foodservice"}'
`)
  })

/**
 * Runs the service: standby until it has the lease, then active. Ends with
 * `LeaseLost` once another service has taken over. The supervisor then starts a
 * new process, which certainly has no stale state.
 */
const service = (settings: Settings) => {
  const tracing = Tracing.to(settings.otlpEndpoint)
  return Effect.provide(serviceWith(settings, tracing), tracing.tracer)
}

const serviceWith = (settings: Settings, tracing: Tracing.Tracing) =>
  Effect.gen(function* () {
    // Programmes are read first: a bad file stops the start before anything else happens.
    const files = yield* ProgramFiles.load(settings.programs)
    const clockCheck =
      settings.sandboxClock === undefined
        ? new ClockCheck(yield* machineTime, settings.clockToleranceSeconds * 1000)
        : undefined
    let lease: Lease | undefined
    /** While the start or a takeover waits for PostgreSQL's confirmation. */
    let isAwaitingStorage = false
    const slot = new BackendSlot()
    const resets = new SandboxReset.Resets({ hold: () => slot.hold(), running: () => slot.requests.size })
    const keys = Layer.succeedContext(yield* Layer.build(Keys.layer(settings)))
    const server = yield* Server.layer({
      ...settings,
      decorate: tracing.route,
      logLine: settings.logFormat === "json" ? LogLines.make(process.stdout) : undefined
    }).pipe(
      Layer.provide([
        Layer.succeed(
          Active,
          activeOf(
            environmentOf(settings),
            () => lease?.active,
            () => isAwaitingStorage
          )
        ),
        Layer.succeed(Backend, slot.backend),
        keys
      ]),
      Layer.build
    )
    yield* Effect.forkScoped(Public.prepare)
    const holder = randomBytes(6).toString("hex")
    const url = urlOf(settings, Context.get(server, HttpServer.HttpServer))
    const database = yield* Layer.build(databaseLayer(settings, holder))
    const { durability = Durability.none, lineage } = Context.get(database, Database)
    const confirmed = Effect.ensuring(
      Effect.suspend(() => {
        isAwaitingStorage = true
        return durability.wait
      }),
      Effect.sync(() => {
        isAwaitingStorage = false
      })
    )
    const prepared = AdminDatabase.layer.pipe(
      Layer.provideMerge(preparedDatabase(settings, url, confirmed)),
      Layer.provideMerge(Layer.succeedContext(database))
    )
    const built = yield* Layer.build(Layer.merge(prepared, keys))
    // A standby follows them too, so that it knows every token when it takes over.
    yield* Effect.provide(KeyStore.follow, built)
    // A standby publishes only after it takes over. Faults that would stop it then must stop it now.
    yield* Effect.provide(Publishing.checkFiles(files, settings.programsPublish ? "all" : "changed"), built)
    const options = {
      environment: environmentOf(settings),
      holder,
      clockCheck
    } as const
    lease = yield* Effect.provide(PgLease.make(options), built)
    const { lost, standby, taken } = lease
    let wasStandby = false
    const report = Effect.andThen(
      Effect.sync(() => {
        wasStandby = true
      }),
      Publishing.reportFiles(files)
    )
    yield* Effect.forkScoped(
      Effect.provide(
        Effect.andThen(
          standby,
          Effect.catchCause(report, (cause) => Effect.logWarning("The programme files could not be compared", cause))
        ),
        built
      )
    )
    // A takeover changes no rules: the operators of the service that was active may have published others meanwhile.
    const publishes = (): Publishing.Which => (settings.programsPublish ? "all" : wasStandby ? "new" : "changed")
    // The server must stop before the layers that execute its requests.
    const sessions = Layer.provideMerge(KeyStore.layer, Sessions.layer)
    const stopServing = Effect.suspend(() =>
      resets.isUnderWay ? Effect.void : Context.get(server, Server.StopServing)
    )
    const serving = Layer.effectDiscard(
      Effect.gen(function* () {
        slot.put(yield* running)
        yield* Effect.addFinalizer(() => stopServing)
        const programs = versionsOf((yield* Programs).all())
        yield* LogEvent.of("active", { programs })(
          Effect.logInfo(`This service is the active one, ${versionsText(programs)}`)
        )
        if (!resets.isUnderWay) yield* announce(settings, url)
      })
    )
    const webhooks = Layer.succeed(PrivateWebhooks, settings.webhookPrivate)
    const active = Effect.gen(function* () {
      yield* taken
      // What the former holder's sessions have committed may show although a standby lacks it.
      durability.doubt()
      yield* confirmed
      const status = Layer.succeed(Active, lease.active)
      const reset = Layer.succeed(SandboxReset.SandboxReset, resets.service)
      let last: { readonly asked: SandboxReset.Asked; readonly exit: Exit.Exit<void, Refused> } | undefined
      // Once for the start and once for each reset of a sandbox, which leaves nothing in memory.
      for (;;) {
        const stoppedAt = settings.sandboxClock === undefined ? undefined : yield* Environment.sandboxNow
        const domain = domainOf(settings, tracing, files, stoppedAt, () => clockCheck?.agrees ?? true, publishes())
        const whole = serving.pipe(
          Layer.provideMerge([sessions, webhooks, reset]),
          Layer.provide(status),
          Layer.provideMerge(domain)
        )
        const answered = last
        const asked = yield* Effect.scoped(
          Effect.gen(function* () {
            const sandbox = Context.getOption(yield* Layer.build(whole), Sandbox.Sandbox)
            if (answered !== undefined) {
              const now = Option.match(sandbox, { onNone: () => 0, onSome: (found) => found.now() })
              yield* Deferred.done(
                answered.asked.answer,
                Exit.map(answered.exit, () => now)
              )
            }
            return yield* resets.next
          })
        )
        lineage?.forget()
        const exit = yield* Effect.exit(SandboxReset.empty(settings.sandboxClock ?? 0, asked.entry))
        last = { asked, exit }
      }
    })
    yield* Effect.raceFirst(
      Effect.provide(active, built),
      Effect.onInterrupt(Effect.raceFirst(lost, lineage?.ended ?? Effect.never), () => logStopping)
    )
  }).pipe(
    Effect.scoped,
    Effect.onInterrupt(() => LogEvent.of("stopped")(Effect.logInfo("Stopped")))
  )

const logStopping = LogEvent.of("stopping")(Effect.logInfo("Stopping: requests in flight are finished first"))

/** The server's view of the lease: absent at first, because the server listens before the database is open. */
const activeOf = (
  environment: EnvironmentName,
  current: () => Active["Service"] | undefined,
  isAwaitingStorage: () => boolean
) =>
  Active.of({
    environment,
    role: () => current()?.role() ?? "standby",
    isWarm: () => current()?.isWarm() ?? false,
    isCurrent: () => current()?.isCurrent() ?? false,
    isAwaitingStorage: () => isAwaitingStorage() || (current()?.isAwaitingStorage() ?? false),
    clockFault: () => current()?.clockFault(),
    clockAheadMs: () => current()?.clockAheadMs() ?? 0
  })

/**
 * Runs layers on the real clock or on the sandbox's. The sandbox's clock goes on where it stood (`stoppedAt`, ms).
 */
const onClock = <A, E, R>(settings: Settings, stoppedAt: number | undefined, timed: Layer.Layer<A | Expiry, E, R>) =>
  settings.sandboxClock === undefined ? timed : Sandbox.layerOver(stoppedAt ?? settings.sandboxClock, timed)

const domainOf = (
  settings: Settings,
  tracing: Tracing.Tracing,
  files: ReadonlyArray<ProgramFiles.LoadedFile>,
  stoppedAt: number | undefined,
  isTimeBelieved: () => boolean,
  which: Publishing.Which
) => {
  const store = tracing.journal(PgJournal.layer)
  const published = Layer.effectDiscard(Publishing.publishFiles(files, which))
  const programs = Programs.layer.pipe(Layer.provide(published))
  const freeze = WriteFreeze.layer(settings.writeFreeze, isTimeBelieved)
  const accounts = tracing.accounts(
    Layer.unwrap(
      Effect.map(WriteFreeze, (switchOf) =>
        Accounts.layer({ residentLimit: settings.residentAccounts, mayWrite: switchOf.mayWrite })
      )
    )
  )
  const rollups = Layer.mergeAll(RollupReads.layer, Rollups.worker).pipe(
    Layer.provideMerge(Rollups.layer),
    Layer.provideMerge(RollupStore.layer),
    Layer.provideMerge(PgFeed.layer)
  )
  const remembered = Layer.effectDiscard(
    Effect.gen(function* () {
      const { lineage } = yield* Database
      lineage?.holds((yield* Accounts.Accounts).seqs)
    })
  ).pipe(Layer.provideMerge(accounts))
  // Runs before `accounts` is built, because it makes accounts of its own: an account must have one owner at a time.
  const history = Layer.effectDiscard(
    Effect.gen(function* () {
      if (settings.seedDemo && !(yield* WriteFreeze).isFrozen()) yield* DemoHistory.seed
    })
  )
  const timed = CampaignRuns.worker.pipe(
    Layer.provideMerge(CampaignRuns.layer),
    Layer.provideMerge(Handlers.layer),
    Layer.provideMerge(Expiry.layer),
    Layer.provideMerge(remembered),
    Layer.provideMerge(rollups),
    Layer.provide(history),
    // A programme version has the time of the service's clock, also in a sandbox.
    Layer.provideMerge(programs)
  )
  const domain = onClock(settings, stoppedAt, timed).pipe(Layer.provideMerge(freeze), Layer.provideMerge(store))
  const seeded = Layer.effectDiscard(
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      if (settings.seedDemo && !freeze.isFrozen())
        yield* Effect.all([Demo.seed, Demo.seedTokens, Demo.seedSegment, Demo.seedCampaign])
    })
  )
  return Layer.mergeAll(seeded, Programs.following, DatabaseMetrics.layer).pipe(Layer.provideMerge(domain))
}

const loggers = (settings: Settings) =>
  Layer.mergeAll(
    Logger.layer([settings.logFormat === "pretty" ? Logger.consolePretty() : Logger.consoleJson]),
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

/** The process must end, because what it has in memory may not be so any more. */
const replaced = ({ message }: { readonly message: string }) =>
  Effect.andThen(LogEvent.of("stopped", { reason: message })(Effect.logWarning(message)), exitWith(1))

const serve = Command.make("serve", SettingsOf.flags, (parsed) =>
  Effect.gen(function* () {
    const faults = SettingsOf.environmentFaults(process.env)
    if (faults.length > 0) return yield* new StartRefused({ message: faults.join("\n") })
    const settings = SettingsOf.read(SettingsOf.given(parsed, process.env), process.stdout.isTTY)
    if (Result.isFailure(settings)) return yield* new StartRefused({ message: settings.failure })
    yield* service(settings.success).pipe(
      Effect.catchTags({
        LeaseLost: replaced,
        HistoryChanged: replaced,
        DatabaseStartError: (error) => Effect.fail(new StartRefused({ message: error.message })),
        JournalUnavailable: (error) => Effect.fail(new StartRefused({ message: String(error.cause) })),
        Refused: (error) => Effect.fail(new StartRefused({ message: error.detail })),
        ProgramsInvalid: (error) => Effect.fail(new StartRefused({ message: error.message })),
        SqlError: (error) => Effect.fail(new StartRefused({ message: `PostgreSQL cannot be used: ${causeOf(error)}` })),
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
    "Run the service. Every flag has an environment variable; the flag has precedence. Give secrets by the environment: flags are visible to other users of the machine. Exit code 0: stopped by a signal, 1: refused to start, or another service took over, 2: failed."
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

const members = Command.make("members").pipe(
  Command.withDescription("Show members and change them, on a service by its address or on the database."),
  Command.withExamples([
    {
      command: "lotbook members show member-003 --program demo-foodservice",
      description: "Balances, lots, holds and rewards of a demo member"
    }
  ]),
  Command.withSubcommands([...MemberCommands.members(opened), MergeCommand.merge(opened)])
)

/** The whole command line. */
export const lotbook = Command.make("lotbook").pipe(
  Command.withDescription("A loyalty points engine for restaurants and shops. Guides: /docs of a running service."),
  Command.withExamples([
    { command: "lotbook serve", description: "Try it: embedded PostgreSQL, demo programme, demo members" },
    { command: "lotbook serve --help", description: "Every setting" },
    { command: "lotbook doctor http://127.0.0.1:3210", description: "Check a running service" }
  ]),
  Command.withSubcommands([
    serve,
    migrate(attached),
    JournalCommands.journal(opened),
    BackupCommands.backup(opened),
    JournalCommands.balance(opened),
    members,
    ProgramCommands.programs(opened),
    TokenCommands.tokens(opened),
    TokenCommands.freeze(opened),
    ClockCommands.clock(opened),
    ConformanceCommands.doctor,
    ConformanceCommands.verify
  ])
)

/** A wrong command line gets a line for each fault, instead of the whole help with the fault far below it. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Effect.gen(function* () {
          const { formatCliError } = yield* CliOutput.Formatter
          const help = `${event.commandPath.join(" ")} --help`
          for (const error of event.errors) yield* Console.error(`${formatCliError(error)}; see ${help}`)
        })
      : CliOutput.defaultPresenter.present(event)
})

/** Runs a command line, without the name of the program. */
export const run = (args: ReadonlyArray<string>) =>
  Command.runWith(lotbook, { version: `${softwareVersion} (${commit()})` })(args).pipe(
    Effect.catchTag("StartRefused", (error) => Effect.andThen(Console.error(error.message), exitWith(1))),
    Effect.provide([NodeServices.layer, presenter])
  )

/** The exit code of a command. A stop by a signal is not a failure. 2: the command could not start. */
export const exitCodeOf = <A, E>(exit: Exit.Exit<A, E>): number =>
  Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? 0) : 2

// Tests import this file, to run commands without a process for each.
if (import.meta.main) {
  // V8 treats objects in flight during a young collection as long-lived, and then allocates all requests in the old
  // generation.
  setFlagsFromString("--no-allocation-site-pretenuring")
  stopWithParent()
  limitStopTime()
  NodeRuntime.runMain(run(process.argv.slice(2)), { teardown: (exit, onExit) => onExit(exitCodeOf(exit)) })
}

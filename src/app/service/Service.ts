/** The service as a process runs it: it joins the nodes of its database, then serves. */
import { Context, Deferred, Effect, Exit, Layer, Option, Result } from "effect"
import { HttpServer } from "effect/http"
import { randomBytes } from "node:crypto"
import { ClockCheck } from "../../base/database/ClockCheck.ts"
import { Database } from "../../base/database/Database.ts"
import * as Durability from "../../base/database/Durability.ts"
import * as Environment from "../../base/database/Environment.ts"
import * as Installation from "../../base/database/Installation.ts"
import * as Migrations from "../../base/database/Migrations.ts"
import * as Pools from "../../base/database/Pools.ts"
import * as StartChecks from "../../base/database/StartChecks.ts"
import { commit } from "../../base/metrics/Build.ts"
import * as Episode from "../../base/metrics/Episode.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import { machineTime } from "../../base/time/Times.ts"
import { CurrentMail } from "../../capabilities/mail/Mail.ts"
import { RecentRequests } from "../../capabilities/operators/RecentRequests.ts"
import * as SandboxReset from "../../capabilities/operators/SandboxReset.ts"
import * as ProgramFiles from "../../capabilities/programs/ProgramFiles.ts"
import * as Publishing from "../../capabilities/programs/Publishing.ts"
import * as Hosts from "../../capabilities/staff/Hosts.ts"
import { CurrentProvider } from "../../capabilities/staff/Provider.ts"
import * as SignInAtProvider from "../../capabilities/staff/SignInAtProvider.ts"
import { CurrentSite, type Site, siteOf } from "../../capabilities/staff/Site.ts"
import { PrivateWebhooks } from "../../capabilities/webhooks/WebhookUrl.ts"
import type { Refused } from "../../contract/Refused.ts"
import { softwareVersion } from "../../contract/Version.ts"
import * as Link from "../../core/cluster/Link.ts"
import * as LinkServer from "../../core/cluster/LinkServer.ts"
import type { Membership } from "../../core/cluster/Membership.ts"
import { Node, type PlacementFacts } from "../../core/cluster/Node.ts"
import * as Partitions from "../../core/cluster/Partitions.ts"
import * as PgSessions from "../../core/cluster/PgSessions.ts"
import * as Sandbox from "../../core/expiry/Sandbox.ts"
import * as ProgramStore from "../../core/programs/ProgramStore.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { KeptTimes } from "../../core/retention/Kept.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as KeyStore from "../../desk/access/KeyStore.ts"
import { Keys } from "../../desk/access/Keys.ts"
import { Sessions } from "../../desk/access/Sessions.ts"
import { MayWait } from "../../desk/surface/Waiting.ts"
import { Backend, BackendSlot, running } from "../../edge/http/Backend.ts"
import * as Deadlines from "../../edge/http/Deadlines.ts"
import * as LogLines from "../../edge/http/LogLines.ts"
import * as Server from "../../edge/http/Server.ts"
import * as Tracing from "../tracing/Tracing.ts"
import { addressOf, addressText } from "./NodeAddress.ts"
import * as NodeParts from "./NodeParts.ts"
import { published } from "./Published.ts"
import * as Secrets from "./Secrets.ts"
import type { Settings } from "./Settings.ts"
import * as Storage from "./Storage.ts"
import { announce } from "./Welcome.ts"

/** The database, checked and migrated before any other use. */
const preparedDatabase = (settings: Settings, url: string, confirmed: Effect.Effect<void>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { describe, isEmbedded } = yield* Database
      const { isEncrypted } = yield* StartChecks.run
      const { applied, isOwner, role, seesOthers } = yield* Migrations.prepare
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
      if (isEmbedded === true) return
      if (isOwner)
        yield* LogEvent.of("role_owns_tables", { role })(
          Effect.logInfo(
            `The role ${role} owns the tables. A role that owns nothing is enough to serve: lotbook migrate --grant ROLE gives it the rights`
          )
        )
      if (!seesOthers)
        yield* LogEvent.of("role_sees_little", { role })(
          Effect.logWarning(
            `The role ${role} does not see other roles' transactions, so an old one that holds figures and events back raises no alert. As a superuser: GRANT pg_read_all_stats TO "${role}"`
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

const urlOf = (settings: Settings, port: number): string => {
  const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host
  return `http://${host}:${port}`
}

/**
 * Runs the service: joins the nodes of its database, then answers for its partitions. Ends with `NodeLost` once other
 * nodes have declared it dead. The supervisor then starts a new process, which certainly has no stale state.
 */
export const run = (settings: Settings, options: Partial<RunOptions> = {}) => {
  const tracing = Tracing.to(settings.otlpEndpoint)
  const { onLost = () => undefined, reread = () => Result.succeed(settings) } = options
  return Effect.provide(serviceWith(settings, { onLost, reread }, tracing), tracing.tracer)
}

interface RunOptions {
  readonly reread: Secrets.Reread
  /**
   * Runs when other nodes have declared this one dead and the database is the known one, before anything is closed.
   * `reason`: for the operator.
   */
  readonly onLost: (reason: string) => void
}

/** The parts of a process that serve once it has joined. */
interface Serving {
  /** The node's id, and the address of its link, as other nodes' logs and `lotbook nodes` name it. */
  readonly id: string
  readonly address: string
  readonly node: Node["Service"]
  readonly membership: Membership
  readonly partitions: Partitions.NodePartitions
  readonly settings: Settings
  readonly tracing: Tracing.Tracing
  readonly files: ReadonlyArray<ProgramFiles.LoadedFile>
  readonly slot: BackendSlot
  readonly resets: SandboxReset.Resets
  readonly clockCheck: ClockCheck | undefined
  readonly url: string
  readonly site: Site
  /** Lets the server end: the answers under way are sent, and no request is taken any more. */
  readonly stop: Effect.Effect<void>
  readonly starting: Starting
}

/** State of a start so far. The status of the node is read from it all along. */
interface Starting {
  membership: Membership | undefined
  partitions: Partitions.NodePartitions | undefined
  /** While the start waits for PostgreSQL's confirmation. */
  isAwaitingStorage: boolean
  resets: SandboxReset.Resets | undefined
  /** The node's id before PostgreSQL went on elsewhere; undefined: the process begins. */
  former: string | undefined
}

/** Waits until a small commit has reached the standby. */
const confirming = (starting: Starting, { wait }: Durability.Durability) =>
  Effect.ensuring(
    Effect.suspend(() => {
      starting.isAwaitingStorage = true
      return wait
    }),
    Effect.sync(() => {
      starting.isAwaitingStorage = false
    })
  )

/** Begins to join the nodes of the database, and answers other nodes. */
const joinNodes = Effect.fnUntraced(function* (
  starting: Starting,
  { isCurrent }: Node["Service"],
  settings: Settings,
  id: string,
  clockCheck: ClockCheck | undefined
) {
  const key = Link.keyOf(Buffer.from(yield* Installation.secret))
  const bound = yield* LinkServer.serve({
    ...settings.nodeAddress,
    key,
    answer: (frame) => starting.partitions?.serve(frame) ?? Effect.succeed(Partitions.notMine)
  })
  const address = addressText({ ...settings.nodeAddress, port: bound.port })
  const environment = environmentOf(settings)
  const membership = yield* PgSessions.make({ environment, id, clockCheck, address })
  starting.membership = membership
  const partitions = yield* Partitions.make({
    id,
    isCurrent,
    onDead: membership.declaredDead,
    connect: (other, hasHeartbeats) => Link.connect(addressOf(other), key, { hasHeartbeats })
  })
  starting.partitions = partitions
  return { id, address, membership, partitions }
})

/** The parts of a process that outlive a history of the database. */
interface Lasting
  extends Pick<
    Serving,
    "settings" | "tracing" | "files" | "slot" | "clockCheck" | "url" | "site" | "stop" | "starting"
  > {
  readonly keys: Context.Context<Keys | RecentRequests>
  readonly status: Node["Service"]
  readonly options: RunOptions
}

const serviceWith = (given: Settings, options: RunOptions, tracing: Tracing.Tracing) =>
  Effect.gen(function* () {
    // Their secrets may change while the service runs.
    const settings = {
      ...given,
      provider: given.provider && { ...given.provider },
      mail: given.mail && { ...given.mail }
    }
    // Programmes are read first: a bad file stops the start before anything else happens.
    const files = yield* ProgramFiles.load(settings.programs)
    const clockCheck =
      settings.sandboxClock === undefined
        ? new ClockCheck(yield* machineTime, settings.clockToleranceSeconds * 1000)
        : undefined
    const starting: Starting = {
      membership: undefined,
      partitions: undefined,
      isAwaitingStorage: false,
      resets: undefined,
      former: undefined
    }
    const slot = new BackendSlot()
    const keys = yield* Layer.build(Layer.merge(Keys.layer(settings), RecentRequests.layer))
    const status = nodeOf(
      environmentOf(settings),
      () => starting.membership?.node,
      () => starting.partitions?.placement(),
      () => starting.isAwaitingStorage,
      () => starting.resets?.isUnderWay === true
    )
    const listening = Layer.mergeAll(
      Layer.succeed(Node, status),
      Layer.succeed(Backend, slot.backend),
      Layer.succeedContext(keys)
    )
    const server = yield* Layer.build(Layer.provide(serverOf(settings, tracing), listening))
    const { address } = Context.get(server, HttpServer.HttpServer)
    const port = "port" in address ? address.port : settings.port
    const url = urlOf(settings, port)
    const site = siteOf(settings.publicUrl, port, settings.adminKeyConsole, settings.sandboxClock !== undefined)
    const stop = Context.get(server, Server.StopServing)
    const parts = { settings, tracing, files, slot, clockCheck, url, site, stop, starting, keys, status, options }
    const troubles: Episode.Troubles = new Map()
    // Once for the start and once for each switchover that lost nothing: nothing of one history is known in the next one.
    for (;;)
      yield* Effect.scoped(oneHistory(parts)).pipe(
        Effect.provideService(Episode.Outliving, troubles),
        Effect.catchIf(
          (error) => error._tag === "HistoryChanged" && error.isWhole,
          () => Effect.void
        )
      )
  }).pipe(
    Effect.scoped,
    Effect.onInterrupt(() => LogEvent.of("stopped")(Effect.logInfo("Stopped")))
  )

/** Joins the nodes of the database and serves, as long as it has the history that it had at first. */
const oneHistory = Effect.fnUntraced(function* (lasting: Lasting) {
  const { clockCheck, files, keys, options, settings, site, slot, starting, status, url } = lasting
  const id = randomBytes(6).toString("hex")
  const resets = new SandboxReset.Resets({ hold: () => slot.hold(), running: () => slot.requests.size })
  starting.resets = resets
  const database = yield* Layer.build(Storage.layer(settings, id))
  const { durability = Durability.none, lineage } = Context.get(database, Database)
  const { mail, provider } = settings
  const holders = { database: Context.get(database, Database), keys: Context.get(keys, Keys), provider, mail }
  yield* Secrets.follow(settings, options.reread, holders)
  const confirmed = confirming(starting, durability)
  const prepared = Pools.layer.pipe(
    Layer.provideMerge(preparedDatabase(settings, url, confirmed)),
    Layer.provideMerge(Layer.succeedContext(database))
  )
  const built = yield* Layer.build(Layer.merge(prepared, Layer.succeedContext(keys)))
  yield* Effect.provide(Hosts.check(site), built)
  yield* Effect.provide(KeyStore.follow, built)
  // Before it joins: faults that would stop it must not take partitions away from others first.
  yield* Effect.provide(Publishing.checkFiles(files, settings.programsPublish ? "all" : "changed"), built)
  const { former } = starting
  if (former !== undefined) yield* Effect.provide(PgSessions.forgetFormer(former), built)
  const joining = yield* Effect.provide(joinNodes(starting, status, settings, id, clockCheck), built)
  const { joined, lost } = joining.membership
  const serving = { ...lasting, resets, node: status, ...joining }
  const serve = Effect.gen(function* () {
    const isFirst = yield* joined
    // Commits of a dead node's sessions may show although a standby of PostgreSQL lacks them.
    durability.doubt()
    yield* confirmed
    yield* serveAsNode(serving, isFirst)
  })
  // A database that was replaced may call the node dead before a check has found that it was.
  const dead = Effect.tapError(lost, ({ message }) =>
    Effect.andThen(
      lineage?.settled ?? Effect.void,
      Effect.sync(() => options.onLost(message))
    )
  )
  const ended = Effect.tapError(lineage?.ended ?? Effect.never, ({ isWhole }) =>
    isWhole ? drained(lasting, id) : Effect.void
  )
  yield* Effect.raceFirst(
    Effect.provide(serve, built),
    Effect.onInterrupt(Effect.raceFirst(dead, ended), () => logStopping)
  )
})

/** Longest wait for requests under way, ms: tills have an answer by then. */
const drainMs = Deadlines.answerMs + 500

/** Lets no request begin, and waits until those under way have ended, none of them with an answer from memory. */
const drained = ({ slot, starting }: Lasting, id: string) =>
  Effect.suspend(() => {
    slot.hold()
    Object.assign(starting, { former: id, membership: undefined, partitions: undefined, isAwaitingStorage: true })
    return Effect.ignore(Effect.timeout(slot.requests.idle, drainMs))
  })

const serverOf = (settings: Settings, { route }: Tracing.Tracing) =>
  Server.layer({
    ...settings,
    published,
    decorate: route,
    logLine: settings.logFormat === "json" ? LogLines.make(process.stdout) : undefined
  })

/** Serves as a node, and starts a sandbox over whenever somebody asks for it. `isFirst`: it found no other node. */
const serveAsNode = Effect.fnUntraced(function* (parts: Serving, isFirst: boolean) {
  const { clockCheck, files, membership, node, partitions, resets, settings, tracing } = parts
  const { lineage } = yield* Database
  // A further node changes no rules: operators may have published others meanwhile.
  const publishes = settings.programsPublish ? "all" : isFirst ? "changed" : "new"
  if (!isFirst) yield* reportFiles(files)
  const claim = Effect.acquireRelease(membership.hold(partitions), () => membership.letGo)
  const site = Layer.succeed(CurrentSite, parts.site)
  const given = Layer.mergeAll(
    Layer.provideMerge(KeyStore.layer, Sessions.layer),
    Layer.succeed(PrivateWebhooks, settings.webhookPrivate),
    Layer.succeed(KeptTimes, settings.keptDays),
    Layer.succeed(CurrentProvider, settings.provider),
    Layer.succeed(CurrentMail, settings.mail),
    Layer.succeed(MayWait, () => !resets.isUnderWay && node.role() === "node"),
    Layer.succeed(SandboxReset.SandboxReset, resets.service)
  )
  let last: { readonly asked: SandboxReset.ResetRequest; readonly exit: Exit.Exit<void, Refused> } | undefined
  // Once for the start and once for each reset of a sandbox, which leaves nothing in memory.
  for (;;) {
    const stoppedAt = settings.sandboxClock === undefined ? undefined : yield* Environment.sandboxNow
    const live = NodeParts.layer(settings, {
      tracing,
      files,
      stoppedAt,
      isTimeBelieved: () => clockCheck?.agrees ?? true,
      hasOthers: () => node.placement().nodes > 1,
      which: publishes,
      isFirst,
      claim
    }).pipe(Layer.provideMerge(site), Layer.provide(Layer.succeed(Partitions.Partitions, partitions)))
    const whole = Layer.merge(opened(parts), SignInAtProvider.layerWorker).pipe(
      Layer.provideMerge(given),
      Layer.provide(Layer.succeed(Node, node)),
      Layer.provideMerge(live)
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

/** Gives the server its handlers. The server must stop before the layers that execute its requests. */
const opened = (serving: Serving) => {
  const { address, id, membership, partitions, resets, settings, slot, starting, stop, url } = serving
  return Layer.effectDiscard(
    Effect.gen(function* () {
      slot.put(yield* running)
      const leave = Effect.gen(function* () {
        const hasOthers = partitions.placement().nodes > 1
        yield* membership.handOver
        // Load balancers hear that this node has gone before its connections are refused.
        if (hasOthers) yield* Effect.sleep(settings.leaveSeconds * 1000)
        yield* stop
      })
      yield* Effect.addFinalizer(() => (resets.isUnderWay || starting.former === id ? Effect.void : leave))
      const programs = versionsOf((yield* Programs).all())
      yield* LogEvent.of("joined", { programs, node: id, address, url })(
        Effect.logInfo(`This service is node ${id} of its database, at ${address}, ${versionsText(programs)}`)
      )
      if (!resets.isUnderWay && starting.former === undefined) yield* announce(serving)
    })
  )
}

const reportFiles = (files: Serving["files"]) =>
  Effect.catchCause(Publishing.reportFiles(files), (cause) =>
    Effect.logWarning("The programme files could not be compared", cause)
  )

const logStopping = LogEvent.of("stopping")(Effect.logInfo("Stopping: requests in flight are finished first"))

/** The server's view of the node: absent at first, because the server listens before the database is open. */
const nodeOf = (
  environment: Environment.Environment,
  current: () => Membership["node"] | undefined,
  placement: () => PlacementFacts | undefined,
  isAwaitingStorage: () => boolean,
  isReset: () => boolean
) =>
  Node.of({
    environment,
    role: () => current()?.role() ?? "joining",
    isCurrent: () => current()?.isCurrent() ?? false,
    isAdmitting: () => current()?.isAdmitting() ?? false,
    // A reset ends statements on their way, which leaves durability in doubt, and nobody waits for its end.
    isAwaitingStorage: () => !isReset() && (isAwaitingStorage() || (current()?.isAwaitingStorage() ?? false)),
    placement: () => placement() ?? { partitions: 0, nodes: 0, isComplete: false, unreachable: [] },
    clockFault: () => current()?.clockFault(),
    clockAheadMs: () => current()?.clockAheadMs() ?? 0
  })

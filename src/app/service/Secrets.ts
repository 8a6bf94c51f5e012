/**
 * Secrets whose files are read again while the service runs (contract/configuration.md *Secrets in files*): after SIGHUP, and
 * after PostgreSQL has refused a sign-in. All files are checked as at a start; with a fault everything stays as it was.
 */
import { Effect, Redacted, Result, type Scope } from "effect"
import { isSamePlace } from "../../base/database/Credentials.ts"
import type { Database } from "../../base/database/Database.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import { machineTime } from "../../base/time/Times.ts"
import type { MailOptions } from "../../capabilities/mail/Mail.ts"
import type { ProviderOptions } from "../../capabilities/staff/Provider.ts"
import type { KnownKeys } from "../../desk/access/Keys.ts"
import type { Settings } from "./Settings.ts"
import { urlsOf } from "./Storage.ts"

/** Least time between two reads after refused sign-ins, ms. */
const againMs = 5_000

/** The settings as flags, environment and files have them now; fails with every fault. */
export type Reread = () => Result.Result<Settings, string>

/** Each user of secrets that files hold. */
interface Holders {
  readonly database: Pick<Database["Service"], "credentials" | "lineage">
  readonly keys: KnownKeys
  readonly provider: { -readonly [Name in keyof ProviderOptions]: ProviderOptions[Name] } | undefined
  readonly mail: { -readonly [Name in keyof MailOptions]: MailOptions[Name] } | undefined
}

/** The setting of a database that the service cannot go to while it runs; undefined: there is none. */
const movedFault = (before: Settings, after: Settings): string | undefined => {
  const [one, other] = [before.databaseUrl, after.databaseUrl]
  if (one === undefined || other === undefined) return one === other ? undefined : "DATABASE_URL was set or unset"
  return isSamePlace(one, other) ? undefined : "DATABASE_URL differs in more than its password"
}

/** The texts of the secrets, by the names that the log says. */
const textsOf = (settings: Settings): ReadonlyMap<string, string> =>
  new Map([
    ["DATABASE_URL", urlsOf(settings).map(Redacted.value).join(" ")],
    ["PROTO_TOKEN", Redacted.value(settings.token)],
    ["PROTO_TOKENS", JSON.stringify(settings.tokens)],
    ["PROTO_ADMIN_KEY", Redacted.value(settings.adminKey)],
    ["PROTO_OIDC_CLIENT_SECRET", settings.provider === undefined ? "" : Redacted.value(settings.provider.clientSecret)],
    ["PROTO_SMTP_URL", settings.mail === undefined ? "" : Redacted.value(settings.mail.url)]
  ])

const make = (settings: Settings, reread: Reread, { database, keys, mail, provider }: Holders): Effect.Effect<void> => {
  let current = settings
  return Effect.suspend(() => {
    const read = reread()
    const fault = Result.isFailure(read) ? read.failure : movedFault(current, read.success)
    if (fault !== undefined || Result.isFailure(read))
      return LogEvent.of("secrets_refused", { reason: fault })(
        Effect.logWarning(`The files of secrets were read again and refused; the former secrets stay: ${fault}`)
      )
    const [before, after] = [textsOf(current), textsOf(read.success)]
    const changed = [...after].flatMap(([name, text]) => (before.get(name) === text ? [] : [name]))
    current = read.success
    database.credentials?.replace(urlsOf(current))
    keys.replaceEnvironment(current)
    if (provider !== undefined && current.provider !== undefined) provider.clientSecret = current.provider.clientSecret
    if (mail !== undefined && current.mail !== undefined) mail.url = current.mail.url
    return LogEvent.of("secrets_read", { changed })(
      Effect.logInfo(`The files of secrets were read again; changed: ${changed.join(", ") || "nothing"}`)
    )
  })
}

/** Reads the files again when there is a reason to, until the scope closes. */
export const follow = Effect.fnUntraced(function* (
  settings: Settings,
  reread: Reread,
  holders: Holders
): Effect.fn.Return<void, never, Scope.Scope> {
  const clock = yield* machineTime
  const readAgain = make(settings, reread, holders)
  let readNanos: bigint | undefined
  holders.database.lineage?.onRefused(
    Effect.suspend(() => {
      const now = clock.nanos()
      if (readNanos !== undefined && now - readNanos < BigInt(againMs) * 1_000_000n) return Effect.void
      readNanos = now
      return readAgain
    })
  )
  // At a terminal SIGHUP means that the terminal has gone, and ends the process.
  if (process.stdin.isTTY) return
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const onSignal = () => void fork(readAgain)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", onSignal)),
    () => Effect.sync(() => process.off("SIGHUP", onSignal))
  )
})

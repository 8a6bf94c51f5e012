/**
 * Configuration: one table of all settings with flag, variable and meaning
 * (contract/configuration.md *Variables*). All faults are reported together.
 */
import { Option, Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import { hash } from "node:crypto"
import type { BlockList } from "node:net"
import * as path from "node:path"
import { isSamePlace } from "../../base/database/Credentials.ts"
import type { MailOptions } from "../../capabilities/mail/Mail.ts"
import type { ProviderOptions } from "../../capabilities/staff/Provider.ts"
import type { Site } from "../../capabilities/staff/Site.ts"
import { isForPasskeys, siteOf } from "../../capabilities/staff/Site.ts"
import { strictDecoder } from "../../contract/Decode.ts"
import { Timestamp, toMillis } from "../../contract/Values.ts"
import { residentAccounts } from "../../core/account/Bounds.ts"
import type { Address } from "../../core/cluster/Link.ts"
import type { KeptDays } from "../../core/retention/Kept.ts"
import type { KeyOptions, TokenGrant } from "../../desk/access/Keys.ts"
import { developmentAdminKey, developmentToken } from "../../desk/access/Keys.ts"
import { isLoopbackHost } from "../../desk/access/Sessions.ts"
import { parseProxies } from "../../edge/http/Addresses.ts"
import { parseOrigins } from "../../edge/http/Cors.ts"
import { faultsOf } from "./DatabaseUrl.ts"
import { type Environment, fileVariable, readSecret, secretNames } from "./Environment.ts"
import * as KeptSettings from "./KeptSettings.ts"
import * as MailSettings from "./MailSettings.ts"
import * as NodeAddress from "./NodeAddress.ts"
import * as ProviderSettings from "./ProviderSettings.ts"
import { names, type SettingName } from "./SettingNames.ts"
import * as TokenSettings from "./TokenSettings.ts"

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

/** Why callers reach the service from other machines, as far as its settings tell; undefined: they do not. */
const reachOf = (host: string, publicUrl: string | undefined, hasProxies: boolean): string | undefined => {
  if (!isLoopback(host)) return "HOST is not a loopback address"
  if (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).host))
    return "PROTO_PUBLIC_URL is not of this machine"
  return hasProxies ? "PROTO_TRUSTED_PROXIES names proxies, which pass others' requests on" : undefined
}

/** The database to use. */
export interface Storage {
  readonly databaseUrl: Redacted.Redacted | undefined
  /** The same with the password that comes next. */
  readonly nextDatabaseUrl?: Redacted.Redacted | undefined
  readonly dataDir: string
}

export interface Settings extends Storage {
  /** The programmes' file or folder. */
  readonly programs: string
  readonly programsPublish: boolean
  readonly host: string
  readonly port: number
  readonly token: Redacted.Redacted
  readonly tokens: ReadonlyArray<TokenGrant>
  readonly adminKey: Redacted.Redacted
  /** The admin key may sign in to the console. */
  readonly adminKeyConsole: boolean
  /** Origin of the service for people's browsers; undefined: this machine alone. */
  readonly publicUrl: string | undefined
  /** Origins of other pages that may call the service from browsers. */
  readonly corsOrigins: ReadonlyArray<string>
  /** The company's provider of people; undefined: passkeys alone. */
  readonly provider: ProviderOptions | undefined
  /** The mail server; undefined: no mail is sent. */
  readonly mail: MailOptions | undefined
  readonly writeFreeze: boolean
  readonly seedDemo: boolean
  /** Start of the sandbox's clock, ms; undefined: real time. */
  readonly sandboxClock: number | undefined
  /** The folder with the files of archived spans. */
  readonly archive: string | undefined
  /** Largest difference between the machine's clock and PostgreSQL's, s. */
  readonly clockToleranceSeconds: number
  /** Where other nodes reach this one; port 0: any. */
  readonly nodeAddress: Address
  /** How long a node that has handed over answers 503 before it closes, s. */
  readonly leaveSeconds: number
  /** Most accounts in memory. */
  readonly residentAccounts: number
  /** Requests a minute for one token; undefined: no limit. */
  readonly rateLimit: number | undefined
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: BlockList | undefined
  /** Webhooks may go to addresses that are not public. */
  readonly webhookPrivate: boolean
  readonly keptDays: KeptDays
  readonly logLevel: LogLevelName
  readonly logFormat: "pretty" | "json"
  /** Most log lines of reads a second. */
  readonly logRequestsPerSecond: number
  /** Address of the collector of traces; undefined: no traces. */
  readonly otlpEndpoint: string | undefined
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const
type LogLevelName = (typeof logLevels)[number]

/** The demo programme that comes with the service. */
export const demoProgram = path.join(import.meta.dirname, "..", "demo", "program.demo.json")

const defaultPort = 3210
/** Shortest secret on an address that other machines can reach, characters. */
const minSecretLength = 16

export type Given = { readonly [Name in SettingName]?: string | undefined } & {
  /** The second line of the database URL's file. */
  readonly nextDatabaseUrl?: string | undefined
  /** Faults of the environment itself. */
  readonly faults?: ReadonlyArray<string>
}

const textFlag = (name: SettingName) => {
  const [flag, variable, meaning] = names[name]
  return Flag.optional(
    Flag.withDescription(
      Flag.String(flag),
      `${meaning}; environment ${variable}${secretNames.includes(name) ? `, or ${fileVariable(variable)} with the name of its file` : ""}`
    )
  )
}

/** The flags of `serve`. */
export const flags = {
  host: textFlag("host"),
  port: textFlag("port"),
  databaseUrl: textFlag("databaseUrl"),
  dataDir: textFlag("dataDir"),
  programs: textFlag("programs"),
  programsPublish: Flag.optional(
    Flag.withDescription(
      Flag.Boolean(names.programsPublish[0]),
      `publish the files even over a version that was published another way; environment ${names.programsPublish[1]}`
    )
  ),
  token: textFlag("token"),
  tokens: textFlag("tokens"),
  adminKey: textFlag("adminKey"),
  adminKeyConsole: textFlag("adminKeyConsole"),
  publicUrl: textFlag("publicUrl"),
  corsOrigins: textFlag("corsOrigins"),
  archive: textFlag("archive"),
  oidcIssuer: textFlag("oidcIssuer"),
  oidcClientId: textFlag("oidcClientId"),
  oidcClientSecret: textFlag("oidcClientSecret"),
  oidcRoleClaim: textFlag("oidcRoleClaim"),
  oidcRoleMap: textFlag("oidcRoleMap"),
  smtpUrl: textFlag("smtpUrl"),
  mailFrom: textFlag("mailFrom"),
  writeFreeze: Flag.optional(
    Flag.withDescription(
      Flag.Boolean(names.writeFreeze[0]),
      `start with writes frozen; environment ${names.writeFreeze[1]}`
    )
  ),
  seedDemo: textFlag("seedDemo"),
  sandboxClock: textFlag("sandboxClock"),
  nodeAddress: textFlag("nodeAddress"),
  leaveSeconds: textFlag("leaveSeconds"),
  clockToleranceSeconds: textFlag("clockToleranceSeconds"),
  residentAccounts: textFlag("residentAccounts"),
  rateLimit: textFlag("rateLimit"),
  trustedProxies: textFlag("trustedProxies"),
  webhookPrivate: Flag.optional(
    Flag.withDescription(
      Flag.Boolean(names.webhookPrivate[0]),
      `allow webhooks to addresses that are not public; environment ${names.webhookPrivate[1]}`
    )
  ),
  ...KeptSettings.flags((name) => textFlag(name)),
  logFormat: textFlag("logFormat"),
  logRequestsPerSecond: textFlag("logRequestsPerSecond"),
  otlpEndpoint: textFlag("otlpEndpoint")
}

/** The flags that choose the database, for every command on the journal. */
export const storageFlags = { databaseUrl: flags.databaseUrl, dataDir: flags.dataDir }

/** Omits `--log-level`, which every command has. */
type FlagName = Exclude<SettingName, "logLevel">
type ParsedFlags = { readonly [Name in FlagName]?: Option.Option<string | boolean> }

/** Flags and environment; flags win. */
export const given = (parsed: ParsedFlags, environment: Environment): Given => {
  const faults: Array<string> = []
  let nextDatabaseUrl: string | undefined
  const values = Object.entries(names).map(([name, [, variable]]) => {
    const flag = Option.getOrUndefined(parsed[name as FlagName] ?? Option.none())
    const file = secretNames.includes(name as SettingName) ? environment[fileVariable(variable)] : undefined
    if (flag !== undefined || file === undefined)
      return [name, flag === undefined ? environment[variable] : String(flag)]
    if (environment[variable] !== undefined) faults.push(`${variable} and ${fileVariable(variable)} are both set`)
    const secret = readSecret(fileVariable(variable), file)
    if (Result.isFailure(secret)) faults.push(secret.failure)
    const text = Result.getOrUndefined(secret)
    if (name !== "databaseUrl") return [name, text]
    const [first, ...others] = text?.split(/\r?\n/) ?? []
    if (others.length > 1) faults.push(`${fileVariable(variable)} names ${file}, which has more than two lines`)
    nextDatabaseUrl = others[0]
    return [name, first]
  })
  return { ...Object.fromEntries(values), nextDatabaseUrl, ...(faults.length === 0 ? undefined : { faults }) }
}

const Instant = strictDecoder(Timestamp)

class Reader {
  readonly faults: Array<string> = []
  private readonly values: Given

  constructor(values: Given) {
    this.values = values
    this.faults.push(...(values.faults ?? []))
  }

  fault(name: SettingName, message: string): void {
    const [flag, variable] = names[name]
    this.faults.push(`${variable} (--${flag}) ${message}`)
  }

  text(name: SettingName): string | undefined {
    return this.values[name]
  }

  /** The second line of the database URL's file: the same address with the next password. */
  nextDatabaseUrl(databaseUrl: string): Redacted.Redacted | undefined {
    const next = this.values.nextDatabaseUrl
    if (next === undefined) return undefined
    const faults = faultsOf(next)
    const [url, present] = [Redacted.make(next), Redacted.make(databaseUrl)]
    if (faults.length === 0 && faultsOf(databaseUrl).length === 0 && isSamePlace(url, present)) return url
    const fault = faults[0] ?? "must differ from the first one by its password alone"
    this.fault("databaseUrl", `has a second line in its file, which ${fault}`)
    return undefined
  }

  boolean(name: SettingName, otherwise: boolean): boolean {
    const text = this.values[name]
    if (text === undefined) return otherwise
    if (text !== "true" && text !== "false") this.fault(name, "must be true or false")
    return text === "true"
  }

  choice<A extends string>(name: SettingName, choices: ReadonlyArray<A>, otherwise: A): A {
    const text = this.values[name]
    const found = choices.find((choice) => choice === text)
    if (text !== undefined && found === undefined) this.fault(name, `must be one of ${choices.join(", ")}`)
    return found ?? otherwise
  }

  integer(name: SettingName, low: number, high: number, otherwise: number): number {
    return this.optionalInteger(name, low, high) ?? otherwise
  }

  optionalInteger(name: SettingName, low: number, high: number): number | undefined {
    const text = this.values[name]
    if (text === undefined) return undefined
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= low && value <= high)) this.fault(name, `must be a whole number from ${low} to ${high}`)
    return value
  }

  instant(name: SettingName): number | undefined {
    const text = this.values[name]
    if (text === undefined) return undefined
    if (Result.isFailure(Instant(text))) this.fault(name, "must be a date-time such as 2026-07-14T10:00:00Z")
    return toMillis(text)
  }

  address(name: SettingName): string | undefined {
    const text = this.values[name]
    if (text !== undefined && !(/^https?:\/\//.test(text) && URL.canParse(text)))
      this.fault(name, "must be an address such as http://127.0.0.1:4318")
    return text
  }

  /** Browsers make passkeys for names alone, over TLS, or on this machine. */
  publicUrl(): string | undefined {
    const text = this.values.publicUrl
    if (text === undefined) return undefined
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url !== undefined && url.href === `${url.origin}/` && isForPasskeys(url)) return url.origin
    this.fault(
      "publicUrl",
      `must be https, a host name, and nothing behind it, such as https://points.example.com, not ${JSON.stringify(text)}; ` +
        "http is for localhost alone"
    )
    return undefined
  }

  origins(): ReadonlyArray<string> {
    const parsed = parseOrigins(this.values.corsOrigins)
    if (Result.isFailure(parsed)) this.fault("corsOrigins", parsed.failure)
    return Result.getOrElse(parsed, () => [])
  }

  nodeAddress(): Address {
    const text = this.values.nodeAddress ?? "127.0.0.1"
    const address = NodeAddress.parse(text)
    if (address === undefined)
      this.fault(
        "nodeAddress",
        `must be a loopback or private address, with or without a port, not ${JSON.stringify(text)}`
      )
    return address ?? { host: "127.0.0.1", port: 0 }
  }

  proxies(): BlockList | undefined {
    const text = this.values.trustedProxies
    if (text === undefined) return undefined
    const parsed = parseProxies(text)
    if (Result.isSuccess(parsed)) return parsed.success
    this.fault("trustedProxies", `must be addresses or ranges; ${JSON.stringify(parsed.failure)} is neither`)
    return undefined
  }

  /** `reach`: why others than this machine reach the service; undefined: they do not. */
  secret(name: "token" | "adminKey", development: string, reach: string | undefined): Redacted.Redacted {
    const text = this.values[name] ?? development
    if (reach !== undefined && (text === development || text.length < minSecretLength)) {
      const fault =
        this.values[name] === undefined
          ? `must be set, to a secret of at least ${minSecretLength} characters`
          : text === development
            ? "is the public development secret; set another one"
            : `must be a secret of at least ${minSecretLength} characters`
      this.fault(name, `${fault}: ${reach}`)
    }
    return Redacted.make(text)
  }
}

const storageOf = (reader: Reader): Storage => {
  const databaseUrl = reader.text("databaseUrl")
  if (databaseUrl !== undefined) {
    for (const fault of faultsOf(databaseUrl)) reader.fault("databaseUrl", fault)
  }
  return {
    databaseUrl: databaseUrl === undefined ? undefined : Redacted.make(databaseUrl),
    nextDatabaseUrl: databaseUrl === undefined ? undefined : reader.nextDatabaseUrl(databaseUrl),
    dataDir: reader.text("dataDir") ?? ".data"
  }
}

/** The keys of the environment; fails with every fault on a line of its own. */
export const readKeys = (values: Given): Result.Result<KeyOptions, string> => {
  const reader = new Reader(values)
  const keys = {
    token: reader.secret("token", developmentToken, undefined),
    tokens: TokenSettings.read(values.tokens, (message) => reader.fault("tokens", message)),
    adminKey: reader.secret("adminKey", developmentAdminKey, undefined)
  }
  return reader.faults.length > 0 ? Result.fail(reader.faults.join("\n")) : Result.succeed(keys)
}

/** The site that invitations of a command lead to, as a service of the same environment has it. */
export const readSite = (values: Given): Result.Result<Site, string> => {
  const reader = new Reader(values)
  const site = siteOf(reader.publicUrl(), reader.integer("port", 0, 65_535, defaultPort), true)
  return reader.faults.length > 0 ? Result.fail(reader.faults.join("\n")) : Result.succeed(site)
}

/** Reads the settings of commands on the journal; fails with every fault on a line of its own. */
export const readStorage = (values: Given): Result.Result<Storage, string> => {
  const reader = new Reader(values)
  const storage = storageOf(reader)
  return reader.faults.length > 0 ? Result.fail(reader.faults.join("\n")) : Result.succeed(storage)
}

/** Reads all settings; fails with every fault on a line of its own. */
export const read = (values: Given, isTerminal: boolean): Result.Result<Settings, string> => {
  const reader = new Reader(values)
  const host = reader.text("host") ?? "127.0.0.1"
  const publicUrl = reader.publicUrl()
  const trustedProxies = reader.proxies()
  const reach = reachOf(host, publicUrl, trustedProxies !== undefined)
  const storage = storageOf(reader)
  const programs = reader.text("programs") ?? demoProgram
  if (storage.databaseUrl !== undefined && reader.text("databaseUrl") !== "" && reader.text("programs") === undefined) {
    reader.fault("programs", "must be set with DATABASE_URL: the demo programme is only for the embedded database")
  }
  const settings: Settings = {
    ...storage,
    programs,
    programsPublish: reader.boolean("programsPublish", false),
    host,
    port: reader.integer("port", 0, 65_535, defaultPort),
    token: reader.secret("token", developmentToken, reach),
    tokens: TokenSettings.read(values.tokens, (message) => reader.fault("tokens", message)),
    adminKey: reader.secret("adminKey", developmentAdminKey, reach),
    adminKeyConsole: reader.boolean("adminKeyConsole", true),
    publicUrl,
    corsOrigins: reader.origins(),
    provider: ProviderSettings.read(values, (name, message) => reader.fault(name, message)),
    mail: MailSettings.read(values, (name, message) => reader.fault(name, message)),
    writeFreeze: reader.boolean("writeFreeze", false),
    seedDemo: reader.boolean("seedDemo", programs === demoProgram && storage.databaseUrl === undefined),
    sandboxClock: reader.instant("sandboxClock"),
    archive: reader.text("archive"),
    nodeAddress: reader.nodeAddress(),
    leaveSeconds: reader.integer("leaveSeconds", 0, 5, 3),
    clockToleranceSeconds: reader.integer("clockToleranceSeconds", 1, 3600, 30),
    residentAccounts: reader.integer("residentAccounts", 1, 10_000_000, residentAccounts),
    rateLimit: reader.optionalInteger("rateLimit", 1, 10_000_000),
    trustedProxies,
    webhookPrivate: reader.boolean("webhookPrivate", false),
    keptDays: KeptSettings.read((...of) => reader.integer(...of)),
    logLevel: reader.choice("logLevel", logLevels, "info"),
    logFormat: reader.choice("logFormat", ["pretty", "json"], isTerminal ? "pretty" : "json"),
    logRequestsPerSecond: reader.integer("logRequestsPerSecond", 0, 1_000_000, 100),
    otlpEndpoint: reader.address("otlpEndpoint")
  }
  const admin = Redacted.value(settings.adminKey)
  const digest = hash("sha256", admin)
  if (
    Redacted.value(settings.token) === admin ||
    settings.tokens.some((each) => each.token_sha256.toLowerCase() === digest)
  )
    reader.fault("adminKey", "must differ from every token, or anyone with that token would be an operator")
  return reader.faults.length > 0 ? Result.fail(reader.faults.join("\n")) : Result.succeed(settings)
}

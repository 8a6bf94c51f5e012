/**
 * Every valid key: the admin key, the tokens of the environment, the issued
 * tokens, and the people who may sign in. They are in memory, so that checking one
 * needs no database. `KeyStore` keeps issued tokens and people current.
 */
import { Context, Effect, Layer, Redacted, Schema, Semaphore } from "effect"
import { hash, scryptSync, timingSafeEqual } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { optional } from "../../base/database/Values.ts"
import { type MachineTime, machineTime } from "../../base/time/Times.ts"
import { limitsIn, type RestaurantLimits } from "../../contract/RestaurantLimits.ts"
import type { Role } from "../../contract/Roles.ts"
import { roles, scopesOf } from "../../contract/Roles.ts"
import type { Scope } from "../../contract/Scopes.ts"
import { scopes, wholeScopes } from "../../contract/Scopes.ts"
import { type PlaceFacts, Restaurants } from "../../core/protocol/Restaurants.ts"
import * as Bounds from "./Bounds.ts"
import type { KeyCaller } from "./CurrentCaller.ts"
import { RateLimit } from "./RateLimit.ts"
import { networkOf, WrongKeys } from "./WrongKeys.ts"

/** The secrets of trials, for loopback addresses alone. */
export const developmentToken = "proto-dev-token"
export const developmentAdminKey = "proto-dev-admin-key"

/** A configured token: its hash, never the token. */
export interface TokenGrant {
  /** 64 hexadecimal digits. */
  readonly token_sha256: string
  readonly scopes: ReadonlyArray<Scope>
  /** Absent: all programmes. */
  readonly programs?: ReadonlyArray<string>
  /** Absent: `token-` and the first 8 digits of the hash. */
  readonly name?: string
}

export interface KeyOptions {
  /** The sandbox token. */
  readonly token: Redacted.Redacted
  readonly tokens: ReadonlyArray<TokenGrant>
  readonly adminKey: Redacted.Redacted
  /** Requests a minute for one token; undefined: no limit. */
  readonly rateLimit?: number | undefined
}

/** The caller of a key: one object for each key while the key is valid. */
export interface Known extends KeyCaller {
  /** True if the key was used since its last use was stored. */
  isUsed: boolean
}

const storedLimits = {
  location_ids: optional(Schema.Array(Schema.String)),
  franchisee_ids: optional(Schema.Array(Schema.String)),
  brand_ids: optional(Schema.Array(Schema.String))
}

const restaurantsOf = (of: RestaurantLimits, places: ReadonlyArray<PlaceFacts>): Restaurants | undefined => {
  const limits = limitsIn(of)
  return limits === undefined ? undefined : new Restaurants(limits, places)
}

/** A secret of an issued token, as `KeyStore` reads it. */
export const StoredSecret = Schema.Struct({
  /** SHA-256, hexadecimal. */
  hash: Schema.String,
  tokenId: Schema.String,
  name: Schema.String,
  scopes: Schema.Array(Schema.Literals(scopes)),
  programs: optional(Schema.Array(Schema.String)),
  ...storedLimits,
  /** When a rotated secret ends, ms; undefined: it does not end. */
  endsAt: optional(Schema.Number),
  expiresAt: optional(Schema.Number)
})
export type StoredSecret = typeof StoredSecret.Type

/** An active user, as `KeyStore` reads it. */
export const StoredUser = Schema.Struct({
  userId: Schema.String,
  name: Schema.String,
  email: Schema.String,
  role: Schema.Literals(roles),
  programs: optional(Schema.Array(Schema.String)),
  ...storedLimits
})
export type StoredUser = typeof StoredUser.Type

/** A person who may sign in. */
export interface KnownUser extends Known {
  readonly kind: "user"
  readonly role: Role
  readonly email: string
}

type Still = Pick<KeyCaller, "keyId" | "kind" | "restaurants" | "tokenId">

/** A token's first use from an address since the service began. */
export interface Use {
  readonly key: Known
  readonly network: string
  readonly requestId: string
  readonly at: number
}

/** A request with an unknown token that waits for the database, ms at most `until`. */
interface Asking {
  readonly done: () => void
  readonly until: number
}

export const rootId = "root"

/** A token that was issued here: 256 random bits. */
const ourToken = /^lot_[\w-]{43}$/

export const digestOf = (key: string): Buffer => hash("sha256", key, "buffer")

const environmentId = (grant: TokenGrant): string => `env-${grant.token_sha256.slice(0, 16).toLowerCase()}`

interface EnvironmentKey {
  readonly digest: Buffer
  readonly caller: Known
}

const environmentKey = (grant: TokenGrant): EnvironmentKey => ({
  digest: Buffer.from(grant.token_sha256, "hex"),
  caller: {
    kind: "token",
    keyId: environmentId(grant),
    name: grant.name ?? `token-${grant.token_sha256.slice(0, 8).toLowerCase()}`,
    scopes: new Set(grant.scopes),
    programs: grant.programs === undefined ? undefined : new Set(grant.programs),
    isUsed: false
  }
})

/** The sandbox token: all surfaces except the operators', all programmes. */
const sandboxGrant = (token: string): TokenGrant => ({
  token_sha256: digestOf(token).toString("hex"),
  scopes: ["protocol:read", "protocol:write", "platform:read", "platform:write", "metrics:read"],
  name: "sandbox"
})

const environmentKeys = (token: Redacted.Redacted, tokens: ReadonlyArray<TokenGrant>): ReadonlyArray<EnvironmentKey> =>
  [sandboxGrant(Redacted.value(token)), ...tokens].map(environmentKey)

export class KnownKeys {
  /** Raised whenever a key may have ended. A connection's remembered key is only valid within one generation. */
  generation = 0
  environment: ReadonlyArray<EnvironmentKey>
  readonly wrong: WrongKeys
  readonly rateLimit: RateLimit | undefined
  private readonly clock: MachineTime
  private rootDigest: Buffer
  private readonly root: Known
  private rootKey: Redacted.Redacted
  private rootScrypt: Buffer | undefined = undefined
  private issued = new Map<string, { readonly caller: Known; readonly endsAt: number }>()
  private users = new Map<string, KnownUser>()
  /** Set by `forget`. */
  mustRead = false
  /** Reads of the issued tokens, one after another: an earlier one must not replace what a later one has read. */
  readonly reads = Semaphore.makeUnsafe(1)
  /** Lookups that wait for a comparison with the database. */
  private readonly asking = new Set<Asking>()
  private onAsked: (() => void) | undefined
  private nextEnd = Number.POSITIVE_INFINITY
  private seen = new Set<string>()
  private uses: Array<Use> = []

  constructor({ adminKey, rateLimit, token, tokens }: KeyOptions, clock: MachineTime) {
    this.clock = clock
    this.wrong = new WrongKeys(clock)
    this.rateLimit = rateLimit === undefined ? undefined : new RateLimit(rateLimit, clock)
    this.environment = environmentKeys(token, tokens)
    this.rootKey = adminKey
    this.rootDigest = digestOf(Redacted.value(adminKey))
    this.root = {
      kind: "root",
      keyId: rootId,
      name: "root",
      // It makes the first owner.
      scopes: new Set<Scope>([...wholeScopes, "staff:read", "staff:write"]),
      programs: undefined,
      isUsed: false
    }
  }

  now(): number {
    return this.clock.now()
  }

  /** Replaces the keys of the environment. A token that stays keeps its object, and with it the count of its rate limit. */
  replaceEnvironment({ adminKey, token, tokens }: Pick<KeyOptions, "adminKey" | "token" | "tokens">): void {
    const before = this.environment
    this.environment = environmentKeys(token, tokens).map(
      (key) =>
        before.find((other) =>
          isDeepStrictEqual(other, { ...key, caller: { ...key.caller, isUsed: other.caller.isUsed } })
        ) ?? key
    )
    this.rootKey = adminKey
    this.rootDigest = digestOf(Redacted.value(adminKey))
    this.rootScrypt = undefined
    // Tokens that a token of the environment has issued end with it.
    this.mustRead = true
    this.generation++
  }

  /** The caller of a token, by the token's SHA-256. Compares with every token of the environment, for constant time. */
  token(digest: Buffer): Known | undefined {
    let found: Known | undefined
    for (const key of this.environment) if (timingSafeEqual(key.digest, digest)) found ??= key.caller
    if (found !== undefined) return found
    const issued = this.issued.get(digest.toString("hex"))
    return issued !== undefined && this.now() < issued.endsAt ? issued.caller : undefined
  }

  /** The caller of the admin key or of a token. */
  adminKey(digest: Buffer): Known | undefined {
    return timingSafeEqual(this.rootDigest, digest) ? this.root : this.token(digest)
  }

  /** Hash of a key for a session's row. For the admin key it is a slow hash, because a person may have chosen the key. */
  sessionHash(caller: Known, digest: Buffer): Buffer {
    return caller.keyId === rootId ? this.rootHash() : digest
  }

  /** The key that opened a session; undefined if the key has ended. */
  ofSession(keyHash: Buffer): Known | undefined {
    return this.token(keyHash) ?? (timingSafeEqual(this.rootHash(), keyHash) ? this.root : undefined)
  }

  /** True while a caller that was found earlier may go on: its token or person is still there, with the same restaurants. */
  isStill({ keyId, kind, restaurants, tokenId }: Still): boolean {
    if (kind === "user" || tokenId !== undefined) {
      const now = kind === "user" ? this.users.get(keyId) : this.issuedById().get(tokenId ?? keyId)
      return now !== undefined && isDeepStrictEqual(now.restaurants, restaurants)
    }
    return keyId === rootId || this.environment.some(({ caller }) => caller.keyId === keyId)
  }

  private byId: { readonly generation: number; readonly found: ReadonlyMap<string, Known> } | undefined

  /** Made once for each generation: thousands of open streams ask. */
  private issuedById(): ReadonlyMap<string, Known> {
    const { generation } = this
    if (this.byId?.generation !== generation) {
      const now = this.now()
      const valid = [...this.issued.values()].filter(({ endsAt }) => now < endsAt)
      this.byId = { generation, found: new Map(valid.map(({ caller }) => [caller.keyId, caller])) }
    }
    return this.byId.found
  }

  /** The person with this id who may sign in now. */
  user(userId: string): KnownUser | undefined {
    return this.users.get(userId)
  }

  /** True if an owner may sign in who is limited to no programme and no restaurant, and so may change people. */
  hasOwner(): boolean {
    return [...this.users.values()].some(
      ({ programs, restaurants, role }) => role === "owner" && programs === undefined && restaurants === undefined
    )
  }

  /** Replaces the people who may sign in. `places`: the locations that have a franchisee or a brand. */
  replaceUsers(users: ReadonlyArray<StoredUser>, places: ReadonlyArray<PlaceFacts>): void {
    this.users = new Map(
      users.map(({ email, name, programs, role, userId, ...limits }) => [
        userId,
        {
          kind: "user",
          keyId: userId,
          name,
          email,
          role,
          scopes: scopesOf(role),
          programs: programs === undefined ? undefined : new Set(programs),
          // A franchisee whose restaurants nobody has told, as one of a provider, has none.
          restaurants: restaurantsOf(limitsIn(limits) ?? (role === "franchisee" ? { location_ids: [] } : {}), places),
          isUsed: false
        }
      ])
    )
  }

  private rootHash(): Buffer {
    this.rootScrypt ??= scryptSync(Redacted.value(this.rootKey), "lotbook session", 32)
    return this.rootScrypt
  }

  /**
   * Replaces the issued tokens. A known token keeps its object, and with it the count of its rate limit, unless its
   * restaurants are others now. `places`: the locations that have a franchisee or a brand.
   */
  replaceIssued(secrets: ReadonlyArray<StoredSecret>, places: ReadonlyArray<PlaceFacts>): void {
    const before = new Map([...this.issued.values()].map(({ caller }) => [caller.keyId, caller]))
    const next: typeof this.issued = new Map()
    this.nextEnd = Number.POSITIVE_INFINITY
    for (const secret of secrets) {
      const { expiresAt, name, programs, tokenId } = secret
      const restaurants = restaurantsOf(secret, places)
      const known = before.get(tokenId)
      const caller: Known =
        known !== undefined && isDeepStrictEqual(known.restaurants, restaurants)
          ? known
          : {
              kind: "token",
              keyId: tokenId,
              tokenId,
              name,
              scopes: new Set(secret.scopes),
              programs: programs === undefined ? undefined : new Set(programs),
              ...(restaurants === undefined ? undefined : { restaurants }),
              expiresAt,
              isUsed: false
            }
      before.set(tokenId, caller)
      const endsAt = Math.min(secret.endsAt ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY)
      next.set(secret.hash, { caller, endsAt })
      this.nextEnd = Math.min(this.nextEnd, endsAt)
    }
    this.issued = next
    this.mustRead = false
    this.generation++
  }

  /**
   * True for a key that others' wrong keys from its address do not stop: it has the form of a token of ours, which nobody
   * guesses, or it was right from there within a day.
   */
  isSpared(address: string, key: string, digest: Buffer): boolean {
    return ourToken.test(key) || this.wrong.isKnownFrom(address, digest.toString("hex"))
  }

  /** Notes where a key that people chose was right. */
  wasRight({ tokenId }: Known, address: string, digest: Buffer): void {
    if (tokenId === undefined) this.wrong.wasRight(address, digest.toString("hex"))
  }

  /**
   * Calls `done` once the issued tokens are those that the database had after this call, or it does not answer: another
   * node may have issued the token of a digest just now. False: it is known, known to be wrong, or cannot be looked for.
   */
  ask(address: string, digest: Buffer, done: () => void): boolean {
    // A blocked address looks for tokens of ours alone, and leaves room for other addresses.
    const places = this.wrong.blockedFor(address) > 0 ? Bounds.maxAskedKeys / 2 : Bounds.maxAskedKeys
    if (this.onAsked === undefined || this.asking.size >= places) return false
    if (this.adminKey(digest) !== undefined || this.wrong.hasCounted(address, digest.toString("hex"))) return false
    this.asking.add({ done, until: this.now() + Bounds.askedKeyMs })
    this.onAsked()
    return true
  }

  /** Calls the listener when there is something to look for; undefined: nobody looks any more. */
  listen(listener: (() => void) | undefined): void {
    this.onAsked = listener
    if (listener === undefined) this.answer([...this.asking])
  }

  /** Lookups that a look beginning now will answer. */
  asked(): ReadonlyArray<Asking> {
    return [...this.asking]
  }

  answer(asked: ReadonlyArray<Asking>): void {
    for (const one of asked) if (this.asking.delete(one)) one.done()
  }

  /** Makes the next poll read the tokens again. */
  forget(): void {
    this.mustRead = true
  }

  /** Removes the secrets that have ended, and answers what has waited for too long. */
  endDue(): void {
    const now = this.now()
    this.answer(this.asked().filter(({ until }) => until <= now))
    if (now < this.nextEnd) return
    this.nextEnd = Number.POSITIVE_INFINITY
    for (const [key, { endsAt }] of this.issued) {
      if (endsAt <= now) this.issued.delete(key)
      else this.nextEnd = Math.min(this.nextEnd, endsAt)
    }
    this.generation++
  }

  /** Notes that a key was used from an address. If the address is new for it, `takeUses` returns the use. */
  used(key: Known, address: string, requestId: string): void {
    key.isUsed = true
    const network = networkOf(address)
    const name = `${key.keyId} ${network}`
    if (this.seen.has(name) || this.uses.length >= Bounds.maxWaitingUses) return
    if (this.seen.size >= Bounds.maxKnownUses) this.seen.clear()
    this.seen.add(name)
    this.uses.push({ key, network, requestId, at: this.now() })
  }

  takeUses(): ReadonlyArray<Use> {
    const taken = this.uses
    this.uses = []
    return taken
  }

  /** Puts back uses that could not be stored. */
  keepUses(uses: ReadonlyArray<Use>): void {
    this.uses.unshift(...uses)
  }

  issuedCallers(): ReadonlySet<Known> {
    return new Set([...this.issued.values()].map(({ caller }) => caller))
  }
}

export class Keys extends Context.Service<Keys, KnownKeys>()("lotbook/desk/access/Keys") {
  static readonly layer = (options: KeyOptions): Layer.Layer<Keys> =>
    Layer.effect(
      Keys,
      Effect.map(machineTime, (clock) => new KnownKeys(options, clock))
    )
}

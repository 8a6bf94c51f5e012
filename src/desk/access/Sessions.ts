/**
 * Sessions by cookie (contract/operators.md *Sessions*). The table has them for all nodes and over a restart; a node
 * keeps those in memory that came to it, and `KeyStore` looks for changes by other nodes.
 */
import { Context, Effect, Layer } from "effect"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { sessionCookie } from "../../contract/Access.ts"
import * as Bounds from "./Bounds.ts"
import type { CallerSession } from "./CurrentCaller.ts"
import type { Known, KnownKeys } from "./Keys.ts"
import { digestOf, Keys } from "./Keys.ts"

export interface SessionRow {
  /** SHA-256 of the id, hexadecimal. */
  readonly hash: string
  /** Of a person's session zeros, which are no key's hash: nodes of 0.2.0 read it too. */
  readonly keyHash: Buffer
  /** The user of the session; undefined: it is a key's. */
  readonly userId?: string | undefined
  /** When it ends unless the provider that signed in confirms it again, ms; undefined: by its age alone. */
  endsAt?: number | undefined
  /** ms */
  readonly beganAt: number
  seenAt: number
}

interface Session extends SessionRow {
  /** Scopes of the session's key or person, and the object that they were made of. */
  caller: Known | undefined
  of: Known | undefined
  storedSeenAt: number
}

/** The hash of a session's key if a person signed in. */
export const noKey = Buffer.alloc(32)

/** A session that a request's cookie names. */
export interface FoundSession extends CallerSession {
  readonly caller: Known
}

/** Derived from the session's id, so that a reloaded page gets the same token. The id cannot be computed from it. */
export const csrfTokenOf = (id: string): string => createHmac("sha256", id).update("csrf").digest("base64url")

/** Compares secrets of any length in constant time. */
export const isSame = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b))

const callerOf = (key: Known): Known => ({ ...key, kind: key.kind === "user" ? "user" : "session" })

export class KnownSessions {
  private readonly keys: KnownKeys
  private readonly sessions = new Map<string, Session>()
  /** Sessions that had to go for newer ones. */
  private ended: Array<string> = []
  /** Lookups that wait for the database, by the hash of the id that they came with. */
  private asked = new Map<string, Array<() => void>>()
  private askedCount = 0
  private news: (() => void) | undefined

  constructor(keys: KnownKeys) {
    this.keys = keys
  }

  /** True if the session of an id need not be looked for. */
  isKnown(id: string): boolean {
    return this.sessions.has(digestOf(id).toString("hex"))
  }

  /** Calls `done` once the database was asked for the session of an id. False: it cannot be asked now. */
  ask(id: string, done: () => void): boolean {
    if (this.news === undefined || this.askedCount >= Bounds.maxAskedSessions) return false
    const hash = digestOf(id).toString("hex")
    this.asked.set(hash, [...(this.asked.get(hash) ?? []), done])
    this.askedCount++
    this.news()
    return true
  }

  /** Calls the listener when there is something to look for; undefined: nobody looks any more. */
  onAsked(listener: (() => void) | undefined): void {
    this.news = listener
    if (listener === undefined) this.look().answer([])
  }

  /** The sessions to look for. `answer` gets those that there are; undefined: the database does not say. */
  look(): {
    readonly hashes: ReadonlyArray<string>
    readonly answer: (rows: ReadonlyArray<SessionRow> | undefined) => void
  } {
    const { asked } = this
    this.asked = new Map()
    this.askedCount = 0
    const hashes = new Set([...this.sessions.keys(), ...asked.keys()])
    const answer = (rows: ReadonlyArray<SessionRow> | undefined): void => {
      if (rows !== undefined) this.update(rows, hashes, asked)
      for (const waiting of asked.values()) for (const done of waiting) done()
    }
    return { hashes: [...hashes], answer }
  }

  /** Takes over rows of the sessions that were looked for. Those without a row have ended. */
  private update(
    rows: ReadonlyArray<SessionRow>,
    hashes: ReadonlySet<string>,
    asked: { readonly has: (hash: string) => boolean }
  ): void {
    const found = new Set(rows.map(({ hash }) => hash))
    for (const hash of hashes) if (!found.has(hash)) this.sessions.delete(hash)
    for (const row of rows) {
      const session = this.sessions.get(row.hash)
      // Another node may have heard from it last.
      if (session !== undefined) {
        session.seenAt = Math.max(session.seenAt, row.seenAt)
        session.endsAt = row.endsAt
      }
      // A session that nobody asks for has ended here while the database was read.
      else if (asked.has(row.hash)) this.add(row)
    }
  }

  /** Makes a session for a key or a person. Only the answer's cookie contains its id. */
  begin(of: Pick<SessionRow, "keyHash" | "userId" | "endsAt">): { readonly id: string; readonly row: SessionRow } {
    const id = randomBytes(32).toString("base64url")
    const now = this.keys.now()
    const row = { ...of, hash: digestOf(id).toString("hex"), beganAt: now, seenAt: now }
    return { id, row }
  }

  add(row: SessionRow): void {
    const [oldest] = this.sessions.keys()
    if (this.sessions.size >= Bounds.maxSessions && oldest !== undefined) {
      this.end(oldest)
      this.ended.push(oldest)
    }
    this.sessions.set(row.hash, { ...row, caller: undefined, of: undefined, storedSeenAt: row.seenAt })
  }

  /** True while a session that was found earlier goes on. */
  isOpen(hash: string): boolean {
    const session = this.sessions.get(hash)
    return session !== undefined && !this.isOver(session, this.keys.now())
  }

  /** Forgets a session. The table has it until it is deleted there. */
  end(hash: string): void {
    this.sessions.delete(hash)
  }

  private holderOf({ keyHash, userId }: Session): Known | undefined {
    return userId === undefined ? this.keys.ofSession(keyHash) : this.keys.user(userId)
  }

  /** The session of an id if the session and its key or person are still valid. Finding it counts as activity. */
  find(id: string): FoundSession | undefined {
    const hash = digestOf(id).toString("hex")
    const session = this.sessions.get(hash)
    if (session === undefined) return undefined
    const now = this.keys.now()
    const key = this.isOver(session, now) ? undefined : this.holderOf(session)
    if (key === undefined) {
      this.end(hash)
      return undefined
    }
    session.seenAt = now
    key.isUsed = true
    const caller = session.of === key && session.caller !== undefined ? session.caller : callerOf(key)
    session.caller = caller
    session.of = key
    return {
      hash,
      caller,
      csrfToken: csrfTokenOf(id),
      expiresAt: Math.min(session.beganAt + Bounds.sessionAgeMs, session.endsAt ?? Number.POSITIVE_INFINITY)
    }
  }

  private isOver({ beganAt, endsAt = Number.POSITIVE_INFINITY, seenAt }: Session, now: number): boolean {
    return now >= endsAt || now >= beganAt + Bounds.sessionAgeMs || now >= seenAt + Bounds.sessionIdleMs
  }

  /**
   * The changes that are not stored yet: sessions that had to go, and the last activity of others. What is over is only
   * forgotten: another node may have heard from it since.
   */
  takeNews(): { readonly ended: ReadonlyArray<string>; readonly seen: ReadonlyArray<SessionRow> } {
    const now = this.keys.now()
    const seen: Array<SessionRow> = []
    for (const session of this.sessions.values()) {
      if (this.isOver(session, now)) this.end(session.hash)
      else if (session.seenAt >= session.storedSeenAt + Bounds.lastUsedMs) {
        session.storedSeenAt = session.seenAt
        seen.push(session)
      }
    }
    const { ended } = this
    this.ended = []
    return { ended, seen }
  }

  /** Puts back ended sessions that could not be stored. */
  keepEnded(ended: ReadonlyArray<string>): void {
    this.ended.push(...ended)
  }
}

export class Sessions extends Context.Service<Sessions, KnownSessions>()("lotbook/desk/access/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Keys> = Layer.effect(
    Sessions,
    Effect.map(Keys, (keys) => new KnownSessions(keys))
  )
}

/** True if a `Host` header names the local machine, for which browsers accept cookies without TLS. */
export const isLoopbackHost = (host: string | undefined): boolean => {
  const name = (host ?? "").replace(/:\d+$/, "").toLowerCase()
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name)
}

/** The cookie's name. With the prefix `__Host-`, browsers accept it only from this host and over TLS. */
const cookieName = (host: string | undefined): string => (isLoopbackHost(host) ? "lotbook_session" : sessionCookie)

const attributesOf = (host: string | undefined): string =>
  `Path=/; HttpOnly; SameSite=Strict${isLoopbackHost(host) ? "" : "; Secure"}`

export const cookieOf = (host: string | undefined, id: string): string =>
  `${cookieName(host)}=${id}; Max-Age=${Bounds.sessionAgeMs / 1_000}; ${attributesOf(host)}`

export const endedCookie = (host: string | undefined): string =>
  `${cookieName(host)}=; Max-Age=0; ${attributesOf(host)}`

/** The session's id in a `Cookie` header. */
export const sessionIdIn = (host: string | undefined, header: string | undefined): string | undefined =>
  idIn(cookieName(host), header)

/** The id in the cookie of a name; undefined if there are several cookies of the name. */
export const idIn = (name: string, header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  const start = `${name}=`
  const found = header.split(/; */).filter((cookie) => cookie.startsWith(start))
  const [only] = found
  const id = found.length === 1 ? only?.slice(start.length) : undefined
  return id === undefined || !/^[\w-]{43}$/.test(id) ? undefined : id
}

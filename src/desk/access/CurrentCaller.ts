/** Caller of the request that a handler of a surface beside the hot path answers. */
import { Context } from "effect"
import type { Role } from "../../contract/Roles.ts"
import type { Said } from "../../contract/Said.ts"
import { said } from "../../contract/Said.ts"
import type { Caller } from "../../core/protocol/Handler.ts"

/**
 * How a caller was authenticated: by the admin key, a token, the cookie of a session that a key opened, or that of a
 * person; or it is a guest. A command on the database is the system's.
 */
type CallerKind = "root" | "token" | "session" | "user" | "guest" | "system"

/** A caller with its key. */
export interface KeyCaller extends Caller {
  readonly kind: CallerKind
  /** `root`, `env-…`, or the id of an issued token or of a user. */
  readonly keyId: string
  /** Of a token that was issued here; of a session, the token that it was opened with. */
  readonly tokenId?: string | undefined
  /** The role of a person; undefined: a key. */
  readonly role?: Role | undefined
  /** When the key ends, ms; undefined: it does not. */
  readonly expiresAt?: number | undefined
}

/** The caller as the subject of a refusal. */
export const subjectOf = ({ kind }: Pick<KeyCaller, "kind">): string => (kind === "user" ? "Your account" : "The token")

type Limited = Pick<Caller, "programs">

/** True if the caller may use this programme. */
export const mayUse = ({ programs }: Limited, id: string): boolean => programs === undefined || programs.has(id)

/** True if the caller may use a thing of all these programmes; `ids` undefined: of every programme. */
export const mayUseAll = ({ programs }: Limited, ids: ReadonlyArray<string> | undefined): boolean =>
  programs === undefined || (ids?.every((id) => programs.has(id)) ?? false)

/** The reason why a caller that is limited to other programmes is refused. */
export const otherProgram = (caller: Pick<KeyCaller, "kind">, program: string): Said =>
  caller.kind === "user"
    ? said`Your account is not for programme ${program}.`
    : said`The token is not for programme ${program}.`

/** The session whose cookie a request came with. */
export interface CallerSession {
  /** SHA-256 of its id, hexadecimal. */
  readonly hash: string
  readonly caller: KeyCaller
  readonly csrfToken: string
  /** ms: by its age, or until when the provider that signed in has confirmed it. */
  readonly expiresAt: number
}

export interface RequestCaller extends KeyCaller {
  /** The address that the request comes from, behind trusted proxies; undefined for a command. */
  readonly sourceIp: string | undefined
  readonly requestId: string | undefined
  /** The request's `Idempotency-Key`, for handlers that claim it in a record of the journal. */
  readonly idempotencyKey?: string | undefined
  /** The caller's program, in its own words. */
  readonly userAgent?: string | undefined
  /** The request's `Cookie`. */
  readonly cookie?: string | undefined
  /** The request's `Host`. */
  readonly host?: string | undefined
  readonly session?: CallerSession | undefined
}

export class CurrentCaller extends Context.Service<CurrentCaller, RequestCaller>()(
  "lotbook/desk/access/CurrentCaller"
) {}

/**
 * Bearer tokens: the sandbox token and the configured ones, compared as
 * SHA-256 hashes in constant time (decisions.md §1, §6).
 */
import { hash, timingSafeEqual } from "node:crypto"
import type { Scope } from "../contract/protocol/Operations.ts"
import { scopes } from "../contract/protocol/Operations.ts"
import type { CallerKind } from "../protocol/CurrentCaller.ts"
import type { Caller } from "../protocol/Handler.ts"

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

const digest = (text: string): Buffer => hash("sha256", text, "buffer")

const grantOf = (token: string, name: string, granted: ReadonlyArray<Scope>): TokenGrant => ({
  token_sha256: digest(token).toString("hex"),
  scopes: granted,
  name
})

/** The sandbox token: all scopes but the operators', all programmes. */
export const sandboxGrant = (token: string): TokenGrant =>
  grantOf(
    token,
    "sandbox",
    scopes.filter((scope) => !scope.startsWith("admin:"))
  )

/** The admin key: the operators' scopes, all programmes. */
export const rootGrant = (key: string): TokenGrant => grantOf(key, "root", ["admin:read", "admin:write"])

/** The token of an Authorization header, undefined where it is no bearer's. */
export const bearerToken = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : /^bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(header)?.[1]

/** A caller as authentication finds it. */
export interface Known extends Caller {
  readonly kind: CallerKind
  /** Of a token that was issued by the operators' API. */
  readonly tokenId?: string | undefined
}

export type Authenticate = (header: string | undefined) => Known | undefined

/**
 * Remembers of each connection the last header that was known, so that a till that keeps its connection is not
 * hashed for with every order. Only a caller's own, already accepted header is ever compared in plain.
 */
export const rememberingConnections = <Connection extends object>(
  authenticate: Authenticate
): ((connection: Connection, header: string | undefined) => Known | undefined) => {
  const accepted = new WeakMap<Connection, { readonly header: string; readonly caller: Known }>()
  return (connection, header) => {
    if (header === undefined) return undefined
    const last = accepted.get(connection)
    if (last?.header === header) return last.caller
    const caller = authenticate(header)
    if (caller !== undefined) accepted.set(connection, { header, caller })
    return caller
  }
}

/** Who a header belongs to; every configured token and the root key are compared, whatever the first ones say. */
export const authenticator = (grants: ReadonlyArray<TokenGrant>, root?: TokenGrant): Authenticate => {
  const all = root === undefined ? grants : [root, ...grants]
  const known = all.map((grant) => ({
    digest: Buffer.from(grant.token_sha256, "hex"),
    caller: {
      kind: grant === root ? ("root" as const) : ("token" as const),
      name: grant.name ?? `token-${grant.token_sha256.slice(0, 8).toLowerCase()}`,
      scopes: new Set(grant.scopes),
      programs: grant.programs === undefined ? undefined : new Set(grant.programs)
    }
  }))
  return (header) => {
    const token = bearerToken(header)
    if (token === undefined) return undefined
    const asked = digest(token)
    let caller: Known | undefined
    for (const grant of known) if (timingSafeEqual(grant.digest, asked)) caller ??= grant.caller
    return caller
  }
}

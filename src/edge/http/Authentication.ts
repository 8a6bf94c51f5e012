/**
 * Authenticates bearer tokens. Each connection remembers its last accepted token,
 * and addresses that send wrong keys are blocked for a while (contract/transport.md *Authentication*;
 * contract/operators.md *Wrong keys*).
 */
import type { Known, KnownKeys } from "../../desk/access/Keys.ts"
import { digestOf } from "../../desk/access/Keys.ts"

/** The token of an Authorization header; undefined if it is not a bearer token. */
export const bearerToken = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : /^bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(header)?.[1]

interface Accepted {
  readonly header: string
  readonly caller: Known
  readonly generation: number
}

/** An address that sent too many wrong keys. */
export interface Blocked {
  readonly blockedForSeconds: number
}

export class Authenticator {
  private readonly keys: KnownKeys
  private readonly takesAdminKey: boolean
  private readonly accepted = new WeakMap<object, Accepted>()

  constructor(keys: KnownKeys, takesAdminKey: boolean) {
    this.keys = keys
    this.takesAdminKey = takesAdminKey
  }

  /**
   * The caller of the header that was accepted last on the connection, if the header is the same. So a till that keeps
   * its connection does not cost a hash for every order. A header is only compared with an accepted one of the same
   * connection. A key that may have ended since is looked up again.
   */
  remembered(connection: object, header: string | undefined): Known | undefined {
    if (header === undefined) return undefined
    const last = this.accepted.get(connection)
    if (last === undefined || last.header !== header || last.generation !== this.keys.generation) return undefined
    last.caller.isUsed = true
    return last.caller
  }

  /** True if `remembered` finds the caller of the header. */
  remembers(connection: object, header: string): boolean {
    const last = this.accepted.get(connection)
    return last !== undefined && last.header === header && last.generation === this.keys.generation
  }

  /** Finds the caller of a header. An unknown key counts as a wrong key of the address. */
  find(
    connection: object,
    header: string | undefined,
    address: string,
    requestId: string
  ): Known | Blocked | undefined {
    const token = bearerToken(header)
    if (header === undefined || token === undefined) return undefined
    const { generation, wrong } = this.keys
    const digest = digestOf(token)
    const blockedForSeconds = wrong.waitFor(address)
    if (blockedForSeconds > 0 && !this.keys.isSpared(address, token, digest)) return { blockedForSeconds }
    const any = this.keys.adminKey(digest)
    if (any !== undefined) this.keys.wasRight(any, address, digest)
    else if (blockedForSeconds > 0) return { blockedForSeconds }
    else wrong.count(address, digest.toString("hex"))
    const caller = this.takesAdminKey ? any : this.keys.token(digest)
    if (caller === undefined) return undefined
    this.accepted.set(connection, { header, caller, generation })
    this.keys.used(caller, address, requestId)
    return caller
  }
}

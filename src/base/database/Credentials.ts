/**
 * The passwords of the database's role (contract/configuration.md *Secrets in files*): the present one, and the next one while
 * it changes. Each new connection is opened with one that PostgreSQL accepts.
 */

import type { PgClient } from "@effect/sql-pg"
import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlError } from "effect/sql"

/** Limit of a sign-in that only tries a password, ms. */
const trialMs = 2_000

/** True if PostgreSQL refused a sign-in: the password, or the role itself. */
export const isRefusedSignIn = (error: unknown): boolean =>
  error instanceof SqlError.SqlError && error.reason._tag === "AuthenticationError"

/** The password of a URL; empty: it has none. */
const passwordOf = (url: Redacted.Redacted): Redacted.Redacted => {
  const { password, searchParams } = new URL(Redacted.value(url))
  return Redacted.make(searchParams.get("password") ?? decodeURIComponent(password))
}

/** True if two URLs name the same role, database and parameters of the connection, with any passwords. */
export const isSamePlace = (one: Redacted.Redacted, other: Redacted.Redacted): boolean =>
  withoutPassword(one) === withoutPassword(other)

const withoutPassword = (url: Redacted.Redacted): string => {
  const parsed = new URL(Redacted.value(url))
  parsed.password = ""
  parsed.searchParams.delete("password")
  return parsed.href
}

export class Credentials {
  private passwords: ReadonlyArray<Redacted.Redacted>
  private readonly config: PgClient.PgClientConfig

  /** `config`: how to connect, but for the password. `urls`: the present one first. */
  constructor(config: PgClient.PgClientConfig, urls: ReadonlyArray<Redacted.Redacted>) {
    this.config = { ...config, connectTimeout: trialMs }
    this.passwords = urls.map(passwordOf)
  }

  replace(urls: ReadonlyArray<Redacted.Redacted>): void {
    this.passwords = urls.map(passwordOf)
  }

  /** Of several the first that PostgreSQL does not refuse, which is tried first from then on. */
  get password(): Effect.Effect<Redacted.Redacted> {
    return Effect.gen({ self: this }, function* () {
      const { passwords } = this
      for (const password of passwords.length === 1 ? [] : passwords) {
        const tried = Effect.scoped(PgConnection.make({ ...this.config, password }))
        const isRefused = yield* Effect.match(tried, { onFailure: isRefusedSignIn, onSuccess: () => false })
        if (isRefused) continue
        if (this.passwords === passwords) this.passwords = [password, ...passwords.filter((each) => each !== password)]
        return password
      }
      return passwords[0] ?? Redacted.make("")
    })
  }
}

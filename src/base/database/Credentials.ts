/**
 * The passwords of the database's role (contract/configuration.md *Secrets in files*): the present one, and the next one while
 * it changes. Each new connection is opened with one that PostgreSQL accepts.
 */

import type { PgClient } from "@effect/sql-pg"
import { PgConnection } from "@effect/sql-pg"
import { Effect, Fiber, Redacted } from "effect"
import { SqlError } from "effect/sql"
import { closedWithin } from "./Answer.ts"

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
  /** The trial under way. */
  private trial: Fiber.Fiber<Redacted.Redacted> | undefined

  /** `config`: how to connect, but for the password. `urls`: the present one first. */
  constructor(config: PgClient.PgClientConfig, urls: ReadonlyArray<Redacted.Redacted>) {
    this.config = { ...config, connectTimeout: trialMs }
    this.passwords = urls.map(passwordOf)
  }

  replace(urls: ReadonlyArray<Redacted.Redacted>): void {
    this.trial = undefined
    this.passwords = urls.map(passwordOf)
  }

  /**
   * Of several the first that PostgreSQL does not refuse; one that it accepts is tried first from then on. Connections that
   * are opened at the same time share one trial, so that many lost ones do not fill the server with trials.
   */
  get password(): Effect.Effect<Redacted.Redacted> {
    return Effect.suspend(() => {
      if (this.passwords.length <= 1) return Effect.succeed(this.passwords[0] ?? Redacted.make(""))
      if (this.trial !== undefined) return Fiber.join(this.trial)
      // Detached: the first of those that wait may be interrupted.
      return Effect.flatMap(Effect.forkDetach(this.tried), (trial) => {
        this.trial = trial
        trial.addObserver(() => {
          if (this.trial === trial) this.trial = undefined
        })
        return Fiber.join(trial)
      })
    })
  }

  private get tried(): Effect.Effect<Redacted.Redacted> {
    return Effect.gen({ self: this }, function* () {
      const { passwords } = this
      const [first = Redacted.make("")] = passwords
      for (const password of passwords) {
        const trial = closedWithin(PgConnection.make({ ...this.config, password }), trialMs)
        const found = yield* Effect.match(trial, {
          onFailure: (error) => (isRefusedSignIn(error) ? "refused" : "unknown"),
          onSuccess: () => "accepted"
        })
        if (found === "refused") continue
        // No answer in time is neither a refusal nor an acceptance.
        if (found === "accepted" && this.passwords === passwords)
          this.passwords = [password, ...passwords.filter((each) => each !== password)]
        return password
      }
      return first
    })
  }
}

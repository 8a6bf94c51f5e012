/** A service over PostgreSQL with everything of the operators' keys, for tests: requests, sessions, time. */
import { Effect, Layer } from "effect"
import type { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import * as http from "node:http"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as KeyStore from "../../../src/desk/access/KeyStore.ts"
import type { TokenGrant } from "../../../src/desk/access/Keys.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

export const rootKey = "proto-dev-admin-key"
export const root = { authorization: `Bearer ${rootKey}` }
export const api = "/admin/api/v1"

const memory = MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))

const service = (tokens: ReadonlyArray<TokenGrant>) =>
  TestServer.layer(memory, tokens, undefined, [Testing.demoProgram], Pools.layer)

/** A service that asks its database for nothing on its own: time may pass fast. */
export const layer = (tokens: ReadonlyArray<TokenGrant> = []) =>
  service(tokens).pipe(Layer.provideMerge(TestDatabase.layer), Layer.orDie)

/** The same that follows changes of tokens, and stores their uses. */
export const following = (tokens: ReadonlyArray<TokenGrant> = []) =>
  Layer.merge(KeyStore.layer, Layer.effectDiscard(KeyStore.follow)).pipe(
    Layer.provideMerge(service(tokens)),
    Layer.provideMerge(TestDatabase.layer),
    Layer.orDie
  )

/** Two such services on one database. */
export const two = Effect.gen(function* () {
  const one = Layer.merge(KeyStore.layer, Layer.effectDiscard(KeyStore.follow)).pipe(Layer.provideMerge(service([])))
  return [yield* Layer.build(Layer.fresh(one)), yield* Layer.build(Layer.fresh(one))] as const
})

/** The database of `two`. */
export const database = Layer.orDie(TestDatabase.layer)

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const get = (path: string, headers: Record<string, string> = root) =>
  TestServer.send(`${api}${path}`, undefined, { method: "GET", headers })

export const post = (path: string, body: unknown, headers: Record<string, string> = root) =>
  TestServer.send(`${api}${path}`, body, { headers })

export interface Issued {
  readonly token_id: string
  readonly secret: string
  readonly status: string
}

export const issue = (request: object, headers: Record<string, string> = root) =>
  Effect.map(post("/tokens", { name: "Till", scopes: ["protocol:read"], ...request }, headers), ({ body }) => {
    // The answer's own test says that it is one.
    return body as unknown as Issued
  })

/** The cookie of a session, and its token against forged requests. */
export interface SignedIn {
  readonly cookie: string
  readonly csrf: string
}

export const signIn = (key: string) =>
  Effect.map(
    post("/session", { key }, { authorization: "" }),
    ({ body, headers }): SignedIn => ({
      cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "",
      csrf: String(body["csrf_token"])
    })
  )

/** Headers that a page sends with a write. */
export const page = ({ cookie, csrf }: SignedIn) => ({ authorization: "", cookie, "x-csrf-token": csrf })

/** Lets time pass, and what waits for it happen. */
export const pass = (millis: number) => Effect.andThen(TestClock.adjust(millis), settle)

/** Real time for what goes over a socket. */
const settle = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/**
 * Asks again until the answer has a status, for as long as a test may take: what polls the database takes real time for
 * it. The clock moves on for ten seconds at most.
 */
export const until = <E, R>(
  ask: Effect.Effect<{ readonly status: number }, E, R>,
  status: number,
  stepMs = 50
): Effect.Effect<void, E, R> => {
  const again = (passed: number): Effect.Effect<void, E, R> =>
    Effect.flatMap(ask, (answer) => {
      if (answer.status === status) return Effect.void
      const step = passed < 10_000 ? stepMs : 0
      return Effect.andThen(pass(step), again(passed + step))
    })
  return again(0)
}

/** The statuses of requests over one connection that stays open. */
export const keptOpen: Effect.Effect<
  (path: string, headers: Record<string, string>) => Effect.Effect<number>,
  never,
  HttpServer.HttpServer
> = Effect.map(TestServer.port, (port) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  return (path, headers) =>
    Effect.promise(
      () =>
        new Promise<number>((resolve, reject) => {
          const request = http.request({ port, host: "127.0.0.1", path, headers, agent }, (response) => {
            response.resume().on("end", () => resolve(response.statusCode ?? 0))
          })
          request.on("error", reject)
          request.end()
        })
    )
})

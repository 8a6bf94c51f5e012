/** People who have signed in, for tests of what they may do: without a passkey. */
import { Effect } from "effect"
import type { Role } from "../../../src/contract/Roles.ts"
import * as KeyStore from "../../../src/desk/access/KeyStore.ts"
import { noKey, Sessions } from "../../../src/desk/access/Sessions.ts"
import type * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "../operators/Operators.ts"

/** Makes an active user. */
export const hire = (userId: string, role: Role) =>
  Effect.andThen(
    TestDatabase.query(`INSERT INTO users (user_id, email, name, role, status, created_at, created_by)
      VALUES ('${userId}', '${userId}@example.com', '${userId}', '${role}', 'active', 0, 'test')
      ON CONFLICT (user_id) DO UPDATE SET role = excluded.role`),
    KeyStore.refresh
  )

/** Headers that a page of the user sends with a write, from now on for half an hour. */
export const page = (userId: string) =>
  Effect.gen(function* () {
    yield* KeyStore.refresh
    const sessions = yield* Sessions
    const { id, row } = sessions.begin({ keyHash: noKey, userId })
    sessions.add(row)
    const csrf = sessions.find(id)?.csrfToken ?? ""
    return Operators.page({ cookie: `lotbook_session=${id}`, csrf })
  })

/** Headers of somebody whom it makes an active user. */
export const person = (name: string, role: Role) => Effect.andThen(hire(name, role), page(name))

/** Status, the limit that is exceeded, and what is left of it. */
export const said = Effect.map(({ body, status }: TestServer.Response) => {
  const limit = body["limit"] as { readonly name: string; readonly left: number } | undefined
  return limit === undefined ? [status] : [status, limit.name, limit.left]
})

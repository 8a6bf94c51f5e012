/** The import that is cut off, and its caller. */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { ImportRequest } from "../../../src/contract/platform/Imports.ts"
import type { RequestCaller } from "../../../src/desk/access/CurrentCaller.ts"

/** More than a wave; two records each. */
export const rows = 120

/** A name of the step that ids may have. */
export const nameOf = (step: string): string => step.replaceAll(" ", "-")

export const request = (step: string): ImportRequest => ({
  idempotency_key: `import ${step}`,
  program_id: Testing.demoProgram.id,
  rows: [
    { external_id: "no row", email: "no address" },
    ...Array.from({ length: rows }, (_, n) => ({
      external_id: `${nameOf(step)}-${n}`,
      email: `guest${n}@example.com`,
      consent: { marketing: true },
      opening_balance: n + 1
    }))
  ]
})

export const caller: RequestCaller = {
  kind: "token",
  keyId: "test",
  name: "test",
  scopes: new Set(["platform:write"]),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
}

/** The id of the import in an answer. */
export const importIdOf = ({ body }: HttpServerResponse.HttpServerResponse): Effect.Effect<string> =>
  Effect.sync(() => {
    if (body._tag !== "Uint8Array") throw new Error("the answer is JSON")
    return JSON.parse(Buffer.from(body.body).toString()).import.import_id
  })

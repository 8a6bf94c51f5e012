import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../../../src/contract/protocol/Api.ts"
import type { RequestOf } from "../../../src/contract/protocol/Operations.ts"
import { detailOf, said } from "../../../src/contract/Said.ts"
import { bodies } from "./Bodies.ts"

describe("a typed client", () => {
  const answering = (status: number, body: unknown, contentType = "application/json") => {
    const seen: Array<{ readonly url: string; readonly authorization: string | undefined; readonly body: string }> = []
    const layer = Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) => {
        const bytes = request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array()
        seen.push({
          url: request.url,
          authorization: request.headers["authorization"],
          body: new TextDecoder().decode(bytes)
        })
        return Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            new Response(JSON.stringify(body), { status, headers: { "content-type": contentType } })
          )
        )
      })
    )
    const client = HttpApiClient.make(Api, {
      baseUrl: "http://lotbook.test",
      transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken("token-1"))
    })
    return { seen, client: Effect.provide(client, layer) }
  }

  const answer = {
    context: {
      protocol_version: "1.0",
      profile: "foodservice/1.0",
      request_id: "req-0001",
      processed_at: "2026-07-14T10:00:00.000Z"
    },
    reservation: {
      reservation_id: "r-1",
      redemption_id: "red-1",
      member_id: "member-001",
      reward_id: "one-off",
      order_id: "order-1001",
      status: "captured",
      cost: { unit: "points", amount: 100 },
      effect: { type: "custom", effect_type: "org.upgrade", payload: { size: "large" } },
      funding: [{ party_id: "corner-bowl", party_type: "brand", share_bps: 10_000 }],
      created_at: "2026-07-14T10:00:00.000Z",
      expires_at: "2026-07-14T10:02:00.000Z"
    },
    balances: []
  } as const

  const capture = bodies["redemption.capture"] as RequestOf<"redemption.capture">

  it.effect("sends an operation's request to its path and reads its answer", () =>
    Effect.gen(function* () {
      const { client, seen } = answering(200, answer)
      const api = yield* client
      const reply = yield* api.redemptions["redemption.capture"]({ payload: capture })
      expect(reply).toEqual(answer)
      expect(seen).toEqual([
        {
          url: "http://lotbook.test/proto/v1/redemptions/capture",
          authorization: "Bearer token-1",
          body: JSON.stringify(capture)
        }
      ])
    })
  )

  it.effect("reads a refusal as the problem that it is", () =>
    Effect.gen(function* () {
      const refusal = {
        type: "/problems/invalid-state",
        title: "Invalid state",
        status: 409,
        ...detailOf(said`Reservation ${"r-1"} is ${"reversed"}.`),
        instance: "/proto/v1/redemptions/capture",
        code: "invalid_state"
      }
      const { client } = answering(409, refusal, "application/problem+json")
      const api = yield* client
      const error = yield* Effect.flip(api.redemptions["redemption.capture"]({ payload: capture }))
      expect(error).toEqual(refusal)
    })
  )
})

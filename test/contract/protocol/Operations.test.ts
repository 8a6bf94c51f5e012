import { describe, expect, it } from "@effect/vitest"
import { operationIds, operations } from "../../../src/contract/protocol/Operations.ts"
import { problemStatus } from "../../../src/contract/protocol/Problem.ts"
import * as Protocol from "../../../src/contract/protocol/Protocol.ts"
import { problems } from "../../../src/desk/surface/Problems.ts"

/** contract/operations.md *Table of operations*, row by row. */
const table: ReadonlyArray<readonly [string, string, "read" | "write", ReadonlyArray<number>]> = [
  ["member.lookup", "/members/lookup", "read", [200]],
  ["member.enroll", "/members/enroll", "write", [201, 200]],
  ["account.get", "/accounts/get", "read", [200]],
  ["program.get", "/programs/get", "read", [200]],
  ["ledger.list", "/ledger/list", "read", [200]],
  ["ledger.manual_adjustment", "/ledger/manual-adjustments", "write", [201, 200]],
  ["order.evaluate", "/orders/evaluate", "read", [200]],
  ["accrual.post", "/accruals", "write", [201, 200]],
  ["order.adjust", "/orders/adjust", "write", [201, 200]],
  ["redemption.reserve", "/redemptions/reserve", "write", [201, 200]],
  ["redemption.capture", "/redemptions/capture", "write", [200]],
  ["redemption.reverse", "/redemptions/reverse", "write", [200]],
  ["issued_reward.issue", "/issued-rewards/issue", "write", [201, 200]],
  ["issued_reward.list", "/issued-rewards/list", "read", [200]],
  ["issued_reward.cancel", "/issued-rewards/cancel", "write", [200]]
]

describe("the operations table", () => {
  it("has the rows of contract/operations.md *Table of operations* in their order", () => {
    expect(operationIds).toEqual(table.map(([id]) => id))
  })

  it.each(table)("%s: POST %s, %s", (id, path, scope, statuses) => {
    const operation = operations[id as keyof typeof operations]
    expect(operation.path).toBe(`/proto/v1${path}`)
    expect(operation.scope).toBe(`protocol:${scope}`)
    expect(operation.statuses).toEqual(statuses)
    expect(operation.safeToRetry).toBe(scope === "read")
    expect(operation.write).toBe(scope === "write")
  })
})

describe("the protocol's names", () => {
  it("derive from one word (contract/operations.md *Table of operations*)", () => {
    expect(Protocol.basePath).toBe(`/${Protocol.PROTOCOL}/v1`)
    expect(Protocol.discoveryPath).toBe(`/.well-known/${Protocol.PROTOCOL}`)
    expect(Protocol.retryMarker).toBe(`x-${Protocol.PROTOCOL}-safe-to-retry`)
    expect(Protocol.protocolName).toBe(Protocol.PROTOCOL.toUpperCase())
    expect(Protocol.environmentName("TOKEN")).toBe(`${Protocol.PROTOCOL.toUpperCase()}_TOKEN`)
  })
})

describe("problem codes", () => {
  it("have the same status for clients and for the server", () => {
    expect(Object.fromEntries(Object.entries(problems).map(([code, { status }]) => [code, status]))).toEqual(
      problemStatus
    )
  })
})

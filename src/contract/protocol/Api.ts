/**
 * The HttpApi of `/proto/v1` and discovery, derived from the operations table, for
 * typed clients and the OpenAPI document.
 */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuthOf } from "../Access.ts"
import { described, problems } from "../Description.ts"
import { requests, responses } from "./Examples.ts"
import type { Operation, OperationId } from "./Operations.ts"
import { operations } from "./Operations.ts"
import type { ProblemCode } from "./Problem.ts"
import { bodyProblems, guardProblems, storageProblems, writeProblems } from "./Problem.ts"
import { basePath, discoveryPath, protocolVersion } from "./Protocol.ts"
import { Capabilities, Discovery, Health, Readiness } from "./Resources.ts"

const endpoint = <Id extends OperationId>(id: Id) => {
  const { path, request, response } = operations[id] as (typeof operations)[Id]
  const { description, refusals, safeToRetry, scope, statuses, summary, write }: Operation = operations[id]
  const codes = [...bodyProblems, ...guardProblems, ...refusals, ...storageProblems, ...(write ? writeProblems : [])]
  return HttpApiEndpoint.post(id, path, {
    payload: request,
    success: statuses.map((status) => response.pipe(HttpApiSchema.status(status))),
    error: problems(codes)
  }).annotateMerge(
    OpenApi.annotations({
      identifier: id,
      summary,
      description: `${description}\n\nScope: \`${scope}\`.`,
      transform: described({ codes, safeToRetry, examples: { request: requests[id], response: responses[id] } })
    })
  )
}

const tagged = (title: string, description: string) => OpenApi.annotations({ title, description })

export class Members extends HttpApiGroup.make("members")
  .add(endpoint("member.lookup"), endpoint("member.enroll"), endpoint("account.get"), endpoint("program.get"))
  .annotateMerge(tagged("Members and programmes", "Members, their accounts, and the programmes they belong to.")) {}

export class Ledger extends HttpApiGroup.make("ledger")
  .add(endpoint("ledger.list"), endpoint("ledger.manual_adjustment"))
  .annotateMerge(tagged("Ledger", "Append-only entries and manual adjustments.")) {}

export class Orders extends HttpApiGroup.make("orders")
  .add(endpoint("order.evaluate"), endpoint("accrual.post"), endpoint("order.adjust"))
  .annotateMerge(tagged("Orders", "Points earned by orders and taken back by refunds.")) {}

export class Redemptions extends HttpApiGroup.make("redemptions")
  .add(endpoint("redemption.reserve"), endpoint("redemption.capture"), endpoint("redemption.reverse"))
  .annotateMerge(tagged("Redemptions", "A reward held for an order, then spent or given back.")) {}

export class IssuedRewards extends HttpApiGroup.make("issued-rewards")
  .add(endpoint("issued_reward.issue"), endpoint("issued_reward.list"), endpoint("issued_reward.cancel"))
  .annotateMerge(tagged("Issued rewards", "Rewards and coupons in a member's wallet.")) {}

const read = (
  identifier: string,
  summary: string,
  description: string,
  codes: ReadonlyArray<ProblemCode> = ["internal_error"]
) =>
  OpenApi.annotations({
    identifier,
    summary,
    description,
    transform: described({ codes, safeToRetry: true, examples: { response: responses[identifier] } })
  })

class Discoveries extends HttpApiGroup.make("discovery")
  .add(
    HttpApiEndpoint.get("discover", discoveryPath, {
      success: Discovery,
      error: problems(["internal_error"])
    }).annotateMerge(
      read("discovery.show", "Show the protocol", "Paths of the protocol, and ways to authenticate. Public.")
    ),
    HttpApiEndpoint.get("capabilities", `${basePath}/capabilities`, {
      success: Capabilities,
      error: problems(guardProblems)
    })
      .annotate(AuthOf, "bearer")
      .annotateMerge(
        read(
          "capabilities.show",
          "Show the capabilities",
          "Operations, reward effects, event types and limits of this host. Scope: `protocol:read`.",
          guardProblems
        )
      ),
    HttpApiEndpoint.get("health", "/health", { success: Health, error: problems(["internal_error"]) }).annotateMerge(
      read(
        "health.show",
        "Show whether the service runs",
        "Whether writes are frozen, too. A service that is no node yet answers as well. Public."
      )
    ),
    HttpApiEndpoint.get("ready", "/health/ready", {
      success: Readiness,
      error: problems(["not_active", "node_unreachable", "storage_unavailable"])
    }).annotateMerge(
      read(
        "readiness.show",
        "Show whether the service is ready",
        "Whether this node can answer for all accounts, itself or through other nodes: for load balancers. Public.",
        ["not_active", "node_unreachable", "storage_unavailable"]
      )
    )
  )
  .annotateMerge(tagged("Discovery and health", "Public, except the capabilities."))
  .annotate(AuthOf, "none") {}

export class Api extends HttpApi.make("lotbook")
  .add(Members, Ledger, Orders, Redemptions, IssuedRewards, Discoveries)
  .annotateMerge(OpenApi.annotations({ title: "Lotbook", version: protocolVersion }))
  .annotate(AuthOf, "bearer") {}

/**
 * Tables and numbers of the contract are those of the code. Holds contract/resources.md *Enumerations*;
 * contract/transport.md *Problem codes*, *Bounds on callers*; contract/events.md *Event types*, *Feed*;
 * contract/operators.md *Routes*, *Tokens*; contract/engagement.md *Routes*.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { sliceMs } from "../../src/base/concurrency/Stage.ts"
import { longestSilenceMs } from "../../src/base/database/ClockCheck.ts"
import * as EventBounds from "../../src/capabilities/events/Bounds.ts"
import * as OperatorsBounds from "../../src/capabilities/operators/Bounds.ts"
import * as WebhookBounds from "../../src/capabilities/webhooks/Bounds.ts"
import { defaultLimit } from "../../src/contract/admin/Endpoint.ts"
import { maxFaults } from "../../src/contract/Decode.ts"
import { defaultAttributionDays, shownOutcomes } from "../../src/contract/platform/Campaigns.ts"
import { defaultInFlight, maxEnabled, maxThresholds } from "../../src/contract/platform/Connectors.ts"
import { defaultOverlapSeconds as defaultConnectorOverlap } from "../../src/contract/platform/Deliveries.ts"
import { maxProperties, maxPropertiesBytes } from "../../src/contract/platform/Events.ts"
import { deliveredTypes } from "../../src/contract/platform/EventTypes.ts"
import { maxRows } from "../../src/contract/platform/Imports.ts"
import { longestWindowDays, maxConditions, maxRuleDepth } from "../../src/contract/platform/Rules.ts"
import { defaultSample, maxStaticMembers } from "../../src/contract/platform/Segments.ts"
import { defaultPage } from "../../src/contract/protocol/Operations.ts"
import { problemStatus } from "../../src/contract/protocol/Problem.ts"
import { AccountEarning, Funding } from "../../src/contract/protocol/Program.ts"
import { maxBodyBytes, maxIdempotencyKeyLength, minIdempotencyKeyLength } from "../../src/contract/protocol/Protocol.ts"
import { maxLevels, maxNames } from "../../src/contract/RepeatedNames.ts"
import { scopes, workScopes } from "../../src/contract/Scopes.ts"
import * as Values from "../../src/contract/Values.ts"
import * as ClusterBounds from "../../src/core/cluster/Bounds.ts"
import { partitionCount } from "../../src/core/cluster/Placement.ts"
import { batchRows } from "../../src/core/retention/Bounds.ts"
import { kept } from "../../src/core/retention/Kept.ts"
import * as AccessBounds from "../../src/desk/access/Bounds.ts"
import * as SurfaceBounds from "../../src/desk/surface/Bounds.ts"
import * as HttpBounds from "../../src/edge/http/Bounds.ts"
import * as Surfaces from "../../src/edge/http/Surfaces.ts"

const pages = path.join(import.meta.dirname, "..", "..", "src", "docs", "contract")

/** The text of a section. */
const section = (page: string, name: string): string => {
  const text = fs.readFileSync(path.join(pages, `${page}.md`), "utf8")
  const [, after] = text.split(`\n## ${name}\n`)
  if (after === undefined) throw new Error(`contract/${page}.md has no section ${name}`)
  return after.split("\n## ")[0] ?? ""
}

/** The cells of its table's rows, without the head. */
const rows = (page: string, name: string): ReadonlyArray<ReadonlyArray<string>> =>
  section(page, name)
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1)
    .map((line) => line.slice(1, -1).split("|"))

/** The words in code of a text. */
const words = (text = ""): ReadonlyArray<string> => [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)

/** Methods and paths of the routes that the first column of a section's table names, with `*` for each parameter. */
const routesOf = (page: string, base: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let last = { method: "", path: "" }
  let waiting: ReadonlyArray<string> = []
  for (const word of rows(page, "Routes").flatMap(([cell]) => words(cell))) {
    const [, method, place] = /^(GET|POST|PUT|PATCH|DELETE)? ?([/…].*)?$/.exec(word) ?? []
    if (place === undefined) waiting = [...waiting, method ?? ""]
    else {
      // `…` is the path before, up to its last parameter, else without its last segment.
      const before = last.path.includes("}") ? last.path.replace(/\}[^}]*$/, "}") : last.path.replace(/\/[^/]*$/, "")
      last = { method: method ?? last.method, path: place.replace("…", before) }
      for (const one of [...waiting, last.method]) found.push(`${one} ${base}${last.path}`)
      waiting = []
    }
  }
  return found.map((route) => route.replaceAll(/\{\w+\}/g, "*")).toSorted()
}

const unused = () => {
  throw new Error("no route is run")
}

describe("the contract's tables", () => {
  it.each([
    ["operators", "/admin/api/v1"],
    ["engagement", "/platform/v1"],
    ["guests", "/my/api/v1"]
  ] as const)("routes of %s.md are those that are served", (page, base) => {
    const served = Surfaces.routes(unused, unused, { programs: unused, publicUrl: undefined })
      .filter(({ path: at }) => at.startsWith(`${base}/`))
      .map(({ method, path: at }) => `${method} ${at.replaceAll(/:\w+/g, "*")}`)
    assert.deepStrictEqual(routesOf(page, base), served.toSorted())
  })

  it("enumerations are the literals of the schemas, in their order", () => {
    const literals: Readonly<Record<string, ReadonlyArray<string>>> = {
      "identity type": Values.IdentityType.literals,
      "member status": Values.MemberStatus.literals,
      unit: Values.Unit.literals,
      "ledger operation": Values.LedgerOperation.literals,
      classification: Values.Classification.literals,
      "reservation status": Values.ReservationStatus.literals,
      "issued-reward status": Values.IssuedRewardStatus.literals,
      "order channel": Values.Channel.literals,
      "order status": Values.OrderStatus.literals,
      "line kind": Values.LineKind.literals,
      "tender type": Values.TenderType.literals,
      "adjustment type": Values.OrderAdjustmentType.literals,
      "funding party": Funding.fields.party_type.literals,
      "earning mode": AccountEarning.fields.mode.literals
    }
    const told = rows("resources", "Enumerations").map(([name = "", values]) => [name.trim(), words(values)])
    assert.deepStrictEqual(Object.fromEntries(told), literals)
  })

  it("problem codes are all of them, each beside its status", () => {
    const told = rows("transport", "Problem codes").flatMap(([statuses = "", codes]) =>
      words(codes).map((code) => [code, statuses.split(",").map(Number)] as const)
    )
    const codes = told.map(([code]) => code).filter((code) => code !== "errors" && code !== "Retry-After")
    assert.deepStrictEqual(codes.toSorted(), Object.keys(problemStatus).toSorted())
    for (const [code, status] of Object.entries(problemStatus))
      assert.isTrue(told.find(([one]) => one === code)?.[1].includes(status), code)
  })

  it("event types are those that a connector takes", () => {
    const told = rows("events", "Event types").flatMap(([names]) => words(names))
    assert.deepStrictEqual(
      told.map((name) => `proto.${name}.v1`),
      [...deliveredTypes]
    )
  })

  it("scopes are those of tokens", () => {
    const told = rows("operators", "Scopes").flatMap(([names]) => words(names))
    assert.deepStrictEqual(told, [...workScopes])
    const others = words(section("operators", "Scopes")).filter((word) => word.includes(":") && !told.includes(word))
    assert.sameMembers(
      [...new Set(others.filter((word) => !word.endsWith("*")))],
      scopes.filter((one) => !told.includes(one))
    )
  })
})

const count = (value: number): string => value.toLocaleString("en-US")
const seconds = (ms: number): number => ms / 1_000
const days = (ms: number): number => ms / 86_400_000
const kib = (bytes: number): number => bytes / 1_024
const mib = (bytes: number): number => bytes / 1_048_576

/** Text of a section, with the numbers of the code. */
const numbers: ReadonlyArray<readonly [page: string, section: string, ...says: ReadonlyArray<string>]> = [
  ["databases", "Nodes", `one of ${partitionCount} partitions`],
  [
    "databases",
    "Forwarding",
    `at most ${seconds(ClusterBounds.holdMs)} s, ${ClusterBounds.heldCalls} requests and ${mib(ClusterBounds.heldChars)} MiB`
  ],
  [
    "databases",
    "Retention",
    `at most ${count(batchRows)} rows`,
    ...Object.values(kept).flatMap(({ days, least, most }) => [`| ${days} days`, `(${count(least)} to ${count(most)})`])
  ],
  ["databases", "Clock of the service", `more than ${days(longestSilenceMs)} days past`],
  ["engagement", "Events of guests", `at most ${maxProperties} keys, ${kib(maxPropertiesBytes)} KiB`],
  [
    "engagement",
    "Segments",
    `static, at most ${count(maxStaticMembers)}`,
    `\`sample_size?\` (${defaultSample}, at most`
  ],
  [
    "engagement",
    "Rules of segments",
    `at most ${maxRuleDepth} levels`,
    `at most ${maxConditions} conditions`,
    `at most ${longestWindowDays}`
  ],
  ["engagement", "Campaigns", `1 to 90 (${defaultAttributionDays})`],
  ["engagement", "Runs", `first ${shownOutcomes} outcomes`],
  [
    "engagement",
    "Imports",
    `up to ${count(maxRows)} rows and ${mib(maxBodyBytes)} MiB`,
    `for ${kept.import_rows.days} days`
  ],
  [
    "events",
    "Connectors",
    `1 to 64, ${defaultInFlight} by default`,
    `${count(defaultConnectorOverlap)} by default`,
    `At most ${maxEnabled} are enabled`
  ],
  ["events", "Thresholds", `at most ${maxThresholds} \`{unit, amount}\``],
  [
    "events",
    "Delivery",
    `within ${seconds(WebhookBounds.answerMs)} s`,
    `${count(WebhookBounds.answerBytes)} bytes are read`,
    `fewer than ${count(WebhookBounds.unfinished)} events`,
    `after ${WebhookBounds.failuresInARow} failures`,
    `fails for ${seconds(WebhookBounds.eventMs) / 3_600} hours`,
    `no success for ${days(WebhookBounds.connectorMs)} days`,
    `of the last ${kept.deliveries.days} days`,
    `last ${count(WebhookBounds.successes)} successes`,
    `± ${WebhookBounds.jitter * 100} %`
  ],
  ["events", "Replay", `more than ${WebhookBounds.replays} unfinished ones`],
  [
    "events",
    "Feed",
    `comes every ${seconds(EventBounds.heartbeatMs)} s,`,
    `has ${count(EventBounds.feedWaiters)} readers that wait`
  ],
  [
    "idempotency",
    "Keys in a header",
    `${minIdempotencyKeyLength} to ${maxIdempotencyKeyLength} characters`,
    `with ${SurfaceBounds.sameKey} of one key at once`,
    `kept for ${days(SurfaceBounds.keptResultMs)} days`
  ],
  ["operators", "Lists", `\`limit\` (1 to 200, ${defaultLimit} by default)`],
  [
    "operators",
    "Sessions",
    `${seconds(AccessBounds.sessionAgeMs) / 3_600} hours, ${seconds(AccessBounds.sessionIdleMs) / 60} minutes idle`
  ],
  ["operators", "Tokens", `\`{overlap_seconds?}\` (${count(OperatorsBounds.defaultOverlapSeconds)}; at most 30 days)`],
  ["orders", "Orders that add up", `at most ${count(Values.maxAmount)}`],
  ["points", "Ledger list", `A page has ${defaultPage} entries`],
  ["points", "Manual adjustments", `A credit is at most ${count(Values.maxAmount)}`],
  ["resources", "Values", `| idempotency key | ${minIdempotencyKeyLength} to ${maxIdempotencyKeyLength} characters |`],
  ["transport", "Bodies", `\`max_body_bytes\` is ${count(maxBodyBytes)}`],
  ["transport", "Problems", `at most ${maxFaults}`],
  ["transport", "Bodies", `more than ${maxLevels} levels, or has more than ${count(maxNames)} names`],
  [
    "transport",
    "Bounds on callers",
    `| body of a request without a known caller, such as a sign-in | ${kib(HttpBounds.unknownBodyBytes)} KiB (`,
    `| bytes of bodies on their way, in all | ${mib(HttpBounds.held.bodyBytes)} MiB for`,
    `| time for which bodies that end together hold the service | ${sliceMs} ms,`,
    `| bytes of large answers on their way | ${mib(HttpBounds.held.largeAnswerBytes)} MiB for`,
    `| connections of one address, of one /64 for IPv6 | ${count(HttpBounds.held.connectionsPerAddress)} |`,
    `| unanswered requests of one connection | ${HttpBounds.pipelined};`,
    `| ${seconds(HttpBounds.headersTimeoutMs)} s, ${seconds(HttpBounds.requestTimeoutMs)} s (\`request_timeout\`) |`,
    `| header block | ${kib(HttpBounds.maxHeaderBytes)} KiB (`
  ]
]

describe("the contract's numbers", () => {
  for (const [page, name, ...says] of numbers)
    it(`of ${page}.md, ${name}, are the code's`, () => {
      const text = section(page, name).replaceAll(/\s+/g, " ")
      for (const said of says) assert.include(text, said)
    })
})

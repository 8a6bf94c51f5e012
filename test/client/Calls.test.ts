/** The methods of the client: one for each operation of the document, which sends what the document's example says. */
import type { CallOptions, LotbookOptions } from "lotbook/client"
import { createClient } from "lotbook/client"
import { assert, describe, it } from "vitest"
import { businessIds } from "../../src/client/Keys.ts"
import type { Json } from "../../src/contract/Description.ts"
import { openApi } from "../../src/contract/OpenApi.ts"

interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: Json | undefined
}

/** A client of a service that answers everything with these bodies, one after the other, then with the last. */
const recorded = (answers: ReadonlyArray<unknown> = [{}], options: Partial<LotbookOptions> = {}) => {
  const sent: Array<Sent> = []
  const client = createClient({
    url: "http://service.test",
    token: "token",
    adminToken: "admin",
    date: () => new Date("2026-07-14T10:00:00.000Z"),
    fetch: async (url, { body, headers, method }) => {
      const own = headers as Headers
      sent.push({
        method: method ?? "",
        url: new URL(url),
        headers: own,
        body: body === undefined ? undefined : JSON.parse(String(body))
      })
      const answer = answers[Math.min(sent.length, answers.length) - 1]
      const type = own.get("accept") ?? ""
      return new Response(type === "text/csv" ? "csv" : JSON.stringify(answer), { headers: { "content-type": type } })
    },
    ...options
  })
  return { client, sent }
}

type Method = (input?: object, options?: CallOptions) => Promise<unknown>

const document = JSON.parse(JSON.stringify(openApi())) as Json
const operations = Object.entries(document["paths"] as Json).flatMap(([path, methods]) =>
  Object.entries(methods as Json).map(([method, operation]: [string, Json]) => ({ path, method, operation }))
)

const surfaceOf = (path: string) =>
  path.startsWith("/admin/") ? "admin" : path.startsWith("/platform/") ? "platform" : "proto"

const camel = (text: string): string => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The method by the rule of the guide: the surface, then the operation's id in camel case. */
const methodOf = (client: object, path: string, id: string): Method | undefined => {
  let found: unknown = client
  for (const name of [surfaceOf(path), ...id.split(".").map(camel)]) found = (found as Json | undefined)?.[name]
  return found as Method | undefined
}

const exampleOf = (parameter: Json): unknown => parameter["examples"]?.demo?.value

describe("the methods", () => {
  it("are one for each operation, but for the stream of the feed and the routes of one guest", () => {
    const { client } = recorded()
    const without = operations.filter(
      ({ operation, path }) => typeof methodOf(client, path, operation["operationId"]) !== "function"
    )
    assert.deepStrictEqual(
      without.flatMap(({ operation, path }) => (path.startsWith("/my/") ? [] : [operation["operationId"]])),
      ["feed.stream"]
    )
    const leaves = [client.proto, client.platform, client.admin].flatMap((surface) =>
      Object.values(surface).flatMap((one) => (typeof one === "function" ? [one] : Object.values(one)))
    )
    assert.strictEqual(leaves.length, operations.length - without.length)
  })

  it("send the examples of the document", async () => {
    for (const { method, operation, path } of operations) {
      const { client, sent } = recorded()
      const parameters: ReadonlyArray<Json> = operation["parameters"] ?? []
      const example: Json | undefined = operation["requestBody"]?.content["application/json"]?.examples?.demo.value
      const { context, ...body } = example ?? {}
      const query = parameters.filter((one) => one["in"] === "query" && !(one["name"] in body))
      const inPath = parameters.filter((one) => one["in"] === "path")
      const input: Json = { ...body }
      for (const one of [...query, ...inPath]) if (exampleOf(one) !== undefined) input[one["name"]] = exampleOf(one)
      const call = methodOf(client, path, operation["operationId"])
      if (call === undefined) continue
      await call(
        input,
        context === undefined
          ? {}
          : {
              requestId: context.request_id,
              idempotencyKey: context.idempotency_key,
              occurredAt: context.occurred_at,
              source: context.source
            }
      )
      const [one] = sent
      assert(one !== undefined)
      assert.strictEqual(one.method, method.toUpperCase())
      const wanted = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input[name]))
      assert.strictEqual(one.url.pathname, wanted)
      assert.deepStrictEqual(
        Object.fromEntries(one.url.searchParams),
        Object.fromEntries(
          query.flatMap((q) => (input[q["name"]] === undefined ? [] : [[q["name"], String(input[q["name"]])]]))
        )
      )
      // A read's key is allowed and ignored: the client sends none.
      const isRead = operation["x-proto-safe-to-retry"] === true
      const { idempotency_key: _, ...read } = context ?? {}
      const sentBody = context !== undefined && isRead ? { ...body, context: read } : example
      assert.deepStrictEqual(one.body, sentBody, operation["operationId"])
      assert.strictEqual(one.headers.get("authorization"), path.startsWith("/admin/") ? "Bearer admin" : "Bearer token")
      const takesKey = parameters.some((p) => p["name"] === "Idempotency-Key") && !("idempotency_key" in body)
      assert.strictEqual(one.headers.has("idempotency-key"), takesKey, operation["operationId"])
    }
  })

  it("refuse an id that would lead to another path, before they send", async () => {
    const { client, sent } = recorded()
    for (const order_id of ["", ".", ".."]) {
      const input = { program_id: "p", member_id: "m", order_id, to_member_id: "n", reason: "r" }
      const failed = await client.admin.member.moveOrder(input as never).catch(String)
      assert.strictEqual(failed, "TypeError: member.move_order: order_id is missing, or no id")
    }
    assert.strictEqual(sent.length, 0)
    await client.admin.member.show({ program_id: "p", member_id: "a/b?c" })
    assert.strictEqual(sent[0]?.url.pathname, "/admin/api/v1/members/p/a%2Fb%3Fc")
  })
})

describe("the context of a transaction", () => {
  it("is the client's source and the present, with an id of its own", async () => {
    const { client, sent } = recorded([{}], { source: { system: "pos", instance: "till-7" } })
    await client.proto.member.lookup({ program_id: "p", identity: { type: "loyalty_id", value: "card" } })
    const { request_id, ...context } = sent[0]?.body?.["context"] ?? {}
    assert.strictEqual(request_id, sent[0]?.headers.get("x-request-id"))
    assert.deepStrictEqual(context, {
      protocol_version: "1.0",
      profile: "foodservice/1.0",
      occurred_at: "2026-07-14T10:00:00.000Z",
      source: { system: "pos", instance: "till-7" }
    })
  })
})

describe("keys", () => {
  const writes = operations.filter(({ operation }) =>
    JSON.stringify(operation["requestBody"]?.content["application/json"]?.schema ?? {}).includes("/WriteContext")
  )

  it("follow from the business id of every write of a till, save those that may be repeated under any key", () => {
    const ids = writes.map(({ operation }) => operation["operationId"])
    assert.sameMembers(
      ids.filter((id) => !(id in businessIds)),
      ["member.enroll", "redemption.reverse", "issued_reward.cancel"]
    )
    assert.deepStrictEqual(
      Object.keys(businessIds).filter((id) => !ids.includes(id)),
      []
    )
  })

  it("are the same for the same business id, unless one is given", async () => {
    for (const { operation, path } of writes) {
      const id: string = operation["operationId"]
      const { context: _, ...body } = operation["requestBody"].content["application/json"].examples.demo.value
      const { client, sent } = recorded()
      const call = methodOf(client, path, id)
      await call?.(body)
      await call?.(body)
      await call?.(body, { idempotencyKey: "of-the-till" })
      const [first, second, given] = sent.map((one) => one.body?.["context"].idempotency_key as string)
      assert.match(first ?? "", /^.{8,255}$/)
      if (!(id in businessIds)) assert.notStrictEqual(first, second)
      else {
        assert.strictEqual(first, second)
        const value = businessIds[id]!.reduce<Json>((at, name) => at[name], body)
        assert.strictEqual(first, `${id}:${value}`)
      }
      assert.strictEqual(given, "of-the-till")
    }
  })

  it("of other surfaces are one for each call, in the header; one in the body counts alone", async () => {
    const { client, sent } = recorded()
    const facts = { member_id: "ada", type: "app.opened", idempotency_key: "event-0001" }
    await client.platform.segment.delete({ segment_id: "s" })
    await client.platform.event.record(facts)
    await client.platform.import.create({ program_id: "p", rows: [], idempotency_key: "import-0001" })
    await client.platform.import.create({ program_id: "p", csv: "member_id\nada\n" }, { idempotencyKey: "import-0002" })
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"))
    assert.match(keys[0] ?? "", /^[0-9a-f]{32}$/)
    assert.deepStrictEqual(keys.slice(1), [null, null, "import-0002"])
  })
})

describe("pages", () => {
  it("are read as the rows are needed, with the same filters", async () => {
    const { client, sent } = recorded([
      { members: [{ member_id: "a" }, { member_id: "b" }], next_cursor: "c-1" },
      { members: [], next_cursor: "c-2" },
      { members: [{ member_id: "c" }] }
    ])
    const seen: Array<string> = []
    for await (const { member_id } of client.admin.member.list.all({ status: "active", limit: 2 })) {
      seen.push(member_id)
      if (seen.length === 1) assert.strictEqual(sent.length, 1)
    }
    assert.deepStrictEqual(seen, ["a", "b", "c"])
    assert.deepStrictEqual(
      sent.map(({ url }) => url.search),
      ["?status=active&limit=2", "?status=active&cursor=c-1&limit=2", "?status=active&cursor=c-2&limit=2"]
    )
  })

  it("of a till's ledger have the cursor in the body, and may be left early", async () => {
    const { client, sent } = recorded([
      { entries: [{ entry_id: "1" }], next_cursor: "c-1" },
      { entries: [{ entry_id: "2" }], next_cursor: "c-2" }
    ])
    for await (const { entry_id } of client.proto.ledger.list.all({ program_id: "p", member_id: "m" }))
      if (entry_id === "2") break
    assert.deepStrictEqual(
      sent.map(({ body }) => body?.["cursor"]),
      [undefined, "c-1"]
    )
  })

  it("are refused where the answer is one thing", async () => {
    const { client } = recorded([{ run: {} }])
    const rows = client.platform.campaignRun.list.all({ campaign_id: "c", run_id: "r" })
    assert.match(
      await rows.next().then(String, String),
      /^TypeError: campaign_run\.list: all\(\) is for answers with runs/
    )
  })
})

describe("a long poll", () => {
  it("has the time that the service is asked to wait", async () => {
    const aborted: Array<boolean> = []
    const { client } = recorded([{}], {
      timeoutMs: 1,
      retries: 0,
      fetch: async (_, { signal }) => {
        await new Promise<void>((resolve) => {
          setImmediate(() => setTimeout(resolve, 20))
        })
        aborted.push(signal?.aborted === true)
        return new Response("{}", { headers: { "content-type": "application/json" } })
      }
    })
    await client.platform.feed.read({ wait_seconds: 20 })
    assert.deepStrictEqual(aborted, [false])
  })
})

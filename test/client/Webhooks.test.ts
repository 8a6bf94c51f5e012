/** Receivers take what the service signed, and are told why they do not (contract/events.md *Signatures*). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { CrossedEvent, VerifyWebhook, WebhookResult } from "lotbook/client"
import { testWebhook, verifyWebhook } from "lotbook/client"
import { Webhook } from "standardwebhooks"
import { headersOf, newSecret } from "../../src/capabilities/webhooks/Signature.ts"
import type * as Contract from "../../src/contract/platform/FeedEvents.ts"

const now = new Date("2026-07-14T10:00:00.250Z")
const secret = newSecret()
const event = {
  specversion: "1.0",
  id: "e1",
  source: "/programs/demo-foodservice",
  type: "proto.tier.changed.v1",
  subject: "ada",
  time: "2026-07-14T10:00:00.000Z",
  datacontenttype: "application/json",
  programid: "demo-foodservice",
  sequence: "0000000000000001",
  data: {
    program_id: "demo-foodservice",
    member_id: "ada",
    balances: [],
    from_tier_id: "starter",
    to_tier_id: "größer 🥗",
    metric_amount: 500
  }
} as const
const body = JSON.stringify(event)

/** A delivery of the service at `now`, verified; `change` replaces what the receiver passes on. */
const verify = (change: Partial<VerifyWebhook> = {}, secrets: ReadonlyArray<string> = [secret]) =>
  verifyWebhook({
    secrets: [secret],
    headers: headersOf(secrets, { id: event.id, now: now.getTime(), body }),
    body,
    now,
    ...change
  })

const reasonOf = (result: WebhookResult): string => (result.isVerified ? "verified" : result.reason)

const rejection = (running: Promise<unknown>): Promise<Error> =>
  running.then(
    () => assert.fail("must reject"),
    (error: Error) => error
  )

const headers = headersOf([secret], { id: event.id, now: now.getTime(), body })

describe("verifyWebhook", () => {
  it("takes what the service signs, and gives the event", async () => {
    assert.deepStrictEqual(await verify(), {
      isVerified: true,
      id: "e1",
      sentAt: new Date("2026-07-14T10:00:00.000Z"),
      event
    })
  })

  it("tells events apart by their type", async () => {
    const result = await verify()
    assert(result.isVerified && result.event.type === "proto.tier.changed.v1")
    const tier: string = result.event.data.to_tier_id
    assert.strictEqual(tier, "größer 🥗")
  })

  it("takes headers of fetch and of Node, and bodies as text and as bytes", async () => {
    const list = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    for (const one of [new Headers(headers), list, capitals]) assert.isTrue((await verify({ headers: one })).isVerified)
    const bytes = new TextEncoder().encode(body)
    for (const one of [bytes, bytes.buffer, Buffer.from(body)]) assert.isTrue((await verify({ body: one })).isVerified)
  })

  it("takes either secret while one is rotated", async () => {
    const next = newSecret()
    assert.isTrue((await verify({ secrets: [secret, next] })).isVerified)
    assert.isTrue((await verify({ secrets: [next, secret] })).isVerified)
    assert.isTrue((await verify({}, [next, secret])).isVerified)
    assert.isTrue((await verify({ secrets: [next] }, [next, secret])).isVerified)
    assert.strictEqual(reasonOf(await verify({ secrets: [next] })), "wrong_signature")
  })

  it("names the header that is missing", async () => {
    for (const name of Object.keys(headers)) {
      const without = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
      for (const one of [
        without,
        { ...without, [name]: "" },
        { ...without, [name]: undefined },
        new Headers(without)
      ]) {
        const result = await verify({ headers: one })
        assert.strictEqual(reasonOf(result), "missing_header")
        assert.include(JSON.stringify(result), name)
      }
    }
  })

  it("refuses a timestamp that is no whole number of seconds", async () => {
    for (const timestamp of ["soon", "1e9", "-1", "1784023200.5", " ", "0x10"]) {
      const result = await verify({ headers: { ...headers, "webhook-timestamp": timestamp } })
      assert.strictEqual(reasonOf(result), "invalid_timestamp", timestamp)
    }
  })

  it("takes a delivery within the tolerance, to the second", async () => {
    const sent = Math.floor(now.getTime() / 1000) * 1000
    const at = (seconds: number) => new Date(sent + seconds * 1000)
    assert.isTrue((await verify({ now: at(300) })).isVerified)
    assert.isTrue((await verify({ now: at(-300) })).isVerified)
    assert.strictEqual(reasonOf(await verify({ now: at(301) })), "too_old")
    assert.strictEqual(reasonOf(await verify({ now: at(-301) })), "too_new")
    assert.strictEqual(reasonOf(await verify({ now: at(11), toleranceSeconds: 10 })), "too_old")
    assert.isTrue((await verify({ now: at(3_600), toleranceSeconds: 3_600 })).isVerified)
  })

  it("reads the clock where no time is given", async () => {
    const sent = headersOf([secret], { id: event.id, now: Date.now(), body })
    assert.isTrue((await verifyWebhook({ secrets: [secret], headers: sent, body })).isVerified)
    assert.strictEqual(reasonOf(await verifyWebhook({ secrets: [secret], headers, body })), "too_old")
  })

  it("refuses whatever was changed after it was signed", async () => {
    const changes: ReadonlyArray<Partial<VerifyWebhook>> = [
      { body: `${body} ` },
      { body: JSON.stringify(JSON.parse(body), null, 2) },
      { headers: { ...headers, "webhook-id": "e2" } },
      { headers: { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) } }
    ]
    for (const change of changes) assert.strictEqual(reasonOf(await verify(change)), "wrong_signature")
  })

  it("refuses every signature but the right one", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(1_000), fc.string({ minLength: 1, maxLength: 1 }), async (place, character) => {
        const right = headers["webhook-signature"]!
        const at = place % right.length
        const changed = right.slice(0, at) + character + right.slice(at + 1)
        const result = await verify({ headers: { ...headers, "webhook-signature": changed } })
        assert.strictEqual(result.isVerified, changed === right)
      })
    ))

  it("skips signatures of other versions, and refuses where there is no other", async () => {
    const right = headers["webhook-signature"]!
    const given = (signature: string) => verify({ headers: { ...headers, "webhook-signature": signature } })
    assert.isTrue((await given(`v1a,abc ${right}`)).isVerified)
    for (const wrong of ["v1,", "v1", ",", right.slice(3), right.replace("v1", "v2"), `${right}x`, right.slice(0, -1)])
      assert.strictEqual(reasonOf(await given(wrong)), "wrong_signature")
  })

  it("says where a signed body is no event", async () => {
    for (const text of ["", "[]", "null", "{", '"e1"']) {
      const signed = headersOf([secret], { id: event.id, now: now.getTime(), body: text })
      assert.strictEqual(reasonOf(await verify({ headers: signed, body: text })), "invalid_body", text)
    }
  })

  it("rejects a wrong configuration, with the remedy and without the secret", async () => {
    for (const wrong of ["", "whsec_", secret.slice(6), "whsec_c2hvcnQ=", "whsec_no base64!", `${secret}${secret}`]) {
      const { message } = await rejection(verify({ secrets: [secret, wrong] }))
      assert.include(message, "secrets[1] must be whsec_ and 24 to 64 bytes in base64")
      if (wrong.length > 6) assert.notInclude(message, wrong)
    }
    assert.include((await rejection(verify({ secrets: [] }))).message, "at least one secret")
    const parsed = await rejection(verify({ body: JSON.parse(body) as string }))
    assert.include(parsed.message, "before any JSON parser")
    assert.include((await rejection(verify({ toleranceSeconds: Number.NaN }))).message, "toleranceSeconds")
    assert.include((await rejection(verify({ now: new Date("no time") }))).message, "now")
  })
})

describe("the types of events", () => {
  it("are those of the contract", () => {
    const same = <One extends Other, Other extends Three, Three = One>(): One | undefined => undefined
    assert.isUndefined(same<CrossedEvent, Contract.CrossedEvent>())
  })
})

describe("testWebhook", () => {
  it("signs as the service does", async () => {
    const signed = await testWebhook({ secrets: [secret], event, now })
    assert.strictEqual(signed.body, body)
    assert.deepInclude(signed.headers, headers)
    assert.deepStrictEqual(await verifyWebhook({ secrets: [secret], ...signed, now }), await verify())
  })

  it("signs what the package standardwebhooks takes, and takes what that signs", async () => {
    const { body, headers } = await testWebhook({ secrets: [newSecret(), secret], event })
    assert.deepStrictEqual(new Webhook(secret).verify(body, headers), event)
    const sent = new Date()
    const theirs = {
      "webhook-id": "e7",
      "webhook-timestamp": String(Math.floor(sent.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("e7", sent, body)
    }
    assert.isTrue((await verifyWebhook({ secrets: [secret], headers: theirs, body })).isVerified)
  })

  it("sends a ping if no event is given, each with an id of its own", async () => {
    const [one, two] = [await testWebhook({ secrets: [secret] }), await testWebhook({ secrets: [secret] })]
    const result = await verifyWebhook({ secrets: [secret], ...one })
    assert(result.isVerified)
    assert.strictEqual(result.event.type, "proto.ping.v1")
    assert.notStrictEqual(one.headers["webhook-id"], two.headers["webhook-id"])
  })
})

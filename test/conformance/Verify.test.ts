/**
 * The service itself keeps every rule that `verify` knows, whatever the programme. Holds
 * contract/idempotency.md *Keys*, *Business identifiers*; contract/operations.md *Member and account reads*,
 * *Enrolment*, *Evaluation*, *Ledger operations*, *Redemption operations*, *Wallet operations*; contract/orders.md
 * *Orders that add up*, *Eligible spend*, *Earning*; contract/points.md *Expiration*, *Reversals and lots*, *Balances*,
 * *Manual adjustments*, *Ledger list*, *Time of entries*; contract/redemptions.md *Reserve*, *Capture*, *Reverse*,
 * *Paying with a wallet reward*, *Issuing*, *Cancelling*; contract/resources.md *Values*, *Identities*,
 * *Enumerations*, *Request context*, *Response context*, *Response bodies*, *Member*, *Balance*, *Ledger entry*,
 * *Account summary*, *Issued reward*, *Reservation*, *Effects and funding*, *Order*, *Order adjustment*,
 * *Programme definition*.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as Expectations from "../../src/conformance/Expectations.ts"
import * as Report from "../../src/conformance/Report.ts"
import * as Verify from "../../src/conformance/Verify.ts"
import { cases } from "../../src/conformance/Verify.ts"
import * as Watches from "../../src/conformance/Watches.ts"
import * as TestServer from "../app/service/TestServer.ts"
import * as Service from "./Service.ts"

const enrolled = (program_id: string, member_id: string) =>
  TestServer.send("/proto/v1/members/enroll", {
    context: Testing.context(),
    program_id,
    member_id,
    identity: { type: "loyalty_id", value: `card-of-${member_id}`, issuer: "test" }
  })

/** The address of a server that answers as it is told. */
const listening = (answer: http.RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<http.Server>((resolve) => {
            const server = http.createServer(answer)
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
      ),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

const credited = (program_id: string, member_id: string, amount: number) =>
  TestServer.send("/proto/v1/ledger/manual-adjustments", {
    context: Testing.context(),
    program_id,
    member_id,
    adjustment_id: `credit-of-${member_id}`,
    amount,
    classification: "bonus",
    reason: "test",
    qualifies_for_tier: true
  })

const decoded = (json: unknown): Expectations.Expectations =>
  Result.getOrThrowWith(Expectations.decode(json), (faults) => new Error(JSON.stringify(faults)))

layer(Service.layer, { excludeTestServices: true })("verify", (it) => {
  Service.programIds.forEach((program, index) =>
    it.effect(`is green on a fresh service for ${program}`, () =>
      Effect.gen(function* () {
        const report = yield* Service.verify(yield* Service.url, { program, strict: true, seed: index + 1 })
        assert.isUndefined(report.stopped)
        const wrong = Service.differing(report)
        assert.deepStrictEqual(wrong, [], Service.told(wrong))
        assert.isAbove(report.outcomes.filter(({ status }) => status === "ok").length, 100)
      })
    )
  )

  it.effect(
    "is green where promotions give every order something on other accounts, and tries all adjustments there",
    () =>
      Effect.gen(function* () {
        const report = yield* Service.verify(yield* Service.url, { program: Service.generous.id, strict: true })
        const wrong = Service.differing(report)
        assert.deepStrictEqual(wrong, [], Service.told(wrong))
        const adjusting = report.outcomes.filter(({ id }) => id.startsWith("adjusting."))
        assert.isAbove(adjusting.length, 5)
        assert.deepStrictEqual(
          adjusting.filter(({ status }) => status !== "ok").map(({ id }) => id),
          []
        )
      })
  )

  it.effect("leaves its members at zero, and says so", () =>
    Effect.gen(function* () {
      const report = yield* Service.verify(yield* Service.url, { program: "noodle-club", only: "replay" })
      const closing = report.outcomes.find(({ id }) => id === "closing.zero")
      assert.match(closing?.note ?? "", /^\d+ members, all at zero; they stay enrolled/)
    })
  )

  it.effect("draws amounts from the seed alone, and ids from the run", () =>
    Effect.gen(function* () {
      const address = yield* Service.url
      const options = { program: "noodle-club", only: "ledger.pages", seed: 5 }
      // The same seed twice on one host: what the first run left must not be met again.
      for (let run = 0; run < 2; run++) {
        const report = yield* Service.verify(address, options)
        assert.deepStrictEqual(Service.differing(report), [])
      }
    })
  )

  it.effect("compares balances and tiers with a file, member by member", () =>
    Effect.gen(function* () {
      const address = yield* Service.url
      const program_id = "bistro-treue"
      for (const [member, amount] of [
        ["expected-1", 400],
        ["expected-2", 7]
      ] as const) {
        assert.strictEqual((yield* enrolled(program_id, member)).status, 201)
        assert.strictEqual((yield* credited(program_id, member, amount)).status, 201)
      }
      const identity = { type: "loyalty_id", value: "card-of-expected-2", issuer: "test" }
      const right = decoded({
        members: [
          { program_id, member_id: "expected-1", balances: { points: 400 }, tier_id: "stamm" },
          { program_id, identity, balances: { points: 7 } }
        ]
      })
      const green = yield* Service.verify(address, { expectations: right, only: "expect" })
      assert.deepStrictEqual(Service.differing(green), [])
      assert.strictEqual(Report.exitCode(green), 0)
      assert.strictEqual(green.outcomes.at(-1)?.note, "2 of 2 members as expected")
      const wrong = decoded({
        members: [
          { program_id, member_id: "expected-1", balances: { points: 401, visits: 1 }, tier_id: "gast" },
          { program_id, identity, balances: { points: 7 } },
          { program_id, member_id: "nobody-here", balances: { points: 0 } }
        ],
        counts: [{ program_id, members: 2 }]
      })
      const red = yield* Service.verify(address, { expectations: wrong, only: "expect" })
      const found = Service.differing(red)
      assert.deepStrictEqual(
        found.map(({ differences, id }) => [id, differences.map(({ expected, got }) => [expected, got.slice(0, 30)])]),
        [
          [
            "expect.members/0",
            [
              ["401 points", "400 points"],
              ["1 visits", "no account of visits"],
              ["tier gast", "tier stamm"]
            ]
          ],
          ["expect.members/2", [["the member", found[1]?.differences[0]?.got.slice(0, 30)]]],
          ["expect.counts/0", [["2 members", "cannot be checked on this host"]]]
        ]
      )
      assert.match(found[1]?.differences[0]?.got ?? "", /^404 /)
      assert.strictEqual(Report.exitCode(red), 1)
    })
  )

  it.effect("checks a frozen host's refusals and reads, and skips what writes", () =>
    Effect.gen(function* () {
      const address = yield* Service.url
      const freeze = (write_frozen: boolean) =>
        TestServer.send(
          "/admin/api/v1/maintenance",
          { write_frozen },
          { headers: { authorization: "Bearer proto-dev-admin-key" } }
        )
      assert.strictEqual((yield* freeze(true)).status, 200)
      const report = yield* Service.verify(address, { program: "noodle-club", strict: true })
      yield* freeze(false)
      assert.deepStrictEqual(Service.differing(report), [], Service.told(Service.differing(report)))
      const outcome = (id: string) => report.outcomes.find((one) => one.id === id)
      assert.match(outcome("doctor.health")?.note ?? "", /FROZEN/)
      assert.strictEqual(outcome("transport.frozen")?.status, "ok")
      assert.strictEqual(outcome("earning.rate")?.note, "writes are frozen")
    })
  )

  it.effect("cannot run without the programme, the token or the host", () =>
    Effect.gen(function* () {
      const address = yield* Service.url
      const rows = [
        [yield* Service.verify(address, { program: "no-such-programme" }), /has no programme/],
        [yield* Service.verify(address, { token: "no-such-token" }), /is not accepted/],
        [yield* Service.verify("http://127.0.0.1:1"), /does not answer: .*ECONNREFUSED/]
      ] as const
      for (const [report, why] of rows) {
        assert.match(report.stopped ?? "", why)
        assert.strictEqual(Report.exitCode(report), 2)
      }
    })
  )

  it.effect("doctor is green on the service, and says what to do about a wrong token", () =>
    Effect.gen(function* () {
      const address = yield* Service.url
      const well = yield* Verify.doctor(address, Service.token)
      assert.deepStrictEqual(Service.differing(well), [])
      const refused = yield* Verify.doctor(address, "no-such-token")
      const [found] = Service.differing(refused)
      assert.strictEqual(found?.id, "doctor.token-accepted")
      assert.match(found?.advice ?? "", /PROTO_TOKEN/)
      assert.strictEqual(Report.exitCode(refused), 1)
    })
  )

  const answers: ReadonlyArray<readonly [string, number, Readonly<Record<string, string>>, string, RegExp]> = [
    ["a redirect", 301, { location: "https://other.example/" }, "", /redirect to https:\/\/other\.example\//],
    ["another server's page", 200, { "content-type": "text/html" }, "<html><title>Router</title>", /page of .*Router/],
    ["a port of TLS", 400, {}, "Client sent an HTTP request to an HTTPS server.", /use https:\/\//]
  ]
  for (const [what, status, headers, text, told] of answers) {
    it.effect(`doctor and verify stop at ${what}, and send no token on`, () =>
      Effect.gen(function* () {
        const seen: Array<string | undefined> = []
        const address = yield* listening((request, response) => {
          seen.push(request.headers.authorization)
          response.writeHead(status, headers).end(text)
        })
        const report = yield* Verify.doctor(address, Service.token)
        assert.match(report.stopped ?? "", told)
        const verified = yield* Service.verify(address, { program: "noodle-club" })
        assert.match(verified.stopped ?? "", told)
        assert.deepStrictEqual(
          Service.differing(report).map(({ id }) => id),
          ["doctor.discovery"]
        )
        assert.isAbove(seen.length, 2)
        assert.deepStrictEqual([...new Set(seen)], [undefined])
      })
    )
  }

  it.effect("doctor says which scheme a port speaks", () =>
    Effect.gen(function* () {
      const plain = yield* listening((_, response) => response.end())
      const report = yield* Verify.doctor(plain.replace("http:", "https:"), Service.token)
      assert.match(JSON.stringify(report.outcomes), /speaks no TLS: use http:/)
      assert.strictEqual(Report.exitCode(report), 2)
    })
  )
})

layer(Service.sandbox, { excludeTestServices: true })("verify on a sandbox", (it) => {
  it.effect("goes by the host's clock, and waits for nothing that only moves by hand", () =>
    Effect.gen(function* () {
      const address = yield* Service.url
      for (const only of ["lots", "redemption."]) {
        const report = yield* Service.verify(address, { program: "bistro-treue", strict: true, only })
        assert.isUndefined(report.stopped)
        assert.deepStrictEqual(Service.differing(report), [], Service.told(Service.differing(report)))
        const expiry = report.outcomes.filter(({ id }) => id === "lots.expires" || id === "redemption.expires")
        for (const { note } of expiry) assert.strictEqual(note, "the host's clock is moved by hand")
      }
    })
  )
})

layer(Service.layer)("the table", (it) => {
  it.effect("names every case once, with the section of the contract that its rule is from", () =>
    Effect.sync(() => {
      const all = [...cases, ...Watches.watches(true, false)]
      assert.strictEqual(new Set(all.map(({ id }) => id)).size, all.length)
      for (const { id, rule } of all) assert.match(rule, /^contract\/[a-z]+\.md \*/, id)
    })
  )

  it.effect("tells faults of an expectations file by their place", () =>
    Effect.sync(() => {
      const identity = { type: "loyalty_id", value: "1", issuer: "x" }
      const wrong = {
        members: [
          { program_id: "p", member_id: "m", identity, balances: {} },
          { program_id: "p", balances: { points: 1 } },
          { program_id: "p", member_id: "m" }
        ]
      }
      const faults = Expectations.decode(wrong)
      assert.isTrue(Result.isFailure(faults))
      if (Result.isFailure(faults)) {
        const told = faults.failure.map(({ path }) => path)
        assert.deepStrictEqual(told, ["/members/0", "/members/1", "/members/2"])
      }
      const shapes = Expectations.decode({
        members: [{ program_id: "p", member_id: 7, balances: { beans: 1 } }],
        more: 1
      })
      assert.isTrue(Result.isFailure(shapes))
      if (Result.isFailure(shapes)) {
        const told = shapes.failure.map(({ path }) => path).sort()
        assert.deepStrictEqual(told, ["/members/0/balances/beans", "/members/0/member_id", "/more"])
      }
    })
  )

  it.effect("writes JUnit that is XML whatever a host sends", () =>
    Effect.sync(() => {
      const report: Verify.Report = {
        url: "http://host",
        strict: false,
        started_at: "2026-07-14T10:00:00.000Z",
        took_ms: 1_500,
        outcomes: [
          {
            id: "a.b",
            level: "base",
            rule: "contract/transport.md *Problem codes*",
            title: "a < b & c",
            status: "differs",
            differences: [{ request: "GET /", sent: { a: "]]>" }, expected: '"x"', got: "\u0000\u001b[2J<html>" }],
            tookMs: 5
          }
        ]
      }
      const xml = Report.junit(report)
      assert.include(xml, 'tests="1" failures="1" errors="0" skipped="0"')
      assert.include(xml, 'name="a.b: a &lt; b &amp; c"')
      assert.include(xml, "\\u0000\\u001b[2J&lt;html&gt;")
      assert.notMatch(xml.replaceAll("\n", ""), /\p{Cc}/u)
      assert.notMatch(Report.text(report).replaceAll("\n", ""), /\p{Cc}/u)
    })
  )
})

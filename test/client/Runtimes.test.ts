/** The built client in plain Node, without a loader or a package, and on a page in a browser, from another origin. */

import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as Built from "../Built.ts"
import { launch } from "../console/Browser.ts"
import * as Folders from "../Folders.ts"

const built = path.dirname(Built.client)

/** A program that uses the client, the same in each runtime. Gives its observations as JSON. */
const program = `
const seen = []
const client = createClient({ url, token, hooks: { onRetry: ({ kind }) => seen.push(kind) } })
const program_id = "demo-foodservice"
const identity = { type: "loyalty_id", value: "card-of-ada", issuer: "corner-bowl" }
await client.proto.member.enroll({ program_id, identity, member_id: "ada" })
const found = await client.proto.member.lookup({ program_id, identity })
seen.push(found.member.member_id)
for await (const entry of client.proto.ledger.list.all({ program_id, member_id: "ada" })) seen.push(entry.entry_id)
try {
  await client.proto.account.get({ program_id, member_id: "nobody" })
} catch (error) {
  seen.push(error instanceof ProblemError, error.code, error.requestId.length)
}
try {
  await client.proto.program.get({ program_id }, { signal: AbortSignal.abort() })
} catch (error) {
  seen.push(error.kind)
}
`
const expected = ["ada", true, "not_found", 32, "aborted"]

type Service = Awaited<ReturnType<typeof Testing.serve>>

const listening = (listener: http.RequestListener) =>
  new Promise<{ readonly url: string; readonly stop: () => Promise<void> }>((resolve) => {
    const server = http.createServer(listener).listen(0, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        stop: () =>
          new Promise((done) => {
            server.closeAllConnections()
            server.close(() => done())
          })
      })
    )
  })

describe("the built client", () => {
  let service: Service
  beforeAll(async () => {
    service = await Testing.serve()
  })
  afterAll(() => service.stop())

  // The suite's own Node, and an older one where the machine has it.
  const nodes = [...new Set([process.execPath, "/usr/bin/node"])].filter((node) => fs.existsSync(node))
  for (const node of nodes)
    it(`runs in plain Node, ${node === process.execPath ? "of the suite" : "of the machine"}`, async () => {
      const folder = Folders.make("client-")
      try {
        fs.cpSync(built, path.join(folder, "client"), { recursive: true })
        fs.writeFileSync(
          path.join(folder, "use.mjs"),
          `import { createClient, ProblemError } from "./client/Client.js"
const url = ${JSON.stringify(service.url)}
const token = () => Promise.resolve(${JSON.stringify(service.token)})
${program}
console.log(JSON.stringify(seen))
`
        )
        const { NODE_OPTIONS: _, ...env } = process.env
        const output = await new Promise<string>((resolve) => {
          execFile(node, ["use.mjs"], { cwd: folder, env }, (error, stdout, stderr) =>
            resolve(error === null ? stdout : `${error.message}\n${stderr}`)
          )
        })
        assert.strictEqual(output.trim(), JSON.stringify(expected))
      } finally {
        fs.rmSync(folder, { recursive: true })
      }
    })

  describe("on a page", () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch()
    })
    afterAll(() => browser.close())

    it("runs without packages, and sends to another origin what that allows", async () => {
      const pages = await listening((request, response) => {
        const name = path.normalize(request.url ?? "/")
        const file = path.join(built, name)
        if (name === "/") response.setHeader("content-type", "text/html").end("<!doctype html><title>Till</title>")
        else if (fs.existsSync(file)) response.setHeader("content-type", "text/javascript").end(fs.readFileSync(file))
        else response.writeHead(404).end()
      })
      const preflights: Array<string> = []
      // A reverse proxy that allows the page's origin, as it would stand before a service.
      const proxy = await listening((request, response) => {
        const allowed = {
          "access-control-allow-origin": pages.url,
          "access-control-allow-headers": "authorization, content-type, x-request-id, idempotency-key, traceparent",
          "access-control-allow-methods": "GET, POST, PUT",
          "access-control-expose-headers": "x-request-id, retry-after, ratelimit, idempotent-replayed"
        }
        if (request.method === "OPTIONS") {
          preflights.push(request.headers["access-control-request-headers"] ?? "")
          response.writeHead(204, allowed).end()
          return
        }
        const { headers, method = "GET", url: target } = request
        const onward = http.request(`${service.url}${target}`, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...allowed })
          answer.pipe(response)
        })
        request.pipe(onward)
      })
      const faults: Array<string> = []
      try {
        const page = await browser.newPage()
        page.on("pageerror", (error) => faults.push(String(error)))
        await page.goto(pages.url)
        const seen = await page.evaluate(
          `import("/Client.js").then(async ({ createClient, ProblemError }) => {
            const url = ${JSON.stringify(proxy.url)}, token = ${JSON.stringify(service.token)}
            ${program}
            return seen
          })`
        )
        assert.deepStrictEqual(seen, expected)
        assert.include(preflights, "authorization,content-type,x-request-id")
        assert.deepStrictEqual(faults, [])
      } finally {
        await Promise.all([pages.stop(), proxy.stop()])
      }
    })
  })
})

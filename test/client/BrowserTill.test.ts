/**
 * A till on a page: its sales are in the browser's database before they are accepted. Pages are killed, requests and answers
 * are lost, the network goes away and the disk is full.
 */
import type { Order } from "lotbook/client"
import { createClient } from "lotbook/client"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import type { FaultProxy } from "../../src/app/testing/FaultProxy.ts"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as Built from "../Built.ts"
import { launch } from "../console/Browser.ts"
import { card, order, programId } from "./TillService.ts"

const built = path.dirname(Built.client)
const sales = 40
const guests = 5

let service: Awaited<ReturnType<typeof Testing.serve>>
let network: FaultProxy
let browser: Browser
let context: BrowserContext
let pages: http.Server

const origin = (host = "localhost") => `http://${host}:${(pages.address() as AddressInfo).port}`

/** Pages and, through the network that fails, the service at one origin, as behind a reverse proxy. */
const serve = (request: http.IncomingMessage, response: http.ServerResponse): void => {
  const { headers, method = "GET", url = "/" } = request
  if (url.startsWith("/proto/")) {
    const onward = http.request(`${network.url}${url}`, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on("error", () => request.socket.destroy())
    request.pipe(onward)
    return
  }
  const file = path.join(built, path.normalize(url))
  if (url === "/") response.setHeader("content-type", "text/html").end("<!doctype html><title>Till</title>")
  else if (fs.existsSync(file)) response.setHeader("content-type", "text/javascript").end(fs.readFileSync(file))
  else response.writeHead(404).end()
}

beforeAll(async () => {
  service = await Testing.serve({ now: "2026-07-14T10:00:00Z" })
  network = await Testing.faults({ target: service.url, seed: 51 })
  pages = http.createServer(serve)
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve))
  browser = await launch()
  context = await browser.newContext()
})
afterAll(async () => {
  await browser.close()
  pages.closeAllConnections()
  pages.close()
  await network.stop()
  await service.stop()
})

/** The sales that a page is told to make, and what it was told about them. */
const accepted = new Set<string>()
const saleOf = (n: number): readonly [Order, ReturnType<typeof card>] => [
  order(`page-${n}`, 1_000) as Order,
  card(`page-guest-${n % guests}`)
]

/** A page with a till that is started: what went wrong at its start, or nothing. */
const open = async (at = origin(), quotaSize?: number): Promise<{ readonly page: Page; readonly fault: unknown }> => {
  const page = await context.newPage()
  await page.exposeFunction("accepted", (id: string) => void accepted.add(id))
  if (quotaSize !== undefined)
    await (await context.newCDPSession(page)).send("Storage.overrideQuotaForOrigin", { origin: at, quotaSize })
  await page.goto(at)
  const fault = await page.evaluate(
    `import("/Client.js").then(({ createClient, indexedDbStore, Till }) => {
      globalThis.till = new Till({
        client: createClient({ url: location.origin, token: ${JSON.stringify(service.token)} }),
        store: indexedDbStore("till"),
        programId: ${JSON.stringify(programId)},
        wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms / 50))
      })
      return till.start().then(() => null, ({ kind }) => kind)
    })`
  )
  return { page, fault }
}

/** Sells from one number to another; the page may be gone before the end. */
const sell = (page: Page, from: number, to: number): Promise<unknown> => {
  const list = JSON.stringify(Array.from({ length: to - from }, (_, n) => saleOf(from + n)))
  return page
    .evaluate(
      `(async () => {
        for (const [order, card] of ${list}) {
          await till.sale({ order, card })
          await accepted(order.order_id)
        }
      })()`
    )
    .catch(() => undefined)
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(setImmediate)
}

/** Kills the page's process. */
const crash = async (page: Page): Promise<void> => {
  const crashed = new Promise((resolve) => page.once("crash", resolve))
  const tools = await context.newCDPSession(page)
  tools.send("Page.crash").catch(() => undefined)
  await crashed
  await page.close()
}

it("a till on a page, killed twice: nothing accepted is doubled or lost, each guest's order is kept", async () => {
  network.drop("requests", { rate: 0.3 })
  network.drop("answers", { rate: 0.4 })
  const first = await open()
  assert.isNull(first.fault)
  const other = await open()
  assert.strictEqual(other.fault, "owned", "a database has one page")
  await other.page.close()
  void sell(first.page, 0, sales)
  await until(() => accepted.size > 10)
  await crash(first.page)

  network.cut()
  const second = await open()
  assert.isNull(second.fault, "a killed page has given the database back")
  void sell(second.page, accepted.size, sales)
  await until(() => accepted.size > 25)
  await crash(second.page)
  network.mend()

  const third = await open()
  await sell(third.page, accepted.size, sales)
  assert.strictEqual(accepted.size, sales)
  await third.page.evaluate("till.drained()")
  assert.deepInclude(await third.page.evaluate<object>("till.state()"), { queued: 0, refused: 0, held: 0 })
  network.clear()

  const { proto } = createClient({ url: service.url, token: service.token })
  for (let guest = 0; guest < guests; guest++) {
    const { member } = await proto.member.lookup({ program_id: programId, identity: card(`page-guest-${guest}`) })
    const { entries } = await proto.ledger.list({ program_id: programId, member_id: member!.member_id, limit: 100 })
    const posted = entries.map(({ order_id }) => order_id).toReversed()
    const sold = Array.from({ length: sales / guests }, (_, n) => `page-${n * guests + guest}`)
    assert.deepStrictEqual(posted, sold)
  }
  await third.page.evaluate("till.stop()")
  await third.page.close()
})

it("a full disk is told, and nothing that was accepted is lost", async () => {
  network.cut()
  const { fault, page } = await open(origin("127.0.0.1"), 2_000_000)
  assert.isNull(fault)
  await sell(page, 100, 101)
  const [large, guest] = saleOf(101).map((one) => JSON.stringify(one))
  const kind = await page.evaluate(
    `till.sale({ order: { ...${large}, metadata: { note: "x".repeat(5_000_000) } }, card: ${guest} })
      .then(() => "accepted", ({ kind }) => kind)`
  )
  assert.strictEqual(kind, "full")
  await sell(page, 102, 103)
  assert.deepInclude(await page.evaluate<object>("till.state()"), { queued: 2 })
  network.mend()
  await page.evaluate("till.drained()")
  await page.evaluate("till.stop()")
})

/** The till as a page in Chromium, of another origin than the service's, with the browser's database for its store. */

import type { Browser, BrowserContext, Page } from "playwright-core"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import * as Built from "../Built.ts"
import { launch } from "../console/Browser.ts"
import { TillLives } from "./TillLives.ts"
import { gapMs, hurry, programId, salesOf } from "./TillSales.ts"
import { sellAll } from "./TillSelling.ts"

const database = "till-7"

/** The page and the client, and nothing of the service. */
const serve = ({ url = "/" }: http.IncomingMessage, response: http.ServerResponse): void => {
  const file = path.join(path.dirname(Built.client), path.normalize(url))
  if (url === "/") response.setHeader("content-type", "text/html").end("<!doctype html><title>Till</title>")
  else if (fs.existsSync(file)) response.setHeader("content-type", "text/javascript").end(fs.readFileSync(file))
  else response.writeHead(404).end()
}

export class TillPage extends TillLives {
  private readonly server: http.Server
  private readonly browser: Browser
  private readonly context: BrowserContext
  private page: Page | undefined
  private lives = 0
  private life: Promise<void> = Promise.resolve()
  isGone = false

  private constructor(end: number, server: http.Server, browser: Browser, context: BrowserContext) {
    super(end)
    this.server = server
    this.browser = browser
    this.context = context
  }

  static async make(end: number): Promise<TillPage> {
    const browser = await launch()
    const server = http.createServer(serve)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return new TillPage(end, server, browser, await browser.newContext())
  }

  private get origin(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`
  }

  get serviceFlags(): ReadonlyArray<string> {
    return ["--cors-origins", this.origin]
  }

  private async open(): Promise<Page> {
    const page = await this.context.newPage()
    this.page = page
    await page.exposeFunction("say", (...words: ReadonlyArray<string | number>) => {
      this.lines.push(words.join(" "))
    })
    await page.goto(this.origin)
    return page
  }

  private async live(url: string, first: number): Promise<void> {
    const page = await this.open()
    await page.evaluate(
      `import("/Client.js").then(({ createClient, indexedDbStore, Till }) => {
        const till = new Till({
          client: createClient({ url: ${JSON.stringify(url)}, token: "proto-dev-token" }),
          store: indexedDbStore("${database}"),
          programId: "${programId}",
          instance: "${database}",
          wait: (ms, signal) => new Promise((resolve, reject) => {
            const timer = setTimeout(resolve, ms / ${hurry})
            signal?.addEventListener("abort", () => {
              clearTimeout(timer)
              reject(signal.reason)
            })
          }),
          onEvent: (event) => void say("event", event.type, "entry" in event ? event.entry.id : "")
        })
        const sellAll = ${String(sellAll)}
        return sellAll(till, ${JSON.stringify(salesOf(first, this.end, this.placedAt, this.lives))}, say, ${gapMs})
      })`
    )
    await page.close()
  }

  protected spawn(url: string, first: number): void {
    this.lives++
    this.isGone = false
    this.life = this.live(url, first)
      .catch((error: unknown) => void (this.isDone || this.lines.push(`ended: ${String(error)}`)))
      .finally(() => {
        this.isGone = true
      })
  }

  /** Kills the page's process. */
  async kill(): Promise<void> {
    const { page } = this
    if (page === undefined || this.isGone) return
    const tools = await this.context.newCDPSession(page)
    const crashed = new Promise((resolve) => page.once("crash", resolve))
    tools.send("Page.crash").catch(() => undefined)
    await crashed
    await page.close()
    await this.life
  }

  protected ended(): Promise<void> {
    return this.life
  }

  async left(): Promise<ReadonlyArray<string>> {
    const page = await this.open()
    const ids = await page.evaluate<ReadonlyArray<string>>(
      `import("/Client.js").then(async ({ indexedDbStore }) => {
        const store = indexedDbStore("${database}")
        const { entries } = await store.open()
        await store.close()
        return entries.map(({ id }) => id)
      })`
    )
    await page.close()
    return ids
  }

  async close(): Promise<void> {
    await this.browser.close()
    this.server.closeAllConnections()
    this.server.close()
  }
}

/** The console in a real browser, of a service in a process of its own with the demo in a fresh database. */

import type { RunOptions } from "axe-core"
import axe from "axe-core"
import type { Scope } from "effect"
import { Context, Effect, Exit, Layer } from "effect"
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { Database } from "../../src/base/database/Database.ts"
import { sessionPath } from "../../src/contract/admin/Sessions.ts"
import { environmentName } from "../../src/contract/protocol/Protocol.ts"
import { urlOf } from "../app/cli/Lotbook.ts"
import * as Built from "../Built.ts"
import * as TestDatabase from "../TestDatabase.ts"
import { launch } from "./Browser.ts"

const source = path.join(import.meta.dirname, "..", "..", "src")

export const rootKey = "proto-dev-admin-key"

/** Parts that a suite over `layer` gives its tests. */
export interface It {
  readonly effect: (name: string, test: () => Effect.Effect<void, unknown, Console | Scope.Scope>) => void
}

export interface OpenOptions extends Pick<BrowserContextOptions, "colorScheme" | "locale" | "viewport"> {
  /** User whose key signs in; null: nobody. */
  readonly key?: string | null
  /** Gives the browser a device that keeps passkeys, and whose owner agrees to everything. */
  readonly keepsPasskeys?: boolean
  /**
   * Fetches the files of all pages soon after the first, as the browsers of people do. Else a page's files come when it
   * is gone to: 170 files for each test are a third of its time.
   */
  readonly fetchesAhead?: boolean
}

/** A page, and all that went wrong in it: a test asserts that there is nothing. */
export interface Opened {
  readonly page: Page
  readonly faults: ReadonlyArray<string>
}

export class Console extends Context.Service<
  Console,
  {
    /** The service's address. */
    readonly url: string
    /** Opens an address of the console, such as `/members`, in a browser context of its own. */
    readonly open: (at: string, options?: OpenOptions) => Effect.Effect<Opened, never, Scope.Scope>
    /** Asks the service as the root key does. */
    readonly ask: (method: string, at: string, body?: unknown) => Effect.Effect<unknown>
    /** Ends the service's process. */
    readonly stop: Effect.Effect<void>
    /** Starts it again at its address, and waits until it listens. */
    readonly start: Effect.Effect<void>
  }
>()("test/Console") {}

/** Comes back to a tab a minute later, which reads again what the page shows. */
export const comeBack = async (page: Page): Promise<void> => {
  await page.evaluate("{ const later = Date.now() + 60_000; Date.now = () => later }")
  await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
}

/**
 * Goes before a route that ends while its page goes on: of a request that begins as the last route of a page ends, no
 * answer comes (Chromium).
 */
export const keepRouting = (page: Page): Promise<unknown> => page.route("**/none", (route) => route.continue())

/** Opens the forms of what the programme is, below its words. */
export const openGeneral = (page: Page): Promise<void> =>
  page.getByText("Advanced: every property of the programme").click()

/** Types the programme's name into its form. */
export const typeName = async (page: Page, name: string): Promise<void> => {
  const field = page.getByLabel("Name", { exact: true }).first()
  if (!(await field.isVisible())) await openGeneral(page)
  await field.fill(name)
}

/** A narrow screen. */
export const narrow = { width: 390, height: 844 } as const

/** So much of the service's log is printed after a failed test. */
const logChars = 4_000

const listening = /Listening on (http:\S+?)"/

const started = Effect.fnUntraced(function* (databaseUrl: string, more: Environment) {
  let output = ""
  let child: ChildProcess | undefined
  const stop = Effect.callback<void>((resume) => {
    if (child === undefined || child.exitCode !== null) return resume(Effect.void)
    child.removeAllListeners("exit").once("exit", () => resume(Effect.void))
    child.kill("SIGTERM")
  })
  const startAt = (port: string) =>
    Effect.callback<string>((resume) => {
      const begun = output.length
      child = spawn(process.execPath, [Built.main, "serve", "--port", port], {
        env: {
          ...process.env,
          DATABASE_URL: databaseUrl,
          PROGRAMS: path.join(source, "app", "demo", "program.demo.json"),
          [environmentName("TOKEN")]: "proto-dev-token",
          [environmentName("ADMIN_KEY")]: rootKey,
          [environmentName("SEED_DEMO")]: "true",
          [environmentName("WEBHOOK_PRIVATE")]: "true",
          LOG_FORMAT: "json",
          NO_COLOR: "1",
          ...more
        },
        stdio: ["ignore", "pipe", "inherit"]
      })
      child.stdout?.on("data", (chunk) => {
        output += String(chunk)
        const found = listening.exec(output.slice(begun))
        // Pages move from the address to the name, for which browsers make passkeys.
        if (found !== null) resume(Effect.succeed((found[1] ?? "").replace("127.0.0.1", "localhost")))
      })
      child.once("exit", () => resume(Effect.die(new Error(`the service ended: ${output.slice(-logChars)}`))))
    })
  yield* Effect.addFinalizer(() => stop)
  const url = yield* startAt("0")
  const start = Effect.suspend(() => Effect.asVoid(startAt(new URL(url).port)))
  return { url, lastLog: () => output.slice(-logChars), start, stop }
})

/** Gives a context the cookie of a session, as the form for signing in does. */
const signIn = async (context: BrowserContext, url: string, key: string): Promise<void> => {
  const answer = await context.request.post(`${url}${sessionPath}`, { data: { key } })
  if (!answer.ok()) throw new Error(`signing in: ${answer.status()} ${await answer.text()}`)
}

const addAuthenticator = async (context: BrowserContext, page: Page): Promise<void> => {
  const devTools = await context.newCDPSession(page)
  await devTools.send("WebAuthn.enable")
  await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
}

/** The way in by a key: it is the first while nobody has a passkey. */
export const keyed = /^(Use a key instead|Sign in with a key)$/

/** Types a key into the form for signing in, which folds it away for those who have passkeys. */
export const typeKey = async (page: Page, key: string): Promise<void> => {
  const field = page.getByLabel("Key or token").first()
  await page.getByText(keyed).first().waitFor()
  if (!(await field.isVisible())) await page.getByText("Use a key instead").click()
  await field.fill(key)
}

/** Prints what the page of a failed test shows, which requests were refused, and the end of the log. */
const describeFailed = async (page: Page, refused: ReadonlyArray<string>, log: string): Promise<void> => {
  const shown = await page.locator("body").innerText({ timeout: 5_000 })
  process.stderr.write(
    `The page of the failed test: ${page.url()}\n${shown}\nRefused: ${refused.join("; ") || "none"}\nLog:\n${log}\n`
  )
}

const open = (browser: Browser, url: string, lastLog: () => string) =>
  Effect.fnUntraced(function* (
    at: string,
    { fetchesAhead, keepsPasskeys, key = rootKey, ...options }: OpenOptions = {}
  ) {
    const refused: Array<string> = []
    const context = yield* Effect.acquireRelease(
      // Without motion nothing is half faded when it is looked at.
      Effect.promise(() => browser.newContext({ locale: "en-GB", reducedMotion: "reduce", ...options })),
      (context, exit) =>
        Effect.promise(async () => {
          if (Exit.isFailure(exit)) for (const page of context.pages()) await describeFailed(page, refused, lastLog())
          // An answer that a test changes may be on its way: it fails with its page, which is no fault of a test.
          for (const page of context.pages()) await page.unrouteAll({ behavior: "ignoreErrors" })
          await context.close()
        })
    )
    return yield* Effect.promise(async () => {
      if (fetchesAhead !== true) await context.addInitScript("globalThis.requestIdleCallback = () => 0")
      const page = await context.newPage()
      // Says that something does not come, not that it is late: a busy machine takes ten times as long as a calm one.
      page.setDefaultTimeout(100_000)
      const faults: Array<string> = []
      page.on("pageerror", (error) => faults.push(error.message))
      page.on("console", (message) => {
        // A refused request is told by the browser too; a page shows it in its own words.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
          faults.push(message.text())
      })
      page.on("response", (response) => {
        if (response.status() >= 400)
          refused.push(`${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`)
      })
      if (keepsPasskeys === true) await addAuthenticator(context, page)
      if (key !== null) await signIn(context, url, key)
      await page.goto(`${url}/console${at === "/" ? "" : at}`)
      return { page, faults }
    })
  })

type Environment = Readonly<Record<string, string>>

const make = Effect.fnUntraced(function* (more: Environment) {
  const browser = yield* Effect.acquireRelease(Effect.promise(launch), (browser) =>
    Effect.promise(() => browser.close())
  )
  const { lastLog, start, stop, url } = yield* started(urlOf(yield* Database), more)
  return {
    url,
    start,
    stop,
    open: open(browser, url, lastLog),
    ask: (method: string, at: string, body?: unknown) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}${at}`, {
          method,
          headers: { authorization: `Bearer ${rootKey}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        const text = await response.text()
        return text.startsWith("{") ? JSON.parse(text) : text
      })
  }
})

const demoProgram = "/admin/api/v1/programs/demo-foodservice"

/** The demo's programme as it is in force. After the test, also one that failed, its version is in force again. */
export const programKept = Effect.gen(function* () {
  const { ask } = yield* Console
  const now = Effect.map(ask("GET", demoProgram), (shown) => shown as { readonly version: number })
  return yield* Effect.acquireRelease(now, ({ version }) =>
    Effect.flatMap(now, (after) =>
      after.version === version ? Effect.void : ask("POST", `${demoProgram}/rollback`, { version })
    )
  )
})

/** With further variables in the service's environment. */
export const layerWith = (more: Environment): Layer.Layer<Console> =>
  Layer.effect(Console, make(more)).pipe(Layer.provide(TestDatabase.layer), Layer.orDie)

export const layer = layerWith({})

/** By how many pixels a page is wider than its screen. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - window.innerWidth")

/** Waits until a page is no wider than its screen: what is drawn already follows a new width in the frames after it. */
export const fits = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((done) => {
    const look = () => (document.documentElement.scrollWidth <= innerWidth ? done() : requestAnimationFrame(look))
    look()
  })`)

/** Findings of axe in a page that are serious or critical: a sentence each. */
export const barriers = (page: Page): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    // Parts that are dimmed while their answer is late are not looked at.
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" })
    // Half a megabyte of script: once for each document.
    if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source)
    const found = await page.evaluate(async () => {
      const { run } = (
        globalThis as unknown as { readonly axe: { readonly run: (options: RunOptions) => Promise<unknown> } }
      ).axe
      return (await run({ resultTypes: ["violations"], selectors: false })) as {
        readonly violations: ReadonlyArray<{
          readonly id: string
          readonly impact: string
          readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
        }>
      }
    })
    return found.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ failureSummary, html }) => `${id}: ${html} ${failureSummary}`))
  })

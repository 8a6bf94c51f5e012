/** First steps of a reader of `/docs`, on a fresh demo: each example as it is described, and *Test Request*. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Response } from "playwright-core"
import { docsOptions } from "../../src/edge/http/Pages.ts"
import { Console, layer as consoleLayer } from "../console/Console.ts"

type Examples = Readonly<Record<string, { readonly value: unknown }>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly examples?: Examples
}

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly examples: Examples }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/**
 * Refusals of what needs the cookie of a session or of a guest, an authenticator, a provider, a sandbox or what is not there yet:
 * the problem's code.
 */
const refused: Readonly<Record<string, string>> = {
  // A demo has no mail server.
  "guest_code.ask": "invalid_state",
  "guest.change_profile": "unauthorized",
  "guest.claim_order": "unauthorized",
  "guest.data": "unauthorized",
  "guest.data_page": "unauthorized",
  "guest.history": "unauthorized",
  "guest.leave": "unauthorized",
  "guest.show": "unauthorized",
  "guest.take_reward": "unauthorized",
  "guest_code.choose": "unauthorized",
  "guest_code.enter": "unauthorized",
  "guest_code.join": "unauthorized",
  "guest_email.change": "unauthorized",
  "guest_email.confirm": "unauthorized",
  "guest_fresh.ask": "unauthorized",
  "guest_fresh.enter": "unauthorized",
  "guest_session.end": "unauthorized",
  "guest_session.end_listed": "unauthorized",
  "guest_session.list": "unauthorized",
  "guest_session.open_by_link": "unauthorized",
  "guest_session.show": "unauthorized",
  "session.provider": "not_found",
  "session.provider_finish": "not_found",
  "session.passkey": "unauthorized",
  "invitation.show": "not_found",
  "invitation.accept": "not_found",
  "passkey.options": "unauthorized",
  "passkey.add": "unauthorized",
  "passkey.rename": "unauthorized",
  "passkey.remove": "unauthorized",
  "staff.own": "unauthorized",
  "staff.language": "unauthorized",
  "staff.own_sessions": "unauthorized",
  "staff.end_own_sessions": "unauthorized",
  "session.show": "unauthorized",
  "session.end": "unauthorized",
  "clock.show": "not_found",
  "clock.move": "not_found",
  "faults.show": "not_found",
  "faults.set": "not_found",
  // They are a person's, and this is a key.
  "ask.make": "forbidden",
  "ask.approve": "not_found",
  "ask.decline": "not_found",
  "handover.make": "forbidden",
  "handover.show": "not_found",
  "handover.approve": "not_found",
  "handover.decline": "not_found",
  // Only the guest has the code.
  "receipt.claim": "validation_failed",
  // The example that sets it comes after it.
  "program_logo.show": "not_found"
}

/** The token that the page fills in: of the operation's first scheme. */
const tokenOf = ({ security: [first = {}] }: Operation): string | undefined => {
  const tokens: Readonly<Record<string, { readonly token: string }>> = docsOptions.authentication.securitySchemes
  return tokens[Object.keys(first)[0] ?? ""]?.token
}

const firstOf = (examples: Examples): unknown => Object.values(examples)[0]?.value

/** Ids that the service makes, by those of the examples. */
type Made = ReadonlyMap<string, string>

/** The request of an operation's first example. */
const requestOf = (url: string, path: string, method: string, operation: Operation, made: Made): Request => {
  const { parameters = [], requestBody } = operation
  const given = (where: string) =>
    parameters.flatMap(({ examples, in: place, name }) =>
      place === where && examples !== undefined ? [[name, String(firstOf(examples))] as const] : []
    )
  const inPath = new Map(given("path"))
  const target = new URL(
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = inPath.get(name) ?? ""
      return encodeURIComponent(made.get(value) ?? value)
    }),
    url
  )
  for (const [name, value] of given("query")) target.searchParams.append(name, value)
  const headers = new Headers(given("header").map(([name, value]): [string, string] => [name, value]))
  const token = tokenOf(operation)
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`)
  const [media] = Object.entries(requestBody?.content ?? {})
  if (media === undefined) return new Request(target, { method, headers })
  const [type, { examples }] = media
  headers.set("content-type", type)
  const example = firstOf(examples)
  return new Request(target, { method, headers, body: typeof example === "string" ? example : JSON.stringify(example) })
}

/**
 * Adds the connector of the examples about deliveries. The demo has none: it would tell the demo's events to an address of
 * somebody else, and fail before its owner's eyes.
 */
const connected = async (url: string, put: Operation): Promise<void> => {
  const target = new URL("/platform/v1/connectors", url)
  const headers = { authorization: `Bearer ${tokenOf(put)}`, "content-type": "application/json" }
  const configuration = { url: "https://crm.example.com/lotbook", event_types: ["*"] }
  const body = JSON.stringify({ connector_id: "crm", name: "CRM", type: "webhook", configuration })
  const { status } = await fetch(target, { method: "PUT", headers, body })
  assert.strictEqual(status, 200)
}

/** Makes a connection of tills for each one of the examples, as the example of that does: the service gives it its id. */
const withTills = async (url: string, { paths }: Document): Promise<Made> => {
  const post = paths["/admin/api/v1/connections"]!["post"]!
  const parameters = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters = [] }) => parameters)
  )
  const made = new Map<string, string>()
  for (const { examples, name } of parameters) {
    const example = name === "connection_id" && examples !== undefined ? String(firstOf(examples)) : undefined
    if (example === undefined || made.has(example)) continue
    const answer = await fetch(requestOf(url, "/admin/api/v1/connections", "POST", post, made))
    const { connection } = (await answer.json()) as { readonly connection: { readonly connection_id: string } }
    made.set(example, connection.connection_id)
  }
  return made
}

/** Longest wait for an answer after a press, ms, and most presses: one may come before the page has put its form in place. */
const pressMs = 20_000
const presses = 5

/** Presses *Send* until an answer comes. */
const pressed = async (page: Page, press = 1): Promise<Response> => {
  try {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => /\/v1\//.test(response.url()), { timeout: pressMs }),
      page.getByRole("button", { name: /^Send \w+ request to/ }).click()
    ])
    return answer
  } catch (error) {
    if (press === presses) throw error
    return pressed(page, press + 1)
  }
}

/** Presses *Test Request* and *Send* as they stand: the address and status of the answer that the page gets. */
const tried = async (page: Page, url: string, tag: string, method: string, path: string): Promise<string> => {
  await page.goto("about:blank")
  await page.goto(`${url}/docs#tag/${tag}/${method}${path}`)
  // The name of the operation is for screen readers, and hidden by its style.
  await page
    .locator("button")
    .filter({ hasText: `Test Request(${method.toLowerCase()} ${path})` })
    .click()
  const answer = await pressed(page)
  return `${answer.url().slice(url.length)} ${answer.status()}`
}

layer(consoleLayer, { excludeTestServices: true })("the page /docs on a fresh demo", (it) => {
  it.effect("fills in the token and the path: Test Request and Send of a till's and an operator's operation", () =>
    Effect.gen(function* () {
      const { open, url } = yield* Console
      const { page } = yield* open("/", { key: null })
      const answers = yield* Effect.promise(async () => [
        await tried(page, url, "orders", "POST", "/proto/v1/orders/evaluate"),
        await tried(page, url, "one-member", "GET", "/admin/api/v1/members/{program_id}/{member_id}/balance")
      ])
      assert.deepStrictEqual(answers, [
        "/proto/v1/orders/evaluate 200",
        "/admin/api/v1/members/demo-foodservice/member-005/balance 200"
      ])
    })
  )

  it.effect("has examples that succeed as they stand, save what needs a session or a sandbox", () =>
    Effect.gen(function* () {
      const { url } = yield* Console
      const failed = yield* Effect.promise(async () => {
        const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
        await connected(url, document.paths["/platform/v1/connectors"]!["put"]!)
        const made = await withTills(url, document)
        const failures: Record<string, string> = {}
        for (const [path, methods] of Object.entries(document.paths)) {
          for (const [method, operation] of Object.entries(methods)) {
            const response = await fetch(requestOf(url, path, method.toUpperCase(), operation, made))
            // A stream ends only after minutes.
            if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
              await response.body?.cancel()
              continue
            }
            const body = await response.text()
            if (!response.ok) failures[operation.operationId] = String((JSON.parse(body) as { code: string }).code)
          }
        }
        return failures
      })
      assert.deepStrictEqual(failed, refused)
    })
  )
})

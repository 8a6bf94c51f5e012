/**
 * A host for the guests' page without a database: its real files and policies, and answers of `/my/api/v1` for one guest
 * in memory, in the shapes that the page reads. The code is always 123456.
 */
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { ServedPicture } from "../../src/desk/surface/Picture.ts"
import type { Running } from "../../src/edge/http/Backend.ts"
import * as GuestPages from "../../src/edge/http/GuestPages.ts"
import type { Admitted } from "../../src/edge/http/Route.ts"
import { Routes } from "../../src/edge/http/Route.ts"

export const hostile = `<img src=x onerror="document.title='taken'">&amp;'"\u202e`

/** The host's answers, which tests change. */
export interface State {
  facts: Record<string, unknown>
  me: Record<string, unknown>
  entries: ReadonlyArray<object>
  logo: ServedPicture | undefined
  isSignedIn: boolean
  isFresh: boolean
  /** Refuses to send a code; undefined: it is sent. */
  refusal: Answer | undefined
  /** The answer to a right code. */
  answer: "signed_in" | "choose" | "join"
  /** She who meant to join had an account. */
  hadAccount: boolean
  /** Changes that came, newest last. */
  readonly changes: Array<{ readonly method: string; readonly path: string; readonly body: unknown }>
  /** Requests with a cookie before the guest had signed in. */
  cookies: number
  /** Guests who ended mails by the link of one. */
  unsubscribed: number
  /** True: every request is dropped, as without network. */
  isGone: boolean
}

const later = (days: number): string => new Date(Date.UTC(2026, 6, 14) + days * 86_400_000).toISOString()

export const initial = (): State => ({
  facts: {
    program_id: "bowl",
    name: "Corner Bowl Rewards",
    colour: "#1a7f5a",
    languages: ["en", "de"],
    links: [{ label: "Menu", url: "https://example.com/menu" }],
    sign_in: { email: true, phone: true },
    country: "GB",
    time_zone: "Etc/UTC",
    can_join: true,
    can_claim: true,
    text_version: "2026-11"
  },
  me: {
    member: {
      name: "Ada",
      birthday: "1990-04-05",
      email: "ada@example.com",
      joined_at: later(0),
      status: "active",
      consents: [{ purpose: "marketing", channel: "email", granted: false, updated_at: later(0) }]
    },
    balances: [{ unit: "points", points: 1240 }],
    expiring: [{ points: 120, at: later(30) }],
    tier: { name: "Regular", next: { name: "VIP", missing: [{ metric: "tier-qualifying", missing: 260 }] } },
    rewards: [
      {
        reward_id: "tea",
        name: "Iced tea",
        description: "Large, with lemon.",
        points: 100,
        missing: 0,
        can_take: true
      },
      { reward_id: "bowl", name: "Free bowl", points: 2000, missing: 760, can_take: false, why: "too_few_points" },
      { reward_id: "upgrade", name: "Larger size", points: 50, missing: 0, can_take: false, why: "at_the_till" }
    ],
    wallet: [{ issued_reward_id: "iss-1", name: "Birthday treat", code: "BDAY-7431", expires_at: later(14) }],
    card: { value: "4929138475610283" },
    promotions: [{ name: "Drinks at lunch", description: "Three times the points for tea.", until: later(2) }],
    challenges: [{ name: "Five drinks", done: 3, target: 5, until: later(17) }],
    news: [{ name: "Welcome back", text: "A bowl is on us this week. Show its code at the till.", at: later(-1) }]
  },
  entries: [
    { at: later(0), kind: "earned", points: 125, unit: "points", location: "Old Harbour", promotions: ["Go green"] },
    { at: later(-3), kind: "spent", points: -100, unit: "points", reward: "Iced tea" }
  ],
  logo: undefined,
  isSignedIn: false,
  isFresh: false,
  refusal: undefined,
  answer: "signed_in",
  hadAccount: false,
  changes: [],
  cookies: 0,
  unsubscribed: 0,
  isGone: false
})

interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly cookie?: string
}

/** `paths`: of the body's faults. */
export const problem = (status: number, code: string, ...paths: ReadonlyArray<string>): Answer => ({
  status,
  body: { status, code, errors: paths.map((path) => ({ path, message: "is wrong" })) }
})
const requested: Answer = { status: 202, body: { request_id: "req-1", expires_at: later(1) } }

const session = (state: State) => ({
  csrf_token: "token",
  expires_at: later(90),
  by: "code",
  language: "en",
  ...(state.isFresh ? { fresh_until: new Date(Date.now() + 600_000).toISOString() } : undefined)
})

const open = (state: State): Answer => {
  state.isSignedIn = true
  return {
    status: 200,
    body: { status: "signed_in", session: session(state), ...(state.hadAccount ? { had_account: true } : undefined) },
    cookie: "guest=1; HttpOnly; Path=/my/api"
  }
}

/** Answers without a session. */
const outside = (state: State, path: string, body: { readonly code?: string }): Answer | undefined => {
  switch (path) {
    case "/page":
      return { status: 200, body: state.facts }
    case "/sign-in":
      return state.refusal ?? requested
    case "/sign-in/code":
      if (body.code !== "123456") return problem(401, "unauthorized")
      if (state.answer === "signed_in") return open(state)
      return {
        status: 200,
        body: {
          status: state.answer,
          request_id: "req-1",
          guests: [
            { guest: "g1", name: hostile, joined_at: later(-90), card_ending: "0283" },
            { guest: "g2", joined_at: later(-9) }
          ]
        }
      }
    case "/sign-in/choice":
    case "/sign-in/join":
    case "/sign-in/link":
      return open(state)
    default:
      return undefined
  }
}

/** Answers to the guest. */
const inside = (state: State, method: string, path: string, body: Record<string, unknown>): Answer => {
  switch (`${method} ${path}`) {
    case "GET /session":
      return { status: 200, body: session(state) }
    case "DELETE /session":
      state.isSignedIn = false
      return { status: 204, cookie: "guest=; Max-Age=0; Path=/my/api" }
    case "GET /sessions":
      return {
        status: 200,
        body: {
          sessions: [
            { session_id: "s1", device: "Firefox on Linux", began_at: later(0), seen_at: later(0), current: true },
            { session_id: "s2", device: "Safari on iPhone", began_at: later(-9), seen_at: later(-1), current: false }
          ]
        }
      }
    case "GET /me":
      return { status: 200, body: state.me }
    case "GET /history":
      return { status: 200, body: { entries: state.entries } }
    case "GET /data":
      return state.isFresh ? { status: 200, body: { member: "all" } } : problem(403, "forbidden")
    case "POST /claims":
      if (body["claim_code"] === "7K3M9QX2TVW4")
        return { status: 201, body: { points: 90, unit: "points", balances: [] } }
      return problem(404, "not_found")
    case "POST /rewards":
      return { status: 201, body: { issued_reward_id: "iss-2", name: "Iced tea", code: "TEA-1" } }
    case "POST /fresh":
    case "POST /email":
      return requested
    case "POST /fresh/code":
      state.isFresh = true
      return { status: 200, body: session(state) }
    case "PATCH /profile":
      return state.refusal ?? { status: 200, body: {} }
    case "POST /leave":
      return { status: 200, body: { erases_at: later(7) } }
    default:
      return { status: 200, body: {} }
  }
}

const bodyOf = async (incoming: IncomingMessage): Promise<Record<string, unknown>> => {
  let text = ""
  for await (const chunk of incoming) text += String(chunk)
  return text === "" ? {} : JSON.parse(text)
}

const api = async (state: State, incoming: IncomingMessage, path: string): Promise<Answer> => {
  const body = await bodyOf(incoming)
  const { method = "GET" } = incoming
  if (!state.isSignedIn && incoming.headers.cookie !== undefined) state.cookies++
  if (method !== "GET") state.changes.push({ method, path, body })
  const open = outside(state, path, body)
  if (open !== undefined) return open
  if (!state.isSignedIn) return problem(401, "unauthorized")
  if (method !== "GET" && incoming.headers["x-csrf-token"] !== "token") return problem(403, "csrf_failed")
  return inside(state, method, path, body)
}

export interface Host {
  readonly url: string
  readonly state: State
  readonly close: () => Promise<void>
}

export const host = async (state: State): Promise<Host> => {
  // The routes ask for the programmes and the logo alone.
  const running = {
    programs: { get: (id: string) => (id === "bowl" ? { file: { guest_page: state.facts } } : undefined) },
    logo: () => Effect.succeed(state.logo),
    unsubscribe: ({ token }: { readonly token: string }) =>
      Effect.sync(() => {
        if (token === "right") state.unsubscribed++
        return token === "right"
      })
  }
  const routes = new Routes(GuestPages.routes(() => running as unknown as Running))
  const write = (outgoing: ServerResponse, status: number, headers: Record<string, string>, body: string | Buffer) =>
    outgoing.writeHead(status, headers).end(body)
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse, called: string): Promise<void> => {
    const { body, cookie, status } = await api(state, incoming, called)
    const headers = { "content-type": "application/json", ...(cookie === undefined ? {} : { "set-cookie": cookie }) }
    write(outgoing, status, headers, status === 204 ? "" : JSON.stringify(body))
  }
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (state.isGone) return void incoming.socket.destroy()
    const [path = ""] = (incoming.url ?? "").split("?")
    const [, called] = /^\/my\/api\/v1\/bowl(\/.*)$/.exec(path) ?? []
    if (called !== undefined) return void answer(incoming, outgoing, called)
    const found = routes.find(incoming.method ?? "GET", path)
    if ("status" in found) return void write(outgoing, found.status, { "content-type": "application/json" }, found.body)
    const exchange = { incoming, params: found.params, path }
    const answered = found.route.run({ exchange } as unknown as Admitted)
    const reply = Effect.isEffect(answered) ? Effect.runSync(answered) : answered
    const type = { "content-type": reply.contentType ?? "application/json" }
    write(outgoing, reply.status, { ...type, ...reply.headers }, reply.body as string | Buffer)
  }
  const server = createServer(serve)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    state,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
}

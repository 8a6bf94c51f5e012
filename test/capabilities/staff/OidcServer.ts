/** A real OpenID Connect provider (`oidc-provider`) on a port of its own, which can be made to lie about ID tokens. */
import { Effect } from "effect"
import Provider from "oidc-provider"
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

export const clientId = "lotbook"
export const clientSecret = "a-client-secret-of-the-tests"
/** Where the provider leads back to, by default. */
const localRedirect = "http://localhost:3210/console/signed-in"

export interface Person {
  readonly email?: string
  readonly name?: string
  readonly role?: string | ReadonlyArray<string>
  readonly realm_access?: { readonly roles: ReadonlyArray<string> }
}

/** Claims of an ID token that differ, or how it is signed. */
export interface Lie {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly signature?: "none" | "other key"
}

interface Key {
  readonly kid: string
  readonly key: KeyObject
}

const keyOf = (kid: string): Key => ({ kid, key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey })

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const signed = (claims: object, { key, kid }: Key, how: Lie["signature"]): string => {
  const text = `${encoded(how === "none" ? { alg: "none" } : { alg: "RS256", kid })}.${encoded(claims)}`
  if (how === "none") return `${text}.`
  const by = how === "other key" ? keyOf(kid).key : key
  return `${text}.${createSign("RSA-SHA256").update(text).sign(by).toString("base64url")}`
}

const claimsOf = (token: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>

export class OidcServer {
  readonly people = new Map<string, Person>()
  lie: Lie | undefined
  isDown = false
  issuer = ""
  /** Person that its page signs in, without a hint. */
  visitor = ""
  private redirect = localRedirect
  private key = keyOf("first")
  private provider: Provider | undefined
  readonly server = http.createServer((request, response) => void this.answer(request, response))

  /** Signs with a new key from now on, which alone is published. */
  rotate(): void {
    this.key = keyOf(`${this.key.kid}+`)
    this.start()
  }

  /** Begins to answer. `redirect`: where it leads back to. */
  start(redirect: string = this.redirect): void {
    this.redirect = redirect
    this.issuer = `http://localhost:${(this.server.address() as AddressInfo).port}`
    const { key, kid } = this.key
    this.provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirect],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"]
        }
      ],
      jwks: { keys: [{ ...key.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" }] },
      cookies: { keys: ["a key of the tests"] },
      claims: { openid: ["sub", "role", "realm_access"], email: ["email"], profile: ["name"] },
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      findAccount: (_, id) => {
        const person = this.people.get(id)
        return person === undefined ? undefined : { accountId: id, claims: () => ({ sub: id, ...person }) }
      }
    })
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider } = this
    if (provider === undefined || this.isDown) {
      response.destroy()
      return
    }
    if (request.url?.startsWith("/interaction/") === true) {
      await this.interact(provider, request, response)
      return
    }
    if (request.url === "/token") this.alter(response)
    await provider.callback()(request, response)
  }

  /** Signs in whom the test has named as `login_hint`, and agrees to everything. */
  private async interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params, prompt, session } = await provider.interactionDetails(request, response)
    if (prompt.name === "login") {
      const login = { accountId: typeof params["login_hint"] === "string" ? params["login_hint"] : this.visitor }
      await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false })
      return
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId })
    grant.addOIDCScope(String(params["scope"]))
    const consent = { grantId: await grant.save() }
    await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
  }

  /** Replaces the ID token of an answer by what the lie makes of it. */
  private alter(response: ServerResponse): void {
    const { key, lie } = this
    if (lie === undefined) return
    const end = response.end.bind(response) as (text: string) => ServerResponse
    response.end = ((chunk: unknown) => {
      const body = JSON.parse(String(chunk)) as { readonly id_token?: string }
      const { id_token } = body
      const altered =
        id_token === undefined
          ? body
          : { ...body, id_token: signed({ ...claimsOf(id_token), ...lie.claims }, key, lie.signature) }
      const text = JSON.stringify(altered)
      response.setHeader("content-length", Buffer.byteLength(text))
      return end(text)
    }) as ServerResponse["end"]
  }
}

/** A provider that ends with the scope. */
export const make = Effect.acquireRelease(
  Effect.promise(async () => {
    const oidc = new OidcServer()
    await new Promise<void>((resolve) => oidc.server.listen(0, "localhost", resolve))
    oidc.start()
    return oidc
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
)

/** A browser's way at the provider's page: follows it, with its cookies, until it leads back. Returns that address. */
export const signInAt = async (page: string, person: string): Promise<URL> => {
  const jar = new Map<string, string>()
  let url = new URL(page)
  url.searchParams.set("login_hint", person)
  for (let step = 0; step < 12; step++) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") }
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split(/=(.*)/s)
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) throw new Error(`the provider answers ${response.status}: ${await response.text()}`)
    url = new URL(location, url)
    if (url.href.startsWith(localRedirect)) return url
  }
  throw new Error("the provider leads nowhere")
}

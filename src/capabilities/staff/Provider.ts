/**
 * The company's own sign-in by OpenID Connect, with `openid-client`: code flow with PKCE, and a signature of every ID token
 * that is checked (contract/people.md *OpenID Connect*).
 */
import { Context, Effect, type Redacted, Redacted as Secret } from "effect"
import type { Configuration } from "openid-client"
import { createHmac } from "node:crypto"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import { isObject } from "../../contract/Decode.ts"
import type { Role } from "../../contract/Roles.ts"
import { roles } from "../../contract/Roles.ts"

export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** The claim that has the role, or a list: its name, or a path of names with dots. */
  readonly roleClaim: string
  /** The role of each value of the claim. */
  readonly roleMap: Readonly<Record<string, Role>>
}

/** Undefined: people sign in with passkeys alone. */
export const CurrentProvider = Context.Reference<ProviderOptions | undefined>("lotbook/capabilities/staff/Provider", {
  defaultValue: () => undefined
})

/** How long a request to the provider may take, s. */
const timeoutSeconds = 10

const library = Effect.promise(() => import("openid-client"))

const isLocal = (url: URL): boolean => url.protocol === "http:" && url.hostname === "localhost"

/** A request to the provider. Its refusals and its silence are told to nobody but the log. */
const asking = <A>({ issuer }: Pick<ProviderOptions, "issuer">, ask: () => Promise<A>) =>
  Effect.tapError(Effect.tryPromise(ask), (error) => {
    const reason = LogEvent.reasonOf(error)
    return LogEvent.of("provider_failing", { issuer, reason })(
      Effect.logWarning(`The company's provider ${issuer} refuses or is silent: ${reason}`)
    )
  })

/** The provider's description of itself. Read for each sign-in: it costs a person nothing, and keys may have changed. */
const configuration = Effect.fnUntraced(function* (options: ProviderOptions) {
  const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = yield* library
  const issuer = new URL(options.issuer)
  const execute = [enableNonRepudiationChecks, ...(isLocal(issuer) ? [allowInsecureRequests] : [])]
  return yield* asking(options, () =>
    discovery(issuer, options.clientId, Secret.value(options.clientSecret), undefined, {
      execute,
      timeout: timeoutSeconds
    })
  )
})

/** Value made of the secret in the browser's cookie, so that the database holds none of it. */
const derived = (secret: string, what: string): string => createHmac("sha256", secret).update(what).digest("base64url")

const stateOf = (secret: string): string => derived(secret, "state")

/** Looks whether the provider answers, for the log of a start. */
export const look = (options: ProviderOptions): Effect.Effect<void> => Effect.ignore(configuration(options))

/** The page of the provider that signs in. */
export const begin = Effect.fnUntraced(function* (options: ProviderOptions, redirect_uri: string, secret: string) {
  const config = yield* configuration(options)
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = yield* library
  const code_challenge = yield* Effect.promise(() => calculatePKCECodeChallenge(derived(secret, "verifier")))
  const mayRefresh = config.serverMetadata().scopes_supported?.includes("offline_access") === true
  return buildAuthorizationUrl(config, {
    redirect_uri,
    scope: mayRefresh ? "openid email profile offline_access" : "openid email profile",
    ...(mayRefresh ? { prompt: "consent" } : undefined),
    code_challenge,
    code_challenge_method: "S256",
    state: stateOf(secret),
    nonce: derived(secret, "nonce")
  }).href
})

/** Somebody whom the provider has signed in. */
export interface Told {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  readonly name: string | undefined
  /** Undefined: the provider gives none that is known here. */
  readonly role: Role | undefined
  readonly refreshToken: string | undefined
}

/** A claim by its whole name, or by a path (`realm_access.roles`), whose names may have dots themselves. */
export const claimOf = (claims: Readonly<Record<string, unknown>>, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name]
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    const head = name.slice(0, dot)
    const inner = Object.hasOwn(claims, head) ? claims[head] : undefined
    const found = isObject(inner) ? claimOf({ ...inner }, name.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The highest role that a claim's values stand for. */
const roleOf = ({ roleMap }: ProviderOptions, claim: unknown): Role | undefined => {
  const values = Array.isArray(claim) ? claim : [claim]
  const found = new Set(
    values.flatMap((value) => (typeof value === "string" && Object.hasOwn(roleMap, value) ? [roleMap[value]] : []))
  )
  return roles.find((role) => found.has(role))
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly claims: () => object | undefined
}

/** The claims of the ID token, and what it lacks from the provider's endpoint for it. */
const toldBy = Effect.fnUntraced(function* (
  options: ProviderOptions,
  config: Configuration,
  tokens: Tokens,
  subject: string | undefined
) {
  const { fetchUserInfo } = yield* library
  const own: Readonly<Record<string, unknown>> = { ...tokens.claims() }
  const sub = textOf(own["sub"]) ?? subject
  if (sub === undefined) return undefined
  const isWhole = [options.roleClaim, "email"].every((name) => claimOf(own, name) !== undefined)
  const more =
    isWhole || config.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : yield* asking(options, () => fetchUserInfo(config, tokens.access_token, sub))
  const others: Readonly<Record<string, unknown>> = isObject(more) ? { ...more } : {}
  const all: Readonly<Record<string, unknown>> = { ...others, ...own }
  const told: Told = {
    issuer: config.serverMetadata().issuer,
    subject: sub,
    email: textOf(all["email"]),
    name: textOf(all["name"]) ?? textOf(all["preferred_username"]),
    role: roleOf(options, claimOf(own, options.roleClaim) ?? claimOf(others, options.roleClaim)),
    refreshToken: tokens.refresh_token
  }
  return told
})

/** Exchanges the code of the address that the provider has led to. */
export const finish = Effect.fnUntraced(function* (options: ProviderOptions, at: URL, secret: string) {
  const config = yield* configuration(options)
  const { authorizationCodeGrant } = yield* library
  const tokens = yield* asking(options, () =>
    authorizationCodeGrant(config, at, {
      pkceCodeVerifier: derived(secret, "verifier"),
      expectedState: stateOf(secret),
      expectedNonce: derived(secret, "nonce"),
      idTokenExpected: true
    })
  )
  return yield* toldBy(options, config, tokens, undefined)
})

/** Asks the provider again about somebody. */
export const refresh = Effect.fnUntraced(function* (options: ProviderOptions, refreshToken: string, subject: string) {
  const config = yield* configuration(options)
  const { refreshTokenGrant } = yield* library
  const tokens = yield* asking(options, () => refreshTokenGrant(config, refreshToken))
  const told = yield* toldBy(options, config, tokens, subject)
  return told?.subject === subject ? told : undefined
})

/** True if the provider itself has said no, and not a network. */
export const isRefusal = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined
  const code = isObject(cause) && "error" in cause ? cause["error"] : undefined
  return code === "invalid_grant" || code === "access_denied"
}

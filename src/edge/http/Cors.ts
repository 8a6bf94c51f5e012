/** Pages of other origins in browsers (contract/transport.md *Pages of other origins*). None has credentials of a browser. */
import { Result } from "effect"
import type { IncomingMessage } from "node:http"
import type { Reply } from "./Reply.ts"

type Headers = IncomingMessage["headers"]

/** Headers of answers that a page may read, besides those that every page may. */
const exposed = "Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, traceparent"

/** How long a browser may remember that it may ask, s: an hour, after which a changed list of origins holds. */
const rememberedSeconds = 3_600

/** Exactly as browsers send it: scheme, host and port, and nothing else. */
const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** Origins with commas between; fails with what they must be. */
export const parseOrigins = (text: string | undefined): Result.Result<ReadonlyArray<string>, string> => {
  const origins = text?.split(",").map((one) => one.trim()) ?? []
  const wrong = origins.find((one) => !isOrigin(one))
  if (wrong === undefined) return Result.succeed(origins)
  return Result.fail(
    `must be origins such as https://order.example.com, with commas between, not ${JSON.stringify(wrong)}`
  )
}

export class Cors {
  private readonly origins: ReadonlySet<string>

  constructor(origins: ReadonlyArray<string> = []) {
    this.origins = new Set(origins)
  }

  /** True if a request is of a page that may call the service. */
  allows({ origin }: Headers): boolean {
    return origin !== undefined && this.origins.has(origin)
  }

  /** The headers of each answer to such a page; undefined for all others. */
  headersFor(headers: Headers): Readonly<Record<string, string>> | undefined {
    const { origin } = headers
    if (origin === undefined || !this.allows(headers)) return undefined
    return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed }
  }

  /** The answer to the question whether a page may send a request, with the methods of the path; undefined: it is none. */
  preflight({ headers, method }: Pick<IncomingMessage, "headers" | "method">, allow: string): Reply | undefined {
    if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return undefined
    if (!this.allows(headers)) return undefined
    const answered = {
      "access-control-allow-methods": allow,
      // The asterisk does not stand for the first.
      "access-control-allow-headers": "Authorization, *",
      "access-control-max-age": String(rememberedSeconds)
    }
    return { status: 204, body: "", headers: answered }
  }
}

/** The pages that people open: one about each problem code. */
import type { ProblemCode } from "./Problems.ts"
import { PROTOCOL } from "../contract/protocol/Protocol.ts"
import { pathOf, problemCodes, problems } from "./Problems.ts"

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;color:#1c2430;background:#fbfbf9}" +
  "h1{font-size:1.6rem;margin:0 0 .25rem}code{background:#eceae4;padding:.1rem .35rem;border-radius:.25rem}" +
  "p.status{color:#68707c;margin-top:0}footer{margin-top:3rem;color:#68707c;font-size:.875rem}"

/** Pages may use what they carry and fetch from this service; nothing from anywhere else. */
export const securityPolicy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * How the description is rendered: nothing from outside, no telemetry, and
 * neither Scalar's own advertising nor its tools for editing the page.
 */
export const docsOptions = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  hideModels: true,
  favicon: "data:,",
  customCss: 'a[href="https://www.scalar.com"]{display:none}',
  // A first request works on a demo; any other service knows no such token.
  authentication: {
    preferredSecurityScheme: "bearer",
    securitySchemes: {
      bearer: { token: `${PROTOCOL}-dev-token` },
      admin_key: { token: `${PROTOCOL}-dev-admin-key` }
    }
  }
} as const

/** The page about a code. */
export const problemPage = (code: ProblemCode): string => {
  const { advice, retryAfter, status, title } = problems[code]
  const retry = retryAfter === undefined ? "" : `<p>The answer carries <code>Retry-After: ${retryAfter}</code>.</p>`
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title} – Lotbook</title><style>${style}</style></head><body><h1>${title}</h1>` +
    `<p class="status">HTTP ${status} · <code>${code}</code></p><p>${advice}</p>${retry}` +
    `<footer>Lotbook problem type. The full contract is at <a href="/docs">/docs</a>.</footer></body></html>`
  )
}

/** Page paths and their codes. */
export const problemPages: ReadonlyMap<string, ProblemCode> = new Map(problemCodes.map((code) => [pathOf(code), code]))

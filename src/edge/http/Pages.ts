/** Pages for people: the rendered OpenAPI document, and one page for each problem code. */
import { hash } from "node:crypto"
import { PROTOCOL } from "../../contract/protocol/Protocol.ts"
import type { ProblemCode } from "../../desk/surface/Problems.ts"
import { pathOf, problemCodes, problems } from "../../desk/surface/Problems.ts"
import type { Link } from "../mcp/Guides.ts"
import * as Layout from "./Layout.ts"

/**
 * The rendered document runs its inline scripts, known by their hashes, and fetches only from this service. Its
 * styles are made while it runs, so no hash can name them.
 */
export const descriptionPolicy = (page: string): string => {
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = ""]) => script)
  const hashes = scripts.map((script) => `'sha256-${hash("sha256", script, "base64")}'`)
  return (
    `default-src 'none'; script-src ${hashes.join(" ")}; style-src 'unsafe-inline'; img-src 'self' data: blob:; ` +
    "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  )
}

/**
 * Options of Scalar: no external resources, no telemetry, no advertising, no tools
 * for editing the page.
 */
export const docsOptions = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  hideModels: true,
  favicon: "data:,",
  customCss: 'a[href="https://www.scalar.com"]{display:none}',
  // With these the first request works on a demo; they are unknown to any other service.
  authentication: {
    // Each operation's own first scheme. A name would be sent to every operation, also where it is none of them.
    preferredSecurityScheme: null,
    securitySchemes: {
      bearer: { token: `${PROTOCOL}-dev-token` },
      admin_key: { token: `${PROTOCOL}-dev-admin-key` }
    }
  }
} as const

export const runbookPath = "/docs/runbook/"

/** The page of the runbook about a code. */
export const runbookPathOf = (code: ProblemCode): string => `${runbookPath}${code.replaceAll("_", "-")}`

/** The page of a code. */
export const problemPage = (links: ReadonlyArray<Link>, code: ProblemCode): string => {
  const { advice, retryAfter, status, title } = problems[code]
  const retry = retryAfter === undefined ? "" : `<p>The answer has <code>Retry-After: ${retryAfter}</code>.</p>`
  const operators =
    status < 500 ? "" : `<p>For operators: <a href="${runbookPathOf(code)}">what to do about it</a>.</p>`
  const others = problemCodes
    .filter((other) => other !== code)
    .map((other) => `<a href="${pathOf(other)}"><code>${other}</code></a>`)
  return Layout.page(
    links,
    pathOf(code),
    title,
    `<h1>${Layout.escaped(title)}</h1><p class="soft">HTTP ${status} · <code>${code}</code></p>` +
      `<p>${Layout.escaped(advice)}</p>${retry}` +
      `<p class="soft">When and how to retry: <a href="/docs/retries">Retries and offline tills</a>.</p>${operators}` +
      `<h2>Other codes</h2><p>${others.join(" ")}</p>`
  )
}

export const problemsPath = "/problems"

/** The page that lists all codes. */
export const problemsPage = (links: ReadonlyArray<Link>): string => {
  const rows = problemCodes.map((code) => {
    const { advice, status, title } = problems[code]
    const cells = [`<a href="${pathOf(code)}"><code>${code}</code></a>`, String(status), Layout.escaped(title)]
    return `<tr>${[...cells, Layout.escaped(advice)].map((cell) => `<td>${cell}</td>`).join("")}</tr>`
  })
  return Layout.page(
    links,
    problemsPath,
    "Problems",
    `<h1>Problems</h1><p>Every error is a problem document (RFC 9457). Its <code>code</code> is for programs, and its ` +
      `<code>type</code> is the address of a page here.</p><div class="table"><table><thead><tr><th>Code</th>` +
      `<th>HTTP</th><th>Title</th><th>What to do</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`
  )
}

/** Page paths and their codes. */
export const problemPages: ReadonlyMap<string, ProblemCode> = new Map(problemCodes.map((code) => [pathOf(code), code]))

/** The pages that people open: one about each problem code. */
import type { ProblemCode } from "./Problems.ts"
import { pathOf, problemCodes, problems } from "./Problems.ts"

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;color:#1c2430;background:#fbfbf9}" +
  "h1{font-size:1.6rem;margin:0 0 .25rem}code{background:#eceae4;padding:.1rem .35rem;border-radius:.25rem}" +
  "p.status{color:#68707c;margin-top:0}footer{margin-top:3rem;color:#68707c;font-size:.875rem}"

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

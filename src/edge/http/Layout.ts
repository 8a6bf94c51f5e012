/**
 * The frame of the pages that people read: one small stylesheet for dark and
 * light, wide and narrow screens, and no script.
 */
import { hash } from "node:crypto"
import type { Link } from "../mcp/Guides.ts"

const style = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5c6672;--paper:#fcfcfa;--line:#dddcd5;--shade:#f1f0eb;--link:#0b5cad}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#9aa4b0;--paper:#14181d;--line:#323a44;--shade:#1e242b;--link:#7db8f5}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.6 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
nav{border-bottom:1px solid var(--line);padding:.75rem 1rem;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;font-size:.9rem}
nav b{margin-right:.5rem}
main{max-width:48rem;margin:2.5rem auto 5rem;padding:0 1rem}
a{color:var(--link)}nav a{text-decoration:none}nav a[aria-current]{color:var(--ink);font-weight:600}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 1rem}h2{font-size:1.3rem;margin:2.5rem 0 .75rem}h3{font-size:1.05rem}
code{font:.875em/1.5 ui-monospace,monospace;background:var(--shade);padding:.1em .3em;border-radius:.25rem;overflow-wrap:anywhere}
pre{background:var(--shade);border:1px solid var(--line);border-radius:.4rem;padding:.9rem 1rem;overflow-x:auto}
pre code{background:none;padding:0;overflow-wrap:normal}
.table{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem .45rem 0;border-bottom:1px solid var(--line)}
td code{overflow-wrap:normal}
.soft{color:var(--soft)}
`

/** The page carries its own style, known by its hash; nothing else is loaded or run. */
export const securityPolicy =
  `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; img-src data:; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** A whole page: links to the others, then its content, which is in `language`. */
export const page = (
  links: ReadonlyArray<Link>,
  path: string,
  title: string,
  content: string,
  language = "en"
): string => {
  const nav = links.map((link) => {
    const current = link.path === path ? ' aria-current="page"' : ""
    return `<a href="${link.path}"${current}>${escaped(link.title)}</a>`
  })
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<title>${escaped(title)} – Lotbook</title><link rel="icon" href="data:,"><style>${style}</style></head>` +
    `<body><nav><b>Lotbook</b>${nav.join("")}</nav><main lang="${language}">${content}</main></body></html>`
  )
}

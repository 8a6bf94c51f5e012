/** The alert rules of `src/app/operations/alerts.yaml`: their queries, and the pages of the runbook that they link to. */
import * as fs from "node:fs"
import * as path from "node:path"

interface Rule {
  readonly query: string
  /** Name of the runbook's page. */
  readonly page: string
}

const text = fs.readFileSync(
  path.join(import.meta.dirname, "..", "..", "..", "src", "app", "operations", "alerts.yaml"),
  "utf8"
)

export const rules: ReadonlyMap<string, Rule> = new Map(
  text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((rule) => [
      rule.split("\n")[0] ?? "",
      {
        query: /^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/m.exec(rule)?.slice(1).join("") ?? "",
        page: /\/docs\/runbook\/([a-z-]+)"/.exec(rule)?.[1] ?? ""
      }
    ])
)

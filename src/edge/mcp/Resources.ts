/** Resources: the guides, the contract, the runbook and the problem codes, in Markdown. They are public. */
import { Effect, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { problemCodes, problems } from "../../desk/surface/Problems.ts"
import type { Guide, Guides } from "./Guides.ts"

const markdown = "text/markdown"

/** `/docs/contract/points` is `lotbook://docs/contract/points`. */
const uriOf = (path: string): string => `lotbook:/${path}`

const kindOf = (path: string): string => {
  if (path.startsWith("/docs/contract/")) return "A page of the contract: the rules that the service keeps."
  return path.startsWith("/docs/runbook/") ? "A page of the runbook: what to do about an alert." : "A guide."
}

const resource = ({ path, text, title }: Pick<Guide, "path" | "text" | "title">, description: string) => {
  const uri = uriOf(path)
  const contents = [McpSchema.TextResourceContents.make({ uri, mimeType: markdown, text })]
  const content = Effect.succeed(McpSchema.ReadResourceResult.make({ contents }))
  return McpServer.resource({ uri, name: title, description, mimeType: markdown, content })
}

const problemsText = (): string =>
  [
    "# Problems",
    "Every error is a problem document (RFC 9457) with one of these codes.",
    ...problemCodes.map((code) => {
      const { advice, status, title } = problems[code]
      return `## ${code}\n\nHTTP ${status}: ${title}. ${advice}`
    })
  ].join("\n\n")

export const layer = ({ all }: Guides) =>
  Layer.mergeAll(
    resource(
      { path: "/problems", title: "Problems", text: problemsText() },
      "Every problem code, its HTTP status, and what to do about it."
    ),
    ...all.map((guide) => resource(guide, kindOf(guide.path)))
  )

/**
 * Loaded before the service that is walked: tells which functions of the house have run, and in which order they ran first.
 *
 * Precise coverage counts calls and knows no order. So each function of the sources notes its call as it begins.
 */
import { parseAst } from "vite"
import * as inspector from "node:inspector"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import type { FunctionAt, ToInspected } from "./Messages.ts"

const source = new URL("src/", `file://${process.cwd()}/`).href
const session = new inspector.Session()
session.connect()

interface Insertion {
  readonly at: number
  readonly text: string
}

interface AstNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly body?: AstNode
}

/** The insertions into each file, in their order. */
const inserted = new Map<string, ReadonlyArray<Insertion>>()
/** Functions by file and place, in the order of their first calls. */
const calls = new Set<string>()
Object.assign(globalThis, { walked: (call: string) => calls.add(call) })

const isNode = (value: unknown): value is AstNode => typeof value === "object" && value !== null && "type" in value

/** Its beginning; of a method, which begins with its name for the inspector alone, its end. */
const keyOf = ({ end, start, type }: AstNode, text: string): string =>
  type === "FunctionExpression" && text[start] === "(" ? `to ${end}` : `from ${start}`

/** The calls that note that a function of a file has begun. */
const insertionsIn = (url: string, text: string, node: AstNode): ReadonlyArray<Insertion> => {
  const within = Object.values(node)
    .flat()
    .filter(isNode)
    .flatMap((child) => insertionsIn(url, text, child))
  if (!/^(ArrowFunction|Function)/.test(node.type) || node.body === undefined) return within
  const note = `walked(${JSON.stringify(`${url} ${keyOf(node, text)}`)})`
  const { end, start, type } = node.body
  return type === "BlockStatement" || type === "FunctionBody"
    ? [...within, { at: start + 1, text: `${note};` }]
    : [{ at: start, text: `(${note},` }, ...within, { at: end, text: ")" }]
}

const withCalls = (url: string, text: string): string => {
  const insertions = insertionsIn(url, text, parseAst(text) as unknown as AstNode).toSorted((a, b) => a.at - b.at)
  inserted.set(url, insertions)
  let last = 0
  const parts = insertions.map(({ at, text: note }) => {
    const part = text.slice(last, at) + note
    last = at
    return part
  })
  return parts.join("") + text.slice(last)
}

/** The place in the file itself of a function in the text with calls. */
const placeIn = (url: string, start: number): number => {
  let place = start
  for (const { at, text } of inserted.get(url) ?? []) {
    if (at > place - text.length) break
    place -= text.length
  }
  return place
}

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.startsWith(source) || !url.endsWith(".ts")) return loaded
    const text = stripTypeScriptTypes(String(loaded.source))
    return { ...loaded, format: "module", source: withCalls(url, text) }
  }
})

interface Ran extends FunctionAt {
  /** Keys of its call, whichever was noted. */
  readonly keys: ReadonlyArray<string>
}

const ranIn = ({ functions, url }: inspector.Profiler.ScriptCoverage): ReadonlyArray<Ran> =>
  functions.flatMap(({ functionName: name, ranges: [whole] }) => {
    if (whole === undefined || whole.count === 0) return []
    const [start, end] = [placeIn(url, whole.startOffset), placeIn(url, whole.endOffset)]
    return [{ url, name, start, keys: [`${url} from ${start}`, `${url} to ${end}`] }]
  })

/** The functions that have run since this was asked before; those whose beginning was not noted come last. */
const taken = (): ReadonlyArray<FunctionAt> => {
  let ran: ReadonlyArray<Ran> = []
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error !== null) throw error
    ran = coverage.result.filter(({ url }) => url.startsWith(source)).flatMap(ranIn)
  })
  const order = new Map([...calls].map((call, place) => [call, place]))
  calls.clear()
  const placeOf = ({ keys }: Ran) => Math.min(...keys.map((key) => order.get(key) ?? order.size))
  return ran.toSorted((a, b) => placeOf(a) - placeOf(b)).map(({ name, start, url }) => ({ name, start, url }))
}

session.post("Profiler.enable")
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
process.on("message", (_: ToInspected) => process.send?.(taken()))
process.channel?.unref()

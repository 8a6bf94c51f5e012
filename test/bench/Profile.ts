/** What a CPU profile says, in short: the functions that the time itself was spent in. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

interface CpuProfile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

export interface Spent {
  readonly place: string
  /** Of the time that the process was not idle. */
  readonly share: number
  readonly ms: number
}

const root = path.join(import.meta.dirname, "..", "..")

const placeOf = ({ functionName, lineNumber, url }: CpuProfile["nodes"][number]["callFrame"]): string => {
  const name = functionName === "" ? "(anonymous)" : functionName
  if (url === "") return name
  const file = url.startsWith("file://") ? path.relative(root, fileURLToPath(url)) : url
  return `${name} ${file.replace(/^node_modules\//, "")}:${lineNumber + 1}`
}

/** The functions with the most time of their own; waiting is not counted. */
export const summary = (file: string, count = 10): ReadonlyArray<Spent> => {
  const { nodes, samples, timeDeltas } = JSON.parse(fs.readFileSync(file, "utf8")) as CpuProfile
  const places = new Map(nodes.map((node) => [node.id, placeOf(node.callFrame)]))
  const spent = new Map<string, number>()
  samples.forEach((id, index) => {
    const place = places.get(id) ?? "(unknown)"
    spent.set(place, (spent.get(place) ?? 0) + Math.max(0, timeDeltas[index] ?? 0))
  })
  spent.delete("(idle)")
  const total = [...spent.values()].reduce((sum, us) => sum + us, 0)
  return [...spent]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([place, us]) => ({ place, share: us / total, ms: us / 1000 }))
}

export const lines = (file: string): string =>
  summary(file)
    .map(
      ({ ms, place, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${ms.toFixed(0).padStart(6)} ms  ${place}`
    )
    .join("\n")

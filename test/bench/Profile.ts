/** What a CPU profile says, in short: the functions that the time itself was spent in. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

/** What the benchmark tells a profiled service: begin, or end and write this file. */
export interface ProfilerOrder {
  readonly profile: string
}
export interface ProfilerAnswer {
  readonly profiled: string
}

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

/** The package, or folder of the service, that a place belongs to. */
const areaOf = (place: string): string => {
  if (/^\([a-z ]+\)$/.test(place)) return place
  if (!place.includes(" ")) return "native code of Node"
  const file = place.slice(place.lastIndexOf(" ") + 1)
  if (file.startsWith("node:")) return "Node's own JavaScript"
  return file
    .split("/")
    .slice(0, file.startsWith("@") || file.startsWith("src/") ? 2 : 1)
    .join("/")
}

/** Beginning and ending the profile itself. */
const profiling = "post node:inspector"

export interface Summary {
  readonly functions: ReadonlyArray<Spent>
  readonly areas: ReadonlyArray<Spent>
}

/** Where the most time itself was spent; waiting is not counted. */
export const summary = (file: string, count = 10): Summary => {
  const { nodes, samples, timeDeltas } = JSON.parse(fs.readFileSync(file, "utf8")) as CpuProfile
  const places = new Map(nodes.map((node) => [node.id, placeOf(node.callFrame)]))
  const functions = new Map<string, number>()
  const areas = new Map<string, number>()
  let total = 0
  samples.forEach((id, index) => {
    const place = places.get(id) ?? "(unknown)"
    const us = Math.max(0, timeDeltas[index] ?? 0)
    if (place === "(idle)" || place.startsWith(profiling)) return
    total += us
    functions.set(place, (functions.get(place) ?? 0) + us)
    const area = areaOf(place)
    areas.set(area, (areas.get(area) ?? 0) + us)
  })
  const most = (spent: ReadonlyMap<string, number>) =>
    [...spent]
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([place, us]) => ({ place, share: us / total, ms: us / 1000 }))
  return { functions: most(functions), areas: most(areas) }
}

export const lines = (file: string): string => {
  const { areas, functions } = summary(file)
  const list = (all: ReadonlyArray<Spent>) =>
    all
      .map(
        ({ ms, place, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${ms.toFixed(0).padStart(6)} ms  ${place}`
      )
      .join("\n")
  return `${list(functions)}\nby part:\n${list(areas)}`
}

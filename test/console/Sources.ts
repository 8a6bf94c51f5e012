/** Reads sources as syntax trees, for tests of the texts in them. */

import { parseSync } from "vite"
import * as fs from "node:fs"
import * as path from "node:path"

export const source = path.join(import.meta.dirname, "..", "..", "src")

export interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

/** The node and all that is within it. */
export const allOf = (node: Node): ReadonlyArray<Node> => [node, ...childrenOf(node).flatMap(allOf)]

export const treeOf = (text: string, lang: "ts" | "tsx"): Node =>
  parseSync(`source.${lang}`, text, { lang }).program as unknown as Node

/** Every node of the files in a folder of the sources. */
export const nodesIn = (folder: string, isLeftOut: (file: string) => boolean = () => false): ReadonlyArray<Node> =>
  fs
    .readdirSync(path.join(source, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !isLeftOut(file))
    .flatMap((file) => allOf(treeOf(fs.readFileSync(path.join(source, folder, file), "utf8"), "ts")))

/** Files of the pages and clients, which say nothing for the service. */
export const isOfPages = (file: string): boolean => /^(?:console|guest|client)\//.test(file)

const isSaid = (tag: unknown): boolean => isNode(tag) && (tag["name"] === "said" || tag["name"] === "told")

/** A text, or the template of a sentence with values (`contract/Said.ts`). */
export const textOf = (node: Node): string | undefined => {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined
  const quasi = node["quasi"]
  if (node.type !== "TaggedTemplateExpression" || !isSaid(node["tag"]) || !isNode(quasi)) return undefined
  const quasis = quasi["quasis"] as ReadonlyArray<{ readonly value: { readonly cooked: string } }>
  return quasis.map(({ value }, place) => (place === 0 ? "" : `{${place}}`) + value.cooked).join("")
}

/** A template that is no sentence with values, and that has some: nobody could tell it in another language. */
export const isLoose = (node: Node): boolean =>
  node.type === "TemplateLiteral" && (node["expressions"] as ReadonlyArray<Node>).length > 0

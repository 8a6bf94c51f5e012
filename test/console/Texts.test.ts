/** Texts that people read are in the catalogue, `…Strings.ts` of `src/console`, and nowhere else in the console. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { noteStrings } from "../../src/console/shared/form/noteStrings.ts"
import type { Shape } from "../../src/console/shared/form/shape.ts"
import { shapeOf } from "../../src/console/shared/form/shape.ts"
import { fieldStrings } from "../../src/console/shared/words/fieldStrings.ts"
import { ProgramFile } from "../../src/contract/ProgramFile.ts"
import type { Node } from "./Sources.ts"
import { allOf, isNode, source, treeOf } from "./Sources.ts"

const console = path.join(source, "console")

/** Attributes and properties whose values people read or hear. */
const shownNames = new Set(["label", "title", "placeholder", "aria-label", "description", "alt"])

/** An expression's texts, where it is one: a text, a template, and each branch of a choice or a sum. */
const textsOf = (value: unknown): ReadonlyArray<readonly [Node, string]> => {
  if (!isNode(value)) return []
  switch (value.type) {
    case "Literal":
      return typeof value["value"] === "string" ? [[value, value["value"]]] : []
    case "JSXText":
      // Entities are no words.
      return [[value, String(value["value"]).replaceAll(/&\w+;/g, "")]]
    case "JSXExpressionContainer":
      return textsOf(value["expression"])
    case "TemplateElement":
      return [[value, (value["value"] as { readonly raw: string }).raw]]
    case "TemplateLiteral":
      return (value["quasis"] as ReadonlyArray<Node>).flatMap(textsOf)
    case "ConditionalExpression":
      return [value["consequent"], value["alternate"]].flatMap(textsOf)
    case "LogicalExpression":
    case "BinaryExpression":
      return [value["left"], value["right"]].flatMap(textsOf)
    default:
      return []
  }
}

const nameOf = (value: unknown): string => (isNode(value) ? String(value["name"] ?? value["value"]) : "")

/** The texts that a node shows. */
const shownBy = (node: Node): ReadonlyArray<readonly [Node, string]> => {
  switch (node.type) {
    case "JSXElement":
    case "JSXFragment":
      return (node["children"] as ReadonlyArray<Node>).flatMap(textsOf)
    case "JSXAttribute":
      return shownNames.has(nameOf(node["name"])) ? textsOf(node["value"]) : []
    case "Property":
      return shownNames.has(nameOf(node["key"])) ? textsOf(node["value"]) : []
    default:
      return []
  }
}

const strayIn = (page: string, file: string): ReadonlyArray<string> =>
  allOf(treeOf(page, "tsx"))
    .flatMap(shownBy)
    .filter(([, text]) => /\p{L}/u.test(text))
    .map(([{ start }, text]) => `${file}:${page.slice(0, start).split("\n").length} ${text.trim()}`)

describe("the console's catalogue", () => {
  it("has every text of pages and parts", () => {
    const files = fs
      .readdirSync(console, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/(?:^|\/)(?:\w+S|s)trings\.ts$|^translations\//.test(file))
    assert.isAbove(files.length, 100)
    assert.deepStrictEqual(
      files.flatMap((file) => strayIn(fs.readFileSync(path.join(console, file), "utf8"), file)),
      []
    )
  })

  it("is what the search above finds missing", () => {
    const page = `const Page = ({ is, n }) => <><Text title="One" id="no">Two {n}</Text>
      {is ? "Three" : \`\${n} four\`}<Listing columns={[{ label: "Five", by: "no" }]} aria-label={text.six} />&nbsp;–</>`
    assert.deepStrictEqual(
      strayIn(page, "Page.tsx").map((one) => one.replace(/^\S+ /, "")),
      ["Three", "four", "Two", "One", "Five"]
    )
  })

  it("has each part in every translation, by the part's own name", () => {
    const files = fs
      .readdirSync(console, { recursive: true, encoding: "utf8" })
      .filter((file) => /[sS]trings\.ts$/.test(file))
    const parts = files.flatMap((file) =>
      [
        ...fs.readFileSync(path.join(console, file), "utf8").matchAll(/^export const (\w+) =(?: texts\("(\w+)")?/gm)
      ].flatMap(([, name = "", part]) => (/[sS]trings$/.test(name) ? [{ name, part }] : []))
    )
    assert.isAtLeast(parts.length, files.length)
    for (const { name, part } of parts)
      assert.strictEqual(part, name === "strings" ? "first" : name.replace("Strings", ""))
    const translation = fs.readFileSync(path.join(console, "app", "Translation.ts"), "utf8")
    assert.sameMembers(
      [...translation.matchAll(/^ {2}readonly (\w+): typeof (\w+)$/gm)].map(([, part, name]) => `${part} ${name}`),
      parts.map(({ name, part }) => `${part} ${name}`)
    )
  })

  it("has a text for what the contract says of each field of a programme", () => {
    const within = (shape: Shape): ReadonlyArray<Shape> => {
      switch (shape.kind) {
        case "list":
          return [shape.of]
        case "choice":
          return shape.of.map((one) => one.shape)
        case "record":
          return shape.fields.map((field) => field.shape)
        default:
          return []
      }
    }
    const notesOf = (shape: Shape): ReadonlyArray<string> => [
      ...(shape.description === undefined ? [] : [shape.description]),
      ...within(shape).flatMap(notesOf)
    ]
    const notes = new Set(notesOf(shapeOf(ProgramFile)))
    assert.isAbove(notes.size, 100)
    assert.sameMembers(Object.keys(noteStrings), [...notes])
  })

  it("has a label for every field of a programme, and for every value that a field is chosen from", () => {
    const namesOf = (shape: Shape): ReadonlyArray<string> => {
      switch (shape.kind) {
        case "text":
          return shape.options ?? []
        case "list":
          return namesOf(shape.of)
        case "choice":
          return shape.of.flatMap((one) => [one.type, ...namesOf(one.shape)])
        case "record":
          return shape.fields.flatMap((field) => [field.name, ...namesOf(field.shape)])
        default:
          return []
      }
    }
    const names = [...new Set(namesOf(shapeOf(ProgramFile)))]
    assert.isAbove(names.length, 150)
    assert.deepStrictEqual(
      names.filter((name) => !Object.hasOwn(fieldStrings, name)),
      []
    )
  })
})

/** The texts of `generated/Surfaces.ts` and `generated/Operations.ts`: the methods of the client, and what they send. */
import { componentOf } from "../../contract/OpenApiSchemas.ts"
import type { Operation, Surface } from "./Description.ts"
import { inputName, namesOf, outputName, surfaceNames, surfaceOf } from "./Description.ts"
import { comment, named, typeOf } from "./Types.ts"
import { takesInput } from "./Wire.ts"

/** Answers that have an end, and so are the result of a call. */
const isCall = ({ answers }: Operation): boolean => answers !== "text/event-stream"

const outputOf = (operation: Operation): string => {
  if (operation.answers === undefined) return "undefined"
  return operation.answers === "application/json" ? `Wire.${outputName(operation)}` : "string"
}

const rowOf = ({ rows }: Operation & { readonly rows: object }): string => {
  const component = componentOf(rows.schema)
  return component === undefined ? typeOf(rows.schema) : `Wire.${component}`
}

const methodOf = (operation: Operation, name: string, indent: string): string => {
  const { description, input, method, path, summary } = operation
  const about = comment(`${summary}\n\n${description}\n\n\`${method} ${path}\``, indent)
  const output = outputOf(operation)
  const isOptional = (input["required"] ?? []).length === 0 && input["properties"] !== undefined
  const type = `Wire.${inputName(operation)}`
  if (operation.rows !== undefined) {
    const row = rowOf({ ...operation, rows: operation.rows })
    return `${about}${indent}readonly ${named(name)}: ${isOptional ? "PagedOptional" : "Paged"}<${type}, ${output}, ${row}>\n`
  }
  const inputs = takesInput(operation) ? `input${isOptional ? "?" : ""}: ${type}, ` : "input?: Nothing, "
  return `${about}${indent}readonly ${named(name)}: (${inputs}options?: CallOptions) => Promise<${output}>\n`
}

const title = (surface: Surface): string => surface.slice(0, 1).toUpperCase() + surface.slice(1)

const surfaceText = (surface: Surface, operations: ReadonlyArray<Operation>): string => {
  const groups = new Map<string, Array<string>>()
  const lines: Array<string> = []
  for (const operation of operations) {
    const [first = "", second] = namesOf(operation)
    if (second === undefined) lines.push(methodOf(operation, first, "  "))
    else groups.set(first, [...(groups.get(first) ?? []), methodOf(operation, second, "    ")])
  }
  for (const [name, methods] of groups) lines.push(`  readonly ${named(name)}: {\n${methods.join("")}  }\n`)
  return `export interface ${title(surface)} {\n${lines.join("")}}\n`
}

/** The operations that have a method, by surface. */
const calls = (operations: ReadonlyArray<Operation>, surface: Surface): ReadonlyArray<Operation> =>
  operations.filter((operation) => isCall(operation) && surfaceOf(operation) === surface)

export const surfacesText = (operations: ReadonlyArray<Operation>): string =>
  [
    "/** The methods of the client. Made of the OpenAPI document by `npm run prepare`: changes here are lost. */",
    'import type { CallOptions, Nothing, Paged, PagedOptional } from "../Calls.ts"',
    'import type * as Wire from "./Wire.ts"\n',
    ...surfaceNames.map((surface) => surfaceText(surface, calls(operations, surface)))
  ].join("\n")

const factsOf = (operation: Operation): string => {
  const { answers, context, hasBody, id, isSafe, method, path, queryParameters, rows, takesKey } = operation
  const facts = {
    id,
    names: namesOf(operation),
    method,
    path,
    ...(isSafe ? { isSafe } : undefined),
    ...(queryParameters.length > 0 ? { query: queryParameters } : undefined),
    ...(hasBody ? { hasBody } : undefined),
    ...(context === undefined ? undefined : { context: context === "WriteContext" ? "write" : "read" }),
    ...(takesKey ? { takesKey } : undefined),
    ...(answers === undefined || answers === "application/json" ? undefined : { accept: answers }),
    ...(rows === undefined ? undefined : { rows: rows.name })
  }
  return `    ${JSON.stringify(facts)}`
}

export const operationsText = (operations: ReadonlyArray<Operation>): string =>
  [
    "/** What the methods send. Made of the OpenAPI document by `npm run prepare`: changes here are lost. */",
    'import type { OperationFacts } from "../Calls.ts"\n',
    `export const operations: Readonly<Record<${surfaceNames.map((name) => `"${name}"`).join(" | ")}, ReadonlyArray<OperationFacts>>> = {`,
    surfaceNames
      .map((surface) => `  ${surface}: [\n${calls(operations, surface).map(factsOf).join(",\n")}\n  ]`)
      .join(",\n"),
    "}\n"
  ].join("\n")

/** The text of `generated/Wire.ts`: a type for each component, and for what each operation takes and answers. */
import type { Json } from "../../contract/Description.ts"
import { componentOf } from "../../contract/OpenApiSchemas.ts"
import type { Operation } from "./Description.ts"
import { inputName, outputName } from "./Description.ts"
import { comment, declared, typeOf } from "./Types.ts"

const header =
  "/** What the wire carries. Made of the OpenAPI document by `npm run prepare`: changes here are lost. */\n"

/** Operations without parameters and body take nothing. */
export const takesInput = ({ input }: Operation): boolean =>
  input["properties"] === undefined || Object.keys(input["properties"]).length > 0

const declarationsOf = (operation: Operation): ReadonlyArray<string> => {
  const { answers, id, input, outputs } = operation
  const title = comment(`\`${id}\`: ${operation.method} ${operation.path}`)
  const inputs = takesInput(operation) ? [declared(inputName(operation), input)] : []
  if (answers !== "application/json") return inputs
  const [only, ...others] = outputs
  if (only !== undefined && others.length === 0 && componentOf(only) === undefined)
    return [...inputs, declared(outputName(operation), { ...only, description: `Answer of \`${id}\`.` })]
  const type = [...new Set(outputs.map((output) => typeOf(output)))].join(" | ")
  return [...inputs, `${title}export type ${outputName(operation)} = ${type}\n`]
}

export const wireText = (document: Json, operations: ReadonlyArray<Operation>): string => {
  const components = Object.entries(document["components"].schemas as Json).map(
    ([name, schema]) => [name, declared(name, schema)] as const
  )
  const names = new Set(components.map(([name]) => name))
  for (const operation of operations)
    for (const name of [inputName(operation), outputName(operation)])
      if (names.has(name)) throw new Error(`${operation.id}: there is a component ${name}`)
  return [header, ...components.map(([, text]) => text), ...operations.flatMap(declarationsOf)].join("\n")
}

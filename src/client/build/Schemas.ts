/** The text of `generated/Schemas.ts`: what the client checks before it sends, as the OpenAPI document describes it. */
import type { Json } from "../../contract/Description.ts"
import { componentOf } from "../../contract/OpenApiSchemas.ts"

const kept = new Set([
  "type",
  "required",
  "enum",
  "pattern",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum"
])

/** A schema without references and descriptions. */
const plain = (schema: Json, components: Json): Json => {
  const component = componentOf(schema)
  const [only] = (schema["allOf"] ?? []) as ReadonlyArray<Json>
  if (component !== undefined) return plain(components[component], components)
  if (only !== undefined) return plain(only, components)
  const { additionalProperties, items, properties } = schema
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([name]) => kept.has(name))),
    ...(additionalProperties === true ? { additionalProperties } : undefined),
    ...(items === undefined ? undefined : { items: plain(items, components) }),
    ...(properties === undefined
      ? undefined
      : {
          properties: Object.fromEntries(
            Object.entries(properties as Json).map(([name, one]) => [name, plain(one, components)])
          )
        })
  }
}

export const schemasText = (document: Json): string => {
  const { schemas } = document["components"] as { readonly schemas: Json }
  return [
    "/** What an order and its adjustments may be. Made of the OpenAPI document by `npm run prepare`: changes here are lost. */",
    'import type { WireSchema } from "../Contract.ts"\n',
    `export const orderSchema: WireSchema = ${JSON.stringify(plain(schemas["Order"], schemas))}\n`,
    `export const adjustmentSchema: WireSchema = ${JSON.stringify(plain(schemas["OrderAdjustment"], schemas))}\n`
  ].join("\n")
}

/** First steps of integrators with the OpenAPI document: they check it, and generate a client. */
import "./Installed.ts"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import type { RulesetDefinition } from "@stoplight/spectral-core"
import spectral from "@stoplight/spectral-core"
import rulesets from "@stoplight/spectral-rulesets"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { openApi } from "../../src/contract/OpenApi.ts"
import * as Generators from "./Generators.ts"

interface Content {
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
  >
}
interface Operation {
  readonly operationId: string
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

/** The outcome of a zod schema. */
interface Parsed {
  readonly success: boolean
  readonly data?: unknown
  readonly error?: Error
}

const document = JSON.parse(JSON.stringify(openApi())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

describe("the OpenAPI document", () => {
  it("is clean by Spectral's rules for OpenAPI", async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({
      extends: [[rulesets.oas as RulesetDefinition, "all"]],
      rules: {
        // The document cannot know the address of those who run the service.
        "info-contact": "off",
        // The license has an `identifier`, beside which OpenAPI 3.1 forbids a `url`.
        "license-url": "off",
        // Tags are in the sequence of a guest's journey.
        "openapi-tags-alphabetical": "off"
      }
    })
    const found = await linter.run(document)
    assert.deepStrictEqual(
      found.map(({ code, message, path: place }) => `${code} ${place.join("/")}: ${message}`),
      []
    )
  })

  it("is clean by Redocly's strict recommended rules", async () => {
    const config = await createConfig({
      extends: ["recommended-strict"],
      // Health and discovery take nothing that could be wrong.
      rules: { "operation-4xx-response": "off" }
    })
    const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config })
    assert.deepStrictEqual(
      found.map(({ location, message, ruleId }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
      []
    )
  })
})

describe("clients generated of the OpenAPI document", () => {
  let folder: string
  beforeAll(() => {
    folder = Generators.folder()
  })
  afterAll(() => fs.rmSync(folder, { recursive: true }))

  /** The examples of all requests and successes, with the name that zod schemas of both generators end in. */
  const examples = operations.flatMap(({ operationId, requestBody, responses }) => {
    const name = operationId
      .split(/[._]/)
      .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
      .join("")
    const successes = Object.keys(responses).filter((status) => status < "300")
    const bodies = [
      { schema: `${name}Body`, body: requestBody, isFirst: true },
      ...successes.map((status, at) => ({ schema: `${name}Response`, body: responses[status], isFirst: at === 0 }))
    ]
    return bodies.flatMap(({ body, ...rest }) => {
      const example = body?.content?.["application/json"]?.examples?.["demo"]
      return example === undefined ? [] : [{ ...rest, value: example.value }]
    })
  })

  /** The examples that the zod schemas of a generated file refuse or change. */
  const refusedBy = async (file: string, prefix: string, taken = examples): Promise<ReadonlyArray<string>> => {
    const schemas = (await import(/* @vite-ignore */ pathToFileURL(path.join(folder, file)).href)) as Readonly<
      Record<string, { readonly safeParse: (value: unknown) => Parsed }>
    >
    return taken.flatMap(({ schema, value }) => {
      const parsed = schemas[`${prefix}${schema}`]?.safeParse(value)
      if (parsed === undefined) return [`${schema}: no schema`]
      if (!parsed.success) return [`${schema}: ${parsed.error?.message}`]
      // A client sends, after the check, the value that was checked.
      return isDeepStrictEqual(parsed.data, value) ? [] : [`${schema}: changed`]
    })
  }

  it("by openapi-typescript compile strictly", async () => {
    await Generators.types(document, folder)
    assert.strictEqual(await Generators.errorsOf(folder, ["types.ts"], { exactOptionalPropertyTypes: true }), "")
  })

  it("by @hey-api/openapi-ts compile strictly, and its zod schemas take every example as it is", async () => {
    await Generators.hey(document, folder)
    // The generator's own client, which is the same for every document, is not written for exact optional properties.
    assert.strictEqual(
      await Generators.errorsOf(folder, ["hey/types.gen.ts", "hey/zod.gen.ts"], { exactOptionalPropertyTypes: true }),
      ""
    )
    assert.strictEqual(await Generators.errorsOf(folder, ["hey/index.ts", "hey/zod.gen.ts"], {}), "")
    assert.isAbove(examples.length, 90)
    assert.deepStrictEqual(await refusedBy("hey/zod.gen.ts", "z"), [])
  })

  it("by orval compile strictly, and its zod schemas take every example as it is", async () => {
    await Generators.orval(document, folder)
    assert.strictEqual(
      await Generators.errorsOf(folder, ["fetch.ts", "zod.ts"], { exactOptionalPropertyTypes: true }),
      ""
    )
    // It makes a schema of the first success alone.
    const first = examples.filter(({ isFirst }) => isFirst)
    assert.deepStrictEqual(await refusedBy("zod.ts", "", first), [])
  })
})

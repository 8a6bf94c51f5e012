/**
 * contract/resources.md *Values*: an identifier has up to 128 characters, in the path of every route of every surface,
 * too.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { openApi } from "../../../src/contract/OpenApi.ts"
import * as Operators from "../../capabilities/operators/Operators.ts"
import * as TestServer from "./TestServer.ts"

interface Described {
  readonly requestBody?: unknown
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Every operation with a parameter in its path that a key may use, as it is described. */
const operations = Object.entries((openApi() as { readonly paths: Record<string, Record<string, Described>> }).paths)
  .filter(([path]) => path.includes("{"))
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, described]) => ({ path, method, described })))
  .filter(({ described: { security } }) => security.some((scheme) => !("session" in scheme || "guest" in scheme)))

const isNumber = (name: string) => name === "version"

/** The path with an id of a length in place of each parameter, or of one, where the others are short. */
const pathsOf = (path: string, length: number): ReadonlyArray<string> => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
  return names
    .filter((name) => !isNumber(name))
    .map((long) =>
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        isNumber(name) ? "1" : name === long ? "i".repeat(length) : name === "program_id" ? Testing.demoProgram.id : "x"
      )
    )
}

it.layer(Operators.layer(), { excludeTestServices: true })("identifiers in paths", (it) => {
  it.effect("of 1 to 128 characters reach the handler of every route, and longer ones name nothing", () =>
    Effect.gen(function* () {
      assert.isAtLeast(operations.length, 15)
      for (const { described, method, path } of operations) {
        for (const length of [1, 100, 101, 128, 129]) {
          for (const at of pathsOf(path, length)) {
            const body = described.requestBody === undefined ? undefined : {}
            const { body: answer, status } = yield* TestServer.send(at, body, {
              method: method.toUpperCase(),
              headers: Operators.root
            })
            const says = `${method} ${path}, ${length} characters: ${status} ${JSON.stringify(answer)}`
            assert.isBelow(status, 500, says)
            // A body is checked before the path's ids; without one, only the length decides who answers.
            if (described.requestBody === undefined)
              assert.strictEqual(/^There is nothing at /.test(String(answer["detail"])), length > 128, says)
          }
        }
      }
    })
  )

  it.effect("name the member whose id they are", () =>
    Effect.gen(function* () {
      for (const length of [1, 100, 101, 128]) {
        const member = "m".repeat(length)
        yield* enroll(member)
        const { body, status } = yield* Operators.get(`/members/${Testing.demoProgram.id}/${member}`)
        assert.deepStrictEqual([status, (body["member"] as { member_id: string }).member_id], [200, member])
        const encoded = yield* Operators.get(`/members/${Testing.demoProgram.id}/${"%6D".repeat(length)}`)
        assert.strictEqual(encoded.status, 200)
      }
    })
  )
})

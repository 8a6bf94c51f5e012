/** A dialog's payload follows from the contract: what is typed, which fields it has, and which faults (contract/transport.md *Problems*). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { checkOf, isWhole } from "../../../../src/console/shared/form/check.ts"
import { filledIn, valueAt, withAt } from "../../../../src/console/shared/form/draft.ts"
import { fieldAt, shapeOf } from "../../../../src/console/shared/form/shape.ts"
import { NewConnection } from "../../../../src/contract/admin/Connections.ts"
import { IdentitiesChange } from "../../../../src/contract/admin/Members.ts"
import { RoleChange } from "../../../../src/contract/admin/Staff.ts"
import { ProfileFacts } from "../../../../src/contract/platform/Members.ts"

describe("what is typed", () => {
  it("stands at its place, in lists too, and leaves the rest alone", () => {
    const before = { member_id: "m", add: [{ type: "token" }, { type: "loyalty_id" }] }
    const after = withAt(before, "/add/1/value", "4711")
    assert.deepStrictEqual(after, { ...before, add: [{ type: "token" }, { type: "loyalty_id", value: "4711" }] })
    assert.strictEqual(valueAt(after, "/add/1/value"), "4711")
    assert.isUndefined(valueAt(after, "/add/2/value"))
    assert.deepStrictEqual(withAt(after, "/add/1/value", undefined), before)
    assert.deepStrictEqual(withAt({}, "/configuration/url", "u"), { configuration: { url: "u" } })
  })

  it("is sent without blanks around it and without what is empty, but for values that nobody has typed", () => {
    const start = { remove: [{ value: " old " }], add: [{ value: "" }], programs: ["a"], issuer: undefined }
    assert.deepStrictEqual(filledIn(start, start), { remove: [{ value: " old " }], programs: ["a"] })
    const typed = {
      ...start,
      add: [{ value: " new " }],
      programs: [],
      note: "  ",
      granted: false,
      limit: 0,
      role: null
    }
    assert.deepStrictEqual(filledIn(typed, start), {
      remove: [{ value: " old " }],
      add: [{ value: "new" }],
      granted: false,
      limit: 0,
      role: null
    })
  })
})

describe("a field", () => {
  const of = (schema: Parameters<typeof shapeOf>[0], at: string) => {
    const { isRequired, shape } = fieldAt(shapeOf(schema), at)
    return [shape.kind, isRequired]
  }

  it("has the input and the need that the contract gives its place", () => {
    assert.deepStrictEqual(of(IdentitiesChange, "/add/0/value"), ["text", true])
    assert.deepStrictEqual(of(IdentitiesChange, "/add/0/issuer"), ["text", false])
    assert.deepStrictEqual(of(NewConnection, "/settings/search_by_name"), ["flag", false])
  })

  it("is found in a part that may be null, or one of several kinds", () => {
    assert.deepStrictEqual(of(RoleChange, "/location_ids"), ["list", false])
    assert.deepStrictEqual(of(ProfileFacts, "/consent/0/source"), ["text", false])
  })

  it("is a mistake of the page's where the contract has nothing", () => {
    assert.throws(() => fieldAt(shapeOf(RoleChange), "/rule"), "nothing at /rule")
  })
})

describe("a payload", () => {
  it("is whole once all that must be there is there, and may be wrong nevertheless", () => {
    assert.isFalse(isWhole(IdentitiesChange, { add: [{ type: "loyalty_id" }] }))
    assert.isTrue(isWhole(IdentitiesChange, { add: [{ type: "loyalty_id", value: "4711" }] }))
    assert.isTrue(isWhole(RoleChange, { role: "chef", reason: "-" }))
  })

  it("has the contract's faults, by their places", () => {
    const checked = checkOf(RoleChange)({ role: "chef", reason: "-" })
    const faults = Result.isFailure(checked) ? checked.failure : []
    assert.deepStrictEqual(
      faults.map(({ path }) => path),
      ["/role"]
    )
    assert.match(faults[0]?.message ?? "", /^must be one of /)
  })
})

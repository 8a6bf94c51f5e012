/** Facts that tell a clerk who stands at the counter. */
import { assert, describe, it } from "@effect/vitest"
import { recognised } from "../../../src/console/counter/recognised.ts"
import { calendarDay } from "../../../src/console/shared/format.ts"

describe("the counter's card of a guest", () => {
  it("has the telephone's end, the birthday, and of all identities the cards alone", () => {
    const member = {
      member_id: "member-1",
      program_id: "demo",
      status: "active",
      joined_at: "2026-01-01T00:00:00.000Z",
      identities: [
        { type: "external", value: "m-b4e3" },
        { type: "loyalty_id", value: "4000123400015678" },
        { type: "phone_hash", value: "hash" }
      ]
    } as const
    const profile = { phone: "+493012345678", birth_date: "1966-04-05", updated_at: member.joined_at }
    assert.deepStrictEqual(recognised({ member, profile }), [
      ["Telephone", "…5678"],
      ["Birthday", calendarDay("1966-04-05")],
      ["Card", "4000123400015678"]
    ])
    assert.deepStrictEqual(recognised({ member: { ...member, identities: [] } }), [["Card", "none"]])
  })
})

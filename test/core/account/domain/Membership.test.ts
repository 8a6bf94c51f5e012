/**
 * contract/members.md *Status and writes*, *Changing identities*: a member's status and identities, as an operator
 * changes them.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import { MAX_IDENTITIES } from "../../../../src/core/account/domain/Membership.ts"
import { isErased, plain } from "../../../../src/core/account/domain/State.ts"
import * as S from "./Scenario.ts"

const { Scenario, day, second } = S

/** The types of events, in order. */
const types = (events: ReadonlyArray<{ readonly type: string }>) => events.map(({ type }) => type)

/** Replay gives the state as it is. */
const isKept = (ada: S.Scenario): void =>
  assert.deepStrictEqual(plain({ ...ada.replayed, at: ada.state.at }), plain(ada.state))

describe("status", () => {
  it("is changed with its reason; what it is already is no change", () => {
    const ada = new Scenario()
    assert.deepStrictEqual(ada.when(S.status("active")).events, [])
    assert.deepStrictEqual(ada.when(S.status("suspended")).events, [
      { type: "status_changed", at: S.start, status: "suspended", reason: "test" }
    ])
    assert.deepStrictEqual(ada.when(S.status("suspended")).events, [])
    assert.deepStrictEqual(types(ada.when(S.status("active")).events), ["status_changed"])
    assert.strictEqual(ada.given(S.accrue("1", 1_000)).state.status, "active")
    isKept(ada)
  })

  it("suspending leaves holds and wallet rewards as they are", () => {
    const ada = new Scenario().given(S.manual(300), S.reserve(1), S.issue("w"), S.status("suspended"))
    assert.deepStrictEqual(ada.balance(), [300, 100])
    assert.deepStrictEqual(
      ada.state.rewards.map(({ status }) => status),
      ["issued"]
    )
  })

  it("closing releases open holds and cancels the wallet's rewards, held ones too, and leaves the points", () => {
    const ada = new Scenario().given(
      S.manual(300),
      S.reserve(1),
      S.reserve(2),
      S.capture(2),
      S.issue("held"),
      S.issue("free"),
      S.issue("over"),
      S.cancel("over"),
      S.reserve(3, { issued: "held" })
    )
    const { events } = ada.when(S.status("closed"))
    assert.deepStrictEqual(types(events), [
      "released",
      "released",
      "reward_cancelled",
      "reward_cancelled",
      "status_changed"
    ])
    assert.deepStrictEqual(ada.balance(), [200, 0])
    assert.deepStrictEqual(
      ada.state.reservations.map(({ status }) => status),
      ["reversed", "captured", "reversed"]
    )
    assert.deepStrictEqual(
      ada.state.rewards.map(({ issued, status }) => [issued, status]),
      [
        ["held", "cancelled"],
        ["free", "cancelled"],
        ["over", "cancelled"]
      ]
    )
    isKept(ada)
  })

  it("what a hold kept past its time expires when closing releases it", () => {
    const ada = new Scenario().given(
      S.manual(100, { expires: S.start + 60 * second }),
      S.issue("w", { expires: S.start + 60 * second }),
      S.reserve(1),
      S.reserve(2, { issued: "w" })
    )
    const { events } = ada.wait(90 * second).when(S.status("closed"))
    assert.deepStrictEqual(types(events).toSorted(), [
      "posted",
      "released",
      "released",
      "reward_expired",
      "status_changed"
    ])
    assert.strictEqual(types(events).at(-1), "status_changed")
    assert.deepStrictEqual(ada.balance(), [0, 0])
    isKept(ada)
  })

  it("a hold that closing released and a reward that it cancelled show as they stand when a till ends them again", () => {
    const ada = new Scenario().given(S.manual(100), S.reserve(1), S.issue("w"), S.status("closed")).wait(day)
    assert.deepInclude(ada.when(S.reverse(1)).reply, { type: "reservation", created: false })
    assert.nestedInclude(ada.when(S.reverse(1)).reply, {
      "reservation.status": "reversed",
      "reservation.reversed": S.start
    })
    assert.nestedInclude(ada.when(S.cancel("w")).reply, { "reward.status": "cancelled", "reward.reason": "test" })
  })

  it("a closed member stays closed; closing it again is no change", () => {
    const ada = new Scenario().given(S.status("closed"))
    ada.refuses(S.status("active"), "invalid_state")
    ada.refuses(S.status("suspended"), "invalid_state")
    assert.deepStrictEqual(ada.when(S.status("closed")).events, [])
  })

  it("a closed member's points still expire", () => {
    const ada = new Scenario().given(S.manual(100), S.status("closed")).wait(366 * day)
    assert.deepStrictEqual(ada.posts(S.expire), [["expiration", "points", -100]])
  })
})

describe("identities", () => {
  it("are given and taken in one decision: what goes is taken first", () => {
    const ada = new Scenario()
    const { events } = ada.when(S.identities(["new", "newer"], ["ada's"]))
    assert.deepStrictEqual(events, [
      { type: "identity_removed", at: S.start, identity: "ada's" },
      { type: "identity_added", at: S.start, identity: "new" },
      { type: "identity_added", at: S.start, identity: "newer" }
    ])
    assert.deepStrictEqual(ada.state.identities, ["new", "newer"])
    isKept(ada)
  })

  it("one that the member has is not given twice, and one that it lacks is not missed", () => {
    const ada = new Scenario()
    assert.deepStrictEqual(ada.when(S.identities(["ada's"], ["nobody's"])).events, [])
    assert.deepStrictEqual(types(ada.when(S.identities(["new", "new"])).events), ["identity_added"])
    assert.deepStrictEqual(ada.when(S.identities(["new"])).events, [])
  })

  it("the last one cannot be taken, whatever is asked at once", () => {
    const ada = new Scenario()
    ada.refuses(S.identities([], ["ada's"]), "invalid_state")
    ada.given(S.identities(["new"]))
    ada.refuses(S.identities([], ["ada's", "new"]), "invalid_state")
    ada.given(S.identities([], ["ada's"]))
    ada.refuses(S.identities([], ["new"]), "invalid_state")
  })

  it(`a member has ${MAX_IDENTITIES} at the most`, () => {
    const many = Array.from({ length: MAX_IDENTITIES }, (_, n) => `card-${n}`)
    const ada = new Scenario()
    ada.refuses(S.identities(many), "invalid_state")
    assert.lengthOf(ada.given(S.identities(many, ["ada's"])).state.identities, MAX_IDENTITIES)
  })

  it("are not changed while the member is suspended or closed", () => {
    const ada = new Scenario().given(S.status("suspended"))
    ada.refuses(S.identities(["new"]), "member_not_active")
    ada.given(S.status("closed")).refuses(S.identities(["new"], ["ada's"]), "member_not_active")
  })

  it("what is due is posted first", () => {
    const ada = new Scenario().given(S.manual(100)).wait(366 * day)
    assert.deepStrictEqual(types(ada.when(S.identities(["new"])).events), [
      "points_expiring",
      "points_expiring",
      "posted",
      "identity_added"
    ])
  })
})

describe("profile", () => {
  const change = (external?: string | null, onlyWithdraws = false): Action => ({
    type: "change_profile",
    external,
    onlyWithdraws
  })

  it("has one external id: another one frees it, and so does none", () => {
    const ada = new Scenario()
    assert.deepStrictEqual(types(ada.when(change("x")).events), ["external_id_given", "profile_changed"])
    assert.deepStrictEqual(types(ada.when(change("x")).events), ["profile_changed"])
    assert.deepStrictEqual(types(ada.when(change()).events), ["profile_changed"])
    assert.strictEqual(ada.state.external, "x")
    const other = ada.when(change("y")).events
    assert.deepStrictEqual(types(other), ["external_id_freed", "external_id_given", "profile_changed"])
    assert.deepStrictEqual(types(ada.when(change(null)).events), ["external_id_freed", "profile_changed"])
    assert.strictEqual(ada.state.external, undefined)
    isKept(ada)
  })

  it("of a suspended member takes a withdrawal alone, of a closed one nothing", () => {
    const ada = new Scenario().given(S.status("suspended"))
    ada.refuses(change("x"), "member_not_active")
    assert.deepStrictEqual(types(ada.when(change(undefined, true)).events), ["profile_changed"])
    ada.given(S.status("closed")).refuses(change(undefined, true), "member_not_active")
  })
})

describe("erasing", () => {
  const erase: Action = { type: "erase", reason: "asked" }

  it("closes the member, takes its identities and external id, and leaves the points", () => {
    const ada = new Scenario().given(S.manual(300), S.reserve(1), S.identities(["card"]))
    ada.given({ type: "change_profile", external: "x", onlyWithdraws: false })
    const { events } = ada.when(erase)
    assert.deepStrictEqual(types(events), [
      "released",
      "status_changed",
      "external_id_freed",
      "identity_removed",
      "identity_removed",
      "erased"
    ])
    assert.deepStrictEqual([ada.state.status, ada.state.identities, ada.state.external], ["closed", [], undefined])
    assert.deepStrictEqual(ada.balance(), [300, 0])
    isKept(ada)
    assert.deepStrictEqual(ada.when(erase).events, [])
  })

  it("takes what a member that was closed before still has", () => {
    const ada = new Scenario().given(S.status("closed"))
    assert.isFalse(isErased(ada.state))
    assert.deepStrictEqual(types(ada.when(erase).events), ["identity_removed", "erased"])
    assert.isTrue(isErased(ada.state))
  })
})

/** Where partitions belong: contract/databases.md *Joining and leaving*. */
import { assert, it } from "@effect/vitest"
import {
  accountNumber,
  owning,
  partitionCount,
  partitionOf,
  protocol,
  shared
} from "../../../src/core/cluster/Placement.ts"
import * as Random from "../../model/Random.ts"
import { rowOf } from "./World.ts"

const wanted = (rows: Parameters<typeof owning>[0]) => shared(owning(rows))

/** Ids as services have them. */
const idsOf = (random: Random.Random, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, () => Array.from({ length: 12 }, () => random.pick([..."0123456789abcdef"])).join(""))

const shuffled = <A>(random: Random.Random, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item) => [random.next(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item)

const countOf = (owners: ReadonlyArray<string>, id: string): number => owners.filter((owner) => owner === id).length

it("every order of rows gives the same owners", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = Random.make(seed, "orders of rows")
    const rows = idsOf(random, random.whole(1, 16)).map((id) => rowOf({ id, beat: random.whole(0, 9) }))
    const owners = wanted(rows)
    assert.lengthOf(owners ?? [], partitionCount)
    for (let order = 0; order < 3; order++)
      assert.deepStrictEqual(wanted(shuffled(random, rows)), owners, `seed ${seed}`)
  }
})

it("up to 16 nodes each own their fair share, give or take one", () => {
  for (let seed = 1; seed <= 8; seed++) {
    const random = Random.make(seed, "fair shares")
    for (let count = 1; count <= 16; count++) {
      const ids = idsOf(random, count)
      const owners = shared(ids.toSorted()) ?? []
      for (const id of ids) assert.closeTo(countOf(owners, id), partitionCount / count, 1, `seed ${seed}, ${count}`)
    }
  }
})

it("a join or a leave moves a fair share and few partitions more", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = Random.make(seed, "joins")
    const ids = idsOf(random, random.whole(2, 16))
    const before = shared(ids.slice(1).toSorted()) ?? []
    const after = shared(ids.toSorted()) ?? []
    const moved = before.filter((owner, partition) => owner !== after[partition]).length
    const share = partitionCount / ids.length
    assert.isAtLeast(moved, share - 2, `seed ${seed}`)
    assert.isAtMost(moved, share + 24, `seed ${seed}`)
  }
})

it("dead nodes, those that want none and those of a newer protocol own nothing", () => {
  const rows = [
    rowOf({ id: "a" }),
    rowOf({ id: "b", dead: true }),
    rowOf({ id: "c", wants: false }),
    rowOf({ id: "d", protocol: protocol + 1 })
  ]
  assert.deepStrictEqual(new Set(wanted(rows)), new Set(["a"]))
  assert.isUndefined(wanted(rows.slice(1)), "a node that hands over keeps the newer ones out until it has left")
  assert.deepStrictEqual(new Set(wanted([rows[1]!, rows[3]!])), new Set(["d"]))
  assert.isUndefined(wanted([]))
})

it("an account's number tells its partition", () => {
  for (const n of [1, 255, 256, 2 ** 40])
    for (const partition of [0, 1, 255]) assert.strictEqual(partitionOf(accountNumber(n, partition)), partition)
})

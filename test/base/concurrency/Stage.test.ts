import { assert, describe, it } from "@effect/vitest"
import * as Stage from "../../../src/base/concurrency/Stage.ts"

interface Job {
  readonly name: string
  /** How long each of its phases takes. */
  readonly ms?: number
  readonly bad?: boolean
}

/** A stage of two phases with what it did, and turns of the event loop by hand. */
const staged = () => {
  const turns: Array<() => void> = []
  const did: Array<string> = []
  const clock = { ms: 0 }
  const { enter, waiting } = Stage.make<Job>(
    {
      phases: [
        ({ bad, ms = 0, name }) => {
          clock.ms += ms
          if (bad === true) throw new Error(name)
          did.push(`1 ${name}`)
        },
        ({ ms = 0, name }) => {
          clock.ms += ms
          did.push(`2 ${name}`)
        }
      ],
      onDefect: (_, defect) => {
        did.push(`broke ${defect instanceof Error ? defect.message : ""}`)
      }
    },
    { schedule: (run) => void turns.push(run), now: () => clock.ms }
  )
  return { did, enter, waiting, turns, clock, turn: () => turns.shift()?.() }
}

describe("a stage", () => {
  it("takes those of one turn through phase by phase, in their order", () => {
    const { did, enter, turn, turns, waiting } = staged()
    enter({ name: "a" })
    enter({ name: "b" })
    assert.deepStrictEqual(did, [])
    assert.strictEqual(waiting(), 2)
    assert.lengthOf(turns, 1)
    turn()
    assert.deepStrictEqual(did, ["1 a", "1 b", "2 a", "2 b"])
    assert.strictEqual(waiting(), 0)
    enter({ name: "c" })
    turn()
    assert.deepStrictEqual(did.slice(4), ["1 c", "2 c"])
    assert.lengthOf(turns, 0)
  })

  it("reports a defect; only its job leaves the stage", () => {
    const { did, enter, turn } = staged()
    enter({ name: "a" })
    enter({ name: "b", bad: true })
    enter({ name: "c" })
    turn()
    assert.deepStrictEqual(did, ["1 a", "broke b", "1 c", "2 a", "2 c"])
  })

  it("takes those that a job sends on in a later turn", () => {
    const turns: Array<() => void> = []
    const did: Array<number> = []
    const { enter } = Stage.make<number>(
      {
        phases: [
          (left) => {
            did.push(left)
            if (left > 0) enter(left - 1)
          }
        ],
        onDefect: (_, defect) => {
          throw defect
        }
      },
      { schedule: (run) => void turns.push(run), now: () => 0 }
    )
    enter(2)
    turns.shift()?.()
    assert.deepStrictEqual(did, [2])
    while (turns.length > 0) turns.shift()?.()
    assert.deepStrictEqual(did, [2, 1, 0])
  })

  it("has turns of 50 ms at most and one job: in between all else has a turn, and nothing is done twice or left out", () => {
    const { did, enter, turn, turns, waiting } = staged()
    for (const name of ["a", "b", "c"]) enter({ name, ms: 25 })
    enter({ name: "bad", bad: true })
    turn()
    assert.deepStrictEqual(did, ["1 a", "1 b"])
    assert.lengthOf(turns, 1)
    enter({ name: "new" })
    assert.strictEqual(waiting(), 5)
    turn()
    assert.deepStrictEqual(did.slice(2), ["1 c", "broke bad", "2 a"])
    assert.strictEqual(waiting(), 3)
    turn()
    assert.deepStrictEqual(did.slice(5), ["2 b", "2 c"])
    assert.strictEqual(waiting(), 1)
    turn()
    assert.deepStrictEqual(did.slice(7), ["1 new", "2 new"])
    assert.lengthOf(turns, 0)
    assert.strictEqual(waiting(), 0)
  })
})

/** Positions are opaque texts outside of the service. */
import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import * as Position from "../../src/feed/Position.ts"

const positions: ReadonlyArray<Position.Position> = [
  Position.beginning,
  { epoch: 1, transaction: 9_007_199_254_740_993n, account: 7, seq: 1 },
  { epoch: 1, transaction: 9_007_199_254_740_993n, account: 7, seq: 2, n: 3 },
  { epoch: 1, transaction: 9_007_199_254_740_993n, account: 8, seq: 1 },
  { epoch: 1, transaction: 9_007_199_254_740_994n, account: 1, seq: 1 },
  { epoch: 2, transaction: 5n, account: 1, seq: 1 }
]

it("a position comes back from its text as it was", () => {
  for (const position of positions)
    assert.deepStrictEqual(Position.fromText(Position.toText(position)), Option.some(position))
})

it("a text that no position has is refused", () => {
  const good = Position.toText(positions[1]!)
  const others = ["1.02.3.4", "2147483648.1.1.1", "1.18446744073709551616.1.1"].map((text) =>
    Buffer.from(text).toString("base64url")
  )
  for (const text of ["", "now", `${good}=`, `${good}A`, good.slice(1), ...others])
    assert.isTrue(Option.isNone(Position.fromText(text)), text)
})

it("positions are in the order of epoch, transaction, account and seq", () => {
  assert.deepStrictEqual(positions.toReversed().toSorted(Position.compare), positions)
})

/** The way of a request, as `npm run walk` prints it. */
import { expect, it } from "vitest"
import * as path from "node:path"
import { walk } from "./Walk.ts"

/** The service starts from its sources, ms. */
const wholeMs = 300_000

it(
  "an accrual's way goes from the gate to the account's decision and to the answer, and past no publication",
  async () => {
    const [way = []] = await walk("accrual", path.join(import.meta.dirname, "..", ".."))
    const places = ["edge/http/Exchange.ts", "core/protocol/Orders.ts", "core/account/domain/Decide.ts"]
    const found = [...places, "edge/http/HotPath.ts answerBody"].map((place) =>
      way.findIndex(({ file, name }) => `${file} ${name}`.startsWith(place))
    )
    expect(found).not.toContain(-1)
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect(way.filter(({ file }) => file.startsWith("capabilities/programs/"))).toEqual([])
  },
  wholeMs
)

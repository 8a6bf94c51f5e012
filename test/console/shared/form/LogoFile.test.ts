/** A picture that cannot be a logo is told before it is sent (contract/operators.md *Logos*). */
import { assert, describe, it } from "@effect/vitest"
import { logoFault } from "../../../../src/console/shared/form/logoFile.ts"

const png = (width: number, height: number, bytes = 1_000): Uint8Array => {
  const made = Buffer.alloc(bytes)
  made.write("89504e470d0a1a0a0000000d49484452", "hex")
  made.writeUInt32BE(width, 16)
  made.writeUInt32BE(height, 20)
  return made
}

describe("the file of a logo", () => {
  it("is a PNG of at most 200,000 bytes and 2,048 pixels a side", () => {
    assert.isUndefined(logoFault(png(2_048, 2_048, 200_000)))
    assert.isUndefined(logoFault(Buffer.concat([Buffer.alloc(3), png(1, 1)]).subarray(3)))
  })

  it("is told in words for people what is wrong with it", () => {
    for (const bytes of [Buffer.from("ffd8ffe000104a4649460001", "hex"), Buffer.alloc(500), new Uint8Array()])
      assert.include(logoFault(bytes), "This is no PNG")
    assert.include(logoFault(png(2_049, 10)), "2,049 × 10 pixels")
    assert.include(logoFault(png(10, 10, 200_001)), "201 kB")
  })
})

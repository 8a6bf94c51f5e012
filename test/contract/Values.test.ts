import { describe, expect, it } from "@effect/vitest"
import type { Schema } from "effect"
import { Result } from "effect"
import { strictDecoder } from "../../src/contract/Decode.ts"
import {
  BusinessDate,
  ForeignId,
  fromMillis,
  Identifier,
  Integer,
  Reason,
  Timestamp,
  toMillis
} from "../../src/contract/Values.ts"

const accepts = (schema: Schema.ConstraintDecoder<unknown>, value: unknown): boolean =>
  Result.isSuccess(strictDecoder(schema)(value))

describe("Timestamp (any RFC 3339 offset; the years 1 to 9999)", () => {
  it.each([
    ["2026-07-14T10:00:00Z", "2026-07-14T10:00:00.000Z"],
    ["2026-07-14t10:00:00z", "2026-07-14T10:00:00.000Z"],
    ["2026-07-14T10:00:00.5+05:30", "2026-07-14T04:30:00.500Z"],
    ["2026-07-14T10:00:00.123456789012-23:59", "2026-07-15T09:59:00.123Z"],
    ["2026-07-14T10:00:00-00:00", "2026-07-14T10:00:00.000Z"],
    ["2024-02-29T23:59:59.9999Z", "2024-02-29T23:59:59.999Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"]
  ])("takes %s as %s", (text, instant) => {
    expect(accepts(Timestamp, text)).toBe(true)
    expect(fromMillis(toMillis(text))).toBe(instant)
  })

  it("is written as Date writes it, whatever was written before", () => {
    // Steps of a prime number of milliseconds, there and back, over two centuries around 1970.
    for (let step = -5_000; step <= 5_000; step++) {
      for (const millis of [step * 630_720_011, -step * 630_720_011])
        expect(fromMillis(millis)).toBe(new Date(millis).toISOString())
    }
  })

  it.each([
    "2026-02-29T10:00:00Z",
    "1900-02-29T10:00:00Z",
    "2026-04-31T10:00:00Z",
    "2026-00-10T10:00:00Z",
    "2026-13-10T10:00:00Z",
    "2026-01-00T10:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T10:60:00Z",
    "2016-12-31T23:59:60Z",
    "2026-01-01T10:00:00+24:00",
    "2026-01-01T10:00:00+02:60",
    "2026-01-01T10:00:00+0200",
    "2026-01-01T10:00:00",
    "2026-01-01 10:00:00Z",
    "2026-01-01T10:00Z",
    "2026-01-01T10:00:00.Z",
    "2026-01-01",
    "+12026-01-01T10:00:00Z",
    "2026-01-01T10:00:00Z\n",
    "9999-12-31T23:59:59-01:00",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+01:00",
    `2026-01-01T10:00:00.${"1".repeat(80)}Z`,
    ""
  ])("refuses %j", (text) => expect(accepts(Timestamp, text)).toBe(false))
})

describe("BusinessDate (a real date)", () => {
  it.each(["2026-07-14", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])("takes %s", (text) =>
    expect(accepts(BusinessDate, text)).toBe(true)
  )
  it.each([
    "2026-02-30",
    "2026-02-29",
    "2100-02-29",
    "2026-06-31",
    "2026-7-14",
    "2026-07-14Z",
    "20260714",
    "0000-01-01",
    ""
  ])("refuses %j", (text) => expect(accepts(BusinessDate, text)).toBe(false))
})

describe("Integer (safe integers)", () => {
  it.each([0, -0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])("takes %d", (value) =>
    expect(accepts(Integer, value)).toBe(true)
  )
  it.each([0.5, 2 ** 53, -(2 ** 53), 1e300, NaN, Infinity, "1", null, true])("refuses %j", (value) =>
    expect(accepts(Integer, value)).toBe(false)
  )
})

describe("texts", () => {
  it("hold identifiers to 128 characters and their pattern (contract/resources.md *Values*)", () => {
    for (const text of ["a", "7", "A.b_c:d-e", "m".repeat(128)]) expect(accepts(Identifier, text)).toBe(true)
    for (const text of ["", "m".repeat(129), "_a", ":a", "-a", "a b", "ä", "a\n", "a/b"]) {
      expect(accepts(Identifier, text)).toBe(false)
    }
  })

  it("leave ids of other systems free within 128 well-formed characters (contract/resources.md *Values*)", () => {
    for (const text of ["#42/7", "Größe", "注文", " x", "x".repeat(128), "🍜".repeat(128)])
      expect(accepts(ForeignId, text)).toBe(true)
    for (const text of ["", " ", "\t\u00a0", "x".repeat(129), "🍜".repeat(129), "\ud800", "a\u0000"])
      expect(accepts(ForeignId, text)).toBe(false)
  })

  it("hold reasons to 1 to 255 characters (contract/resources.md *Values*)", () => {
    expect(accepts(Reason, "r".repeat(255))).toBe(true)
    expect(accepts(Reason, "r".repeat(256))).toBe(false)
    expect(accepts(Reason, "")).toBe(false)
  })
})

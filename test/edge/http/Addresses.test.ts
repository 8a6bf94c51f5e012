/** contract/configuration.md *Trusted proxies*, and the bound on what one address holds. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import type { IncomingMessage } from "node:http"
import { Addresses, parseProxies } from "../../../src/edge/http/Addresses.ts"

const proxies = (text: string) => Result.getOrThrow(parseProxies(text))

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  }) as unknown as IncomingMessage

describe("trusted proxies", () => {
  it("are addresses and ranges; a part that is neither is the fault", () => {
    for (const text of ["10.0.0.1", "10.0.0.0/8, ::1", "2001:db8::/32"])
      assert.isTrue(Result.isSuccess(parseProxies(text)))
    for (const text of ["", "proxy.example", "10.0.0.0/33", "10.0.0.0/x", "::1/129", "10.0.0.1,", "10.0.0.0/8/8"]) {
      assert.isTrue(Result.isFailure(parseProxies(text)), text)
    }
  })

  it("alone are believed about the address behind them", () => {
    const addresses = new Addresses(proxies("10.0.0.0/8,::1"))
    const cases: ReadonlyArray<readonly [IncomingMessage, string]> = [
      [request("192.0.2.1"), "192.0.2.1"],
      [request("192.0.2.1", "198.51.100.7"), "192.0.2.1"],
      [request("10.1.2.3", "198.51.100.7"), "198.51.100.7"],
      [request("::ffff:10.1.2.3", "198.51.100.7"), "198.51.100.7"],
      // Addresses that the caller wrote in front of the proxy's own word are the caller's.
      [request("10.1.2.3", "203.0.113.9, 198.51.100.7"), "198.51.100.7"],
      [request("10.1.2.3", "198.51.100.7, 10.4.5.6"), "198.51.100.7"],
      [request("::1", "2001:db8::7"), "2001:db8::7"],
      [request("10.1.2.3", "nonsense"), "10.1.2.3"],
      [request("10.1.2.3"), "10.1.2.3"]
    ]
    for (const [incoming, address] of cases) assert.strictEqual(addresses.of(incoming), address)
    assert.strictEqual(new Addresses(undefined).of(request("10.1.2.3", "198.51.100.7")), "10.1.2.3")
  })
})

describe("what one address holds", () => {
  it("is bounded for each by itself", () => {
    const addresses = new Addresses(undefined, 2)
    const entered = ["a", "a", "a", "b"].map((one) => addresses.enter(one))
    assert.deepStrictEqual(entered, [true, true, false, true])
    addresses.leave("a")
    assert.isTrue(addresses.enter("a"))
    assert.isFalse(addresses.enter("a"))
  })

  it("is that of its /64 together for IPv6, since a customer has a whole one", () => {
    const addresses = new Addresses(undefined, 2)
    const entered = ["2001:db8::1", "2001:db8::ffff:2", "2001:db8::3", "2001:db8:0:1::1"].map((one) =>
      addresses.enter(one)
    )
    assert.deepStrictEqual(entered, [true, true, false, true])
    addresses.leave("2001:db8::9")
    assert.isTrue(addresses.enter("2001:db8::3"))
  })
})

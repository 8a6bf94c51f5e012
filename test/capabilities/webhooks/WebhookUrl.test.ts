/** contract/events.md *Webhook addresses*: where they may be sent. */
import { assert, describe, it } from "@effect/vitest"
import { faultOf, isPublicAddress } from "../../../src/capabilities/webhooks/WebhookUrl.ts"

describe("a webhook's address", () => {
  it("is public: neither private, local, link-local, mapped nor for documentation", () => {
    const refused = [
      ..."0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255".split(" "),
      ..."192.168.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 255.255.255.255".split(" "),
      ..."::1 :: ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::808:808 fc00::1 fd12::1 fe80::1 ff02::1".split(" "),
      ..."2001:db8::1 2001::1 2002:7f00:1:: example.com".split(" ")
    ]
    for (const address of refused) assert.isFalse(isPublicAddress(address), address)
    for (const address of ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"])
      assert.isTrue(isPublicAddress(address), address)
  })

  it("is https with a public host, whatever the spelling, unless others are allowed", () => {
    const here = [
      "https://localhost/x",
      "https://till.localhost/x",
      "https://LOCALHOST./x",
      "https://127.1/x",
      "https://2130706433/x",
      "https://0x7f.0.0.1/x",
      "https://[::1]/x",
      "https://[::ffff:127.0.0.1]/x",
      "https://10.0.0.1/x",
      "https://intranet/x",
      "https://metadata.google.internal/x",
      "https://169.254.169.254/x"
    ]
    for (const url of here) {
      assert.match(faultOf(url, false) ?? "", /public/, url)
      assert.isUndefined(faultOf(url, true), url)
    }
    for (const url of ["https://hooks.example.com/x?y=1", "https://8.8.8.8:8443/x"])
      for (const mayBePrivate of [true, false]) assert.isUndefined(faultOf(url, mayBePrivate), url)
  })

  it("is http on loopback alone, where that is allowed", () => {
    for (const url of ["http://127.0.0.1:9000/x", "http://localhost/x", "http://[::1]/x"]) {
      assert.isUndefined(faultOf(url, true), url)
      assert.isDefined(faultOf(url, false), url)
    }
    for (const url of ["http://hooks.example.com/x", "http://10.0.0.1/x"])
      assert.match(faultOf(url, true) ?? "", /https/)
  })

  it("has no credentials and no fragment, and is a URL of HTTP", () => {
    const wrong = ["ftp://hooks.example.com", "hooks.example.com", "", "https://", "javascript:alert(1)"]
    const credentials = ["https://me:pass@hooks.example.com", "https://me@hooks.example.com"]
    for (const url of [...wrong, ...credentials, "https://hooks.example.com/#top"]) {
      const fault = faultOf(url, true)
      assert.isDefined(fault, url)
      if (url.length > 8) assert.notInclude(fault, url)
    }
  })
})

/**
 * contract/transport.md *Public pages*: public files are compressed once, and sent again only where they have changed.
 */

import { assert, describe, it } from "vitest"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as PublicFile from "../../../src/edge/http/PublicFile.ts"

const content = "a page ".repeat(1_000)
const made = () => PublicFile.make("text/html", content, { "X-Own": "1" })
const asking = (headers: Readonly<Record<string, string>>) => ({ headers })

describe("a public file", () => {
  it("is sent compressed where the caller takes that, out of the same bytes each time", async () => {
    const file = await made()
    for (const [accepted, coding] of [
      ["gzip", "gzip"],
      ["gzip, deflate, br", "br"],
      ["br;q=0, gzip;q=0.5", "gzip"],
      ["*", "br"],
      ["br;q=0.0, *", "gzip"],
      ["GZIP", "gzip"],
      ["br;q=0.1, gzip;q=0.9", "gzip"],
      ["gzip;q=0.5, *;q=0.6", "br"],
      ["identity;q=0.5, gzip;q=0.5", "gzip"]
    ] as const) {
      const { body, headers } = PublicFile.reply(file, asking({ "accept-encoding": accepted }))
      assert.strictEqual(headers?.["Content-Encoding"], coding, accepted)
      assert.strictEqual(body, file.compressed[coding])
    }
    assert.strictEqual(gunzipSync(file.compressed.gzip).toString(), content)
    assert.strictEqual(brotliDecompressSync(file.compressed.br).toString(), content)
    for (const accepted of ["", "deflate", "gzip;q=0", "*;q=0", "br;q=0, gzip;q=0.0, *", "identity, gzip;q=0.5"]) {
      const { body, headers } = PublicFile.reply(file, asking({ "accept-encoding": accepted }))
      assert.isUndefined(headers?.["Content-Encoding"], accepted)
      assert.strictEqual(body, file.plain)
    }
  })

  it("has a tag of its content and coding, and is not sent to a caller that has it", async () => {
    const file = await made()
    const { headers } = PublicFile.reply(file, asking({}))
    const etag = headers?.["ETag"] ?? ""
    assert.match(etag, /^"[\w-]{22}"$/)
    assert.deepInclude(headers, { Vary: "Accept-Encoding", "X-Own": "1" })
    for (const has of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const reply = PublicFile.reply(file, asking({ "if-none-match": has }))
      assert.deepStrictEqual([reply.status, reply.body, reply.headers?.["ETag"]], [304, "", etag])
    }
    assert.strictEqual(PublicFile.reply(file, asking({ "if-none-match": '"other"' })).status, 200)
    // The compressed bytes are another representation.
    const compressed = PublicFile.reply(file, asking({ "if-none-match": etag, "accept-encoding": "gzip" }))
    assert.strictEqual(compressed.status, 200)
    assert.notStrictEqual(compressed.headers?.["ETag"], etag)
  })
})

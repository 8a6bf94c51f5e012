/**
 * Public files: compressed once, kept in memory, and sent with an `ETag`, so that
 * a large file costs no more than a small answer.
 */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { Reply } from "./Reply.ts"

const compress = promisify(gzip)

export interface PublicFile {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly plain: Buffer
  readonly compressed: Buffer
  /** Hash of the content, without quotes. */
  readonly tag: string
}

export const make = (
  contentType: string,
  content: string,
  headers: PublicFile["headers"] = {}
): Effect.Effect<PublicFile> =>
  Effect.promise(async () => ({
    contentType,
    headers,
    plain: Buffer.from(content),
    // Runs in Node's thread pool, so it does not block the event loop.
    compressed: await compress(content),
    tag: createHash("sha256").update(content).digest("base64url").slice(0, 22)
  }))

/** True if the caller accepts gzip (RFC 9110, 12.5.3). */
const takesGzip = (header: string | undefined): boolean => {
  let any = false
  for (const part of (header ?? "").toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((one) => one.trim())
    const isRefused = parameters.some((one) => /^q=0(\.0{1,3})?$/.test(one))
    if (coding === "gzip") return !isRefused
    if (coding === "*") any = !isRefused
  }
  return any
}

/** True if the caller already has the file (RFC 9110, 13.1.2). */
const has = (header: string | undefined, etag: string): boolean =>
  (header ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag)

/** The answer to a request for a file. */
export const reply = (file: PublicFile, { headers: asked }: Pick<IncomingMessage, "headers">): Reply => {
  const isCompressed = takesGzip(String(asked["accept-encoding"] ?? ""))
  const etag = `"${file.tag}${isCompressed ? "-gzip" : ""}"`
  const { contentType } = file
  const headers = { ...file.headers, "cache-control": "no-cache", ETag: etag, Vary: "Accept-Encoding" }
  if (has(asked["if-none-match"], etag)) return { status: 304, body: "", contentType, headers }
  return {
    status: 200,
    contentType,
    headers: isCompressed ? { ...headers, "Content-Encoding": "gzip" } : headers,
    body: isCompressed ? file.compressed : file.plain
  }
}

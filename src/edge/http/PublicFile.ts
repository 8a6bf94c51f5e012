/**
 * Public files: compressed once, kept in memory, and sent with an `ETag`, so that
 * a large file costs no more than a small answer.
 */
import { hash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import type { Reply } from "./Reply.ts"

/** The content codings, the preferred one first. */
const codings = ["br", "gzip"] as const

/** The end of the name of a file in its brotli form. */
export const brotli = ".br"

export interface PublicFile {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly plain: Buffer
  readonly compressed: Readonly<Record<(typeof codings)[number], Buffer>>
  /** Hash of the content, without quotes. */
  readonly tag: string
  /** True if its address changes with its content, so that it may be kept for ever. */
  readonly isImmutable: boolean
}

const tagOf = (content: Buffer): string => hash("sha256", content, "base64url").slice(0, 22)

/** How much a file is compressed. `small` takes seconds for 3 MB and saves an eighth, which a package is made with. */
export type Compression = "fast" | "small"

const qualities: Readonly<Record<Compression, number>> = { fast: 5, small: 11 }

/** The brotli form of a text, made in a thread of Node's own pool. */
export const compressed = (content: string, compression: Compression = "fast"): Promise<Buffer> =>
  promisify(zlib.brotliCompress)(Buffer.from(content), {
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: qualities[compression] }
  })

/** A file; its brotli form alone is kept. */
export const of = (
  contentType: string,
  br: Buffer,
  isImmutable: boolean,
  headers: PublicFile["headers"] = {}
): PublicFile => {
  // Browsers ask for brotli, so that hardly a service needs the others.
  let plain: Buffer | undefined
  let gzip: Buffer | undefined
  const file = {
    contentType,
    headers,
    get plain() {
      plain ??= zlib.brotliDecompressSync(br)
      return plain
    },
    compressed: {
      br,
      get gzip() {
        gzip ??= zlib.gzipSync(file.plain)
        return gzip
      }
    },
    tag: tagOf(br),
    isImmutable
  }
  return file
}

export const make = async (
  contentType: string,
  content: string,
  headers: PublicFile["headers"] = {}
): Promise<PublicFile> => of(contentType, await compressed(content), false, headers)

/** The coding with the highest weight (RFC 9110, 12.5.3); undefined: none, or the caller prefers `identity`. */
const codingFor = (header: string): (typeof codings)[number] | undefined => {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((one) => one.trim())
    const weight = parameters.find((one) => /^q=[01](\.\d{0,3})?$/.test(one)) ?? "q=1"
    weights.set(coding, Number(weight.slice(2)))
  }
  let best: (typeof codings)[number] | undefined
  let highest = 0
  for (const coding of codings) {
    const weight = weights.get(coding) ?? weights.get("*") ?? 0
    if (weight > highest) {
      best = coding
      highest = weight
    }
  }
  return highest < (weights.get("identity") ?? 0) ? undefined : best
}

/** True if the caller already has the file (RFC 9110, 13.1.2). */
const has = (header: string | undefined, etag: string): boolean =>
  (header ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag)

/** The answer to a request for a file. */
export const reply = (file: PublicFile, { headers: asked }: Pick<IncomingMessage, "headers">): Reply => {
  const coding = codingFor(String(asked["accept-encoding"] ?? ""))
  const etag = `"${file.tag}${coding === undefined ? "" : `-${coding}`}"`
  const { contentType } = file
  const kept = file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache"
  const headers = { ...file.headers, "cache-control": kept, ETag: etag, Vary: "Accept-Encoding" }
  if (has(asked["if-none-match"], etag)) return { status: 304, body: "", contentType, headers }
  if (coding === undefined) return { status: 200, contentType, headers, body: file.plain }
  return {
    status: 200,
    contentType,
    headers: { ...headers, "Content-Encoding": coding },
    body: file.compressed[coding]
  }
}

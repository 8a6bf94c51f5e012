/** Pictures that callers send (contract/operators.md *Logos*). */
import { Effect } from "effect"
import { hash } from "node:crypto"
import { maxLogoBytes, maxLogoSide } from "../../contract/admin/Logos.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { refuseFaults } from "./Refusal.ts"

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The sides of a PNG by its header, which comes first (PNG 3, 11.2.1); undefined: it is none. */
const sizeOf = (png: Buffer): { readonly width: number; readonly height: number } | undefined =>
  png.length < 33 || !png.subarray(0, 8).equals(signature) || png.toString("latin1", 12, 16) !== "IHDR"
    ? undefined
    : { width: png.readUInt32BE(16), height: png.readUInt32BE(20) }

const isSide = (pixels: number): boolean => pixels >= 1 && pixels <= maxLogoSide

export interface Picture {
  readonly png: Buffer
  readonly width: number
  readonly height: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** A picture as it is served. Its address changes with it, so that browsers may keep it. */
export interface ServedPicture extends Pick<Picture, "png" | "width" | "height"> {
  readonly url: string
  readonly tag: string
}

export const urlOf = (path: string, sha256: string): string => `${path}?v=${sha256.slice(0, 12)}`

/** A stored picture, at its path. */
export const served = (
  path: string,
  { height, png, sha256, width }: Omit<Picture, "png"> & { readonly png: Uint8Array }
): ServedPicture => ({ png: Buffer.from(png), width, height, url: urlOf(path, sha256), tag: sha256.slice(0, 22) })

/** Refuses at `/png` unless it is a PNG of a logo's bounds. */
export const pictureOf = (base64: string): Effect.Effect<Picture, Refused> => {
  const png = Buffer.from(base64, "base64")
  const size = png.length > maxLogoBytes ? undefined : sizeOf(png)
  return size === undefined || !isSide(size.width) || !isSide(size.height)
    ? refuseFaults([
        { path: "/png", ...said`must be a PNG of at most ${maxLogoBytes} bytes and ${maxLogoSide} pixels a side` }
      ])
    : Effect.succeed({ ...size, png, sha256: hash("sha256", png, "hex") })
}

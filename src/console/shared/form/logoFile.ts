/** Faults of a file that is to be a logo, before it is sent. Pure. */
import { maxLogoBytes, maxLogoSide } from "../../../contract/admin/Logos.ts"
import { number } from "../format.ts"
import { guestPageStrings } from "../guestPageStrings.ts"

const text = guestPageStrings.logo

/** The first bytes of every PNG. */
const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** Places of the width and the height, which the first chunk begins with. */
const places = { width: 16, height: 20, end: 24 }

/** The fault of the file's bytes, in words; undefined: it shows none. */
export const logoFault = (bytes: Uint8Array): string | undefined => {
  if (bytes.length < places.end || signature.some((byte, at) => bytes[at] !== byte)) return text.notPng
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [width, height] = [view.getUint32(places.width), view.getUint32(places.height)]
  if (width > maxLogoSide || height > maxLogoSide) return text.tooWide(number(width), number(height))
  return bytes.length > maxLogoBytes ? text.tooLarge(number(Math.ceil(bytes.length / 1_000))) : undefined
}

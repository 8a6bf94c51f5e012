/** Reads the lines of an export, decrypted and decompressed, in bounded memory. */
import { Decrypter } from "age-encryption"
import * as fs from "node:fs"
import { PassThrough, Readable } from "node:stream"
import { createZstdDecompress, zstdDecompressSync } from "node:zlib"
import * as Bounds from "./Bounds.ts"
import { Damaged, Unusable } from "./Faults.ts"

/** The secret of an encrypted file: identities (`AGE-SECRET-KEY-1…`) or a passphrase; undefined: none was given. */
export type Opener = { readonly identities: ReadonlyArray<string> } | { readonly passphrase: string } | undefined

const ageMark = Buffer.from("age-encryption.org/v1\n")
const zstdMark = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

const beginOf = (file: string): Buffer => {
  const fd = fs.openSync(file, "r")
  try {
    const bytes = Buffer.alloc(ageMark.length)
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, 0))
  } finally {
    fs.closeSync(fd)
  }
}

const decrypterOf = (file: string, opener: Opener): Decrypter => {
  if (opener === undefined)
    throw new Unusable({ message: `${file} is encrypted. Give --identity or --passphrase-file.` })
  const decrypter = new Decrypter()
  if ("passphrase" in opener) decrypter.addPassphrase(opener.passphrase)
  else
    for (const identity of opener.identities) {
      try {
        decrypter.addIdentity(identity)
      } catch {
        throw new Unusable({ message: "The file of --identity has a line that is no identity of age." })
      }
    }
  return decrypter
}

const decrypted = async (file: string, opener: Opener): Promise<Readable> => {
  const decrypter = decrypterOf(file, opener)
  const source = Readable.toWeb(fs.createReadStream(file, { highWaterMark: Bounds.readBytes }))
  try {
    const plain = await decrypter.decrypt(source as ReadableStream<Uint8Array>)
    return Readable.fromWeb(plain as Parameters<typeof Readable.fromWeb>[0])
  } catch {
    throw new Damaged({ detail: "The passphrase or the identity does not open it, or its beginning is damaged." })
  }
}

/** Texts of whole lines, each with its line end. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReadonlyArray<string>> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let rest = ""
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    if (rest.length > Bounds.lineBytes) throw new Damaged({ detail: "A line is too long." })
    yield lines
  }
  if (rest + decoder.decode() !== "") throw new Damaged({ detail: "The last line is cut short." })
}

/** The length of an empty frame at the beginning of bytes; undefined: there is none. */
const lengthOfEmpty = (bytes: Uint8Array): number | undefined => {
  // Node's types do not know of `info`.
  const { buffer, engine } = zstdDecompressSync(bytes, { info: true } as object) as unknown as {
    readonly buffer: Uint8Array
    readonly engine: { readonly bytesWritten: number }
  }
  return buffer.length === 0 ? engine.bytesWritten : undefined
}

/** True if so many last bytes are none, or an empty frame, with which Node's compressor may end. Its decompressor ignores them. */
const isNothing = (tail: Uint8Array, count: number): boolean => {
  if (count === 0) return true
  const rest = tail.subarray(-count)
  if (rest.length < count || !zstdMark.equals(rest.subarray(0, zstdMark.length))) return false
  return lengthOfEmpty(rest) === count
}

/** Guests alone are lines of JSON, which nothing compresses. */
const isOfGuests = (begin: Uint8Array): boolean => begin[0] === 0x7b

const guests = (file: string, isEncrypted: boolean): Unusable =>
  new Unusable({
    message: `${file} has guests alone, as export --guests writes them.${isEncrypted ? " Decrypt it with age." : ""} lotbook move-in plan reads them.`
  })

/** Lines of a file, some at a time. Throws `Damaged` or `Unusable`. */
export async function* lines(file: string, opener: Opener): AsyncGenerator<ReadonlyArray<string>> {
  const begin = beginOf(file)
  const isEncrypted = begin.equals(ageMark)
  if (isOfGuests(begin)) throw guests(file, false)
  if (!isEncrypted && !begin.subarray(0, zstdMark.length).equals(zstdMark))
    throw new Damaged({ detail: "It does not begin as an export does." })
  const packed = isEncrypted
    ? await decrypted(file, opener)
    : fs.createReadStream(file, { highWaterMark: Bounds.readBytes })
  const plain = createZstdDecompress()
  const out = new PassThrough()
  let read = 0
  let first: Uint8Array | undefined
  let tail: Uint8Array = new Uint8Array()
  packed.on("data", (chunk: Uint8Array) => {
    read += chunk.length
    if (chunk.length > 0) first ??= chunk
    tail = Buffer.concat([tail, chunk]).subarray(-Bounds.tailBytes)
  })
  packed.on("error", (error: Error) => plain.destroy(error))
  plain.on("error", (error) => out.destroy(error))
  packed.pipe(plain).pipe(out)
  try {
    yield* linesOf(out)
    if (!isNothing(tail, read - plain.bytesWritten)) throw new Damaged({ detail: "Bytes follow its end." })
  } catch (error) {
    if (error instanceof Damaged) throw error
    if (first !== undefined && isOfGuests(first)) throw guests(file, true)
    throw new Damaged({ detail: "It is cut short, or a byte of it has changed." })
  } finally {
    packed.destroy()
  }
}

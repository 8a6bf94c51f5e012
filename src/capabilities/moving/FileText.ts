/** Reads the text of a file, some lines at a time (contract/moving.md *Files*). Each file is read once. */
import { Schema } from "effect"
import * as fs from "node:fs"
import { type Encoding, isText, markedEncoding } from "../../contract/TextFiles.ts"
import * as Bounds from "./Bounds.ts"

/** The file cannot be read any further. */
export class UnreadableFile extends Schema.TaggedError<UnreadableFile>()("UnreadableFile", {
  detail: Schema.String
}) {}

const lineEnd = 0x0a

type Decoder = InstanceType<typeof TextDecoder>

const unreadable = (detail: string): UnreadableFile => new UnreadableFile({ detail })

const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80)

/** The text of bytes; undefined: they are none in this encoding. */
const decoded = (decoder: Decoder, bytes: Uint8Array, isLast: boolean): string | undefined => {
  try {
    return decoder.decode(bytes, { stream: !isLast })
  } catch {
    return undefined
  }
}

/**
 * Decodes a file line by line. It is UTF-8 until a line that is none: then it is Windows-1252, if all before was ASCII,
 * which both share. Bytes of both are no text: nobody could say which letters were meant.
 */
export class FileText {
  private encoding: Encoding | undefined
  private decoder: Decoder | undefined
  /** Bytes after the last line end. */
  private rest: Uint8Array = new Uint8Array()
  private isAscii = true
  private isBegun = false
  /** True if the text read so far ends with a line end, or is empty. */
  isEnded = true
  private readonly file: string

  constructor(file: string, encoding: Encoding | undefined) {
    this.file = file
    this.encoding = encoding
  }

  async *read(): AsyncGenerator<string> {
    const stream = fs.createReadStream(this.file, { highWaterMark: Bounds.readBytes })
    for await (const chunk of stream) {
      const text = this.take(chunk as Buffer)
      if (text !== "") yield text
    }
    const last = this.text(this.rest, true)
    if (last !== "") yield last
  }

  private take(chunk: Uint8Array): string {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    if (!this.isBegun) this.encoding ??= markedEncoding(bytes.subarray(0, 2))
    this.isBegun = true
    const isWide = this.encoding === "utf-16le" || this.encoding === "utf-16be"
    const end = isWide ? bytes.length : bytes.lastIndexOf(lineEnd) + 1
    if (bytes.length - end > Bounds.lineBytes) throw unreadable("A line has more than 1 MiB.")
    this.rest = bytes.slice(end)
    return this.text(bytes.subarray(0, end), false)
  }

  private text(bytes: Uint8Array, isLast: boolean): string {
    const encoding = this.encoding ?? "utf-8"
    this.decoder ??= new TextDecoder(encoding, { fatal: true })
    let text = decoded(this.decoder, bytes, isLast)
    if (text === undefined && this.encoding === undefined && this.isAscii) {
      this.encoding = "windows-1252"
      this.decoder = new TextDecoder(this.encoding, { fatal: true })
      text = decoded(this.decoder, bytes, isLast)
    }
    if (text === undefined)
      throw unreadable(`It is no ${encoding} from here on. If it is in another encoding, say it in the mapping.`)
    this.isAscii = this.isAscii && this.encoding === undefined && isAscii(bytes)
    if (!isText(text)) throw unreadable("It is no text. Save a workbook as CSV first.")
    if (text !== "") this.isEnded = /[\r\n]$/.test(text)
    return text
  }
}

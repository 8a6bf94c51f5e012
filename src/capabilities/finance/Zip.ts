/**
 * A zip archive of files that are stored and not compressed, dated 1980-01-01: the same bytes each time, whatever the zone and
 * the version of a library (APPNOTE 6.3.10, 4.3). Pure.
 */
import { crc32 } from "node:zlib"

type Bytes = Uint8Array<ArrayBuffer>

/** 2.0 reads it; UTF-8 names; stored; 00:00:00; 1980-01-01. */
const common = [20, 0x0800, 0, 0, 0x0021] as const

/** Little-endian numbers, each of two or four bytes. */
const numbers = (...values: ReadonlyArray<readonly [bytes: 2 | 4, value: number]>): Bytes => {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [bytes, value] of values) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

const shorts = (...values: ReadonlyArray<number>) => values.map((value) => [2, value] as const)
const longs = (...values: ReadonlyArray<number>) => values.map((value) => [4, value] as const)

const joined = (parts: ReadonlyArray<Bytes>): Bytes => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** `files`: texts by name. All of it is less than 4 GB. */
export const stored = (files: Readonly<Record<string, string>>): Bytes => {
  const encoder = new TextEncoder()
  const bodies: Array<Bytes> = []
  const directory: Array<Bytes> = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const [path, content] = [encoder.encode(name), encoder.encode(text)]
    const facts = [
      ...shorts(...common),
      ...longs(crc32(content), content.length, content.length),
      ...shorts(path.length, 0)
    ]
    bodies.push(numbers(...longs(0x04034b50), ...facts), path, content)
    directory.push(numbers(...longs(0x02014b50), ...shorts(20), ...facts, ...shorts(0, 0, 0), ...longs(0, at)), path)
    at += 30 + path.length + content.length
  }
  const count = directory.length / 2
  const length = directory.reduce((sum, part) => sum + part.length, 0)
  const end = numbers(...longs(0x06054b50), ...shorts(0, 0, count, count), ...longs(length, at), ...shorts(0))
  return joined([...bodies, ...directory, end])
}

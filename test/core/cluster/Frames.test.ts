import { assert, it } from "@effect/vitest"
import { Socket } from "node:net"
import { FrameReader, FrameWriter, Kind } from "../../../src/core/cluster/Frames.ts"

/** A socket that keeps what is written to it. */
class KeptSocket extends Socket {
  readonly writes: Array<Buffer> = []

  override readonly write = (chunk: Uint8Array | string): boolean => {
    this.writes.push(Buffer.from(chunk))
    return true
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

const read = (chunks: ReadonlyArray<Buffer>, maxPayloadBytes = 1_000) => {
  const frames: Array<string> = []
  const reader = new FrameReader(maxPayloadBytes, (kind, id, payload) => frames.push(`${kind} ${id} ${payload}`))
  const isReadable = chunks.every((chunk) => reader.push(chunk))
  return { frames, isReadable }
}

it("the frames of one turn leave in one write, in their order", async () => {
  const socket = new KeptSocket()
  const writer = new FrameWriter(socket)
  writer.start()
  const first = writer.add(Kind.request, 1, "one")
  writer.add(Kind.answer, 4_000_000_000, "zwölf €")
  assert.isFalse(first.isSent)
  assert.strictEqual(writer.waitingBytes, 9 + 3 + 9 + 10)
  await turn()
  writer.add(Kind.failed, 3, "")
  await turn()
  assert.lengthOf(socket.writes, 2)
  assert.isTrue(first.isSent)
  assert.strictEqual(writer.waitingBytes, 0)
  assert.deepStrictEqual(read(socket.writes).frames, ["0 1 one", "1 4000000000 zwölf €", "2 3 "])
})

it("holds frames until the start, and marks none as sent that no socket has", async () => {
  const socket = new KeptSocket()
  const writer = new FrameWriter(socket)
  const held = writer.add(Kind.request, 1, "held")
  await turn()
  assert.lengthOf(socket.writes, 0)
  writer.start()
  socket.destroy()
  await turn()
  assert.lengthOf(socket.writes, 0)
  assert.isFalse(held.isSent)
})

it("frames may be cut anywhere", async () => {
  const socket = new KeptSocket()
  const writer = new FrameWriter(socket)
  writer.start()
  const payloads = ["", "€".repeat(100), "x"]
  payloads.forEach((payload, id) => writer.add(Kind.request, id, payload))
  await turn()
  const bytes = Buffer.concat(socket.writes)
  const expected = payloads.map((payload, id) => `0 ${id} ${payload}`)
  for (let cut = 0; cut <= bytes.length; cut++)
    assert.deepStrictEqual(read([bytes.subarray(0, cut), bytes.subarray(cut)]).frames, expected)
  assert.deepStrictEqual(read([...bytes].map((byte) => Buffer.of(byte))).frames, expected)
})

it("a frame over the bound is told by its head", async () => {
  const socket = new KeptSocket()
  const writer = new FrameWriter(socket)
  writer.start()
  writer.add(Kind.request, 1, "x".repeat(100))
  writer.add(Kind.request, 2, "x".repeat(101))
  await turn()
  const { frames, isReadable } = read(socket.writes, 100)
  assert.lengthOf(frames, 1)
  assert.isFalse(isReadable)
})

/**
 * Hands over what a connection sends, piece by piece, all out of one buffer.
 *
 * Node reads accepted connections into a new 64 kB buffer each time, unless its
 * parser reads by itself; `onread`, which spares that, is an option of sockets that
 * one makes oneself. So it is set here where the option would have set it, for times
 * when all that comes is looked at before the parser.
 */
import type { Socket } from "node:net"

/** What Node reads into at a time, bytes; as large as its own. */
const bufferBytes = 65_536

/** What every piece is in, until the next is read: of this connection or any other. */
const buffer = Buffer.allocUnsafeSlow(bufferBytes)

/** The part of Node's handle of a connection that is used here. */
interface Handle {
  readonly useUserBuffer: (buffer: Buffer) => void
}

const isHandle = (handle: unknown): handle is Handle =>
  typeof handle === "object" && handle !== null && "useUserBuffer" in handle

const keyOf = (socket: Socket, description: string): symbol | undefined =>
  Object.getOwnPropertySymbols(socket).find((key) => key.description === description)

/**
 * From now on a connection's pieces go to `receive` alone, which must be through with one when it returns: Node's
 * parser is, as it copies what it keeps. False, and nothing is changed, where this Node keeps such things elsewhere.
 */
export const handOver = (socket: Socket, receive: (bytes: Buffer) => void): boolean => {
  const handle: unknown = Reflect.get(socket, "_handle")
  const bufferKey = keyOf(socket, "kBuffer")
  const callbackKey = keyOf(socket, "kBufferCb")
  if (!isHandle(handle) || bufferKey === undefined || callbackKey === undefined) return false
  Object.assign(socket, {
    [bufferKey]: buffer,
    [callbackKey]: (bytes: number) => receive(buffer.subarray(0, bytes))
  })
  // Also where Node's parser reads by itself: who comes last is given what is read.
  handle.useUserBuffer(buffer)
  return true
}

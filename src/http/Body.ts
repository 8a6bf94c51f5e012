/**
 * From a request's bytes to the decoded value, or the problem with it: checks 7
 * to 9 of decisions.md §1. Bodies that end in one turn of the event loop are
 * parsed together, then decoded together (`Stage` says why).
 */
import { Effect, Result } from "effect"
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import * as Stage from "../concurrency/Stage.ts"
import type { BodyFault as SchemaFault } from "../contract/Decode.ts"
import { maxBodyBytes } from "../contract/Protocol.ts"
import type { BodyFault, InFlight } from "./Connections.ts"
import { details } from "./Connections.ts"
import type { ProblemCode, ProblemFacts } from "./Problems.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"

export const json = "application/json"

/** Whether a header that may come once came again. */
export const repeats = (incoming: IncomingMessage, name: string): boolean => {
  let count = 0
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    const raw = incoming.rawHeaders[i]
    if (raw?.length === name.length && raw.toLowerCase() === name) count++
  }
  return count > 1
}

/** Check 7: the media type, and no coding of the body that nobody here undoes. */
export const isMediaType = (incoming: IncomingMessage, wanted: string): boolean => {
  const { "content-encoding": encoding, "content-type": type, "transfer-encoding": transfer } = incoming.headers
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return false
  if (transfer !== undefined && transfer.toLowerCase() !== "chunked") return false
  if (type === undefined || repeats(incoming, "content-type")) return false
  return type === wanted || type.split(";", 1)[0]?.trim().toLowerCase() === wanted
}

/** Calls back once: with the whole body, if it keeps within bounds and comes to its end. */
const read = (inFlight: InFlight, done: (body: Buffer | BodyFault) => void): void => {
  const { incoming, outgoing } = inFlight
  if (Number(incoming.headers["content-length"] ?? 0) > maxBodyBytes) return done("payload_too_large")
  if (inFlight.fault !== undefined) return done(inFlight.fault)
  // Node leaves the interim answer to whoever reads the body.
  if (incoming.headers.expect !== undefined) outgoing.writeContinue()
  let chunks: Array<Buffer> = []
  let size = 0
  let isOver = false
  const finish = (body: Buffer | BodyFault) => {
    if (isOver) return
    isOver = true
    inFlight.cut = undefined
    // The request outlives its body, and its listeners these pieces.
    chunks = []
    done(body)
  }
  const onData = (chunk: Buffer) => {
    if (isOver) return
    size += chunk.length
    if (size > maxBodyBytes) {
      incoming.pause()
      return finish("payload_too_large")
    }
    chunks.push(chunk)
  }
  const onEnd = () => finish(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
  inFlight.cut = finish
  // Closed before its end, the caller is gone: nobody reads what is answered now.
  incoming
    .on("data", onData)
    .on("end", onEnd)
    .on("close", () => finish("invalid_json"))
}

const bodyDetails = { ...details, payload_too_large: `The body exceeds ${maxBodyBytes} bytes.` }

const refuse = (path: string, code: ProblemCode, detail: string, errors?: ProblemFacts["errors"]) =>
  Result.fail(problem(code, { detail, instance: path, errors }))

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON object of a body. */
const parsed = (path: string, body: Buffer | BodyFault): Result.Result<object, Reply> => {
  if (typeof body === "string") return refuse(path, body, bodyDetails[body])
  if (!isUtf8(body)) return refuse(path, "invalid_json", "The body is not UTF-8.")
  let value: unknown
  try {
    value = JSON.parse(body.toString("utf8"))
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : ""
    return refuse(path, "invalid_json", `The body is not JSON: ${why}`)
  }
  return isObject(value) ? Result.succeed(value) : refuse(path, "invalid_json", "The body must be a JSON object.")
}

type Decode<A> = (json: object) => Result.Result<A, ReadonlyArray<SchemaFault>>

/** A body that has come to its end. */
interface Arrived {
  readonly path: string
  readonly body: Buffer | BodyFault
  readonly decode: Decode<unknown>
  readonly resume: (decoded: Effect.Effect<Result.Result<unknown, Reply>>) => void
  json: Result.Result<object, Reply> | undefined
  decoded: Result.Result<unknown, Reply> | undefined
}

const decodeArrived = ({ decode, json, path }: Arrived): Result.Result<unknown, Reply> | undefined => {
  if (json === undefined || Result.isFailure(json)) return json
  const decoded = decode(json.success)
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
  return refuse(path, "validation_failed", "The request does not fit its schema; errors says where.", decoded.failure)
}

const arrived = Stage.make<Arrived>({
  phases: [
    (job) => {
      job.json = parsed(job.path, job.body)
    },
    (job) => {
      job.decoded = decodeArrived(job)
    },
    ({ decoded, resume }) => {
      if (decoded !== undefined) resume(Effect.succeed(decoded))
    }
  ],
  broke: ({ resume }, defect) => resume(Effect.die(defect)),
  schedule: setImmediate
})

/** The decoded body of a request, or the answer that says what is wrong with it. */
export const decoded = <A>(
  { inFlight, path }: { readonly inFlight: InFlight; readonly path: string },
  decode: Decode<A>
): Effect.Effect<Result.Result<A, Reply>> => {
  if (!isMediaType(inFlight.incoming, json)) {
    const detail = "The body must be application/json, without Content-Encoding."
    return Effect.succeed(refuse(path, "unsupported_media_type", detail))
  }
  return Effect.callback<Result.Result<A, Reply>>((resume) =>
    read(inFlight, (body) =>
      arrived({
        path,
        body,
        decode,
        // What `decode` gave comes back to whoever brought it.
        resume: resume as Arrived["resume"],
        json: undefined,
        decoded: undefined
      })
    )
  )
}

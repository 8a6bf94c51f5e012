/**
 * From a request's bytes to the decoded value, or the problem with it: checks 7
 * to 9 of decisions.md §1. Bodies that end in one turn of the event loop are
 * parsed together, then decoded together (`Stage` says why).
 */
import { Effect, Result } from "effect"
import { isAscii, isUtf8 } from "node:buffer"
import * as Stage from "../concurrency/Stage.ts"
import type { BodyFault as SchemaFault } from "../contract/Decode.ts"
import { maxBodyBytes } from "../contract/protocol/Protocol.ts"
import type { BodyFault, Head, InFlight } from "./Connections.ts"
import { details } from "./Connections.ts"
import type { ProblemCode, ProblemFacts } from "./Problems.ts"
import type { Reply } from "./Reply.ts"
import { json, problem } from "./Reply.ts"

/** Whether a header that may come once came again. */
export const repeats = ({ rawHeaders }: Pick<Head, "rawHeaders">, name: string): boolean => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i]
    if (raw?.length === name.length && raw.toLowerCase() === name) count++
  }
  return count > 1
}

/** Check 7: the media type, and no coding of the body that nobody here undoes. */
export const isMediaType = (head: Pick<Head, "headers" | "rawHeaders">, wanted: string): boolean => {
  const { "content-encoding": encoding, "content-type": type, "transfer-encoding": transfer } = head.headers
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return false
  if (transfer !== undefined && transfer.toLowerCase() !== "chunked") return false
  if (type === undefined || repeats(head, "content-type")) return false
  return type === wanted || type.split(";", 1)[0]?.trim().toLowerCase() === wanted
}

const bodyDetails = { ...details, payload_too_large: `The body exceeds ${maxBodyBytes} bytes.` }

const refuse = (path: string, code: ProblemCode, detail: string, errors?: ProblemFacts["errors"]) =>
  Result.fail(problem(code, { detail, instance: path, errors }))

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON object of a body. */
const parsed = (path: string, body: Buffer | BodyFault): Result.Result<object, Reply> => {
  if (typeof body === "string") return refuse(path, body, bodyDetails[body])
  // Most bodies are ASCII, which is looked through and copied at less than half the cost.
  const encoding = isAscii(body) ? "latin1" : isUtf8(body) ? "utf8" : undefined
  if (encoding === undefined) return refuse(path, "invalid_json", "The body is not UTF-8.")
  let value: unknown
  try {
    value = JSON.parse(body.toString(encoding))
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : ""
    return refuse(path, "invalid_json", `The body is not JSON: ${why}`)
  }
  return isObject(value) ? Result.succeed(value) : refuse(path, "invalid_json", "The body must be a JSON object.")
}

type Decode<A> = (json: object) => Result.Result<A, ReadonlyArray<SchemaFault>>

/** A body on its way to the handler. */
interface Arriving {
  readonly path: string
  readonly decode: Decode<unknown>
  readonly resume: (decoded: Effect.Effect<Result.Result<unknown, Reply>>) => void
  /** Where it comes from; absent, it is there. */
  readonly inFlight: InFlight | undefined
  /** The whole body, once it has come to its end, or why it did not. */
  body: Buffer | BodyFault | undefined
  json: Result.Result<object, Reply> | undefined
  decoded: Result.Result<unknown, Reply> | undefined
}

const checked = (body: Buffer): Buffer | BodyFault => (body.length > maxBodyBytes ? "payload_too_large" : body)

/** Most bodies have come with their headers: then nothing need be listened to. */
const take = (job: Arriving): void => {
  const { inFlight } = job
  if (job.body !== undefined || inFlight === undefined) return
  const { incoming } = inFlight
  if (!incoming.complete && !incoming.destroyed) return listen(job, inFlight)
  inFlight.cut = undefined
  // Gone before its end, the caller reads no answer.
  job.body = incoming.complete ? checked((incoming.read() as Buffer | null) ?? Buffer.alloc(0)) : "invalid_json"
}

/** Reads what is yet to come, and sends the job in again with the end of it. */
const listen = (job: Arriving, inFlight: InFlight): void => {
  let chunks: Array<Buffer> = []
  let size = 0
  const finish = (body: Buffer | BodyFault) => {
    if (job.body !== undefined) return
    job.body = body
    inFlight.cut = undefined
    // The request outlives its body, and its listeners these pieces.
    chunks = []
    arriving.enter(job)
  }
  inFlight.cut = finish
  inFlight.incoming
    .on("data", (chunk: Buffer) => {
      if (job.body !== undefined) return
      size += chunk.length
      chunks.push(chunk)
      if (size <= maxBodyBytes) return
      inFlight.incoming.pause()
      finish("payload_too_large")
    })
    .on("end", () => finish(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    // Closed before its end, the caller is gone: nobody reads what is answered now.
    .on("close", () => finish("invalid_json"))
}

const parse = (job: Arriving): void => {
  if (job.body !== undefined) job.json = parsed(job.path, job.body)
}

const decodeParsed = (job: Arriving): void => {
  const { decode, json, path } = job
  if (json === undefined) return
  job.decoded = json
  if (Result.isFailure(json)) return
  const decoded = decode(json.success)
  const detail = "The request does not fit its schema; errors says where."
  job.decoded = Result.isFailure(decoded)
    ? refuse(path, "validation_failed", detail, decoded.failure)
    : Result.succeed(decoded.success)
}

const handOn = ({ decoded, resume }: Arriving): void => {
  if (decoded !== undefined) resume(Effect.succeed(decoded))
}

const arriving: Stage.Stage<Arriving> = Stage.make<Arriving>({
  phases: [take, parse, decodeParsed, handOn],
  broke: ({ resume }, defect) => resume(Effect.die(defect)),
  schedule: setImmediate
})

/** Requests whose bodies are about to be looked at; one that is still to come does not count. */
export const waiting = arriving.waiting

/** A request whose body is wanted. */
export interface WithBody {
  readonly head: Head
  /** All of the body, or where it comes from. */
  readonly body: Buffer | InFlight
  readonly path: string
}

/** The body, where it is there or need not come. */
const known = ({ body, head }: WithBody): Arriving["body"] => {
  if (Buffer.isBuffer(body)) return checked(body)
  return Number(head.headers["content-length"] ?? 0) > maxBodyBytes ? "payload_too_large" : body.fault
}

/** The decoded body of a request, or the answer that says what is wrong with it. */
export const decoded = <A>(request: WithBody, decode: Decode<A>): Effect.Effect<Result.Result<A, Reply>> => {
  const { body, head, path } = request
  if (!isMediaType(head, json)) {
    const detail = "The body must be application/json, without Content-Encoding."
    return Effect.succeed(refuse(path, "unsupported_media_type", detail))
  }
  const inFlight = Buffer.isBuffer(body) ? undefined : body
  return Effect.callback<Result.Result<A, Reply>>((resume) => {
    const job: Arriving = {
      path,
      inFlight,
      decode,
      // What `decode` gave comes back to whoever brought it.
      resume: resume as Arriving["resume"],
      body: known(request),
      json: undefined,
      decoded: undefined
    }
    if (job.body === undefined && inFlight !== undefined) {
      inFlight.cut = (fault) => {
        job.body ??= fault
      }
      // Node leaves the interim answer to whoever reads the body.
      if (head.headers.expect !== undefined) inFlight.outgoing.writeContinue()
    }
    arriving.enter(job)
  })
}

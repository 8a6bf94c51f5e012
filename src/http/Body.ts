/**
 * From a request's bytes to the decoded value, or the problem with it: checks 7
 * to 10 of decisions.md §1. Bodies that end in one turn of the event loop are
 * parsed together, then decoded together (`Stage` says why).
 */
import { Result } from "effect"
import { isAscii, isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import * as Stage from "../concurrency/Stage.ts"
import type { ByteBudget } from "./ByteBudget.ts"
import type { BodyFault, InFlight } from "./Connections.ts"
import { details } from "./Connections.ts"
import type { Exchange } from "./Exchange.ts"
import type { ProblemCode, ProblemFacts } from "./Problems.ts"
import type { Reply } from "./Reply.ts"
import { json, problem } from "./Reply.ts"
import type { BodyRule } from "./RouteFacts.ts"

/** Whether a header that may come once came again. */
export const repeats = ({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">, name: string): boolean => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i]
    if (raw?.length === name.length && raw.toLowerCase() === name) count++
  }
  return count > 1
}

/** Whether a body comes as JSON: so it is parsed, whatever else a route takes. */
const isJson = (rule: BodyRule): boolean => rule.decode !== undefined

/** Check 7: the media type, and no coding of the body that nobody here undoes. */
const isMediaType = (incoming: IncomingMessage, wanted: ReadonlyArray<string>): boolean => {
  const { "content-encoding": encoding, "content-type": type, "transfer-encoding": transfer } = incoming.headers
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return false
  if (transfer !== undefined && transfer.toLowerCase() !== "chunked") return false
  if (type === undefined || repeats(incoming, "content-type")) return false
  return wanted.includes(type) || wanted.includes(type.split(";", 1)[0]?.trim().toLowerCase() ?? "")
}

const detailOf = (fault: BodyFault, { maxBytes }: BodyRule): string =>
  fault === "payload_too_large" ? `The body exceeds ${maxBytes} bytes.` : details[fault]

const refuse = (path: string, code: ProblemCode, detail: string, errors?: ProblemFacts["errors"]): Reply =>
  problem(code, { detail, instance: path, errors })

/** Checks 7 and 8, as far as the head tells. */
export const refuseHead = ({ incoming, path }: Exchange, rule: BodyRule): Reply | undefined => {
  if (!isMediaType(incoming, rule.mediaTypes)) {
    const detail = `The body must be ${rule.mediaTypes.join(" or ")}, without Content-Encoding.`
    return refuse(path, "unsupported_media_type", detail)
  }
  if (Number(incoming.headers["content-length"] ?? 0) > rule.maxBytes) {
    return refuse(path, "payload_too_large", detailOf("payload_too_large", rule))
  }
  return undefined
}

/** A schema's faults as an answer; `detail` names the first. */
export const invalid = (path: string, faults: ProblemFacts["errors"] = []): Reply => {
  const [first] = faults
  const place = first === undefined || first.path === "" ? "The request" : first.path
  const more = faults.length > 1 ? `; errors lists all ${faults.length} faults` : ""
  const detail = first === undefined ? "The request does not fit its schema." : `${place} ${first.message}${more}.`
  return refuse(path, "validation_failed", detail, faults)
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Check 9. */
const parsed = (path: string, body: Buffer): Result.Result<object, Reply> => {
  // Most bodies are ASCII, which is checked and copied at less than half the cost.
  const encoding = isAscii(body) ? "latin1" : isUtf8(body) ? "utf8" : undefined
  if (encoding === undefined) return Result.fail(refuse(path, "invalid_json", "The body is not UTF-8."))
  let value: unknown
  try {
    value = JSON.parse(body.toString(encoding))
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : ""
    return Result.fail(refuse(path, "invalid_json", `The body is not JSON: ${why}`))
  }
  return isObject(value)
    ? Result.succeed(value)
    : Result.fail(refuse(path, "invalid_json", "The body must be a JSON object."))
}

/** A body that is wanted, and what goes on with it. */
export interface Wanted {
  readonly exchange: Exchange
  readonly inFlight: InFlight
  readonly rule: BodyRule
  /** Bytes of all bodies that are still arriving. */
  readonly budget: ByteBudget
  /** Takes the decoded body, or the answer that says what is wrong with it. */
  readonly done: (outcome: Result.Result<unknown, Reply>, bytes: Buffer | undefined) => void
  readonly broke: (defect: unknown) => void
}

/** A body that is being received. */
interface Arriving {
  readonly wanted: Wanted
  /** The whole body, once it has come to its end, or why it did not. */
  body: Buffer | BodyFault | undefined
  json: Result.Result<unknown, Reply> | undefined
  decoded: Result.Result<unknown, Reply> | undefined
}

const checked = (body: Buffer, { maxBytes }: BodyRule): Buffer | BodyFault =>
  body.length > maxBytes ? "payload_too_large" : body

/** Most bodies have come with their headers: then there is nothing to listen to. */
const take = (job: Arriving): void => {
  if (job.body !== undefined) return
  const { exchange, inFlight, rule } = job.wanted
  const { incoming } = exchange
  if (!incoming.complete && !incoming.destroyed) return listen(job)
  inFlight.cut = undefined
  // Gone before its end, the caller reads no answer.
  job.body = incoming.complete
    ? checked((incoming.read() as Buffer | null) ?? Buffer.alloc(0), rule)
    : ("invalid_json" as const)
}

/** Reads what is yet to come, and sends the job in again with the end of it. */
const listen = (job: Arriving): void => {
  const { budget, exchange, inFlight, rule } = job.wanted
  const { incoming } = exchange
  let chunks: Array<Buffer> = []
  let size = 0
  const finish = (body: Buffer | BodyFault) => {
    if (job.body !== undefined) return
    job.body = body
    inFlight.cut = undefined
    budget.release(size)
    // The request outlives its body, and its listeners these pieces.
    chunks = []
    arriving.enter(job)
  }
  inFlight.cut = finish
  incoming
    .on("data", (chunk: Buffer) => {
      if (job.body !== undefined) return
      const isHeld = budget.reserve(chunk.length)
      if (isHeld) size += chunk.length
      if (isHeld && size <= rule.maxBytes) return void chunks.push(chunk)
      incoming.pause()
      finish(isHeld ? "payload_too_large" : "overloaded")
    })
    .on("end", () => finish(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    // Closed before its end, the caller is gone: nobody reads what is answered now.
    .on("close", () => finish("invalid_json"))
}

const parse = (job: Arriving): void => {
  const { body, wanted } = job
  const { path } = wanted.exchange
  if (typeof body === "string") job.json = Result.fail(refuse(path, body, detailOf(body, wanted.rule)))
  else if (body !== undefined) job.json = isJson(wanted.rule) ? parsed(path, body) : Result.succeed(undefined)
}

const decodeParsed = (job: Arriving): void => {
  const { json: value, wanted } = job
  job.decoded = value
  const { decode } = wanted.rule
  if (value === undefined || Result.isFailure(value) || decode === undefined) return
  const decoded = decode(value.success as object)
  job.decoded = Result.isFailure(decoded)
    ? Result.fail(invalid(wanted.exchange.path, decoded.failure))
    : Result.succeed(decoded.success)
}

const handOn = ({ body, decoded, wanted }: Arriving): void => {
  if (decoded !== undefined) wanted.done(decoded, Buffer.isBuffer(body) ? body : undefined)
}

const arriving: Stage.Stage<Arriving> = Stage.make<Arriving>({
  phases: [take, parse, decodeParsed, handOn],
  onDefect: ({ wanted }, defect) => wanted.broke(defect)
})

/** Requests whose bodies are about to be looked at; one that is still to come does not count. */
export const waiting = arriving.waiting

/** Reads the body of a request whose head is in order. */
export const read = (wanted: Wanted): void => {
  const { exchange, inFlight } = wanted
  const job: Arriving = { wanted, body: inFlight.fault, json: undefined, decoded: undefined }
  if (job.body === undefined) {
    inFlight.cut = (fault) => {
      job.body ??= fault
    }
    // Node leaves the interim answer to the reader of the body.
    if (exchange.incoming.headers.expect !== undefined) exchange.outgoing.writeContinue()
  }
  arriving.enter(job)
}

export const jsonTypes: ReadonlyArray<string> = [json]

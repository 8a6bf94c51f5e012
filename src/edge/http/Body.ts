/**
 * Reads, parses and decodes request bodies: checks 7 to 10 of contract/transport.md *Order of the checks*.
 * Bodies that end in one turn of the event loop are parsed together, then decoded
 * together (see `Stage` for the reason).
 */
import { Result } from "effect"
import { isAscii, isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import * as Stage from "../../base/concurrency/Stage.ts"
import { faultsDetail } from "../../contract/Decode.ts"
import { type Excess, hasRepeatedName, maxLevels, maxNames, namesIn } from "../../contract/RepeatedNames.ts"
import type { ProblemCode, ProblemFacts } from "../../desk/surface/Problems.ts"
import type { ByteBudget } from "./ByteBudget.ts"
import type { BodyFault, RequestInFlight } from "./Connections.ts"
import { details } from "./Connections.ts"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Reply.ts"
import { json, problem } from "./Reply.ts"
import type { BodyRule } from "./RouteFacts.ts"

/** True if a header that must be unique is repeated. */
export const repeats = ({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">, name: string): boolean => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i]
    if (raw?.length === name.length && raw.toLowerCase() === name) count++
  }
  return count > 1
}

/** True if the body is sent as JSON and must be parsed. */
const isJson = ({ exchange, rule }: Wanted): boolean => rule.decode !== undefined && !isOtherText(exchange, rule)

/** True if the body is sent as text that a route takes beside JSON. */
const isOtherText = ({ incoming }: Exchange, { textTypes }: BodyRule): boolean =>
  textTypes !== undefined && isMediaType(incoming, textTypes)

/** Check 7: the media type; no content coding. */
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

/** Checks 7 and 8, as far as the headers decide them. */
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

/** The answer for schema faults; `detail` names the first. */
export const invalid = (path: string, faults: ProblemFacts["errors"] = []): Reply => {
  return refuse(path, "validation_failed", faultsDetail(faults), faults)
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The parser's reason, without the part of the body that it quotes: that may be a secret. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/^(Unexpected token '.').*$/su, "$1") : ""

const excess: Readonly<Record<Excess, string>> = {
  too_deep: `The body nests more than ${maxLevels} levels.`,
  too_many_names: `The body has more than ${maxNames.toLocaleString("en")} names.`
}

/** Check 9. */
const parsed = (path: string, body: Buffer): Result.Result<object, Reply> => {
  // Most bodies are ASCII; checking and copying ASCII costs less than half.
  const encoding = isAscii(body) ? "latin1" : isUtf8(body) ? "utf8" : undefined
  if (encoding === undefined) return Result.fail(refuse(path, "invalid_json", "The body is not UTF-8."))
  const names = namesIn(body)
  if (typeof names !== "number") return Result.fail(refuse(path, "invalid_json", excess[names]))
  let value: unknown
  try {
    value = JSON.parse(body.toString(encoding))
  } catch (error) {
    return Result.fail(refuse(path, "invalid_json", `The body is not JSON: ${reasonOf(error)}.`))
  }
  if (!isObject(value)) return Result.fail(refuse(path, "invalid_json", "The body must be a JSON object."))
  return hasRepeatedName(names, value)
    ? Result.fail(refuse(path, "invalid_json", "An object in the body has the same name twice."))
    : Result.succeed(value)
}

/** Check 9 of other text: it is UTF-8. */
const otherText = (path: string, body: Buffer): Result.Result<undefined, Reply> =>
  isUtf8(body) ? Result.succeed(undefined) : Result.fail(invalid(path, [{ path: "", message: "must be UTF-8" }]))

/** A body to read, and the callbacks for its outcome. */
interface Wanted {
  readonly exchange: Exchange
  readonly inFlight: RequestInFlight
  readonly rule: BodyRule
  /** Bytes of all bodies that are still arriving. */
  readonly budget: ByteBudget
  /** Called with the decoded body, or with the answer that names its fault. */
  readonly done: (outcome: Result.Result<unknown, Reply>, bytes: Buffer | undefined) => void
  readonly broke: (defect: unknown) => void
}

/** A body that is being received. */
interface Arriving {
  readonly wanted: Wanted
  /** The complete body, or the fault; undefined while it arrives. */
  body: Buffer | BodyFault | undefined
  json: Result.Result<unknown, Reply> | undefined
  decoded: Result.Result<unknown, Reply> | undefined
}

const checked = (body: Buffer, { maxBytes }: BodyRule): Buffer | BodyFault =>
  body.length > maxBytes ? "payload_too_large" : body

/** Most bodies arrive together with their headers: then no listeners are needed. */
const take = (job: Arriving): void => {
  if (job.body !== undefined) return
  const { exchange, inFlight, rule } = job.wanted
  const { incoming } = exchange
  if (!incoming.complete && !incoming.destroyed) return listen(job)
  inFlight.cut = undefined
  // The caller has closed the connection and reads no answer.
  job.body = incoming.complete
    ? checked((incoming.read() as Buffer | null) ?? Buffer.alloc(0), rule)
    : ("invalid_json" as const)
}

/** Reads the rest of the body, then enters the job into the stage once more. */
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
    // The listeners live as long as the request: they must not keep the chunks alive.
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
    // The connection closed before the body's end: nobody reads the answer.
    .on("close", () => finish("invalid_json"))
}

const parse = (job: Arriving): void => {
  const { body, wanted } = job
  const { path } = wanted.exchange
  if (typeof body === "string") job.json = Result.fail(refuse(path, body, detailOf(body, wanted.rule)))
  else if (body !== undefined) {
    if (isJson(wanted)) job.json = parsed(path, body)
    else job.json = wanted.rule.textTypes === undefined ? Result.succeed(undefined) : otherText(path, body)
  }
}

const decodeParsed = (job: Arriving): void => {
  const { json: value, wanted } = job
  job.decoded = value
  const { decode } = wanted.rule
  if (value === undefined || Result.isFailure(value) || decode === undefined || !isJson(wanted)) return
  const decoded = decode(value.success as object, wanted.exchange.caller)
  job.decoded = Result.isFailure(decoded)
    ? Result.fail(invalid(wanted.exchange.path, decoded.failure))
    : Result.succeed(decoded.success)
}

const deliver = ({ body, decoded, wanted }: Arriving): void => {
  if (decoded !== undefined) wanted.done(decoded, Buffer.isBuffer(body) ? body : undefined)
}

const arriving: Stage.Stage<Arriving> = Stage.make<Arriving>({
  phases: [take, parse, decodeParsed, deliver],
  onDefect: ({ wanted }, defect) => wanted.broke(defect)
})

/** Number of requests whose bodies are about to be parsed; bodies that still arrive do not count. */
export const waiting = arriving.waiting

/** Reads the body of a request whose headers have passed their checks. */
export const read = (wanted: Wanted): void => {
  const { exchange, inFlight } = wanted
  const job: Arriving = { wanted, body: inFlight.fault, json: undefined, decoded: undefined }
  if (job.body === undefined) {
    inFlight.cut = (fault) => {
      job.body ??= fault
    }
    // With a `checkContinue` listener, Node leaves the interim answer 100 to us.
    if (exchange.incoming.headers.expect !== undefined) exchange.outgoing.writeContinue()
  }
  arriving.enter(job)
}

export const jsonTypes: ReadonlyArray<string> = [json]

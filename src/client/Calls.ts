/** Methods of the client: what a call sends for its input, and the pages of a list. */
import type { Transport } from "./Http.ts"
import { newId } from "./Http.ts"
import { businessKeyOf } from "./Keys.ts"
import type { Request, RequestSettings } from "./Request.ts"

/** The sender of requests to `/proto/v1`. Each system has idempotency keys of its own. */
export interface Source {
  readonly system: string
  /** The till within that system. */
  readonly instance?: string
}

export interface CallOptions extends RequestSettings {
  /** When it happened; the present by default. Only of `/proto/v1`. */
  readonly occurredAt?: Date | string
  /** Another source than the client's. Only of `/proto/v1`. */
  readonly source?: Source
}

/** An operation without parameters. */
export type Nothing = Readonly<Record<string, never>>

type Unpaged<Input> = Omit<Input, "cursor">

/** A list. A call answers one page; `all` has the rows of all pages and asks for each page when it is needed. */
export interface Paged<Input, Output, Row> {
  (input: Input, options?: CallOptions): Promise<Output>
  readonly all: (input: Unpaged<Input>, options?: CallOptions) => AsyncGenerator<Row, void, undefined>
}

/** A list that needs no filter. */
export interface PagedOptional<Input, Output, Row> {
  (input?: Input, options?: CallOptions): Promise<Output>
  readonly all: (input?: Unpaged<Input>, options?: CallOptions) => AsyncGenerator<Row, void, undefined>
}

/** An operation, as the OpenAPI document describes it. */
export interface OperationFacts {
  readonly id: string
  /** Where the client has it, below its surface. */
  readonly names: ReadonlyArray<string>
  readonly method: string
  readonly path: string
  readonly isSafe?: boolean
  readonly query?: ReadonlyArray<string>
  readonly hasBody?: boolean
  readonly context?: "read" | "write"
  readonly takesKey?: boolean
  readonly accept?: string
  readonly rows?: string
}

export interface CallDefaults {
  readonly source: Source
  /** The present. */
  readonly date: () => Date
}

type Input = Record<string, unknown>

/** The path, with its parameters taken out of the input. */
const pathOf = ({ id, path }: OperationFacts, input: Input): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(input[name] ?? ""))
    // A dot alone is another path, and nothing is the path of a list.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${id}: ${name} is missing, or no id`)
    delete input[name]
    return value
  })

const queryOf = ({ query = [] }: OperationFacts, input: Input): NonNullable<Request["query"]> => {
  const given = query.flatMap((name) => (input[name] === undefined ? [] : [[name, String(input[name])] as const]))
  for (const [name] of given) delete input[name]
  return Object.fromEntries(given)
}

/** The request of a call. The same input and options give the same key, wherever the input has a business id. */
const requestOf = (facts: OperationFacts, given: object, options: CallOptions, defaults: CallDefaults): Request => {
  const { accept, context, hasBody, id, isSafe, method, takesKey } = facts
  const { idempotencyKey, occurredAt = defaults.date(), requestId = newId(), source, ...settings } = options
  const input: Input = { ...given }
  const path = pathOf(facts, input)
  const query = queryOf(facts, input)
  const key = idempotencyKey ?? businessKeyOf(id, input) ?? newId()
  const contextSent = {
    protocol_version: "1.0",
    profile: "foodservice/1.0",
    request_id: requestId,
    ...(context === "write" ? { idempotency_key: key } : undefined),
    occurred_at: typeof occurredAt === "string" ? occurredAt : occurredAt.toISOString(),
    source: source ?? defaults.source
  }
  const hasOwnKey = typeof input["idempotency_key"] === "string"
  return {
    ...settings,
    method,
    path,
    query,
    requestId,
    isSafe: isSafe === true,
    ...(hasBody === true ? { body: context === undefined ? input : { context: contextSent, ...input } } : undefined),
    ...(takesKey === true && !hasOwnKey ? { idempotencyKey: key } : undefined),
    ...(accept === undefined ? undefined : { accept }),
    ...(query["wait_seconds"] === undefined ? undefined : { heldMs: Number(query["wait_seconds"]) * 1000 })
  }
}

type Call = (input?: object, options?: CallOptions) => Promise<unknown>

async function* pages(call: Call, facts: OperationFacts, input: object, options?: CallOptions) {
  const { id, rows = "" } = facts
  for (let cursor: unknown; ; ) {
    const page = (await call(cursor === undefined ? input : { ...input, cursor }, options)) as Record<string, unknown>
    const found = page[rows]
    if (!Array.isArray(found)) throw new TypeError(`${id}: all() is for answers with ${rows}, and this one has none`)
    yield* found as ReadonlyArray<unknown>
    cursor = page["next_cursor"]
    if (cursor === undefined) return
  }
}

/** The methods of a surface, below their names. */
export const methodsOf = (
  table: ReadonlyArray<OperationFacts>,
  { request }: Transport,
  defaults: CallDefaults
): Readonly<Record<string, unknown>> => {
  const surface: Record<string, Call | Record<string, Call>> = {}
  for (const facts of table) {
    const once: Call = async (input = {}, options = {}) =>
      (await request(requestOf(facts, input, options, defaults))).body
    const call =
      facts.rows === undefined
        ? once
        : Object.assign(once, { all: (input = {}, options?: CallOptions) => pages(once, facts, input, options) })
    const [first = "", second] = facts.names
    if (second === undefined) surface[first] = call
    else surface[first] = { ...(surface[first] as Record<string, Call> | undefined), [second]: call }
  }
  return surface
}

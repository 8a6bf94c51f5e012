/**
 * A service as people would write it: Fastify, `pg`, one transaction an accrual.
 *
 * A good ordinary version of it: bodies validated by JSON Schema, answers
 * serialised by one, a pool, prepared statements, the member's row locked, the
 * idempotency key in a table, the order unique in the ledger.
 */
import Fastify from "fastify"
import { Pool, type PoolClient } from "pg"
import { createHash, randomUUID } from "node:crypto"
import { operations } from "../../src/contract/protocol/Operations.ts"

/** Enough to keep two cores busy while others wait for the disk. */
const poolConnections = 20

const tables = `
  create table if not exists members (
    program_id text not null, member_id text not null, balance bigint not null default 0,
    lifetime bigint not null default 0, updated_at timestamptz not null default now(),
    primary key (program_id, member_id));
  create table if not exists idempotency_keys (
    program_id text not null, key text not null, request_hash text not null, response jsonb not null,
    created_at timestamptz not null default now(), primary key (program_id, key));
  create table if not exists ledger (
    entry_id uuid primary key, program_id text not null, member_id text not null, operation text not null,
    amount bigint not null, order_id text not null, occurred_at timestamptz not null default now(),
    unique (program_id, order_id));
  create index if not exists ledger_by_member on ledger (program_id, member_id, occurred_at desc);
  create table if not exists lots (
    entry_id uuid primary key references ledger, program_id text not null, member_id text not null,
    remaining bigint not null, expires_at timestamptz not null);
  create index if not exists lots_by_member on lots (program_id, member_id, expires_at);`

const text = { type: "string", minLength: 1, maxLength: 128 } as const
const money = {
  type: "object",
  required: ["amount", "currency"],
  properties: { amount: { type: "integer" }, currency: { type: "string", pattern: "^[A-Z]{3}$" } }
} as const
const moneys = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, money]))
const totals = ["subtotal", "discount", "tax", "tip", "service_charge", "total"]
const amounts = ["unit_price", "subtotal", "discount", "tax"]

const body = {
  type: "object",
  required: ["context", "member_id", "order"],
  properties: {
    context: {
      type: "object",
      required: ["request_id", "idempotency_key", "occurred_at"],
      properties: { request_id: text, idempotency_key: text, occurred_at: { type: "string", format: "date-time" } }
    },
    member_id: text,
    order: {
      type: "object",
      required: ["order_id", "scope", "channel", "status", "lines", "totals"],
      properties: {
        order_id: text,
        scope: { type: "object", required: ["program_id"], properties: { program_id: text, location_id: text } },
        channel: text,
        status: text,
        lines: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            required: ["line_id", "kind", "product_id", "quantity", ...amounts],
            properties: {
              line_id: text,
              kind: text,
              product_id: text,
              quantity: { type: "integer" },
              ...moneys(amounts)
            }
          }
        },
        totals: { type: "object", required: totals, properties: moneys(totals) }
      }
    }
  }
} as const

const integer = { type: "integer" } as const
const string = { type: "string" } as const
const answerSchema = {
  type: "object",
  properties: {
    context: { type: "object", properties: { request_id: string } },
    entry: {
      type: "object",
      properties: {
        entry_id: string,
        member_id: string,
        program_id: string,
        operation: string,
        amount: integer,
        order_id: string,
        occurred_at: string
      }
    },
    balances: {
      type: "array",
      items: { type: "object", properties: { unit: string, amount: integer, available: integer } }
    }
  }
} as const

interface Line {
  readonly kind: string
  readonly subtotal: { readonly amount: number }
  readonly discount: { readonly amount: number }
}

interface Accrual {
  readonly context: { readonly request_id: string; readonly idempotency_key: string }
  readonly member_id: string
  readonly order: {
    readonly order_id: string
    readonly scope: { readonly program_id: string }
    readonly lines: ReadonlyArray<Line>
  }
}

interface Answer {
  readonly entry: Readonly<Record<string, unknown>>
  readonly balances: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const statements = {
  lock: "select balance from members where program_id = $1 and member_id = $2 for update",
  claim: `insert into idempotency_keys (program_id, key, request_hash, response) values ($1, $2, $3, $4)
    on conflict do nothing returning key`,
  claimed: "select request_hash, response from idempotency_keys where program_id = $1 and key = $2",
  entry: `insert into ledger (entry_id, program_id, member_id, operation, amount, order_id, occurred_at)
    values ($1, $2, $3, 'accrual', $4, $5, $6)`,
  lot: `insert into lots (entry_id, program_id, member_id, remaining, expires_at)
    values ($1, $2, $3, $4, $5::timestamptz + interval '365 days')`,
  balance: `update members set balance = balance + $3, lifetime = lifetime + $3, updated_at = now()
    where program_id = $1 and member_id = $2`
} as const

const pointsFor = (lines: ReadonlyArray<Line>): number => {
  let spend = 0
  for (const line of lines) if (line.kind !== "fee") spend += line.subtotal.amount - line.discount.amount
  return Math.floor((spend * 10) / 100)
}

const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: poolConnections })
const query = (client: PoolClient, name: keyof typeof statements, values: ReadonlyArray<unknown>) =>
  client.query({ name, text: statements[name], values: [...values] })

type Outcome = { readonly status: 201; readonly answer: Answer } | { readonly status: 404 | 409 }

/** Everything of one accrual, in one transaction. */
const accrue = async (client: PoolClient, { context, member_id, order }: Accrual): Promise<Outcome> => {
  const { program_id } = order.scope
  const hash = createHash("sha256")
    .update(JSON.stringify([member_id, order]))
    .digest("hex")
  const [member] = (await query(client, "lock", [program_id, member_id])).rows
  if (member === undefined) return { status: 404 }
  const amount = pointsFor(order.lines)
  const balance = Number(member.balance) + amount
  const entry_id = randomUUID()
  const occurred_at = new Date().toISOString()
  const entry = { entry_id, member_id, program_id, operation: "accrual", amount, order_id: order.order_id, occurred_at }
  const answer: Answer = { entry, balances: [{ unit: "points", amount: balance, available: balance }] }
  const claimed = await query(client, "claim", [program_id, context.idempotency_key, hash, JSON.stringify(answer)])
  if (claimed.rowCount === 0) {
    const [before] = (await query(client, "claimed", [program_id, context.idempotency_key])).rows
    return before.request_hash === hash ? { status: 201, answer: before.response } : { status: 409 }
  }
  await query(client, "entry", [entry_id, program_id, member_id, amount, order.order_id, occurred_at])
  if (amount > 0) await query(client, "lot", [entry_id, program_id, member_id, amount, occurred_at])
  await query(client, "balance", [program_id, member_id, amount])
  return { status: 201, answer }
}

const inTransaction = async (request: Accrual): Promise<Outcome> => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const outcome = await accrue(client, request)
    await client.query(outcome.status === 201 ? "commit" : "rollback")
    return outcome
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
}

const app = Fastify({ keepAliveTimeout: 65_000 })
const token = `Bearer ${process.env["TOKEN"]}`
app.addHook("onRequest", async (request, reply) => {
  if (request.headers.authorization !== token) return reply.code(401).send({ code: "unauthorized" })
})

app.post<{ Body: Accrual }>(
  operations["accrual.post"].path,
  { schema: { body, response: { 201: answerSchema } } },
  async (request, reply) => {
    const outcome = await inTransaction(request.body)
    if (outcome.status !== 201) return reply.code(outcome.status).send({ code: "refused" })
    return reply.code(201).send({ context: { request_id: request.body.context.request_id }, ...outcome.answer })
  }
)

await pool.query(tables)
/** The same members as the service has, without its enrolment. */
await pool.query(
  "insert into members (program_id, member_id) select $1, $2 || n from generate_series(1, $3::int) n on conflict do nothing",
  [process.env["PROGRAM"], process.env["MEMBER_PREFIX"], process.env["MEMBER_COUNT"]]
)
await app.listen({ port: 0, host: "127.0.0.1" })
const address = app.server.address()
process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 })
process.on("disconnect", () => process.exit())

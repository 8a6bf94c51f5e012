/** Tills of Toast beside nodes of one database, each with its own accounts and its own reading of connections. */
import { Context, Deferred, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import { Database } from "../../../../src/base/database/Database.ts"
import * as Pools from "../../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../../src/base/database/Pools.ts"
import * as Store from "../../../../src/capabilities/tills/connections/ConnectionStore.ts"
import type { KnownConnection } from "../../../../src/capabilities/tills/connections/KnownConnections.ts"
import * as Tills from "../../../../src/capabilities/tills/Tills.ts"
import { type ConnectionSettings, defaultSettings } from "../../../../src/contract/admin/Connections.ts"
import * as Accounts from "../../../../src/core/account/Accounts.ts"
import { Journal } from "../../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../../src/core/journal/WriteFreeze.ts"
import { Programs } from "../../../../src/core/programs/Programs.ts"
import { Handlers } from "../../../../src/core/protocol/Handler.ts"
import * as HandlersOf from "../../../../src/core/protocol/Handlers.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import * as Sealed from "../../../../src/desk/surface/Sealed.ts"
import * as Published from "./Published.ts"

export const program_id = Testing.demoProgram.id

interface NodeParts {
  /** A test may hold it back. */
  readonly journal?: typeof PgJournal.layer
  /** A test may hold them back. */
  readonly pools?: typeof Pools.layer
  readonly program?: Program
}

/** A node on the database. */
export const node = Effect.fnUntraced(function* ({
  journal = PgJournal.layer,
  pools = Pools.layer,
  program = Testing.demoProgram
}: NodeParts = {}) {
  const service = HandlersOf.layer.pipe(
    Layer.provideMerge(Accounts.layer()),
    Layer.provideMerge(Programs.layerFrom([program])),
    Layer.provideMerge(WriteFreeze.layer(false)),
    Layer.provideMerge(journal),
    Layer.provideMerge(pools),
    Layer.provide(Layer.succeed(Database, yield* Database))
  )
  const context = yield* Layer.build(Layer.fresh(service))
  const tills = yield* Effect.provide(Tills.make, context)
  const round = yield* Effect.provide(Tills.rounds, context)
  return { tills, round, context, handlers: Context.get(context, Handlers) }
})
export type Node = Effect.Success<ReturnType<typeof node>>

/** Keeps the outcomes of a node's records back until `go`. */
export const holding = (began: Deferred.Deferred<void>, go: Deferred.Deferred<void>) =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const real = yield* Journal
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      return Journal.of({
        ...real,
        submit: (record, done) =>
          real.submit(record, (outcome) => {
            Deferred.doneUnsafe(began, Effect.void)
            fork(
              Effect.andThen(
                Deferred.await(go),
                Effect.sync(() => done(outcome))
              )
            )
          })
      })
    })
  ).pipe(Layer.provide(PgJournal.layer))

/** A journal that rejects the next records. */
export const rejecting = (outage: { left: number }) =>
  Layer.effect(
    Journal,
    Effect.map(Journal, (real) =>
      Journal.of({
        ...real,
        submit: (record, done) => {
          if (outage.left === 0) return real.submit(record, done)
          outage.left--
          queueMicrotask(() => done({ _tag: "unavailable" }))
        }
      })
    )
  ).pipe(Layer.provide(PgJournal.layer))

/** Pools whose statements of people run as a test decides. */
export const poolsBy = (
  run: (statement: string, rows: ReturnType<Pools.Query>) => ReturnType<Pools.Query>
): typeof Pools.layer =>
  Layer.effect(
    PeoplePool,
    Effect.map(PeoplePool, (real) => ({
      ...real,
      query: (statement, parameters) => run(statement, real.query(statement, parameters))
    }))
  ).pipe(Layer.provideMerge(Pools.layer))

/** True of the statement that writes a transaction's end. */
export const isEnd = (statement: string): boolean => statement.includes("RETURNING a.n")

/** Makes a connection, and returns it as a node knows it. */
export const connect = Effect.fnUntraced(function* (
  { context, tills }: Node,
  settings: Partial<ConnectionSettings> = {},
  unknown_restaurant: "accept" | "refuse" = "refuse"
) {
  const id = `cnx_${randomUUID().replaceAll("-", "")}`
  const key = `tll_${randomUUID()}`
  const { claimKey } = Context.get(context, Journal)
  yield* Store.create(Context.get(context, PeoplePool).query, {
    id,
    vendor: "toast",
    program_id,
    name: "Corner Bowl",
    status: "active",
    restaurants: [{ external_id: "T-EAST", location_id: "east" }],
    unknown_restaurant,
    settings: { ...defaultSettings, time_zone: "UTC", ...settings },
    key: { sealed: Sealed.seal(claimKey, id, key), last4: key.slice(-4) },
    at: Date.now()
  })
  const found = yield* known(tills, id, key)
  if (found === undefined) throw new Error("the connection is not known")
  keys.set(id, key)
  return found
})

/** Keys of connections. */
const keys = new Map<string, string>()

/** The connection of an address and a key, read anew; undefined: the key is wrong. */
const known = (tills: Tills.Tills, id: string, key: string): Effect.Effect<KnownConnection | undefined> =>
  Effect.map(
    Effect.callback<void>((resume) => tills.refresh(() => resume(Effect.void))),
    () => {
      const found = tills.find("toast", id, key, "10.0.0.1")
      if (found === "unknown") throw new Error("the database cannot be reached")
      return found
    }
  )

/** The connection as it is now, by the key that it was made with. */
export const again = ({ tills }: Node, { id }: KnownConnection) => known(tills, id, keys.get(id) ?? "")

/** Gives a connection another key; the one before ends at `until`, ms. */
export const rotate = ({ context }: Node, { id, n }: KnownConnection, until: number) =>
  Store.rotate(
    Context.get(context, PeoplePool).query,
    n,
    { sealed: Sealed.seal(Context.get(context, Journal).claimKey, id, "tll_other"), last4: "ther" },
    until,
    Date.now()
  )

let ids = 0
/** An id as the vendor makes them. */
export const guid = (): string => `0f5b7f2e-7a61-4a3f-9c1d-${String(++ids).padStart(12, "0")}`

export interface Item {
  readonly guid: string
  readonly price: number
  readonly product?: string
  readonly quantity?: number
  readonly group?: string
  readonly voided?: boolean
}

/** A check with these items, changed at the minute `modified` of its table. */
export const check = (guid: string, items: ReadonlyArray<Item>, modified = 1, more: object = {}) => {
  const opened = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000
  const at = (minute: number) => new Date(opened + minute * 60_000).toISOString().replace("Z", "+0000")
  const amount = items.reduce((sum, { price, voided }) => sum + (voided === true ? 0 : price), 0)
  return {
    guid,
    entityType: "Check",
    openedDate: at(0),
    modifiedDate: at(modified),
    displayNumber: "12",
    selections: items.map(
      ({ group = "bowls", guid: own, price, product = "bowl-classic", quantity = 1, voided = false }) => ({
        guid: own,
        entityType: "MenuItemSelection",
        item: { guid: product, entityType: "MenuItem", multiLocationId: product },
        itemGroup: { guid: group, entityType: "MenuGroup", multiLocationId: group },
        quantity,
        preDiscountPrice: price,
        price,
        tax: 0,
        voided,
        modifiers: []
      })
    ),
    amount,
    taxAmount: 0,
    totalAmount: amount,
    payments: [],
    ...more
  }
}

/** Sends a transaction, as the gate does. Request and answer must be as the vendor's description has them. */
const send = (
  { tills }: Pick<Node, "tills">,
  connection: KnownConnection,
  type: string,
  information: object,
  id: string = guid(),
  restaurant = "T-EAST"
) => {
  const asked = { toastTransactionType: `LOYALTY_${type}`, ...information }
  Published.checkRequest(asked.toastTransactionType, asked)
  return Effect.map(
    tills.answer(connection, {
      type: asked.toastTransactionType,
      id,
      restaurant,
      body: Buffer.from(JSON.stringify(asked))
    }),
    ({ body, status }) => {
      const answered = JSON.parse(JSON.stringify(body))
      Published.checkAnswer(answered)
      return { status, body: answered }
    }
  )
}

export const signUp = (node: Node, connection: KnownConnection, contact: object, id?: string) =>
  send(node, connection, "SIGNUP", { signupTransactionInformation: contact }, id)
const about =
  (type: "ACCRUE" | "INQUIRE" | "REDEEM") =>
  (
    node: Node,
    connection: KnownConnection,
    loyaltyIdentifier: string | null,
    one: object,
    id?: string,
    redemptions: ReadonlyArray<object> = [],
    restaurant?: string
  ) =>
    send(
      node,
      connection,
      type,
      { checkTransactionInformation: { loyaltyIdentifier, check: one, redemptions } },
      id,
      restaurant
    )
export const accrue = about("ACCRUE")
export const inquire = about("INQUIRE")
export const redeem = about("REDEEM")
export const reverse = (
  node: Node,
  connection: KnownConnection,
  transactionId: string,
  id?: string,
  redemptions?: ReadonlyArray<object>
) =>
  send(
    node,
    connection,
    "REVERSE",
    { reverseTransactionInformation: { loyaltyIdentifier: null, transactionId, ...(redemptions && { redemptions }) } },
    id
  )

/** Rows of the transactions of a connection, the oldest first. */
export const transactions = ({ context }: Node, { n }: KnownConnection) =>
  Context.get(context, PeoplePool).query(
    `SELECT transaction_id, type, state, became, reason, request IS NULL AS dropped FROM connection_transactions
      WHERE connection = ${n} ORDER BY n`
  )

/** Parts of a node that tests call. */
export const parts = Effect.all({ accounts: Accounts.Accounts })

/** Makes a REDEEM that was carried out one that has begun long ago, as a kill before its end leaves it. */
export const asBegun = Effect.fnUntraced(function* (
  { context }: Node,
  { n }: KnownConnection,
  id: string,
  { member, one, reward }: { readonly member: string; readonly one: { readonly guid: string }; readonly reward: object }
) {
  const { query } = Context.get(context, PeoplePool)
  const { claimKey } = Context.get(context, Journal)
  const body = {
    toastTransactionType: "LOYALTY_REDEEM",
    checkTransactionInformation: { loyaltyIdentifier: member, check: one, redemptions: [reward] }
  }
  const sealed = Sealed.seal(claimKey, `connection ${n}`, JSON.stringify(body))
  yield* query(
    `UPDATE connection_transactions SET state = 'begun', request = decode('${sealed.toString("hex")}', 'hex'), answer = NULL,
      became = NULL, ended_at = NULL, at = 0 WHERE connection = ${n} AND transaction_id = '${id}'`
  )
  yield* query(`UPDATE connection_checks SET facts = '{}' WHERE connection = ${n} AND check_id = '${one.guid}'`)
  const [row] = yield* query(`SELECT state FROM connection_transactions WHERE transaction_id = '${id}'`)
  return row?.["state"]
})

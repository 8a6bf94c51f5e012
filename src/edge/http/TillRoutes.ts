/**
 * The addresses of connections, which tills call by their vendor's own contract (contract/tills.md *Addresses*). The vendor's key is all
 * that they bring; of an unknown or paused connection and of a wrong key no body is read. Every answer has the vendor's form,
 * those of the gate too.
 */
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import type { Tills } from "../../capabilities/tills/Tills.ts"
import * as Wire from "../../capabilities/tills/toast/Wire.ts"
import { maxBodyBytes } from "../../contract/protocol/Protocol.ts"
import * as Body from "./Body.ts"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type { Route } from "./Route.ts"

/** The beginning of the addresses. */
const base = "/connect/"

const redeem: Wire.TransactionType = "LOYALTY_REDEEM"

/** True if a request is to the address of a connection. */
export const isAddress = ({ path }: Exchange): boolean => path.startsWith(base)

/** True if it waits for the database, because connections may have changed. `done` is called once they are known. */
export const awaits = (tills: () => Tills | undefined, done: () => void): boolean => {
  const known = tills()
  if (known === undefined || known.isFresh()) return false
  known.refresh(done)
  return true
}

const json = (status: number, transactionStatus: Wire.TransactionStatus, code?: Reply["code"]): Reply => ({
  status,
  body: JSON.stringify({ transactionStatus }),
  ...(code === undefined ? undefined : { code })
})

/**
 * Answers of the gate in Toast's form: for what is over after a while, the till asks again. Of a REDEEM an earlier attempt may have been
 * carried out, and after an answer of failure the till would never ask for it: so it gets none, and asks again.
 */
const toastAnswer = (reply: Reply, { headers }: IncomingMessage): Reply | undefined => {
  const { code, status } = reply
  if (code === undefined) return reply
  if (code === "unauthorized") return json(400, "ERROR_INVALID_TOKEN", code)
  if (status < 500 && status !== 429) return json(400, "ERROR_INVALID_INPUT_PROPERTIES", code)
  return headers[Wire.headers.type] === redeem ? undefined : json(500, "ERROR", code)
}
const one = (header: string | Array<string> | undefined): string | undefined =>
  typeof header === "string" && header !== "" ? header : undefined

/** Enters as the connection's caller, or refuses. */
const enter = (tills: () => Tills | undefined, exchange: Exchange): Reply | undefined => {
  const { incoming, params, path, sourceIp } = exchange
  const known = tills()
  const header = Body.repeats(incoming, Wire.headers.key) ? undefined : incoming.headers.authorization
  const found = known?.find("toast", params["connection_id"] ?? "", header, sourceIp)
  if (found === "unknown" || known === undefined)
    return problem("storage_unavailable", { detail: "The database cannot be reached.", instance: path })
  // A REDEEM that was carried out before a pause is told as it ended, or the till takes it for failed.
  if (found === undefined || (!found.isActive && incoming.headers[Wire.headers.type] !== redeem))
    return problem("unauthorized", { detail: "The address or its key is not known here.", instance: path })
  exchange.caller = { ...found.caller, isUsed: false }
  exchange.program = found.program
  exchange.connection = found
  return undefined
}

export const routes = (tills: () => Tills | undefined): ReadonlyArray<Route> => [
  {
    method: "POST",
    path: `${base}toast/:connection_id`,
    operation: "connection.toast",
    auth: "none",
    isBounded: true,
    hasOwnTime: true,
    body: { mediaTypes: Body.jsonTypes, maxBytes: maxBodyBytes },
    enter: (exchange) => enter(tills, exchange),
    answerAs: toastAnswer,
    run: ({ bytes, exchange }) => {
      const { headers } = exchange.incoming
      const known = tills()
      if (known === undefined || exchange.connection === undefined)
        return problem("storage_unavailable", { detail: "The service is not ready.", instance: exchange.path })
      const asked = {
        type: one(headers[Wire.headers.type]),
        id: one(headers[Wire.headers.transaction]),
        restaurant: one(headers[Wire.headers.restaurant]),
        body: bytes ?? new Uint8Array()
      }
      return Effect.map(known.answer(exchange.connection, asked), ({ body, status }) => ({
        status,
        body: JSON.stringify(body)
      }))
    }
  }
]

/** Answers to Toast: status of HTTP and of the transaction (contract/tills.md *Toast*). */
import type { Refusal } from "../../../core/account/domain/Refusal.ts"
import type { Ended } from "../connections/Turns.ts"
import type { Answer as Body, TransactionStatus } from "./Wire.ts"

export interface ToastReply {
  readonly status: number
  readonly body: Body
}

export const accept = (more: Omit<Body, "transactionStatus"> = {}): ToastReply => ({
  status: 200,
  body: { transactionStatus: "ACCEPT", ...more }
})

export const refuse = (transactionStatus: TransactionStatus, status = 400): ToastReply => ({
  status,
  body: { transactionStatus }
})

/** Nobody has the identifier, or the search finds nobody. */
export const nobody = refuse("ERROR_ACCOUNT_INVALID", 404)
/** The till asks again. */
export const again = refuse("ERROR", 500)

/** The connection is gone, as one that is unknown. */
export const gone = refuse("ERROR_INVALID_TOKEN")

/** The status of a refusal by the rules. */
const statuses: Partial<Record<Refusal["code"], TransactionStatus>> = {
  not_found: "ERROR_ACCOUNT_INVALID",
  member_not_active: "ERROR_ACCOUNT_INVALID",
  invalid_order: "ERROR_INVALID_INPUT_PROPERTIES",
  currency_mismatch: "ERROR_INVALID_INPUT_PROPERTIES",
  validation_failed: "ERROR_INVALID_INPUT_PROPERTIES",
  conflict: "ERROR_INVALID_INPUT_PROPERTIES"
}

export const refusedAs = ({ code }: Refusal): ToastReply => refuse(statuses[code] ?? "ERROR")

/** The end of a transaction that was refused. */
export const refused = ({ body, status }: ToastReply, reason: string): Ended => ({
  state: "refused",
  answer: { status, body },
  reason
})

/** The end of a transaction that was carried out, or had nothing to do for a reason. */
export const done = (
  { body, status }: ToastReply,
  more: { readonly became?: Ended["became"]; readonly reason?: string } = {}
): Ended => ({ state: "done", answer: { status, body }, ...more })

/** The end of a transaction of a restaurant that the connection does not take. */
export const unknownPlace: Ended = refused(refuse("ERROR_INVALID_RESTAURANT"), "The restaurant is not in the table.")

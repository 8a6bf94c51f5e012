/** Request ids: the caller's own where it is an identifier, else one that nobody can guess. */
import type { IncomingMessage } from "node:http"
import * as Codes from "../account/Codes.ts"

const identifier = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

const start = Codes.random(10)
let made = 0

/** An id of the service's making: unguessable in each process, then counted. */
export const make = (): string => `req_${start}_${(++made).toString(36)}`

/** The id that a request is answered, and found in the log, with. */
export const of = ({ headers: { "x-request-id": given } }: Pick<IncomingMessage, "headers">): string =>
  typeof given === "string" && identifier.test(given) ? given : make()

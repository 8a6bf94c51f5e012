/** Request ids: the caller's own if it is an identifier, else a new unguessable one. */
import type { IncomingMessage } from "node:http"
import * as Codes from "../../core/account/Codes.ts"

const identifier = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** A new id: none tells anything of the next. */
export const make = (): string => Codes.identifier("req")

/** The id of a request, for its answer and its log lines. */
export const of = ({ headers: { "x-request-id": given } }: Pick<IncomingMessage, "headers">): string =>
  typeof given === "string" && identifier.test(given) ? given : make()

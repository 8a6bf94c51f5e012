/** The client of a service. */
import type { ClientOptions, Transport } from "./Http.ts"
import { createTransport } from "./Http.ts"

export interface LotbookClient extends Transport {}

export const createClient = (options: ClientOptions): LotbookClient => createTransport(options)

/** A service with the demo's programme, for tests of who may change whom campaigns reach. */
import { Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

export const program_id = Testing.demoProgram.id
const service = TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer)
export const layer = Layer.orDie(Layer.provideMerge(service, TestDatabase.layer))

export type Headers = Record<string, string>

export const ask = (method: string, path: string, headers: Headers, body?: object) =>
  TestServer.send(`/platform/v1${path}`, body, { method, headers })

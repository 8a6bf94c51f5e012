/** A whole service with the demo programme on a database of its own, where commands find the programme, too. */
import { Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { TokenGrant } from "../../../src/desk/access/Keys.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as TestServer from "./TestServer.ts"

const published = Layer.effectDiscard(
  Publishing.publishFiles([{ file: "program.demo.json", program: Testing.demoProgram }], "changed")
)

const onDatabaseWith = (tokens: ReadonlyArray<TokenGrant>) =>
  TestServer.layerFor(
    PgJournal.layer,
    Programs.layer.pipe(Layer.provide(published)),
    Pools.layer,
    tokens,
    undefined,
    RollupReads.layer.pipe(Layer.provide(PgFeed.layer)),
    EventFeed.layer.pipe(Layer.provide(PgFeed.layer))
  )

/** The service on a database that outlives it. */
export const onDatabase = onDatabaseWith([])

/** The same with a database and more tokens. */
export const withTokens = (tokens: ReadonlyArray<TokenGrant>) =>
  onDatabaseWith(tokens).pipe(Layer.provideMerge(TestDatabase.layer), Layer.orDie)

export const layer = withTokens([])

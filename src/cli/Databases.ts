/** The databases of commands: the service's own data. The service may be running or stopped. */
import { Layer } from "effect"
import type { Database } from "../database/Database.ts"
import * as EmbeddedPostgres from "../database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../database/Migrations.ts"
import { Programs } from "../program/Programs.ts"
import * as Storage from "../service/Storage.ts"
import type * as JournalCommands from "./JournalCommands.ts"
import type { OpenStorage } from "./StorageCommand.ts"

export const attached: OpenStorage<Database> = ({ databaseUrl, dataDir }) =>
  databaseUrl === undefined ? EmbeddedPostgres.layerAttached(dataDir) : Storage.layerFromUrl(databaseUrl)

/** The storage of the commands on the journal. */
export const opened: JournalCommands.Open = (storage) =>
  Programs.layer.pipe(Layer.provideMerge(Layer.effectDiscard(Migrations.check)), Layer.provideMerge(attached(storage)))

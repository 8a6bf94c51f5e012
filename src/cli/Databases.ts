/** The databases of commands: the service's own data, whether or not the service runs. */
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

/** The databases of commands: the service's own data. The service may be running or stopped. */
import { Layer } from "effect"
import type { Database } from "../../base/database/Database.ts"
import * as EmbeddedPostgres from "../../base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../base/database/Migrations.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Storage from "../service/Storage.ts"
import type * as JournalCommands from "./JournalCommands.ts"
import type { OpenStorage } from "./StorageCommand.ts"

/** The database alone, whatever its migrations; an embedded one is attached to, or started for the command. */
export const attached: OpenStorage<Database> = (storage) => {
  const urls = Storage.urlsOf(storage)
  return urls.length === 0 ? EmbeddedPostgres.layerAttached(storage.dataDir) : Storage.layerFromUrls(urls)
}

/** The database and its programmes. Fails if a migration of this version is missing. */
export const opened: JournalCommands.Open = (storage) =>
  Programs.layer.pipe(Layer.provideMerge(Layer.effectDiscard(Migrations.check)), Layer.provideMerge(attached(storage)))

/** The folder of archived spans for commands that read every record: `--from`, else `PROTO_ARCHIVE`. */
import { Effect, type Option } from "effect"
import * as ArchiveFiles from "../../core/journal/archive/ArchiveFiles.ts"
import * as Settings from "../service/Settings.ts"
import { optionalText } from "./Flags.ts"

export const from = optionalText("from", "the folder with the files of archived months; environment PROTO_ARCHIVE")

/** Runs work that reads archived records out of the files, if a folder is named. */
export const reading =
  (from: Option.Option<string>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const { archive } = Settings.given({ archive: from }, process.env)
    return archive === undefined ? work : Effect.provide(work, ArchiveFiles.layerPatient(archive))
  }

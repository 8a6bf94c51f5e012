/**
 * Finds accounts and rewards of a programme that members still use. A new
 * definition must not remove those.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { JournalUnavailable } from "../journal/Journal.ts"
import type { InUse, Removed } from "./Changes.ts"

export class ProgramUse extends Context.Service<
  ProgramUse,
  {
    /** The given accounts and rewards that are in use. Scans many members: ask only for removed ones. */
    readonly of: (programId: string, removed: Removed) => Effect.Effect<InUse, JournalUnavailable>
  }
>()("lotbook/program/ProgramUse") {}

export const nothingInUse: InUse = { units: new Set(), held: new Set(), issued: new Set() }

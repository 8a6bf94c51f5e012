/**
 * What members still have of a programme's accounts and rewards: what a new
 * definition may not take away from them.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { JournalUnavailable } from "../journal/Journal.ts"
import type { InUse, Removed } from "./Changes.ts"

export class ProgramUse extends Context.Service<
  ProgramUse,
  {
    /** Which of these accounts and rewards are in use now. Reads many members: ask only about what is removed. */
    readonly of: (programId: string, removed: Removed) => Effect.Effect<InUse, JournalUnavailable>
  }
>()("lotbook/program/ProgramUse") {}

export const nothingInUse: InUse = { units: new Set(), held: new Set(), issued: new Set() }

/**
 * The in-memory tables with a faulty way to them: groups that fail before they
 * are sent, whose end nobody knows, that are slow, or that may land after they
 * were given up, though not after the next read (`PgJournal` ends such sessions
 * before it reads); reads that fail.
 */
import { Effect, Layer } from "effect"
import type { Write } from "../../src/core/journal/GroupCommit.ts"
import { WriteFailed } from "../../src/core/journal/GroupCommit.ts"
import { Journal } from "../../src/core/journal/Journal.ts"
import type { MemoryTables } from "../../src/core/journal/MemoryJournal.ts"
import * as MemoryJournal from "../../src/core/journal/MemoryJournal.ts"
import { JournalUnavailable } from "../../src/core/journal/Records.ts"
import { ProgramsInvalid } from "../../src/core/programs/ProgramStore.ts"
import { Programs } from "../../src/core/programs/Programs.ts"
import type { Program } from "../../src/core/rules/Program.ts"
import type { Random } from "../model/Random.ts"
import type { Spans } from "./Spans.ts"
import type { Tell } from "./Trace.ts"

/** Longest that a slow group takes, and that a lost one needs to land, ms. */
const maxSlowMs = 3_000

/** How often a fault strikes, each from 0 to 1. */
export interface Weather {
  readonly slow: number
  readonly unsent: number
  readonly ambiguous: number
  readonly late: number
  readonly read: number
}

export const calm: Weather = { slow: 0, unsent: 0, ambiguous: 0, late: 0, read: 0 }

/** One service's way to the tables. */
export interface Way {
  weather: Weather
  /** Its process is gone: nothing of it reaches the tables any more. */
  dead: boolean
  /** False once the node was declared dead: its appends are refused. */
  isLive?: () => boolean
  /** Groups that were given up and may still land: each lands, or never will. */
  readonly givenUp: Set<() => void>
  /** True: it has the folder of archived spans. */
  readonly hasFiles: boolean
}

/** Ends the sessions of groups that were given up: what has not landed by now, never does. */
export const endSessions = (way: Way): void => {
  for (const end of [...way.givenUp]) end()
}

const lost = (sent: boolean) => Effect.fail(new WriteFailed({ sent, cause: "simulated" }))

const writeOver = (tables: MemoryTables, way: Way, random: Random, tell: Tell): Write => {
  const pause = Effect.suspend(() => Effect.sleep(random.whole(1, maxSlowMs)))
  const strikes = (chance: number) => chance > 0 && random.next() < chance
  return (group, isLinked) =>
    Effect.suspend(() => {
      const { ambiguous, late, slow, unsent } = way.weather
      const records = group.map(({ account, seq }) => `${account}/${seq}`).join(" ")
      const land = Effect.sync(() => {
        const verdicts =
          way.isLive?.() === false ? group.map(() => ({ _tag: "unavailable" as const })) : tables.write(group, isLinked)
        tell({ _tag: "Written", records, verdicts: verdicts.map(({ _tag }) => _tag) })
        return verdicts
      })
      if (way.dead || strikes(unsent)) {
        tell({ _tag: "Unsent", records })
        return lost(false)
      }
      if (strikes(ambiguous)) {
        const happens = random.next() < 0.5
        tell({ _tag: "InDoubt", records, fate: happens ? "written" : "not written" })
        return Effect.andThen(happens ? land : Effect.void, lost(true))
      }
      if (strikes(late)) {
        tell({ _tag: "InDoubt", records, fate: "may land later" })
        let isOver = false
        const over = (lands: boolean) => {
          if (isOver) return
          isOver = true
          way.givenUp.delete(end)
          if (lands) Effect.runSync(land)
          else tell({ _tag: "NeverLanded", records })
        }
        const end = () => over(random.next() < 0.5)
        way.givenUp.add(end)
        const landing = Effect.andThen(
          pause,
          Effect.sync(() => over(true))
        )
        return Effect.andThen(Effect.forkDetach(landing), lost(true))
      }
      if (!strikes(slow)) return land
      return Effect.andThen(
        pause,
        Effect.suspend(() => (way.dead ? lost(true) : land))
      )
    })
}

/** The programme in force, for all services. */
export interface Published {
  program: Program
}

/** The programmes of one service: what is in force, whenever it reads that. */
export const programsOver = (published: Published, tables: MemoryTables, way: Way, random: Random) =>
  Programs.layerFromRead(
    Effect.suspend(() =>
      way.dead || (way.weather.read > 0 && random.next() < way.weather.read)
        ? new ProgramsInvalid({ message: "simulated" })
        : Effect.succeed({
            revision: tables.revision,
            programs: new Map([[published.program.id, published.program]])
          })
    )
  )

interface Database {
  readonly tables: MemoryTables
  readonly spans: Spans
}

/** A journal over the tables for one service. */
export const journalOver = (
  { spans, tables }: Database,
  way: Way,
  random: Random,
  tell: Tell
): Layer.Layer<Journal> => {
  const storage = Layer.succeed(MemoryJournal.MemoryStorage, { tables, write: writeOver(tables, way, random, tell) })
  const faulty = <A>(effect: Effect.Effect<A, JournalUnavailable>): Effect.Effect<A, JournalUnavailable> =>
    Effect.suspend(() => {
      endSessions(way)
      return way.dead || (way.weather.read > 0 && random.next() < way.weather.read)
        ? Effect.fail(new JournalUnavailable({ cause: "simulated" }))
        : effect
    })
  return Layer.effect(
    Journal,
    Effect.map(Journal, (whole) => {
      const journal = spans.over(whole, way.hasFiles)
      return Journal.of({
        ...journal,
        newAccountNumber: faulty(journal.newAccountNumber),
        holders: (keys) => faulty(journal.holders(keys)),
        witness: (account, keys, key) => faulty(journal.witness(account, keys, key)),
        findAccount: (program, member) => faulty(journal.findAccount(program, member)),
        loadAccount: (account) => faulty(journal.loadAccount(account)),
        records: (account, from, limit) => faulty(journal.records(account, from, limit)),
        saveSnapshot: (account, snapshot) => faulty(journal.saveSnapshot(account, snapshot)),
        due: (...asked) => faulty(journal.due(...asked)),
        sealed: (account) => faulty(journal.sealed(account))
      })
    })
  ).pipe(Layer.provide(Layer.fresh(MemoryJournal.layer)), Layer.provide(storage))
}

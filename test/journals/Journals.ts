/**
 * Records that a version wrote, with what it folded them to. Later versions must fold them to the same.
 *
 * `node test/journals/Journals.ts 0.3.0 240` writes those of the checked out version.
 */
import { Result } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { toText } from "../../src/core/account/Codec.ts"
import type { AccountEvent } from "../../src/core/account/domain/AccountEvent.ts"
import { nextDueAt } from "../../src/core/account/domain/Due.ts"
import type { OrderRecord, State } from "../../src/core/account/domain/State.ts"
import type { Program } from "../../src/core/rules/Program.ts"
import { validate } from "../../src/core/rules/ProgramFile.ts"
import type { Json } from "../core/rules/Builders.ts"
import * as Random from "../model/Random.ts"
import { definitions } from "./Definitions.ts"
import { Family } from "./RandomJournals.ts"

interface JournalRecord {
  readonly events: ReadonlyArray<AccountEvent>
  /** Place of the programme under which it was written. */
  readonly program: number
  /** The state's fields that were changed since the record before that has this; absent: they are not kept here. */
  readonly changed?: Json
  readonly due: number | null
}

export interface JournalAccount {
  readonly account: number
  readonly records: ReadonlyArray<JournalRecord>
  /** The accounts of the members that were merged into it. */
  readonly merged: ReadonlyArray<number>
}

export interface Journal {
  /** Place of its programme's versions. */
  readonly programs: number
  readonly accounts: ReadonlyArray<JournalAccount>
  /** Each order as the account folds it that has it in the end. */
  readonly orders: ReadonlyArray<readonly [account: number, order: OrderRecord]>
}

export interface Journals {
  readonly definitions: ReadonlyArray<ReadonlyArray<Json>>
  readonly journals: ReadonlyArray<Journal>
}

const fileOf = (version: string): string => path.join(import.meta.dirname, `${version}.json.br`)

export const read = (version: string): Journals =>
  JSON.parse(zlib.brotliDecompressSync(fs.readFileSync(fileOf(version))).toString()) as Journals

export const programOf = (definition: Json): Program =>
  Result.getOrThrowWith(validate(definition), (faults) => new Error(JSON.stringify(faults)))

/** A state's fields as the text of a snapshot. */
export const fieldsOf = (state: State): Json => JSON.parse(JSON.stringify(toText(state))) as Json

const changedBetween = (before: Json, after: Json): Json =>
  Object.fromEntries(
    Object.entries(after).filter(([name, field]) => JSON.stringify(field) !== JSON.stringify(before[name]))
  )

/** One journal in so many has the state after each record, others only the last: states are most of the text. */
const wholeEvery = 6

const journalOf = (seed: number, all: ReadonlyArray<ReadonlyArray<Program>>): Journal => {
  const random = Random.make(seed, "journals")
  const programs = seed % all.length
  const isWhole = seed % wholeEvery === 0
  const family = new Family(random, all[programs]!).play(random.whole(8, 60))
  return {
    programs,
    accounts: family.guests.map(({ account, merged, records, states }) => ({
      account,
      merged: merged.map((one) => one.account),
      records: records.map(({ events, program }, place) => {
        const before = isWhole && place > 0 ? fieldsOf(states[place - 1]!) : {}
        const isKept = isWhole || place === records.length - 1
        return {
          events,
          program,
          ...(isKept ? { changed: changedBetween(before, fieldsOf(states[place]!)) } : undefined),
          due: nextDueAt(states[place]!, all[programs]![program])
        }
      })
    })),
    orders: family.orders()
  }
}

const write = (version: string, count: number): void => {
  const all = definitions.map((versions) => versions.map(programOf))
  const journals = Array.from({ length: count }, (_, seed) => journalOf(seed, all))
  const text = JSON.stringify({ definitions, journals } satisfies Journals)
  fs.writeFileSync(
    fileOf(version),
    zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_LGWIN]: 24 } })
  )
}

if (process.argv[1] === import.meta.filename) write(process.argv[2]!, Number(process.argv[3]))

/** Checks random histories in memory against the model: rows, closed months, rewards and cohorts. */
import { assert } from "@effect/vitest"
import { Cause, Context, Effect, Layer } from "effect"
import * as Rows from "../../../src/capabilities/finance/Rows.ts"
import * as Statement from "../../../src/capabilities/finance/Statement.ts"
import { pointsLines } from "../../../src/contract/admin/Finance.ts"
import * as Calendar from "../../../src/core/rules/Calendar.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import * as Random from "../../model/Random.ts"
import * as Expected from "../../reads/finance/Expected.ts"
import { History } from "../../reads/finance/History.ts"
import type { HistoryProgram } from "../../reads/finance/HistoryPrograms.ts"
import { factsOf, programs } from "../../reads/finance/HistoryPrograms.ts"
import { Memory } from "../../reads/finance/Memory.ts"
import * as Told from "./Told.ts"

const day = Calendar.dayMs

const memory = new Memory(
  programs.flatMap(({ id, zones }) => zones.map((zone, place) => ({ program: id, version: place + 1, zone })))
)
const facts = new Map(programs.map((program) => [program.id, factsOf(program)]))

/** Lines and deeds of all histories: each must occur. */
const seen = new Set<string>()
const note = ({ records }: History, { points }: Expected.Changes): void => {
  for (const { deed } of records) seen.add(deed)
  for (const { earned, line } of points) seen.add(earned === undefined ? `${line} below zero` : line)
}

type Keeper = Finance["Service"]

/** Counts all records before a place, a few at a time; writes fail now and then. */
const countTo = Effect.fnUntraced(function* (finance: Keeper, random: Random.Random, end: number) {
  for (;;) {
    const done = Number(memory.progress.position.transaction)
    if (done >= end) return
    const chance = random.next()
    if (chance < 0.04) memory.fails = chance < 0.02 ? "before" : "after"
    yield* Effect.ignore(finance.step(Math.min(end - done, random.whole(1, 24))))
  }
})

/** Closes months one after the other while the history is counted. Returns the texts that are kept, by the records counted. */
const closes = Effect.fnUntraced(function* (
  finance: Keeper,
  random: Random.Random,
  program: HistoryProgram,
  history: History,
  changes: Expected.Changes
) {
  const { length } = history.records
  const kept: Array<readonly [end: number, text: string]> = []
  const at = random.pick(history.records).at
  let period = Statement.periodOf(Calendar.dateOf(program.zones[0]!, at))
  let since: number | undefined
  const ends = Array.from({ length: random.pick([0, 0, 1, 2]) }, () => random.whole(1, length))
  for (const end of [...ends, length].toSorted((a, b) => a - b)) {
    yield* countTo(finance, random, end)
    const last = kept.at(-1)
    const text = statementNow(program, period, last === undefined ? undefined : JSON.parse(last[1]))
    Told.checkStatement(
      JSON.parse(text),
      Statement.daysOf(period),
      changes,
      { since, until: end },
      facts.get(program.id)!
    )
    kept.push([end, text])
    since = end
    period = Statement.nextPeriod(period)
  }
  return kept
})

const statementNow = (program: HistoryProgram, period: string, last: Statement.Kept | undefined): string => {
  const range = Statement.daysOf(period)
  const { head, position } = memory.progress
  const rewards = Told.rewardSums(memory.rewards.rows, range)
  const known = { ...facts.get(program.id)!, program: program.id }
  const parts = Told.partsOf(memory.days.rows, range, Statement.cutsOf(known, period, []), true)
  const cohorts = Told.cohortLines(memory.cohorts.rows, range)
  const counted = { head, position, owners: [], parts, rewards, cohorts }
  return Statement.textOf(Statement.statementOf(known, period, counted, last))
}

/** The same months, counted anew in other steps. */
const recount = Effect.fnUntraced(function* (
  finance: Keeper,
  random: Random.Random,
  program: HistoryProgram,
  kept: ReadonlyArray<readonly [end: number, text: string]>
) {
  memory.forget()
  let last: Statement.Kept | undefined
  for (const [end, text] of kept) {
    yield* countTo(finance, random, end)
    const anew = statementNow(program, JSON.parse(text).period, last)
    Told.same(anew, text)
    last = JSON.parse(anew)
  }
})

/** A range that begins and ends near days of the history. */
const rangeIn = (random: Random.Random, { points }: Expected.Changes): Rows.Range => {
  const near = () => random.pick(points).day + random.pick([-40, -1, 0, 1, 40]) * day
  const [one, other] = [near(), near()].toSorted((a, b) => a - b) as [number, number]
  return { from: one, until: Math.max(other, one + day) }
}

const played = (seed: number, most: number): { program: HistoryProgram; history: History } => {
  const random = Random.make(seed, "finance")
  const program = programs[seed % programs.length]!
  return { program, history: new History(random, program.versions).play(Math.min(most, random.whole(3, 16))) }
}

const check = Effect.fnUntraced(function* (finance: Keeper, seed: number, most = 16) {
  const { history, program } = played(seed, most)
  const random = Random.make(seed, "questions")
  const changes = Expected.changesOf(history, program.zones)
  note(history, changes)
  memory.open(history.records.map(({ guest: { account }, ...record }) => ({ ...record, account, program: program.id })))
  const kept = yield* closes(finance, random, program, history, changes)
  if (random.next() < 0.1) yield* recount(finance, random, program, kept)
  Told.checkMonths(memory.days.rows)
  Told.same(Told.cohortsOf(memory.cohorts.rows), Expected.cohortsOf(changes))
  if (changes.points.length === 0) return
  const range = rangeIn(random, changes)
  const all = { since: undefined, until: history.records.length }
  const by = random.pick(["unit", "location", "month"] as const)
  const known = facts.get(program.id)!
  const cuts = Rows.cutsOf(range, known.values, by === "month" ? Rows.monthsIn(range) : [])
  const periods = Rows.periodsOf(cuts, known.values, by === "month")
  const parts = Told.partsOf(memory.days.rows, range, cuts, false)
  Told.checkRows(Rows.rowsOf(known, parts, periods, by), range, changes, all, known)
})

/** The fewest steps of a history with which it fails. */
const shrunk = Effect.fnUntraced(function* (finance: Keeper, seed: number) {
  for (let steps = 1; steps <= 16; steps++) {
    const exit = yield* Effect.exit(check(finance, seed, steps))
    if (exit._tag === "Failure") return steps
  }
  return 16
})

/** Plays so many histories. A failure tells its seed and the fewest steps that fail. */
export const play = Effect.fnUntraced(function* (firstSeed: number, histories: number) {
  const finance = Context.get(yield* Layer.build(memory.layer), Finance)
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const exit = yield* Effect.exit(check(finance, seed))
    if (exit._tag === "Success") continue
    const told = `FIRST=${seed} HISTORIES=1 fails after ${yield* shrunk(finance, seed)} steps`
    return yield* Effect.die(new Error(told, { cause: Cause.squash(exit.cause) }))
  }
  const deeds = ["enroll", "merge", "move", "move_in", "erase", "restore_expired", "issue_reward", "reverse"]
  const missing = [...pointsLines, ...deeds, "orders_down below zero", "moved below zero"].filter(
    (one) => !seen.has(one)
  )
  if (histories > 1_000) assert.deepStrictEqual(missing, [])
})

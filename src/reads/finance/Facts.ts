/**
 * The facts that records need of earlier ones: programme, zone, the places of lots, the rewards of issued ones. What the same
 * batch has is taken from it, because its sums are not written yet.
 */
import { Effect } from "effect"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import { placeOf } from "../../core/account/domain/Movements.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import type { EntryPlace, FinanceStore, RewardPlace } from "./FinanceStore.ts"
import type { Counted, Facts, MergedLots } from "./Sums.ts"
import { brand, ofRewards } from "./Sums.ts"

const keyOf = (account: number, of: number | string): string => `${account} ${of}`

/** Zones by programme and version. A version that was published meanwhile is read again. */
export class Zones {
  private known = new Map<string, string>()

  readonly read = Effect.fnUntraced(function* (
    this: Zones,
    store: FinanceStore["Service"],
    versions: ReadonlyArray<readonly [program: string, version: number]>
  ) {
    if (versions.every(([program, version]) => this.known.has(keyOf(version, program)))) return
    for (const { program, version, zone = "UTC" } of yield* store.zones) {
      this.known.set(keyOf(version, program), zone)
      // A record without a version is decided by no programme: it posts nothing.
      if (version === 1) this.known.set(keyOf(0, program), zone)
    }
  })

  of(program: string, version: number): string {
    return this.known.get(keyOf(version, program)) ?? "UTC"
  }
}

/** The places of entries, and the rewards of issued ones, that a batch makes. */
const madeIn = (batch: ReadonlyArray<Counted>) => {
  const places = new Map<string, string>()
  const rewards = new Map<string, string>()
  const note = (account: number, event: AccountEvent) => {
    if (event.type === "posted") places.set(keyOf(account, event.n), placeOf(event) ?? brand)
    else if (event.type === "reward_issued") rewards.set(keyOf(account, event.issued), event.reward)
    else if (event.type === "reward_received") rewards.set(keyOf(account, event.issued), event.was.reward)
  }
  for (const { events, record } of batch) for (const event of events) note(record.account, event)
  return { places, rewards }
}

const mergesIn = (batch: ReadonlyArray<Counted>): ReadonlyArray<MergedLots> =>
  batch.flatMap(({ events, record: { account } }) =>
    events.flatMap((event) =>
      event.type === "merged_in" ? [{ account, lowest: event.lowest, merged: event.account, shift: event.shift }] : []
    )
  )

/** The entry that made a lot, through the merges that brought it. */
const originOf = (merges: ReadonlyMap<number, ReadonlyArray<MergedLots>>, account: number, lot: number): EntryPlace => {
  if (lot > 0) return { account, n: lot }
  const fitting = (merges.get(account) ?? []).filter(({ lowest }) => lowest <= lot)
  if (fitting.length === 0) throw new Error(`no merge has brought lot ${account}/${lot}`)
  const by = fitting.reduce((one, other) => (other.lowest > one.lowest ? other : one))
  return originOf(merges, by.merged, lot - by.shift)
}

const lotsOf = (batch: ReadonlyArray<Counted>): ReadonlyArray<EntryPlace> =>
  batch.flatMap(({ movements, record: { account } }) =>
    movements.flatMap(({ lot }) => (lot === undefined ? [] : [{ account, n: lot[0] }]))
  )

const mergesOf = Effect.fnUntraced(function* (
  store: FinanceStore["Service"],
  batch: ReadonlyArray<Counted>,
  lots: ReadonlyArray<EntryPlace>
) {
  const own = mergesIn(batch)
  const brought = lots.flatMap(({ account, n }) => (n > 0 ? [] : [account]))
  const known =
    brought.length === 0 ? [] : yield* store.merges([...new Set([...brought, ...own.map(({ merged }) => merged)])])
  return Map.groupBy([...known, ...own], ({ account }) => account)
})

/** Entries and issued rewards once each, without those that are known. */
const missing = <A extends object>(
  all: ReadonlyArray<A>,
  nameOf: (one: A) => string,
  known: ReadonlyMap<string, string>
) =>
  [...new Map(all.map((one) => [nameOf(one), one])).entries()].flatMap(([name, one]) => (known.has(name) ? [] : [one]))

const entryName = ({ account, n }: EntryPlace) => keyOf(account, n)
const rewardName = ({ account, issued }: RewardPlace) => keyOf(account, issued)

/** Gives the facts of each record of a batch. */
export const factsOf = Effect.fnUntraced(function* (
  store: FinanceStore["Service"],
  zones: Zones,
  batch: ReadonlyArray<Counted>
): Effect.fn.Return<(of: Counted) => Facts, JournalUnavailable> {
  const programs = yield* store.programs([...new Set(batch.map(({ record }) => record.account))])
  const programOf = (account: number) => {
    const program = programs.get(account)
    if (program === undefined) throw new Error(`account ${account} has no row`)
    return program
  }
  yield* zones.read(
    store,
    batch.map(({ record }) => [programOf(record.account), record.programVersion])
  )
  const { places, rewards } = madeIn(batch)
  const lots = lotsOf(batch)
  const merges = yield* mergesOf(store, batch, lots)
  const origins = lots.map(({ account, n }) => originOf(merges, account, n))
  const earlier = missing(origins, entryName, places)
  if (earlier.length > 0)
    for (const { place = brand, ...entry } of yield* store.places(earlier)) places.set(entryName(entry), place)
  const issued = batch.flatMap(({ events, record: { account } }) =>
    ofRewards(events).map(({ event }) => ({ account, issued: event.issued }))
  )
  const earlierRewards = missing(issued, rewardName, rewards)
  if (earlierRewards.length > 0)
    for (const { reward, ...one } of yield* store.rewards(earlierRewards)) rewards.set(rewardName(one), reward)
  const foundIn = (all: ReadonlyMap<string, string>, name: string) => {
    const found = all.get(name)
    if (found === undefined) throw new Error(`no record has made ${name}`)
    return found
  }
  return ({ record: { account, programVersion } }) => {
    const program = programOf(account)
    return {
      program,
      zone: zones.of(program, programVersion),
      placeOf: (lot) => foundIn(places, entryName(originOf(merges, account, lot))),
      rewardOf: (id) => foundIn(rewards, rewardName({ account, issued: id }))
    }
  }
})

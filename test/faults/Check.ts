/**
 * Replays what callers were told through the model, guest by guest, and holds
 * what the service shows now against it: every acknowledged entry once, nothing
 * else, the balance their sum, and old keys still answered as at first.
 */
import type { ResponseOf } from "../../src/contract/protocol/Operations.ts"
import type { Entry } from "../model/Guest.ts"
import { Guest } from "../model/Guest.ts"
import type { ExchangeOf, Fault, History, PayloadOf, Played } from "../model/History.ts"
import { isWrite } from "../model/History.ts"
import type { Client } from "./Client.ts"

const program_id = "demo-foodservice"

/** Page sizes, so that cursors are walked too. */
const pageSizes = [100, 7]

/** Keys asked for again, the first, the middle one and the last of each guest. */
const replayed = [0, 0.5, 1]

const faultOf = (member: string, detail: string): Fault => {
  const kind = detail.includes("lost: ") ? "lost" : detail.includes("doubled: ") ? "doubled" : "wrong"
  return { kind, member, detail }
}

/** The model after these exchanges. */
const replay = (history: History, endsKeys: boolean): Guest => {
  const guest = new Guest(history.member)
  if (endsKeys) for (const { key, operation } of history.exchanges) guest.ended.add(`${operation} ${key}`)
  for (const exchange of history.exchanges) guest.take(exchange)
  return guest
}

/**
 * Every fault of one guest, as told while it lived and as shown now. `announced`: the entries that the feed told; `endsKeys`: keys may
 * have ended, so that business ids answer.
 */
export const check = async (
  client: Client,
  history: History,
  announced: ReadonlyArray<string>,
  endsKeys: boolean
): Promise<ReadonlyArray<Fault>> => {
  const { member } = history
  if (history.exchanges.length === 0) return []
  const guest = replay(history, endsKeys)
  const ask = async <Id extends Played>(operation: Id, payload: PayloadOf<Id>, key = "check-read") => {
    const exchange = await client.call(operation, payload, key, member)
    if (exchange === undefined) guest.faults.push(`${operation} ${key} had no answer at the check`)
    return exchange
  }
  const bodyOf = <Id extends Played>(exchange: ExchangeOf<Id> | undefined): ResponseOf<Id> | undefined => {
    if (exchange === undefined) return undefined
    if ("body" in exchange.answer) return exchange.answer.body
    guest.faults.push(`${exchange.operation} was refused with ${exchange.answer.code} at the check`)
    return undefined
  }

  const account = bodyOf(await ask("account.get", { member_id: member, program_id }))
  if (account !== undefined) guest.checkAccount(account)
  for (const limit of pageSizes) {
    const entries: Array<Entry> = []
    let cursor: string | undefined
    do {
      const page = { member_id: member, program_id, limit, ...(cursor === undefined ? undefined : { cursor }) }
      const body = bodyOf(await ask("ledger.list", page))
      if (body === undefined) return guest.faults.map((detail) => faultOf(member, detail))
      entries.push(...body.entries)
      cursor = body.next_cursor
    } while (cursor !== undefined)
    guest.checkLedger(entries)
    const sum = entries.reduce((total, entry) => total + entry.amount, 0)
    const there = new Set(entries.map(({ entry_id }) => entry_id))
    for (const id of there) if (!announced.includes(id)) guest.faults.push(`lost: the feed does not tell entry ${id}`)
    for (const id of announced) if (!there.has(id)) guest.faults.push(`the feed tells entry ${id}, which is not there`)
    if (sum !== guest.balance) guest.faults.push(`the entries sum up to ${sum}, the balance is ${guest.balance}`)
  }

  const done = history.exchanges.filter(({ answer, operation }) => isWrite(operation) && "body" in answer)
  for (const place of replayed) {
    const first = done[Math.round(place * (done.length - 1))]
    if (first === undefined) continue
    const again = await ask(first.operation, first.payload as never, first.key)
    if (again !== undefined) guest.take(again as never)
  }
  return [...new Set(guest.faults)].map((detail) => faultOf(member, detail))
}

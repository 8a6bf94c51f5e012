/**
 * Counts the lines of an export, and holds them against each other (contract/exports.md *Manifest*). The writer and the check
 * use the same, so that a file is either whole or not there. Memory is that of one guest. Pure.
 */
import { createHash } from "node:crypto"

/** Kinds of lines, in their order within a file. Those from `guest` to `total` repeat with each guest. */
export type Kind = "export" | "program" | "guest" | "consent" | "record" | "entry" | "reward" | "lot" | "total"

/** A balance of a guest's last line. */
interface Balance {
  readonly unit: string
  readonly posted: number
}

/** The last line of a guest. */
export interface Total {
  readonly account: number
  readonly records: number
  /** The hash of the last record, which covers those before it. */
  readonly head: string
  readonly entries: number
  readonly balances: ReadonlyArray<Balance>
}

interface UnitSum {
  readonly unit: string
  /** Sums as text: they may be beyond what JSON carries exactly. */
  readonly entries: string
  readonly lots: string
}

/** The figures of all lines before the last one, which has them. */
export interface Manifest {
  readonly counts: Readonly<Partial<Record<Kind, number>>>
  readonly sums: ReadonlyArray<UnitSum>
  /** SHA-256 over account, seq and hash of each guest's last record. */
  readonly heads: string
}

interface Guest {
  readonly account: number
  records: number
  head: string
  entries: number
  readonly posted: Map<string, bigint>
  readonly lots: Map<string, bigint>
}

const add = (sums: Map<string, bigint>, unit: string, amount: number): void =>
  void sums.set(unit, (sums.get(unit) ?? 0n) + BigInt(amount))

export class Tally {
  private readonly counts = new Map<Kind, number>()
  private readonly entries = new Map<string, bigint>()
  private readonly lots = new Map<string, bigint>()
  private readonly heads = createHash("sha256")
  private last = 0
  private present: Guest | undefined
  /** The first fault; undefined: there is none. */
  fault: string | undefined

  /** Counts a line. */
  count(kind: Kind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
  }

  private wrong(detail: string): void {
    this.fault ??= detail
  }

  guest(account: number): void {
    if (this.present !== undefined) this.wrong(`Account ${this.present.account} has no total.`)
    if (account <= this.last) this.wrong(`Account ${account} does not follow account ${this.last}.`)
    this.last = account
    this.present = { account, records: 0, head: "", entries: 0, posted: new Map(), lots: new Map() }
  }

  /** The guest that a line belongs to; undefined: it is another one's. */
  of(account: number): Guest | undefined {
    if (this.present?.account === account) return this.present
    this.wrong(`A line of account ${account} does not follow its guest.`)
    return undefined
  }

  record(account: number, seq: number, hash: string): void {
    const guest = this.of(account)
    if (guest === undefined) return
    if (seq !== guest.records + 1) this.wrong(`Account ${account} lacks record ${guest.records + 1}.`)
    guest.records = seq
    guest.head = hash
  }

  entry(account: number, n: number, { amount, unit }: { readonly unit: string; readonly amount: number }): void {
    const guest = this.of(account)
    if (guest === undefined) return
    if (n !== guest.entries + 1) this.wrong(`Account ${account} lacks entry ${guest.entries + 1}.`)
    guest.entries = n
    add(guest.posted, unit, amount)
    add(this.entries, unit, amount)
  }

  lot(account: number, unit: string, left: number): void {
    const guest = this.of(account)
    if (guest === undefined) return
    add(guest.lots, unit, left)
    add(this.lots, unit, left)
  }

  total({ account, balances, entries, head, records }: Total): void {
    const guest = this.of(account)
    if (guest === undefined) return
    if (records !== guest.records || head !== guest.head)
      this.wrong(`The records of account ${account} do not end with its head.`)
    if (entries !== guest.entries) this.wrong(`Account ${account} has not all of its entries.`)
    const posted = new Map(balances.map((balance) => [balance.unit, balance.posted]))
    for (const unit of new Set([...posted.keys(), ...guest.posted.keys(), ...guest.lots.keys()])) {
      const balance = BigInt(posted.get(unit) ?? 0)
      if (balance !== (guest.posted.get(unit) ?? 0n))
        this.wrong(`The entries of account ${account} do not sum to its ${unit}.`)
      if ((balance > 0n ? balance : 0n) !== (guest.lots.get(unit) ?? 0n))
        this.wrong(`The lots of account ${account} do not sum to its ${unit}.`)
    }
    this.heads.update(`${account} ${records} ${head}\n`)
    this.present = undefined
  }

  manifest(): Manifest {
    if (this.present !== undefined) this.wrong(`Account ${this.present.account} has no total.`)
    const units = [...new Set([...this.entries.keys(), ...this.lots.keys()])].toSorted()
    return {
      counts: Object.fromEntries(this.counts),
      sums: units.map((unit) => ({
        unit,
        entries: String(this.entries.get(unit) ?? 0n),
        lots: String(this.lots.get(unit) ?? 0n)
      })),
      heads: this.heads.copy().digest("hex")
    }
  }
}

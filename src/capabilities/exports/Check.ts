/** Proves a file of an export without a database (contract/exports.md *Check*): every line is read, nothing is taken for granted. */
import { Effect, Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { format } from "./Export.ts"
import { Damaged, Unusable } from "./Faults.ts"
import type { Opener } from "./InFile.ts"
import * as InFile from "./InFile.ts"
import type { Kind } from "./Tally.ts"
import { Tally } from "./Tally.ts"

const Account = Schema.Struct({ account: Schema.Int })

const Head = Schema.Struct({
  kind: Schema.Literal("export"),
  format: Schema.Int,
  program_id: Schema.String,
  taken_at: Schema.String
})
const Record = Schema.Struct({ account: Schema.Int, seq: Schema.Int, hash: Schema.String })
const Entry = Schema.Struct({ account: Schema.Int, n: Schema.Int, unit: Schema.String, amount: Schema.Int })
const Lot = Schema.Struct({ account: Schema.Int, unit: Schema.String, left: Schema.Int })
const Total = Schema.Struct({
  account: Schema.Int,
  records: Schema.Int,
  head: Schema.String,
  entries: Schema.Int,
  balances: Schema.Array(Schema.Struct({ unit: Schema.String, posted: Schema.Int }))
})
const ManifestLine = Schema.Struct({
  kind: Schema.Literal("manifest"),
  counts: Schema.Record(Schema.String, Schema.Int),
  sums: Schema.Array(Schema.Struct({ unit: Schema.String, entries: Schema.String, lots: Schema.String })),
  heads: Schema.String,
  sha256: Schema.String
})

export interface Checked {
  readonly head: typeof Head.Type
  readonly manifest: typeof ManifestLine.Type
}

const damaged = (detail: string): Damaged => new Damaged({ detail })

const decoded = <A>(schema: Schema.Codec<A, unknown>, place: number) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: unknown): A => {
    const result = decode(value)
    if (Result.isFailure(result)) throw damaged(`Line ${place} is not as an export has it.`)
    return result.success
  }
}

/** The figures of a manifest in one order, for comparison. */
const canonical = ({ counts, heads, sums }: Pick<Checked["manifest"], "counts" | "heads" | "sums">): string =>
  JSON.stringify([Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1)), sums, heads])

class Checking {
  private readonly tally = new Tally()
  private readonly hash = createHash("sha256")
  private lines = 0
  private head: Checked["head"] | undefined
  private manifest: Checked["manifest"] | undefined

  private readonly visits: Readonly<Record<Kind, (value: unknown) => void>> = {
    export: (value) => {
      const head = this.as(Head, value)
      if (this.lines !== 1) throw damaged("It has a second beginning.")
      if (head.format !== format)
        throw new Unusable({ message: `Its format is ${head.format}. This version knows ${format}.` })
      this.head = head
    },
    program: () => undefined,
    guest: (value) => this.tally.guest(this.as(Account, value).account),
    consent: (value) => void this.tally.of(this.as(Account, value).account),
    reward: (value) => void this.tally.of(this.as(Account, value).account),
    record: (value) => {
      const { account, hash, seq } = this.as(Record, value)
      this.tally.record(account, seq, hash)
    },
    entry: (value) => {
      const entry = this.as(Entry, value)
      this.tally.entry(entry.account, entry.n, entry)
    },
    lot: (value) => {
      const { account, left, unit } = this.as(Lot, value)
      this.tally.lot(account, unit, left)
    },
    total: (value) => this.tally.total(this.as(Total, value))
  }

  private as<A>(schema: Schema.Codec<A, unknown>, value: unknown): A {
    return decoded(schema, this.lines)(value)
  }

  private parsed(line: string): { readonly kind?: unknown } {
    try {
      const value: unknown = JSON.parse(line)
      if (typeof value === "object" && value !== null) return value
    } catch {
      // Told below, as every line that is no object.
    }
    throw damaged(`Line ${this.lines} is no JSON object.`)
  }

  line(text: string): void {
    this.lines++
    if (this.manifest !== undefined) throw damaged("Lines follow its manifest.")
    const value = this.parsed(text)
    const { kind } = value
    if (this.head === undefined && kind !== "export") throw damaged("It does not begin as an export does.")
    if (kind === "manifest") {
      this.manifest = this.as(ManifestLine, value)
      return
    }
    this.hash.update(`${text}\n`)
    if (typeof kind !== "string" || !Object.hasOwn(this.visits, kind))
      throw damaged(`Line ${this.lines} is of no kind that this format has.`)
    this.tally.count(kind as Kind)
    this.visits[kind as Kind](value)
    if (this.tally.fault !== undefined) throw damaged(this.tally.fault)
  }

  end(): Checked {
    const { head, manifest } = this
    if (head === undefined || manifest === undefined) throw damaged("It is cut short: it has no manifest.")
    if (manifest.sha256 !== this.hash.digest("hex")) throw damaged("Its lines differ from their checksum.")
    if (canonical(manifest) !== canonical(this.tally.manifest()) || this.tally.fault !== undefined)
      throw damaged("Its manifest differs from its lines.")
    return { head, manifest }
  }
}

/** Reads a file whole. */
export const check = (file: string, opener: Opener): Effect.Effect<Checked, Damaged | Unusable> =>
  Effect.tryPromise({
    try: async () => {
      const checking = new Checking()
      for await (const lines of InFile.lines(file, opener)) for (const line of lines) checking.line(line)
      return checking.end()
    },
    catch: (cause) =>
      cause instanceof Damaged || cause instanceof Unusable
        ? cause
        : new Unusable({ message: `${file}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

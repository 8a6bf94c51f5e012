/** Report of a verification: a difference between the journal and another table. */
import type { SumTable } from "../rollups/Sums.ts"

export type Table =
  | "journal"
  | "claims"
  | "keys"
  | "ledger_entries"
  | "accounts"
  | "account_spans"
  | "seals"
  | "sealed_accounts"
  | "members"
  | "identities"
  | "issued_rewards"
  | "snapshots"
  | "audit"
  | "programs"
  | "tokens"
  | "users"
  | "passkeys"
  | "role_limits"
  | "user_limits"
  | "locations"
  | "connectors"
  | "connections"
  | "installation"
  | "member_rollups"
  | "rollup_member_lots"
  | "rollup_orders"
  | "rollup_buyers"
  | "rollup_older"
  | "rollup_merges"
  | "finance_days"
  | SumTable

/** One difference between the journal and another table. */
export interface Difference {
  readonly table: Table
  /** Absent if the difference concerns no account. */
  readonly account?: number | undefined
  /** The row: `seq 7`, `n 12`, an id; absent if the difference concerns the whole account. */
  readonly row?: string | undefined
  readonly message: string
}

/** The conformance table: every case, in the order of the report. */
import type { Case } from "./Case.ts"
import * as Adjusting from "./cases/Adjusting.ts"
import * as Earning from "./cases/Earning.ts"
import * as Idempotency from "./cases/Idempotency.ts"
import * as Ledger from "./cases/Ledger.ts"
import * as Lots from "./cases/Lots.ts"
import * as Members from "./cases/Members.ts"
import * as Orders from "./cases/Orders.ts"
import * as Races from "./cases/Races.ts"
import * as Redemptions from "./cases/Redemptions.ts"
import * as Transport from "./cases/Transport.ts"
import * as Validation from "./cases/Validation.ts"
import * as Wallet from "./cases/Wallet.ts"

export const cases: ReadonlyArray<Case> = [
  ...Transport.cases,
  ...Validation.cases,
  ...Members.cases,
  ...Earning.cases,
  ...Orders.cases,
  ...Adjusting.cases,
  ...Ledger.cases,
  ...Lots.cases,
  ...Redemptions.cases,
  ...Wallet.cases,
  ...Idempotency.cases,
  ...Races.cases
]

/** Cases that wait for the host's clock. They start first, so that other cases run during the wait. */
export const waiting: ReadonlySet<string> = new Set([
  "redemption.expires",
  "lots.expires",
  "lots.held",
  "wallet.expires"
])

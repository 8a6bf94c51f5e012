/** More histories, at the same time: see `Histories.test.ts` (contract/finance.md *Roll-forward*). */
import { it } from "@effect/vitest"
import { play } from "./HistoryChecks.ts"

it.effect("100000 random histories from 100001 on", () => play(100_001, 100_000), 1_200_000)

/**
 * Rows, closed months, rewards and cohorts of random histories are those of a model
 * (contract/finance.md *Roll-forward*, *Lines*, *Places*, *Money*, *Cohorts*, *Closing a month*).
 *
 * `FIRST=200001 HISTORIES=1000000 npx vitest run test/capabilities/finance/Histories.test.ts` plays others.
 */
import { it } from "@effect/vitest"
import { play } from "./HistoryChecks.ts"

const [first, histories] = [Number(process.env["FIRST"] ?? 1), Number(process.env["HISTORIES"] ?? 100_000)]

it.effect(`${histories} random histories from ${first} on`, () => play(first, histories), 1_200_000)

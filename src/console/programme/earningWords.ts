/** How accounts earn, in words. */
import { Schema } from "effect"
import { ProgramFile } from "../../contract/ProgramFile.ts"
import { money, number } from "../shared/format.ts"
import { labelWithin } from "../shared/words/words.ts"
import { earningStrings as text } from "./earningStrings.ts"

type Rule = NonNullable<ProgramFile["account_earning"]>[number]

export const isRules = Schema.is(ProgramFile.fields.account_earning)

export const unitOf = labelWithin

export const rateInWords = ({ amount, spend, unit }: Omit<Rule, "mode" | "multiplier_eligible">): string =>
  spend === undefined
    ? text.perOrder(number(amount), unitOf(unit))
    : text.rate(number(amount), unitOf(unit), money(spend))

/** The rules of a programme file's promotions and limits of orders (contract/programmes.md *Checks of a file*). */
import type { BodyFault } from "../../contract/Decode.ts"
import { outOfBounds } from "../../contract/Numbers.ts"
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { Promotion, PromotionWhen } from "../../contract/Promotions.ts"
import { giftKinds } from "../../contract/Promotions.ts"
import type { Sentence } from "../../contract/Said.ts"
import { faultAt, said } from "../../contract/Said.ts"
import type { Money } from "../../contract/Values.ts"
import { maxAmount, type Unit } from "../../contract/Values.ts"
import { momentOf } from "./Occasions.ts"

type Valid<A> = { readonly [K in keyof A]?: A[K] | undefined }

interface Listed<A> {
  readonly items: ReadonlyArray<Valid<A> | undefined>
  readonly isWhole: boolean
}

/** The parts of a file whose own shape is valid. */
interface ValidParts {
  readonly currency?: string | undefined
  readonly limits?: ProgramFile["limits"]
  readonly promotions: Listed<Promotion>
  readonly accounts: Listed<ProgramFile["accounts"][number]>
  readonly account_earning: Listed<NonNullable<ProgramFile["account_earning"]>[number]>
  readonly tiers: Listed<ProgramFile["tiers"][number]>
}

type Say = (path: string, sentence: Sentence) => void

/** Says of a number that is out of bounds which the schema does not know. */
export const within = (value: number | undefined, low: number, high: number, path: string, say: Say): void => {
  if (value !== undefined && (value < low || value > high)) say(path, outOfBounds(low, high))
}

const checkMoney = (
  { currency }: Pick<ValidParts, "currency">,
  money: Money | undefined,
  least: number,
  path: string,
  say: Say
): void => {
  if (money === undefined) return
  if (currency !== undefined && money.currency !== currency)
    say(`${path}/currency`, said`must be ${currency}, the programme's currency`)
  within(money.amount, least, maxAmount, `${path}/amount`, say)
}

/** True if the account earns by spend; also if parts that would tell are not valid. */
const mayEarnBySpend = ({ account_earning, accounts }: ValidParts, unit: Unit | undefined): boolean => {
  const primary = accounts.items.find((account) => account?.is_primary)?.unit
  const of = unit ?? primary
  const rule = account_earning.items.find((one) => one?.unit === of)
  if (rule !== undefined) return rule.mode !== "per_order"
  return of === undefined || of === primary || !account_earning.isWhole
}

const checkEffect = (draft: ValidParts, effect: Promotion["effect"], path: string, say: Say): void => {
  const given = giftKinds.filter((kind) => effect[kind] !== undefined)
  if (given.length !== 1) say(path, said`must have exactly one of ${giftKinds.join(", ")}`)
  const { accounts } = draft
  if (effect.unit !== undefined && accounts.isWhole && !accounts.items.some((one) => one?.unit === effect.unit))
    say(`${path}/unit`, "must be the unit of one of the accounts")
  if (effect.multiply_bps === undefined) return
  if (effect.multiplier_eligible !== undefined)
    say(
      `${path}/multiplier_eligible`,
      "is not allowed with multiply_bps, which multiplies the base with its multiplier"
    )
  if (!mayEarnBySpend(draft, effect.unit))
    say(`${path}/multiply_bps`, "needs an account that earns by spend; use add or add_per_item")
}

const checkWhen = ({ from, until, weekly = [] }: PromotionWhen, path: string, say: Say): void => {
  if (from !== undefined && until !== undefined && momentOf("UTC", from) >= momentOf("UTC", until, true))
    say(`${path}/until`, "must be after from")
  weekly.forEach((window, index) => {
    if (window.from === window.until)
      say(`${path}/weekly/${index}/until`, "must not be the time at which the window begins")
    window.days.forEach((day, at) => {
      if (window.days.indexOf(day) < at) say(`${path}/weekly/${index}/days/${at}`, "must be unique")
    })
  })
}

/** Checks when and on which lines something holds, and from which spend. */
export const checkOccasion = (
  draft: Pick<ValidParts, "currency">,
  { minimum_spend, on, when }: Valid<Pick<Promotion, "minimum_spend" | "on" | "when">>,
  path: string,
  say: Say
): void => {
  if (when !== undefined) checkWhen(when, `${path}/when`, say)
  if (on !== undefined && Object.keys(on).length === 0)
    say(`${path}/on`, "must have product_ids, category_ids or tags; leave it out for all lines")
  checkMoney(draft, minimum_spend, 0, `${path}/minimum_spend`, say)
}

const checkOne = (draft: ValidParts, promotion: Valid<Promotion>, path: string, say: Say): void => {
  const { effect, who } = promotion
  if (effect !== undefined) checkEffect(draft, effect, `${path}/effect`, say)
  checkOccasion(draft, promotion, path, say)
  who?.tier_ids?.forEach((id, index) => {
    if (draft.tiers.isWhole && !draft.tiers.items.some((tier) => tier?.tier_id === undefined || tier.tier_id === id))
      say(`${path}/who/tier_ids/${index}`, "must name one of the tiers")
  })
}

/** Every violated rule, with place (JSON Pointer) and reason. */
export const promotionFaults = (draft: ValidParts): ReadonlyArray<BodyFault> => {
  const found: Array<BodyFault> = []
  const say: Say = (path, sentence) => found.push(faultAt(path, sentence))
  const { limits, promotions } = draft
  promotions.items.forEach((promotion, index) => {
    if (promotion === undefined) return
    const path = `/promotions/${index}`
    const { promotion_id: id } = promotion
    if (id !== undefined && promotions.items.findIndex((one) => one?.promotion_id === id) < index)
      say(`${path}/promotion_id`, "must be unique")
    checkOne(draft, promotion, path, say)
  })
  checkMoney(draft, limits?.order_total, 1, "/limits/order_total", say)
  return found
}

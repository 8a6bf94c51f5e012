/** A check at the emulated till, and the body that tells of it. */
import type { ProgramDefinition } from "../../../../contract/protocol/Program.ts"
import { digitsOf } from "../../../../core/rules/Money.ts"
import { numberOf } from "../../Decimals.ts"
import type { Dice } from "./Dice.ts"

/** An item; amounts in minor units, all in all. */
interface Dish {
  readonly guid: string
  readonly quantity: number
  /** With its modifier's. */
  readonly gross: number
  readonly modifier: number
  discount: number
  readonly tax: number
  readonly isGiftCard: boolean
  isVoided: boolean
}

export interface Tab {
  readonly guid: string
  readonly openedAt: number
  modifiedAt: number
  dishes: Array<Dish>
  tip: number
  readonly service: number
  isPaid: boolean
}

/** Makes ids of a run, which no other run has. */
export type Ids = () => string

/** An item of `least` minor units at least, so that a check of one is above a programme's minimum. */
export const dish = (dice: Dice, id: Ids, least: number, isGiftCard = false): Dish => {
  const quantity = dice.between(1, 3)
  const modifier = dice.once(3) && !isGiftCard ? dice.between(25, 200) : 0
  const gross = quantity * dice.between(least, least + 1_200) + modifier
  const tax = Math.round(gross / 12)
  return { guid: id(), quantity, gross, modifier, discount: 0, tax, isGiftCard, isVoided: false }
}

const kept = ({ dishes }: Tab): ReadonlyArray<Dish> => dishes.filter(({ isVoided }) => !isVoided)
const sum = (dishes: ReadonlyArray<Dish>, of: (dish: Dish) => number): number =>
  dishes.reduce((total, dish) => total + of(dish), 0)
const netOf = ({ discount, gross }: Dish): number => gross - discount

/** The spend that earns, minor units. */
export const spendOf = (tab: Tab, { earning: { exclusions } }: ProgramDefinition): number =>
  exclusions.line_kinds.includes("item")
    ? 0
    : sum(kept(tab), (dish) => {
        if (dish.isGiftCard) return 0
        // No dish with a modifier is discounted.
        return netOf(dish) - (exclusions.line_kinds.includes("modifier") ? dish.modifier : 0)
      })

/** Takes a discount of the whole check off a dish that keeps `least`; false if there is none. */
export const discounted = (tab: Tab, amount: number, least: number): boolean => {
  const dish = kept(tab).find((one) => !one.isGiftCard && one.modifier === 0 && netOf(one) >= amount + least)
  if (dish !== undefined) dish.discount += amount
  return dish !== undefined
}

/** A date in the spelling of Toast. */
const dateOf = (at: number): string => new Date(at).toISOString().replace("Z", "+0000")

export const placesOf = digitsOf

/** The check as a body has it. `rewards`: offers that were applied, by the guid of their discount. */
export const bodyOf = (tab: Tab, currency: string, rewards: ReadonlyMap<string, string> = new Map()) => {
  const places = digitsOf(currency)
  const money = (minor: number) => numberOf(minor, places)
  const dishes = kept(tab)
  const amount = sum(dishes, netOf)
  const tax = sum(dishes, (one) => one.tax)
  const total = amount + tax + tab.service
  const businessDay = Number(new Date(tab.openedAt).toISOString().slice(0, 10).replaceAll("-", ""))
  return {
    guid: tab.guid,
    entityType: "Check",
    openedDate: dateOf(tab.openedAt),
    modifiedDate: dateOf(tab.modifiedAt),
    selections: tab.dishes.map((one) => ({
      guid: one.guid,
      entityType: "MenuItemSelection",
      item: { guid: `${one.guid}-item`, entityType: "MenuItem" },
      quantity: one.quantity,
      preDiscountPrice: money(one.gross),
      price: money(netOf(one)),
      tax: money(one.tax),
      deferred: one.isGiftCard,
      voided: one.isVoided,
      modifiers:
        one.modifier === 0
          ? []
          : [
              {
                guid: `${one.guid}-m`,
                entityType: "MenuItemSelection",
                item: { guid: `${one.guid}-extra`, entityType: "MenuItem" },
                quantity: 1,
                preDiscountPrice: money(one.modifier),
                price: money(one.modifier)
              }
            ]
    })),
    appliedDiscounts: [...rewards].map(([guid, referenceId]) => ({
      guid,
      entityType: "AppliedCustomDiscount",
      processingState: "APPLIED",
      loyaltyDetails: { vendor: "INTEGRATION", referenceId }
    })),
    appliedServiceCharges:
      tab.service === 0
        ? []
        : [
            {
              guid: `${tab.guid}-s`,
              entityType: "AppliedServiceCharge",
              serviceCharge: { guid: "service", entityType: "ServiceCharge" },
              chargeAmount: money(tab.service),
              gratuity: false
            }
          ],
    amount: money(amount),
    taxAmount: money(tax),
    totalAmount: money(total),
    paymentStatus: tab.isPaid ? "CLOSED" : "OPEN",
    payments: tab.isPaid
      ? [
          {
            guid: `${tab.guid}-p`,
            entityType: "OrderPayment",
            type: "CREDIT",
            amount: money(total),
            tipAmount: money(tab.tip),
            paidBusinessDate: businessDay
          }
        ]
      : []
  }
}

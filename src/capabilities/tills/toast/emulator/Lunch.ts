/**
 * A lunch at an emulated restaurant: guests sign up, are looked for, ask for offers, redeem, pay; checks are tipped,
 * reopened, split, voided. Its content follows from the seed. Afterwards each guest's balance is compared with the
 * emulator's own sum.
 */
import { Effect } from "effect"
import type { ProgramDefinition } from "../../../../contract/protocol/Program.ts"
import type { Dice } from "./Dice.ts"
import * as Sums from "./Sums.ts"
import * as Tabs from "./Tab.ts"
import type { NoAnswer, Till, Told } from "./Till.ts"

/** A guest's balance in the compared unit, and the tier. */
interface Standing {
  readonly points: number
  readonly tier: string | undefined
}

export interface Table {
  readonly till: Till
  readonly dice: Dice
  readonly ids: Tabs.Ids
  readonly program: ProgramDefinition
  readonly standing: (member: string) => Effect.Effect<Standing, NoAnswer>
  /** The service's time at the start, ms. */
  readonly now: number
  /** A part of addresses that no other run has. */
  readonly run: string
  /** Also requests out of order. */
  readonly hasDisorder: boolean
}

interface Guest {
  readonly member: string
  readonly email: string
  readonly before: number
  /** Points of each check as it stands, and the costs of rewards. */
  readonly sums: Map<string, number>
  /** True if a redemption was answered with a failure. */
  hasFailed: boolean
}

/** A balance that is not the emulator's sum, or an answer that the contract does not have there. */
export type Difference = string

interface Played {
  readonly differences: ReadonlyArray<Difference>
  readonly guests: number
  readonly checks: number
  readonly rewards: number
}

const minuteMs = 60_000
/** A redemption that failed is undone within half a minute (contract/tills.md *Once only*), ms. */
const undoneMs = 40_000
const lookMs = 1_000

/** Plays a lunch. */
export const play = Effect.fnUntraced(function* (table: Table, checks: number): Effect.fn.Return<Played, NoAnswer> {
  const guests: Array<Guest> = []
  const differences: Array<Difference> = []
  let rewards = 0
  for (let place = 0; place < checks; place++) {
    const { dice } = table
    const isNew = guests.length === 0 || dice.once(3)
    const guest = isNew ? yield* signUp(table, guests.length) : guests[dice.between(0, guests.length - 1)]!
    if (typeof guest === "string") {
      differences.push(guest)
      continue
    }
    if (isNew) guests.push(guest)
    const told = yield* visit(table, guest)
    rewards += told.rewards
    differences.push(...told.differences)
  }
  for (const guest of guests) {
    const { before, member, sums } = guest
    const wanted = [...sums.values()].reduce((sum, one) => sum + one, before)
    const points = yield* pointsOf(table, guest, wanted)
    if (points === wanted) continue
    const parts = [...sums].map(([what, amount]) => `${what} ${amount}`).join(", ")
    differences.push(`${member} has ${points}, and ${wanted} by its checks (${before} before; ${parts})`)
  }
  return { differences, guests: guests.length, checks, rewards }
})

/** A guest's points; those that a failed redemption may still hold come back within `undoneMs`. */
const pointsOf = Effect.fnUntraced(function* (
  { standing }: Table,
  { hasFailed, member }: Guest,
  wanted: number
): Effect.fn.Return<number, NoAnswer> {
  let { points } = yield* standing(member)
  for (let waitedMs = 0; hasFailed && points !== wanted && waitedMs < undoneMs; waitedMs += lookMs) {
    yield* Effect.sleep(lookMs)
    points = (yield* standing(member)).points
  }
  return points
})

const isAccepted = ({ answer }: Told): boolean => answer.transactionStatus === "ACCEPT"

const unexpected = (what: string, { answer, status, transaction }: Told): Difference =>
  `${what} (${transaction}) was answered ${status} ${answer.transactionStatus}`

/** Signs a guest up, twice, and looks for her. */
const signUp = Effect.fnUntraced(function* ({ run, standing, till }: Table, place: number) {
  const email = `guest-${run}-${place}@example.com`
  const information = { signupTransactionInformation: { email } }
  const signed = yield* till.send("LOYALTY_SIGNUP", information)
  const member = signed.answer.signupResponse?.loyaltyIdentifier
  if (!isAccepted(signed) || member === undefined) return unexpected(`Sign-up ${place}`, signed)
  const again = yield* till.send("LOYALTY_SIGNUP", information)
  if (again.answer.transactionStatus !== "ERROR_ALREADY_REGISTERED") return unexpected(`Sign-up ${place} again`, again)
  const { points } = yield* standing(member)
  const guest: Guest = { member, email, before: points, sums: new Map(), hasFailed: false }
  return guest
})

interface Visited {
  readonly differences: ReadonlyArray<Difference>
  readonly rewards: number
}

/** One check, from the search to what happens after it was paid. */
const visit = Effect.fnUntraced(function* (table: Table, guest: Guest): Effect.fn.Return<Visited, NoAnswer> {
  const { dice, ids, program, till } = table
  const differences: Array<Difference> = []
  const expect = (what: string, told: Told, isRight = isAccepted(told)) => {
    if (!isRight) differences.push(unexpected(what, told))
    return isRight
  }
  const found = yield* till.send("LOYALTY_SEARCH", {
    searchTransactionInformation: { searchCriteria: { email: guest.email } }
  })
  const isFound = found.answer.searchResponse?.accounts.some(({ identifier }) => identifier === guest.member) === true
  expect("A search", found, isFound)
  const least = leastOf(program)
  const openedAt = table.now - dice.between(5, 90) * minuteMs
  const dishes = Array.from({ length: dice.between(1, 4) }, () => Tabs.dish(dice, ids, least))
  if (dice.once(12)) dishes.push(Tabs.dish(dice, ids, 2_500, true))
  const service = dice.once(6) ? dice.between(50, 400) : 0
  const tab: Tabs.Tab = { guid: ids(), openedAt, modifiedAt: openedAt, dishes, tip: 0, service, isPaid: false }
  const applied = new Map<string, string>()
  const information = (more: object = {}, loyaltyIdentifier: string | null = guest.member) => ({
    checkTransactionInformation: {
      loyaltyIdentifier,
      orderGuid: `${tab.guid}-o`,
      check: Tabs.bodyOf(tab, program.currency, applied),
      ...more
    }
  })
  const change = () => {
    tab.modifiedAt += minuteMs / 2
  }
  const pay = () => {
    tab.isPaid = true
    change()
  }
  if (dice.once(10)) {
    pay()
    expect("A check without a guest", yield* till.send("LOYALTY_ACCRUE", information({}, null)))
    return { differences, rewards: 0 }
  }
  const asked = yield* till.send("LOYALTY_INQUIRE", information())
  expect("An inquiry", asked)
  if (dice.once(3)) {
    tab.dishes.push(Tabs.dish(dice, ids, least))
    change()
    expect("An inquiry of a changed check", yield* till.send("LOYALTY_INQUIRE", information()))
  }
  const rewards = yield* redeem(table, guest, { asked, tab, applied, information, expect })
  pay()
  const { tier } = yield* table.standing(guest.member)
  const settle = () => guest.sums.set(`check ${tab.guid}`, Sums.pointsFor(program, Tabs.spendOf(tab, program), tier))
  if (table.hasDisorder && dice.once(12)) {
    const id = ids()
    const early = yield* till.send("LOYALTY_REVERSE", reversal(guest, id))
    expect("A reversal that overtakes", early, early.answer.transactionStatus === "ERROR_TRANSACTION_DOES_NOT_EXIST")
    const late = yield* till.send("LOYALTY_ACCRUE", information(), id)
    expect("A check that was reversed before", late)
    if (late.transaction !== id) yield* till.send("LOYALTY_REVERSE", reversal(guest, late.transaction))
    return { differences, rewards }
  }
  const paid = yield* till.send("LOYALTY_ACCRUE", information())
  if (!expect("A paid check", paid)) return { differences, rewards }
  settle()
  yield* afterwards(table, { guest, tab, information, expect, change, settle, paid, least })
  return { differences, rewards }
})

const reversal = (guest: Guest, transactionId: string, redemptions?: ReadonlyArray<object>) => ({
  reverseTransactionInformation: {
    loyaltyIdentifier: guest.member,
    transactionId,
    ...(redemptions === undefined ? undefined : { redemptions })
  }
})

type Expect = (what: string, told: Told, isRight?: boolean) => boolean
type Information = (more?: object, loyaltyIdentifier?: string | null) => Readonly<Record<string, unknown>>

interface Asking {
  readonly asked: Told
  readonly tab: Tabs.Tab
  readonly applied: Map<string, string>
  readonly information: Information
  readonly expect: Expect
}

/** Redeems an offer on the whole check, if there is one that the guest can have; now and then takes it back. */
const redeem = Effect.fnUntraced(function* (
  { dice, ids, program, till }: Table,
  guest: Guest,
  { applied, asked, expect, information, tab }: Asking
) {
  const offer = asked.answer.checkResponse?.offers?.find(
    ({ amount, applicable, selectionType }) => applicable && selectionType === "CHECK" && amount !== undefined
  )
  const cost = offer === undefined ? undefined : Sums.costOf(program, offer.name)
  if (offer === undefined || cost === undefined || !dice.once(2)) return 0
  const discount = ids()
  const redemptions = [
    { identifier: offer.identifier, appliedDiscountGuid: discount, amount: offer.amount, quantity: 1 }
  ]
  const told = yield* till.send("LOYALTY_REDEEM", information({ redemptions }))
  // An answer of failure never comes again, and nothing is redeemed.
  if (told.status === 500) {
    guest.hasFailed = true
    return 0
  }
  const isTaken = (told.answer.checkResponse?.rejectedRedemptions ?? []).length === 0
  if (!expect("A redemption", told, isAccepted(told) && isTaken)) return 0
  guest.sums.set(`reward of ${discount}`, -cost)
  if (dice.once(4)) {
    const back = yield* till.send("LOYALTY_REVERSE", reversal(guest, told.transaction))
    if (expect("A reversal of a redemption", back)) guest.sums.delete(`reward of ${discount}`)
    return 0
  }
  if (Tabs.discounted(tab, minorOf(offer.amount ?? 0, program.currency), leastOf(program)))
    applied.set(discount, offer.identifier)
  return 1
})

/** Price of a dish at least, so that a check of one is above the programme's minimum. */
const leastOf = ({ earning }: ProgramDefinition): number => Math.max(300, earning.minimum_eligible_spend.amount)

const minorOf = (amount: number, currency: string): number => Math.round(amount * 10 ** Tabs.placesOf(currency))

interface Paid {
  readonly guest: Guest
  readonly tab: Tabs.Tab
  readonly information: Information
  readonly expect: Expect
  readonly change: () => void
  readonly settle: () => void
  readonly paid: Told
  readonly least: number
}

/** Changes of a check after it was paid, by their turn. */
const afterwards = Effect.fnUntraced(function* ({ dice, ids, till }: Table, after: Paid) {
  const { change, expect, guest, information, least, paid, settle, tab } = after
  const accrue = (what: string) =>
    Effect.map(till.send("LOYALTY_ACCRUE", information()), (told) => {
      if (expect(what, told)) settle()
    })
  const reverse = (what: string) =>
    Effect.map(till.send("LOYALTY_REVERSE", reversal(guest, paid.transaction)), (told) => {
      if (expect(what, told)) guest.sums.delete(`check ${tab.guid}`)
    })
  const reopen = () => {
    tab.dishes.push(Tabs.dish(dice, ids, least))
    change()
    return accrue("A reopened check")
  }
  /** A tip takes the check back and brings it again. */
  const tip = Effect.gen(function* () {
    yield* reverse("A reversal for a tip")
    tab.tip = dice.between(100, 600)
    change()
    yield* accrue("A tipped check")
  })
  const voidItem = Effect.gen(function* () {
    yield* reopen()
    tab.dishes.at(-1)!.isVoided = true
    change()
    yield* accrue("A check with a voided item")
  })
  /** The rest is another check, which is paid without the guest. */
  const split = Effect.gen(function* () {
    const [first, ...rest] = tab.dishes
    if (rest.length === 0 || first!.isGiftCard) return
    tab.dishes = [first!]
    change()
    yield* accrue("A split check")
  })
  /** The older state comes late, and changes nothing. */
  const older = Effect.gen(function* () {
    const old = information()
    yield* reopen()
    expect("An older state", yield* till.send("LOYALTY_ACCRUE", old))
  })
  const turns: ReadonlyArray<Effect.Effect<void, NoAnswer>> = [
    tip,
    tip,
    Effect.suspend(reopen),
    voidItem,
    reverse("A voided check"),
    split,
    older
  ]
  yield* turns[dice.between(0, 8)] ?? Effect.void
})

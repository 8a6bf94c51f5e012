/**
 * Campaigns that orders trigger, what each must have given for the orders that were acknowledged, and what is wrong with what
 * the service shows (contract/engagement.md *Triggers*).
 */
import type { CampaignFacts } from "../../src/contract/platform/Campaigns.ts"
import type { Triggered } from "../../src/contract/platform/Triggers.ts"

const onOrders = { on: "order.accrued" } as const
const each = { ...onOrders, once: "event" } as const
const minimumSpend = 1_000
const timesOfTwice = 2
const timesOfReferrer = 3

const campaign = (campaign_id: string, more: Pick<CampaignFacts, "trigger" | "frequency">): CampaignFacts => ({
  campaign_id,
  name: campaign_id,
  program_id: "demo-foodservice",
  // By the reason the entries of the ledger are told apart.
  action: { credit: { amount: 1, reason: campaign_id } },
  ...more
})

/** The delays are about as long as a dead node stays unnoticed: what is due falls into the takeovers. */
export const campaigns = [
  campaign("first-order", { trigger: onOrders }),
  campaign("large-order", {
    trigger: { ...each, where: { minimum_spend: { amount: minimumSpend, currency: "USD" } } }
  }),
  campaign("twice", { trigger: { ...each, delay_seconds: 2 }, frequency: { times: timesOfTwice, days: 30 } }),
  campaign("referrer", {
    trigger: { ...onOrders, to: "referrer", delay_seconds: 3 },
    frequency: { times: timesOfReferrer, days: 30 }
  })
]

/** A member, and the eligible spend of each of its orders that were acknowledged. */
export interface Guest {
  readonly member: string
  readonly referredBy: string | undefined
  readonly orders: Array<number>
}

/** A credit in the ledger. */
export interface Credit {
  readonly member: string
  readonly campaign: string
  readonly adjustment: string
}

export type Report = Omit<Triggered, "outcomes">

interface Expected {
  readonly report: Report
  /** How often each member got it. */
  readonly given: ReadonlyMap<string, number>
}

const sum = (all: Iterable<number>) => [...all].reduce((one, other) => one + other, 0)

const expectedOf = (given: ReadonlyMap<string, number>, skipped: Readonly<Record<string, number>>): Expected => ({
  given,
  report: {
    waiting: 0,
    issued: sum(given.values()),
    skipped: Object.entries(skipped)
      .filter(([, count]) => count > 0)
      .map(([code, count]) => ({ code, count }))
      .toSorted((one, other) => (one.code < other.code ? -1 : 1)),
    failed: 0,
    holdout: 0
  }
})

/** At most so many for each member, and the rest skipped with this code. */
const atMost = (times: number, wanted: ReadonlyMap<string, number>, code: string, more = {}): Expected => {
  const given = new Map([...wanted].map(([member, count]) => [member, Math.min(times, count)]))
  return expectedOf(given, { ...more, [code]: sum(wanted.values()) - sum(given.values()) })
}

/** Gifts that each campaign must have given. */
export const expected = (guests: ReadonlyArray<Guest>): ReadonlyMap<string, Expected> => {
  const ordered = guests.filter(({ orders }) => orders.length > 0)
  const ofOrders = (counts: (spend: number) => boolean) =>
    new Map(ordered.map(({ member, orders }) => [member, orders.filter(counts).length]))
  const friends = new Map<string, number>()
  for (const { member, referredBy } of ordered)
    if (referredBy !== undefined && referredBy !== member) friends.set(referredBy, (friends.get(referredBy) ?? 0) + 1)
  return new Map([
    [
      "first-order",
      atMost(
        1,
        ofOrders(() => true),
        "already_reached"
      )
    ],
    [
      "large-order",
      expectedOf(
        ofOrders((spend) => spend >= minimumSpend),
        {}
      )
    ],
    [
      "twice",
      atMost(
        timesOfTwice,
        ofOrders(() => true),
        "frequency_reached"
      )
    ],
    [
      "referrer",
      atMost(timesOfReferrer, friends, "frequency_reached", {
        no_referrer: ordered.filter(({ referredBy }) => referredBy === undefined).length,
        own_referrer: ordered.filter(({ member, referredBy }) => referredBy === member).length
      })
    ]
  ])
}

/** Events of a campaign, whatever became of them. */
export const eventsOf = ({ failed, holdout, issued, skipped, waiting }: Report): number =>
  waiting + issued + failed + holdout + sum(skipped.map(({ count }) => count))

const countOf = (credits: ReadonlyArray<Credit>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { campaign, member } of credits) {
    const key = `${campaign} ${member}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Differences between the orders that were acknowledged, the reports and the ledger. */
export const faultsOf = (
  guests: ReadonlyArray<Guest>,
  reports: ReadonlyMap<string, Report>,
  credits: ReadonlyArray<Credit>
): ReadonlyArray<string> => {
  const wanted = expected(guests)
  const faults: Array<string> = []
  for (const [id, { report }] of wanted) {
    const [shown, owed] = [JSON.stringify(reports.get(id)), JSON.stringify(report)]
    if (shown !== owed) faults.push(`wrong: ${id} reports ${shown}, not ${owed}`)
  }
  const counts = countOf(credits)
  const owed = new Map(
    [...wanted].flatMap(([id, { given }]) => [...given].map(([member, n]) => [`${id} ${member}`, n]))
  )
  for (const key of new Set([...counts.keys(), ...owed.keys()])) {
    const [got, due] = [counts.get(key) ?? 0, owed.get(key) ?? 0]
    if (got !== due) faults.push(`${got < due ? "lost" : "doubled"}: ${key} was given ${got} times, not ${due}`)
  }
  const ids = new Set(credits.map(({ adjustment }) => adjustment))
  if (ids.size !== credits.length) faults.push(`doubled: ${credits.length} credits have ${ids.size} ids`)
  return faults
}

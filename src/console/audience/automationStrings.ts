/** Every English text about triggers and frequencies of campaigns. Apart from the others: the first page does not load them. */

import { number } from "../shared/format.ts"
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

const daysOf = (n: number): string => (n === 1 ? "day" : `${number(n)} days`)

export const automationStrings = texts("automation", {
  how: "How it starts",
  hows: { schedule: "On a schedule or by hand", trigger: "When something happens" },
  howFixed: "This cannot change. Create another campaign instead.",
  when: "When",
  whenIn: (zone: string) => `When (${zone})`,
  on: "What happens",
  events: {
    "member.enrolled": "A member joins",
    "order.accrued": "An order earns points",
    "tier.changed": "A member's tier changes",
    "challenge.completed": "A member completes a challenge",
    "points.expiring": "Points of a member are about to expire"
  },
  to: "Who gets it",
  receivers: { member: "The member", referrer: "Who brought the member" },
  referrerHint:
    "The member who brought the one who orders, as “Enrol a guest” or your app has it. Only for the first order, once for each friend.",
  where: "Which orders count",
  places: "Locations",
  placesHint: "Empty: all.",
  spend: "Minimum spend",
  anySpend: "any",
  spendOfFirst: "A first order below it gives nothing, and no later order takes its place.",
  first: "Only a member's first order",
  direction: "To which tier",
  directions: { up: "A higher one", down: "A lower one", both: "Any other" },
  imports: "Also members whom an import enrols",
  delay: "Delay",
  noDelay: "none",
  delayUnit: "Unit of the delay",
  units: { days: "days", hours: "hours", minutes: "minutes", seconds: "seconds" },
  delayBounds: "must be at most a year",
  delayHint: "An order that is refunded in full before the delay is over gives nothing.",
  once: "How often for one member",
  repeats: { member: "Once ever", event: "Each time", days: "Once in some days" },
  onceDays: "Days",
  anybody: "Anybody",
  audience: "Only members in the segment",
  audienceHints: {
    member: "Who gets something must be in it when it is given.",
    referrer: "Who brought the member must be in it when it is given, not the friend."
  },
  onFixed: "Fixed: it is the friend's first order.",
  changed:
    "What already waits keeps its day and what it gives. The segment and the bounds count as they are when it is given.",
  frequency: "At most for one member",
  times: "Times",
  inDays: "In days",
  unbounded: "no bound",
  frequencyHint: "Members merged into one count together. Empty: without this bound.",
  frequencyOfAgain:
    "Members merged into one count together. Empty: each guest gets it again every time, in every run or at every event.",
  frequencyOfYear: "Usual for a birthday or for winning a member back: once in 300 days.",
  birthdaysMissed: (gap: number, ahead: number) =>
    `There are up to ${gap} days between two runs, and the segment looks ${ahead} ${count(ahead, "day", "days")} ahead: ` +
    `members with a birthday in between get nothing. Let it look ${gap - 1} days ahead or more.`,
  birthdaysAtRisk:
    "If the service is down when a run is due, the members whose birthday it was get nothing. Let the segment look some days ahead, such as 6: “once in 300 days” gives it only once.",
  frequencyOfReferrer: "Required: it bounds what one member gets for bringing friends.",
  limits: "Limits over all that it gives",
  expiresHint: "From the moment when it is given. Empty: it does not expire.",
  holdoutHint:
    "This share of the members, chosen at random, gets nothing. The report compares their orders with the others' to show the campaign's effect. 0 to 90.",
  words: {
    events: {
      "member.enrolled": "When a member joins",
      "order.accrued": "When an order earns points",
      "tier.changed": "When a member's tier changes",
      "challenge.completed": "When a member completes a challenge",
      "points.expiring": "When points of a member are about to expire"
    },
    tiers: { up: "When a member reaches a higher tier", down: "When a member falls to a lower tier" },
    withImports: "also by an import",
    firstOrder: "When a member's first order earns points",
    friend: "When the first order of a friend earns points",
    at: (places: string) => `at ${places}`,
    or: "or",
    spend: (least: string) => `of at least ${least}`,
    later: (value: string, unit: string) => `${value} ${unit} later`,
    once: { member: "once for each member", event: "each time" },
    onceIn: (days: number) => `once in ${daysOf(days)} for each member`,
    onceFriend: "once for each friend",
    units: {
      days: (n: number) => count(n, "day", "days"),
      hours: (n: number) => count(n, "hour", "hours"),
      minutes: (n: number) => count(n, "minute", "minutes"),
      seconds: (n: number) => count(n, "second", "seconds")
    },
    frequency: (times: number, days: number) =>
      `${times === 1 ? "once" : times === 2 ? "twice" : `${number(times)} times`} in ${daysOf(days)}`
  },
  noFrequency: "without a bound",
  noRuns: "no runs",
  given: "Given",
  activate: "From now on it gives this whenever it happens. What happened before counts for nothing.",
  pause: "Nothing is given until you resume it. What was seen before waits; what happens meanwhile counts for nothing.",
  resume: "Resume",
  withdraw: "It gives nothing until you activate it. Members keep what they were given.",
  sofar: "What it gave so far",
  nothingYet: "Nothing has triggered it yet.",
  figures: { issued: "Given", waiting: "Waiting", skipped: "Gave nothing", failed: "Refused", holdout: "Held out" },
  waitingHint: "Their delay is not over, or the campaign is paused.",
  newest: (events: number) => `Who got it: the newest ${events} events`,
  member: "Member",
  friend: "Friend",
  gotIt: "Who got it",
  happenedAt: (zone: string) => `Happened (${zone})`,
  came: "What came of it",
  statuses: {
    waiting: (at: string) => `Waits until ${at}`,
    issued: (at: string) => `Given ${at}`,
    skipped: () => "Gave nothing",
    failed: () => "Refused",
    holdout: () => "Held out"
  },
  why: "Why nothing was given",
  happened: "Times",
  codes: {
    already_reached: "The member already got it, or was held out",
    frequency_reached: "The member got it, or was held out, often enough",
    limit_reached: "The campaign's limit was reached",
    order_closed: "The order was refunded, voided or moved",
    not_in_segment: "The member was not in the segment",
    no_referrer: "The attribute “referred_by” is missing, or names no member of the programme",
    own_referrer: "The member named itself",
    referrer_not_active: "Who brought the member is not active",
    referrer_joined_later: "Who brought the member joined after the member"
  }
})

/** Every English text about what needs attention. Apart from the others: the first page draws it after its numbers. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const attentionStrings = texts("attention", {
  title: "Needs attention",
  nothing: "Nothing needs attention",
  looking: "Looking for what needs attention",
  unknown: (parts: string) => `Not known at present: ${parts}.`,
  parts: {
    connectors: "connectors",
    imports: "imports",
    locations: "restaurants",
    programs: "programmes",
    standOut: "unusual guests, orders, gifts and moves, and audiences that wait"
  },
  showAll: (n: number) => `Show all ${n}`,
  andMore: (n: number) => `and ${n} more`,
  connector: {
    failing: (at: string) => `has accepted nothing since ${at}`,
    gone: "was disabled: the receiver answered 410 (gone)",
    stopped: "was disabled: the receiver accepted nothing for 3 days"
  },
  importOf: (at: string) => `Import of ${at}`,
  importFailed: "imported no rows",
  rowsFailed: (rows: string, n: number) => `has ${rows} ${count(n, "row", "rows")} that failed`,
  silent: (days: number) => `has had no orders on ${days} ${count(days, "day", "days")} it is usually open`,
  someone: "A guest",
  manyOrders: (orders: string, day: string, location: string | undefined) =>
    `had ${orders} orders on ${day}${location === undefined ? "" : `, mainly at ${location}`}`,
  manyRewards: (rewards: string, order: string, at: string) =>
    `got ${rewards} rewards for one order (${order}) on ${at}: look at the stamp card and the challenges`,
  gift: (amount: string, at: string, by: string | undefined, median: string | undefined) =>
    `got ${amount} by hand on ${at}${by === undefined ? "" : `, from ${by}`}${median === undefined ? "" : `; half of all gifts are at most ${median}`}`,
  moved: (taken: string, received: string, at: string, by: string | undefined) =>
    `had ${taken} orders moved away and got ${received} from others this week, the last on ${at}${by === undefined ? "" : `, by ${by}`}: after the only order is moved away, the next counts as a first one`,
  twice: (order: string, other: string, at: string) =>
    `has the order of a receipt (${order}) and another one of that restaurant and day (${other}, posted on ${at}), which may be the same`,
  twiceOf: (order: string, other: string, at: string, guest: string) =>
    `has the order of a receipt (${order}), and guest ${guest} one of that restaurant and day (${other}, posted on ${at}), which may be the same`,
  waits:
    "still gives to its former audience: a change of it waits until somebody who may give points and rewards confirms",
  figures: "Figures",
  late: (time: string) => `are late: they include everything up to ${time}`,
  programme: "The programme",
  retired: "is retired: it takes no new orders",
  service: "The service",
  sandbox: "is a sandbox: nothing here is real; do not connect the till of a restaurant"
})

/** Every English text of the page Finance. Apart from the others: the first page does not load them. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const financeStrings = texts("finance", {
  title: "Finance",
  about:
    "What guests hold, how it came to be, and what it is worth. The day on which something was posted decides its month, also where an order's business day is another one.",
  guide: "How to close a month",
  month: "Month",
  print: "Print",
  printed: (time: string) => `Printed ${time}`,
  states: {
    closed: "closed",
    before: "before the first closed month",
    goes_on: "goes on",
    order: "not closed",
    first: "not closed",
    next: "closed next"
  },
  hints: {
    closed: "This is the statement as it was closed. It never changes: what came later is in the next month.",
    before: "Months are closed in order, and a later one was closed as the first. So this one stays as it is, by date.",
    goes_on: "The month is not over. These are its figures so far.",
    order: "These are the month's figures by date. Months are closed in order: another one comes first.",
    first: "No month was closed yet. The first may be any: from then on months are closed in order.",
    next: "This is the statement as it would be closed now."
  },
  noMonth: (asked: string, month: string) => `${asked} is no month that has begun. This is ${month}.`,
  noStatement: (id: string, month: string) =>
    `${id} has no statement in ${month}: it had no points, or there is none of this id.`,
  toNext: (month: string) => `Go to ${month}`,
  asOf: (time: string) => `Counted up to ${time}.`,
  noWorth:
    "The statement is in points alone, because the programme does not say what a point is worth. Whoever publishes the programme can set it.",
  valueSince: (n: number, points: string, money: string, day: string | undefined) =>
    `${points} ${count(n, "point", "points")} = ${money}${day === undefined ? "" : ` since ${day}`}`,
  noWorthSince: (day: string) => `Points have no worth since ${day}`,
  hadNoWorth: (day: string | undefined) => `they had no worth${day === undefined ? "" : ` since ${day}`}`,
  beforeThat: (told: string) => `before that ${told}`,
  by: "Rows",
  kinds: { unit: "Whole programme", location: "By restaurant", franchisee: "By franchisee" },
  statementOf: (account: string, of: string) => `Statement of ${account}${of === "" ? "" : `, ${of}`}`,
  rowsOf: (account: string, kind: string) => `${account}: ${kind}`,
  brand: "The brand",
  brandHints: {
    location: "Gifts that name no restaurant, points that were moved in, and balances below zero are the brand's.",
    franchisee:
      "Gifts that name no restaurant, points that were moved in, balances below zero, and restaurants without a franchisee are the brand's."
  },
  placeHints: {
    location:
      "Points belong to the restaurant whose orders or gifts made them, wherever they are spent, expire or are taken back. “Redeemed here” is what the restaurant handed out.",
    franchisee:
      "Points belong to whoever had the restaurant on the day they were posted. If a restaurant changes hands, its balance goes with it."
  },
  opens: "Press a name for its statement.",
  total: "Total",
  cents: "The total of worth may differ by cents from that of the whole programme: each row is rounded by itself.",
  noFranchisees:
    "No restaurant has a franchisee, so all is the brand's. On Today, the list of restaurants says whose they are.",
  names: { location: "Restaurant", franchisee: "Franchisee" },
  back: "All rows",
  line: "Line",
  account: "Account",
  points: "Points",
  worth: "Worth",
  currency: "Currency",
  means: "What it means",
  opening: (month: string) => `When ${month} began`,
  openingMeans: "What guests held when the month began. It is the last line of the month before.",
  closing: (month: string) => `When ${month} ended`,
  closingMeans: "What guests hold at the end of the month: the first line and all between.",
  soFar: "Now",
  soFarMeans: "What guests hold now: the first line and all between.",
  lines: {
    late: "Posted late",
    base: "Earned by orders",
    promotions: "Earned by promotions",
    orders_up: "Orders corrected upwards",
    orders_down: "Refunds",
    bonus_credits: "Bonus points given",
    bonus_debits: "Bonus points taken back",
    gift_credits: "Points given",
    gift_debits: "Gifts taken back",
    service_recovery_credits: "Points given as an apology",
    service_recovery_debits: "Apologies taken back",
    correction_credits: "Corrections upwards",
    correction_debits: "Corrections downwards",
    migration_credits: "Moved in from another provider",
    migration_debits: "Moves from another provider, corrected",
    card_resets: "Full stamp cards",
    redeemed: "Redeemed",
    given_back: "Given back",
    expired: "Expired",
    moved: "Moved between guests",
    handed_over: "Came or went with restaurants",
    revalued: "The value of a point changed"
  },
  meanings: {
    late: "Entries of months before that were posted after these were closed. They are here, once, because a closed month never changes.",
    base: "Orders earned them by the programme's rate.",
    promotions: "Promotions gave more on the same orders.",
    orders_up: "Orders were corrected, and earned more.",
    orders_down: "Orders were refunded or corrected, in whole or in part, and earned less.",
    bonus_credits: "People or campaigns gave a bonus.",
    bonus_debits: "Bonus points were taken back.",
    gift_credits: "People or campaigns gave points.",
    gift_debits: "Gifts were taken back.",
    service_recovery_credits: "People gave points because something had gone wrong.",
    service_recovery_debits: "Such points were taken back.",
    correction_credits: "People corrected mistakes, and guests got points.",
    correction_debits: "People corrected mistakes, and guests lost points.",
    migration_credits: "Guests brought them from the system before this one.",
    migration_debits: "Points that guests had brought were taken back.",
    card_resets: "A full stamp card gave its reward, and its stamps ended.",
    redeemed: "Guests paid for rewards with them.",
    given_back: "Rewards were not handed out, and their points returned.",
    expired: "Nobody spent them in time.",
    moved:
      "Merges of guests and moved orders: what one guest lost, another got. It is 0 in sum, unless one lies at the border of two days.",
    handed_over:
      "A restaurant changed hands, and what guests hold from its orders went with it. It is 0 over all rows.",
    revalued:
      "The programme's value of a point changed: what guests held is worth more or less from that day on. No points moved."
  },
  belowZero: "Of it, balances below zero",
  belowZeroMeans:
    "What guests owe: orders were refunded whose points they had spent. It is part of the last line; some books show it apart.",
  redeemedHere: "Redeemed here",
  givenBackHere: "Redeemed here, and given back",
  lateTitle: (account: string) => `${account}: what was posted late`,
  lateHint: "Entries of months before, by their lines.",
  groups: {
    earned: "Earned",
    given: "Given",
    redeemed: "Redeemed",
    expired: "Expired",
    other: "Other",
    handed_over: "Came or went with restaurants"
  },
  groupHints: {
    earned: "“Earned” is what orders and promotions gave, less refunds.",
    given: "“Given” is what people, campaigns and moves from another provider gave, less what of it was taken back.",
    redeemed: "“Redeemed” is what guests spent, less what was given back.",
    other: "“Other” is what was posted late, full stamp cards and moves between guests."
  },
  openingShort: "Began with",
  closingShort: "Ended with",
  rewards: "Rewards in wallets",
  rewardsHint:
    "They stand beside the points. Guests got them free, or took them for points, which are redeemed above. The columns do not add up: those taken for points, expired or cancelled have none.",
  noRewards: "No rewards were in wallets, came into them or left them.",
  reward: "Reward",
  inWallets: "In wallets at the end",
  given: "Given free",
  used: "Used",
  value: "Value of one",
  walletsWorth: "Worth of those in wallets",
  cohorts: "By month of earning",
  cohortsHint: (month: string) =>
    `Points by the month in which they were earned, up to the end of ${month}. Deferred revenue is reckoned from them: the guide has an example.`,
  noCohorts: "No points were earned in these twelve months.",
  earned: "Earned in",
  issued: "Added",
  redeemed: "Redeemed",
  expired: "Expired",
  other: "Refunds and others",
  open: "Open",
  closings: "Closed months",
  noClosings: "None yet.",
  closedAt: "Closed",
  closedBy: "By",
  business: "the business",
  hash: "SHA-256",
  hashHint: "Write it into your books: it proves the statement later.",
  proof: "Proof",
  download: "Download as tables (zip)",
  position: "Place in the journal",
  positionOf: (epoch: string, transaction: string) => `epoch ${epoch}, transaction ${transaction}`,
  head: "SHA-256 of the journal up to there",
  version: "Version of the programme that was in force when it was closed",
  close: (month: string) => `Close ${month}`,
  closeHint:
    "The statement is kept for good, also by restaurant and by franchisee, with the rewards and the place in the journal up to which it counts. It cannot be changed or taken back.",
  closeMissing:
    "If something of the month is missing, nothing is kept and you are told what: points that were due and are not posted, or orders that are not counted yet.",
  closeFirst: "It is the first closed month: those before it can never be closed.",
  kept: (account: string) => `${account} at the end`,
  keptLate: (account: string) => `${account} posted late`,
  told: (month: string) => `${month} is closed.`
})

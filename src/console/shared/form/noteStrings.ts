/**
 * The contract's notes on the fields that forms of a programme have. The key is the contract's, the text is the console's:
 * a translation changes the text. Names in backticks are told as their labels (`inWords`).
 */
import { texts } from "../texts.ts"

export const noteStrings = texts("note", {
  "A published programme, including the parts that tills do not see.":
    "A published programme, including the parts that tills do not see.",
  "The programme's id.": "The programme's id.",
  "Its name, for guests.": "Its name, for guests.",
  "A sentence that describes it.": "A sentence that describes it.",
  "The currency of all its orders and rewards.": "The currency of all its orders and rewards.",
  "How spend earns.": "How spend earns.",
  "The rate at which the primary account earns by spend.": "The rate at which the primary account earns by spend.",
  "The primary account's unit.": "The primary account's unit.",
  "Units that each `spend` earns.": "Units that each `spend` earns.",
  "The eligible spend that earns `amount`.": "The eligible spend that earns `amount`.",
  "Orders with less eligible spend earn nothing by spend.": "Orders with less eligible spend earn nothing by spend.",
  "Only orders of these channels earn by spend.": "Only orders of these channels earn by spend.",
  "Points are rounded down, once for the whole order.": "Points are rounded down, once for the whole order.",
  "Lines and tenders that do not count as eligible spend.": "Lines and tenders that do not count as eligible spend.",
  "Products that earn nothing.": "Products that earn nothing.",
  "Lines with one of these categories earn nothing.": "Lines with one of these categories earn nothing.",
  "Lines with one of these tags earn nothing.": "Lines with one of these tags earn nothing.",
  "Lines of these kinds earn nothing.": "Lines of these kinds earn nothing.",
  "Amounts paid with these tenders, such as `loyalty`, earn nothing; absent: every tender earns.":
    "Amounts paid with these tenders, such as `loyalty`, earn nothing; absent: every tender earns.",
  "By which time an order counts in a tier period: the posting's (default), or its own within `limits.late_order_hours`.":
    "By which time an order counts in a tier period: the posting's (default), or its own within `limits.late_order_hours`.",
  "The accounts that every member has, exactly one of them primary.":
    "The accounts that every member has, exactly one of them primary.",
  "The account's unit; a programme has one account of a unit.":
    "The account's unit; a programme has one account of a unit.",
  "True for exactly one account, the default of requests without a unit.":
    "True for exactly one account, the default of requests without a unit.",
  "The unit's name for guests.": "The unit's name for guests.",
  "How each account earns; absent: the primary by `earning.rate`.":
    "How each account earns; absent: the primary by `earning.rate`.",
  "The account that earns.": "The account that earns.",
  "By eligible spend, or a fixed amount for each order.": "By eligible spend, or a fixed amount for each order.",
  "Points that each `spend`, or each order, earns.": "Points that each `spend`, or each order, earns.",
  "Whether the tier's multiplier applies to this account.": "Whether the tier's multiplier applies to this account.",
  "The eligible spend that earns `amount`; present only for mode `spend`.":
    "The eligible spend that earns `amount`; present only for mode `spend`.",
  "Figures that are counted for each member.": "Figures that are counted for each member.",
  "The metric's id, unique in the programme.": "The metric's id, unique in the programme.",
  "Its name, for operators.": "Its name, for operators.",
  "The unit that it counts.": "The unit that it counts.",
  "The metric's meaning, in a sentence.": "The metric's meaning, in a sentence.",
  "The counted figure: the balance, everything ever earned, or the points that qualify in the tier period.":
    "The counted figure: the balance, everything ever earned, or the points that qualify in the tier period.",
  "The tiers, the lowest with a minimum of 0; may be empty.":
    "The tiers, the lowest with a minimum of 0; may be empty.",
  "The tier's id, unique in the programme.": "The tier's id, unique in the programme.",
  "The metric that decides who is in the tier; all tiers share one.":
    "The metric that decides who is in the tier; all tiers share one.",
  "The metric's amount from which a member is in the tier; 0 for the lowest.":
    "The metric's amount from which a member is in the tier; 0 for the lowest.",
  "Benefits of the tier besides points.": "Benefits of the tier besides points.",
  "The benefit's id.": "The benefit's id.",
  "The programme's own data about the benefit.": "The programme's own data about the benefit.",
  "Multiplies what members of the tier earn, in basis points; absent: 10,000, once.":
    "Multiplies what members of the tier earn, in per cent; absent: 100, once.",
  "When tiers are reset; absent: never.": "When tiers are reset; absent: never.",
  "The metric that is counted within a period.": "The metric that is counted within a period.",
  "When a period starts. Then metric and tier are reset; balances are not.":
    "When a period starts. Then metric and tier are reset; balances are not.",
  "Periods last a year.": "Periods last a year.",
  "Month in which a period starts.": "Month in which a period starts, 1 to 12.",
  "Day of that month; 29 February is 1 March in other years.":
    "Day of that month; 29 February is 1 March in other years.",
  "IANA time zone in which that day begins.": "IANA time zone in which that day begins.",
  "Entries before this date, in the period's zone, do not count.":
    "Entries before this date, in the period's zone, do not count.",
  "How long a tier lasts that a period's figures reach: until its end, or through the following one; absent: `period`.":
    "How long a tier lasts that a period's figures reach: until its end, or through the following one; absent: `period`.",
  "When lots of `points` and `credits` expire; absent: never.":
    "When lots of `points` and `credits` expire; absent: never.",
  "Each lot expires on its own, counted from when it was earned; or those of an account together, from its last accrual.":
    "Each lot expires on its own, counted from when it was earned; or those of an account together, from its last accrual.",
  "Days after which they expire, of 24 hours if `at` is `instant`. Either these or `months`.":
    "Days after which they expire, of 24 hours if `at` is `instant`. Either these or `months`.",
  "Months after which they expire, on the same day or the month's last.":
    "Months after which they expire, on the same day or the month's last.",
  "At that instant, or when its day, month or year in the programme's zone is over; for `after_earned` alone; absent: `instant`.":
    "At that instant, or when its day, month or year in the programme's zone is over; for `after_earned` alone; absent: `instant`.",
  "How many days before that a warning is due, each less than the shortest life.":
    "How many days before that a warning is due, each less than the shortest life.",
  "The rewards that members can redeem.": "The rewards that members can redeem.",
  "The reward's id, unique in the programme.": "The reward's id, unique in the programme.",
  "The cost, from the member's account.": "The cost, from the member's account.",
  "The account's unit.": "The account's unit.",
  "A whole number of that unit.": "A whole number of that unit.",
  "The effect on the order.": "The effect on the order.",
  "Money off the order or a line.": "Money off the order or a line.",
  "Whether the discount is on the order or on lines.": "Whether the discount is on the order or on lines.",
  "The discount of the guest, not negative.": "The discount of the guest, not negative.",
  "How the discount is spread, at least one part.": "How the discount is spread, at least one part.",
  "The line of this part; absent: the whole order.": "The line of this part; absent: the whole order.",
  "This part of the discount, not negative; the parts add up to the discount's amount.":
    "This part of the discount, not negative; the parts add up to the discount's amount.",
  "Items that cost the guest nothing.": "Items that cost the guest nothing.",
  "Products that qualify; the caller picks one of them or of the categories.":
    "Products that qualify; the caller picks one of them or of the categories.",
  "Categories that qualify.": "Categories that qualify.",
  "Most free items.": "Most free items, at least 1.",
  "Highest total value of the free items; the reward's value for funding.":
    "Highest total value of the free items; the reward's value for funding.",
  "An effect that only the caller's system interprets.": "An effect that only the caller's system interprets.",
  "The caller's name for the effect.": "The caller's name for the effect.",
  "Any JSON for the caller's system, returned unchanged.": "Any JSON for the caller's system, returned unchanged.",
  "Who pays for it.": "Who pays for it.",
  "The party that pays.": "The party that pays.",
  "The kind of party.": "The kind of party.",
  "Its share in basis points; a reward's shares total 10,000.": "Its share; a reward's shares total 100 per cent.",
  "Its part of the reward's value, not negative; absent for a `custom` effect, which has no value.":
    "Its part of the reward's value, not negative; absent for a `custom` effect, which has no value.",
  "Address of a picture, https.": "Address of a picture, https.",
  "The first instant at which it can be reserved.": "The first instant at which it can be reserved.",
  "The last instant at which it can be reserved.": "The last instant at which it can be reserved.",
  "The programme's own data about the reward.": "The programme's own data about the reward.",
  "The programme's own data.": "The programme's own data.",
  "The country of the programme's guests (ISO 3166), with which an import reads telephone numbers without one; absent: they need one.":
    "The guests' country as two letters, such as DE. An import reads telephone numbers without a country code with it.",
  "True: a rehearsal, in which guests are told nothing: no warnings, and connectors and campaigns rest; absent: it is none.":
    "In a rehearsal guests are told nothing: no warnings, and connectors and campaigns rest.",
  "IANA time zone of the programme's days, weeks and months; absent: the zone of `tier_policy`, else UTC.":
    "IANA time zone of the programme's days, weeks and months; absent: the zone of `tier_policy`, else UTC.",
  "How long reservations and evaluations last, and how much an order can use.":
    "How long reservations and evaluations last, and how much an order can use.",
  "Seconds that a reservation holds; absent: 120.": "Seconds that a reservation holds; absent: 120.",
  "Seconds that an evaluation is shown as valid; absent: 300.":
    "Seconds that an evaluation is shown as valid; absent: 300.",
  "Most rewards that a member can use on an order; absent: no limit.":
    "Most rewards that a member can use on an order; absent: no limit.",
  "Age in hours up to which an order counts by its `placed_at`; older ones and pre-orders by the service's clock. Absent: 72.":
    "Age in hours up to which an order counts by its `placed_at`; older ones and pre-orders by the service's clock. Absent: 72.",
  "Most that an order earns on an account, promotions included; absent: no limit.":
    "Most that an order earns on an account, promotions included; absent: no limit.",
  "Orders of a member that earn in a day of the programme's zone; absent: no limit.":
    "Orders of a member that earn in a day of the programme's zone; absent: no limit.",
  "Larger orders are refused with `invalid_order`; absent: no limit.":
    "Larger orders are refused with `invalid_order`; absent: no limit.",
  "What points of the primary account are worth in money, for figures alone; absent: figures tell no money of points.":
    "What points of the primary account are worth in money, for figures alone; absent: figures tell no money of points.",
  "So many points.": "So many points, 1 to 1,000,000.",
  "What they are worth, above 0, in the programme's currency.":
    "What they are worth, above 0, in the programme's currency.",
  "Orders without a guest are kept, so that a guest can claim them; absent: they are not kept.":
    "Orders without a guest are kept, so that a guest can claim them; absent: they are not kept.",
  "Days for which an order without a guest can be claimed; absent: 14.":
    "Days for which an order without a guest can be claimed; absent: 14.",
  "Most orders that a member can claim in a day of the programme's zone: staff may collect receipts; absent: 2.":
    "Most orders that a member can claim in a day of the programme's zone: staff may collect receipts; absent: 2.",
  "Address of the page where guests enter codes, `https`; the code follows behind `#`; absent: orders have a code alone.":
    "Address of the page where guests enter codes, `https`; the code follows behind `#`; absent: orders have a code alone.",
  "Guests have a page of their own, `/my/{program_id}`; absent: they have none.":
    "Guests have a page of their own; absent: they have none.",
  "The page's name, which guests read, 1 to 60 characters.": "The page's name, which guests read, 1 to 60 characters.",
  "The programme's colour, `#rrggbb`. The page writes on it in black or white, and with it only where it can be read.":
    "The programme's colour, such as #1a7f5a. The page writes on it in black or white, and with it only where it can be read.",
  "The languages that guests can choose; the first is for those whose own is not there.":
    "The languages that guests can choose; the first is for those whose own is not there.",
  "Pages that it leads to, such as menu, imprint and privacy; at most 5.":
    "Pages that it leads to, such as menu, imprint and privacy; at most 5.",
  "Most codes to telephones in a day of the programme's zone: each one costs money; absent: 500.":
    "Most codes to telephones in a day of the programme's zone: each one costs money; absent: 500.",
  "What guests read, 1 to 40 characters.": "What guests read, 1 to 40 characters.",
  "Where it leads, `https`.": "Where it leads, https.",
  "Rules for all redemptions; absent: none.": "Rules for all redemptions; absent: none.",
  "With less available on the primary account, no reward that costs its units can be reserved; absent: 0.":
    "With less available on the primary account, no reward that costs its units can be reserved; absent: 0.",
  "Guests pay part of an order with points; absent: each reward is reserved once at a time.":
    "Guests pay part of an order with points; absent: each reward is reserved once at a time.",
  "The discount that can be reserved several times at once.":
    "The discount that can be reserved several times at once.",
  "The most that it takes off an order's total, in basis points.":
    "The most that it takes off an order's total, in per cent.",
  "What orders earn beside the base, at most 100.": "What orders earn beside the base, at most 100.",
  "The promotion's id, unique in the programme.": "The promotion's id, unique in the programme.",
  "A sentence that describes it, for guests.": "A sentence that describes it, for guests.",
  "False: it gives nothing, and keeps its counts; absent: true.":
    "False: it gives nothing, and keeps its counts; absent: true.",
  "What it gives: exactly one of `multiply_bps`, `add` and `add_per_item`.":
    "What it gives: exactly one of `multiply_bps`, `add` and `add_per_item`.",
  "Base points by this factor, in basis points: 20,000 is double.":
    "Base points by this factor, in per cent: 200 is double.",
  "Points once an order.": "Points once an order.",
  "Points for each whole unit of quantity of the lines that count; without `on`, of all eligible lines.":
    "Points for each whole unit of quantity of the lines that count; without `on`, of all eligible lines.",
  "The account that gets it; absent: the primary one.": "The account that gets it; absent: the primary one.",
  "Whether the tier's multiplier applies to `add` and `add_per_item`; absent: false. `multiply_bps` multiplies the base, which has it.":
    "Whether the tier's multiplier applies to `add` and `add_per_item`; absent: false. `multiply_bps` multiplies the base, which has it.",
  "When the order is placed; all given parts must hold. Absent: always.":
    "When the order is placed; all given parts must hold. Absent: always.",
  "The first instant; a date is its first instant.": "The first instant; a date is its first instant.",
  "The end, which is not part of it; a date counts whole.": "The end, which is not part of it; a date counts whole.",
  "Windows of each week; one of them must hold.": "Windows of each week; one of them must hold.",
  "The days on which the window begins.": "The days on which the window begins.",
  "The first minute.": "The first minute.",
  "The end, which is not part of it; earlier than `from`: the window goes past midnight.":
    "The end, which is not part of it; earlier than `from`: the window goes past midnight.",
  "The days; one of them must hold. A window past midnight is of its first day.":
    "The days; one of them must hold. A window past midnight is of its first day.",
  "Where and how it is placed. Absent: everywhere.": "Where and how it is placed. Absent: everywhere.",
  "Only orders of these locations.": "Only orders of these locations.",
  "An id in the spelling of its own system.": "An id in the spelling of its own system.",
  "Only orders of these channels.": "Only orders of these channels.",
  "Only these lines count, if they are eligible. Absent: all eligible lines.":
    "Only these lines count, if they are eligible. Absent: all eligible lines.",
  "Lines with one of these products.": "Lines with one of these products.",
  "Lines with one of these categories.": "Lines with one of these categories.",
  "Lines with one of these tags.": "Lines with one of these tags.",
  "Which members. Absent: all.": "Which members. Absent: all.",
  "Members of these tiers.": "Members of these tiers.",
  "Opaque and stable within the owning system.": "Opaque and stable within the owning system.",
  "Only an order that earns by the base, with none of the member before it that did so and is not closed.":
    "Only a guest's first order that earns and is not closed.",
  "Members who joined at most so many days ago.": "Members who joined at most so many days ago.",
  "The spend of the lines that count, at least.": "The spend of the lines that count, at least.",
  "How often it gives.": "How often it gives.",
  "How often a member gets it.": "How often a member gets it.",
  "Most orders of a member that it gives to.": "Most orders of a member that it gives to.",
  "In which time: a day, week (from Monday) or month of the programme's zone, or ever.":
    "In which time: a day, week (from Monday) or month of the programme's zone, or ever.",
  "What members can complete for a reward, at most 10.": "What members can complete for a reward, at most 10.",
  "The challenge's id, unique in the programme.": "The challenge's id, unique in the programme.",
  "False: nothing counts and nothing is given; progress stays. Absent: true.":
    "False: nothing counts and nothing is given; progress stays. Absent: true.",
  "What is counted, and how much fills it.": "What is counted, and how much fills it.",
  "So many orders.": "So many orders.",
  "Orders on so many days of a week, at most 7, or of a month.":
    "Orders on so many days of a week, at most 7, or of a month.",
  "So many whole units of the lines in `on`.": "So many whole units of the lines in `on`.",
  "So much spend of the lines that count, in minor units.": "So much spend of the lines that count, in minor units.",
  "An order in each of so many weeks in a row.": "An order in each of so many weeks in a row.",
  "It starts anew each week (from Monday), month or year of the programme's zone. Absent: it never does.":
    "It starts anew each week (from Monday), month or year of the programme's zone. Absent: it never does.",
  "Where and how the order is placed. Absent: everywhere.": "Where and how the order is placed. Absent: everywhere.",
  "An order counts from this spend of the lines that count.":
    "An order counts from this spend of the lines that count.",
  "True: it completes as often as it fills. Absent: once in its time.":
    "True: it completes as often as it fills. Absent: once in its time.",
  "What a member gets who completes it.": "What a member gets who completes it.",
  "The reward that is issued.": "The reward that is issued.",
  "Seconds until the issued reward expires; absent: never.": "Seconds until the issued reward expires; absent: never.",
  "`best` (default): on an account the one promotion that gives most; `all`: each of them.":
    "`best` (default): on an account the one promotion that gives most; `all`: each of them.",
  "Issues a reward for each full card; absent: there is no card.":
    "Issues a reward for each full card; absent: there is no card.",
  "The account whose credits fill the card.": "The account whose credits fill the card.",
  "Credits of a full card.": "Credits of a full card.",
  "The reward that each full card issues.": "The reward that each full card issues.",
  "True: an adjustment of −`threshold` follows each full card.":
    "True: an adjustment of −`threshold` follows each full card."
})

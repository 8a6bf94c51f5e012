/**
 * The service's words on a value that it refuses, and those that people read. `{1}` and `{2}` stand for what differs from
 * case to case. The key is the service's, the text is the console's: a translation changes the text. Messages that are not
 * here are told as they are (`faults.ts`).
 */
import { texts } from "../texts.ts"

export const faultStrings = texts("fault", {
  "archived months of this range take too long to read: ask for a shorter range":
    "Archived months of this range take too long to read. Choose a shorter one.",
  "is an account that earns by spend: one large order fills the card several times":
    "is an account that earns by spend: one large order fills the card several times",
  "must be {1}, to confirm: an order of {2} items for {3} minor units may give {1} rewards":
    "One order may give {1} rewards, which must be confirmed",
  "is allowed only with mode spend": "is allowed only with mode spend",
  "is allowed only with type after_earned": "is allowed only with type after_earned",
  "is not a known property": "is not a known property",
  "is not allowed as a key": "is not allowed as a key",
  "is not allowed as a name": "is not allowed as a name",
  "is not allowed with multiply_bps, which multiplies the base with its multiplier":
    "is not allowed with multiply_bps, which multiplies the base with its multiplier",
  "is not allowed with weeks_in_a_row, which go on over months and years":
    "is not allowed with weeks_in_a_row, which go on over months and years",
  "is required": "is required",
  "is required on a modifier that lowers the price": "is required on a modifier that lowers the price",
  "is required with items: say which lines are counted": "is required with items: say which lines are counted",
  "is required with mode spend": "is required with mode spend",
  "is required, unless there is an order_id": "is required, unless there is an order",
  "is required, unless there is an identity": "is required, unless there is an identity",
  "is required if `external_id` is absent": "is required, unless there is an external id",
  "is required with `to: referrer`": "is required for what goes to the referrer",
  "is required without `trigger`": "is required, unless an event starts it",
  "is required, or `reward_id`": "is required, or a reward",
  "must add up to the effect's amount": "must add up to the effect's amount",
  "must be 0 on a modifier that lowers the price": "must be 0 on a modifier that lowers the price",
  "must be six digits": "must be six digits",
  "must be 0 on the lowest tier": "must be 0 on the lowest tier",
  "must be 1 to 128 printable characters": "must be 1 to 128 printable characters",
  "must be 1 to 128 printable characters, and neither begin nor end with a blank":
    "must be 1 to 128 printable characters, and neither begin nor end with a blank",
  "must be a SHA-256 in 64 lower-case hex digits": "must be a SHA-256 in 64 lower-case hex digits",
  "must be a colour such as #1a7f5a": "must be a colour such as #1a7f5a",
  "must be a picture in base64": "must be a picture in base64",
  "must be a PNG of at most {1} bytes and {2} pixels a side":
    "must be a PNG of at most {1} bytes and {2} pixels a side",
  "must be a count": "must be a count",
  "must be a country of ISO 3166 in two capital letters": "must be a country in two capital letters",
  "must be a cron of five fields, such as `0 9 * * 1`": "must be a cron of five fields, such as `0 9 * * 1`",
  "must be a currency code of three capital letters": "must be a currency code of three capital letters",
  "must be a date (2026-11-01), a time in the programme's zone (2026-11-01T08:00) or a timestamp (2026-11-01T07:00:00Z)":
    "must be a date (2026-11-01), a time in the programme's zone (2026-11-01T08:00) or a timestamp (2026-11-01T07:00:00Z)",
  "must be a number": "must be a number",
  "must be a number above 0 with at most 6 decimals": "must be a number above 0 with at most 6 decimals",
  "must be a number that fits a double": "must be a smaller number",
  "must be a real RFC 3339 date-time such as 2026-07-14T10:00:00Z":
    "must be a date and a time, such as 2026-07-14T10:00:00Z",
  "must be a real date, YYYY-MM-DD": "must be a date, such as 2026-07-14",
  "must be a month, YYYY-MM": "must be a month, such as 2026-07",
  "must be a share in basis points": "must be a share in per cent",
  'must be a status such as "422", or a class such as "4xx"':
    'must be a status such as "422", or a class such as "4xx"',
  "must be a string": "must be a text",
  "must be a telephone number such as +493012345678": "must be a telephone number such as +493012345678",
  "must be a text of at most {1} characters, a number, true or false":
    "must be a text of at most {1} characters, a number, true or false",
  "must be a time from 00:00 to {1}": "must be a time from 00:00 to {1}",
  "must be a whole number": "must be a whole number",
  "must be a whole number between -(2^53 - 1) and 2^53 - 1": "must be a whole number of at most 15 digits",
  "must be a whole number from 0": "must be a whole number from 0",
  "must be a whole number from 0 on": "must be a whole number from 0 on",
  "must be a whole number from 1": "must be a whole number from 1",
  "must be a whole number from {1} to {2}": "must be a whole number from {1} to {2}",
  "must be a whole number of at least {1}": "must be a whole number of at least {1}",
  "must be a whole number of days from 1 to {1}": "must be a whole number of days from 1 to {1}",
  "must be shorter: the order id would have over 128 characters": "must be shorter",
  "must not be negative, nor that of a product": "must not be negative, nor that of a product",
  "must not cost more than the amount of the receipt": "must not cost more than the amount of the receipt",
  "must be absent, because the effect has no value": "must be absent, because the effect has no value",
  "must be after from": "must be after from",
  "must be after it starts": "must be after it starts",
  "is required, unless there is an order_id or a member_id; only one of them":
    "is required, unless there is an order or a guest; only one of them",
  "must be after the day of the entry before it": "must be after the day of the entry before it",
  "must be an HTTP status": "must be an HTTP status",
  "must be an IANA time zone such as Europe/Berlin": "must be an IANA time zone such as Europe/Berlin",
  "must be a country of ISO 3166, such as DE": "must be a country as two letters, such as DE",
  "must be an ISO 8601 duration such as P30D, P1M or PT12H":
    "must be a duration, such as P30D for 30 days, P1M for a month or PT12H for 12 hours",
  "must be an array": "must be a list",
  "must be an e-mail address": "must be an e-mail address",
  "must be an error status": "must be an error status",
  "must be an https URL without `#`, such as https://example.com/points":
    "must be an https address without #, such as https://example.com/points",
  "must be an https URL, such as https://example.com/gyoza.jpg":
    "must be an https URL, such as https://example.com/gyoza.jpg",
  "must be an https URL, such as https://example.com/menu":
    "must be an https address, such as https://example.com/menu",
  "must be an identifier: 1 to 128 of A-Z a-z 0-9 . _ : -, the first a letter or digit":
    "must be an identifier: 1 to 128 of A-Z a-z 0-9 . _ : -, the first a letter or digit",
  "must be an object": "must have parts with names",
  "must be another kind of value": "must be another kind of value",
  "must be at least 1 and less than {1}": "must be at least 1 and less than {1}",
  "must be at least {1}": "must be at least {1}",
  "must be null": "must be null",
  "must be one of {1}": "must be one of {1}",
  "must be one of `issue_reward` and `credit`": "must be either a reward or points",
  "must be given, or `member_ids`, and not both": "must be rules or a list of members, and not both",
  "must be the same as {1}": "must be the same as {1}",
  "must be `member` with `to: referrer`": "must be once ever for what goes to the referrer",
  "must be `order.accrued` with `to: referrer`": "must be an order for what goes to the referrer",
  "must come with `action.credit`": "must come with points",
  "must come with `on: member.enrolled`": "must come with joining",
  "must come with `on: order.accrued`": "must come with orders",
  "must come with `on: tier.changed`": "must come with a change of tier",
  "must be some of {1}, separated by commas": "must be some of {1}, separated by commas",
  "must be the id of another line of the order": "must be the id of another line of the order",
  "must be the primary account's unit": "must be the primary account's unit",
  "must be the same metric for all tiers and the tier policy":
    "must be the same metric for all tiers and the tier policy",
  "must be the text_version of the page": "must be the version that the page tells",
  "must be the unit of one of the accounts": "must be the unit of one of the accounts",
  "must be true for only one account": "must be true for only one account",
  "must be true or false": "must be true or false",
  "must be types of capabilities, separated by commas": "must be types of capabilities, separated by commas",
  "must be unique": "must be unique",
  "must be unique in the order": "must be unique in the order",
  "must be week or month, because days are counted": "must be week or month, because days are counted",
  "must be well-formed Unicode without NUL": "must be a text without broken characters",
  "must be whsec_ and {1} to {2} bytes in base64": "must be whsec_ and {1} to {2} bytes in base64",
  "must be {1}": "must be {1}",
  "must be {1} to {2}": "must be {1} to {2}",
  "must be {1} {2}, the share's amount, or absent": "must be {1} {2}, the share's amount, or absent",
  "must be {1}, as programme {2} is": "must be {1}, as programme {2} is",
  "must be {1}, as the total is": "must be {1}, as the total is",
  "must be {1}, the programme's currency": "must be {1}, the programme's currency",
  "must equal the amount of earning.rate, because this is the primary account":
    "must equal the amount of earning.rate, because this is the primary account",
  "must equal the spend of earning.rate, because this is the primary account":
    "must equal the spend of earning.rate, because this is the primary account",
  "must have 1 to {1} attributes": "must have 1 to {1} attributes",
  "must have `at_least` or `at_most`": "must have `at_least` or `at_most`",
  "must have a primary account": "must have a primary account",
  "must have an occurrence": "must have an occurrence",
  "must have at least 1 item": "must have at least 1 item",
  "must have at least 1 item if the guest has no id": "must have at least 1 item if the guest has no id",
  "must have at least one rule": "must have at least one rule",
  "must have at most {1} bytes": "must have at most {1} bytes",
  "must have at most {1} characters": "must have at most {1} characters",
  "must have at most {1} items": "must have at most {1} items",
  "must have either `equals` or `in`": "must have either `equals` or `in`",
  "must have either days or months": "must have either days or months",
  "must have exactly one of {1}": "must have exactly one of {1}",
  "must have product_ids, category_ids or tags; leave it out for all lines":
    "must have product_ids, category_ids or tags; leave it out for all lines",
  "must have {1} to {2} characters": "must have {1} to {2} characters",
  "must keep the {1} account: members have balances or holds on it":
    "must keep the {1} account: members have balances or holds on it",
  "must keep {1} as the primary account": "must keep {1} as the primary account",
  "must keep {1}: an active campaign grants it": "must keep {1}: an active campaign grants it",
  "must keep {1}: members still have it in their wallets": "must keep {1}: members still have it in their wallets",
  "must keep {1}: open reservations hold it": "must keep {1}: open reservations hold it",
  "must name a reward that has a cost and a discount above 0":
    "must name a reward that has a cost and a discount above 0",
  "must name one of the metrics": "must name one of the metrics",
  "must name one of the rewards": "must name one of the rewards",
  "must name one of the tiers": "must name one of the tiers",
  "must not be 0": "must not be 0",
  "must not be a name that the service uses for itself": "must not be a name that the service uses for itself",
  "must not be before available_from": "must not be before available_from",
  "must be true, to confirm: another order may be the same one": "look first whether it is another order",
  "must not be beside claim_code": "must not be beside a code",
  "must not be beside member_id": "must not be beside member_id",
  "must not come with `action.credit`": "must not come with points",
  "must not come with `trigger`": "must not come with an event that starts it",
  "must be one line": "must be one line",
  "must not be blank": "must not be blank",
  "must not be negative": "must not be negative",
  "must not be nested deeper than {1} levels": "must not be nested deeper than {1} levels",
  "must not be the time at which the window begins": "must not be the time at which the window begins",
  "must not become easier to reach while the automation {1} is active, which gives for it: pause it, and who resumes it is counted":
    "must not become easier to reach while the automation {1} is active, which gives for it: pause it, and who resumes it is counted",
  "must not be {1}, a word of the operators' API": "must not be {1}, which the service uses itself",
  "must not be added while the campaign {1} is active, which credits them: pause it, and who resumes it is counted":
    "must not be added while the campaign {1} is active, which credits them: pause it, and who resumes it is counted",
  "must not be of another account while the campaign {1} is active, which credits them: pause it, and who resumes it is counted":
    "must not be of another account while the campaign {1} is active, which credits them: pause it, and who resumes it is counted",
  "must not fill with fewer stamps while the campaign {1} is active, which credits them: pause it, and who resumes it is counted":
    "must not fill with fewer stamps while the campaign {1} is active, which credits them: pause it, and who resumes it is counted",
  "must not lead back to its own line": "must not lead back to its own line",
  "must not repeat an item": "must not repeat an item",
  "must stay {1}, the currency in force": "must stay {1}, the currency in force",
  "needs an account that earns by spend; use add or add_per_item":
    "needs an account that earns by spend; use add or add_per_item"
})

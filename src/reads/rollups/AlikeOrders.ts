/** Which orders of a restaurant's day may be a receipt's, in SQL (contract/operators.md *A missing receipt*). */

/** Of orders whose amounts are equal, those that accrued so near the time on the receipt may be it, ms. */
const nearMs = 10 * 60_000

/** SQL of a pattern of ids that end in a receipt's number, whatever zeros are before it. `number`: SQL of the number. */
export const endingOf = (number: string): string =>
  `'(^|[^[:alnum:]])0*' || regexp_replace(regexp_replace(${number}, '^0+(?=.)', ''), '([^[:alnum:]])', '\\\\\\1', 'g') || '$'`

/** SQL, of a row `order` of rollup_orders and a receipt. `at`: when its order was placed, ms. */
export const condition = (of: {
  readonly order: string
  readonly ending: string
  readonly amount: string
  readonly at: string
}): string =>
  `(${of.order}.order_id ~* (${of.ending}) OR (${of.order}.accrued = ${of.amount} AND abs(${of.order}.at - ${of.at}) <= ${nearMs}))`

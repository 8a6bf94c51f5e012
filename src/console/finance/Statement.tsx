/** A statement in words: each line with its points, their worth and what it means. */
import type { Balance, Line, Row } from "../../contract/admin/Finance.ts"
import { money, number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames } from "../shared/program.tsx"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { financeStrings as text } from "./financeStrings.ts"
import { monthName } from "./months.ts"

interface Shown extends Balance {
  readonly name: string
  readonly means: string
}

const shownLine = ({ line, ...amount }: Line): Shown => ({
  ...amount,
  name: text.lines[line],
  means: text.meanings[line]
})

const linesOf = (row: Row, month: string, isOver: boolean): ReadonlyArray<Shown> => [
  { ...row.opening, name: text.opening(monthName(month)), means: text.openingMeans },
  ...row.lines.map(shownLine),
  {
    ...row.closing,
    name: isOver ? text.closing(monthName(month)) : text.soFar,
    means: isOver ? text.closingMeans : text.soFarMeans
  }
]

/** Figures beside a balance, if there are any. */
const besideOf = (row: Row): ReadonlyArray<Shown> =>
  [
    {
      points: row.below_zero,
      ...(row.below_zero_worth === undefined ? undefined : { worth: row.below_zero_worth }),
      name: text.belowZero,
      means: text.belowZeroMeans
    },
    ...(row.location_id === undefined && row.franchisee_id === undefined
      ? []
      : [
          { points: row.redeemed_here, name: text.redeemedHere, means: text.placeHints.location },
          { points: row.given_back_here, name: text.givenBackHere, means: text.meanings.given_back }
        ])
  ].filter(({ points }) => points !== 0)

const Lines = ({ label, lines }: { readonly label: string; readonly lines: ReadonlyArray<Shown> }) => (
  <Listing
    label={label}
    minWidth={560}
    rows={lines}
    keyOf={({ name }) => name}
    columns={[
      { label: text.line, width: 220, cell: ({ name }) => name },
      { label: text.points, width: 120, isNumber: true, cell: ({ points }) => number(points) },
      ...(lines.some(({ worth }) => worth !== undefined)
        ? [
            {
              label: text.worth,
              width: 130,
              isNumber: true,
              cell: ({ worth }: Shown) => (worth === undefined ? undefined : money(worth))
            }
          ]
        : []),
      { label: text.means, isLong: true, cell: ({ means }) => <Note>{means}</Note> }
    ]}
  />
)

export const Statement = (props: {
  readonly row: Row
  readonly month: string
  /** Name of the restaurant or franchisee; empty: the whole programme. */
  readonly of: string
  readonly isOver: boolean
}) => {
  const { isOver, month, of, row } = props
  const account = useNames().unit(row.unit)
  const title = text.statementOf(account, of)
  const lines = linesOf(row, month, isOver)
  const beside = besideOf(row)
  return (
    <Panel
      title={title}
      actions={
        <SaveFigures
          title={title}
          file={`${month} ${title}`}
          rows={() => [
            [text.line, text.points, text.worth, text.currency],
            ...[...lines, ...beside].map(({ name, points, worth }) => [name, points, worth, worth?.currency])
          ]}
        />
      }
    >
      <Lines label={title} lines={lines} />
      {beside.length === 0 ? undefined : <Lines label={`${title}, ${text.belowZero}`} lines={beside} />}
      {row.late === undefined ? undefined : (
        <>
          <Note mt="sm">{text.lateHint}</Note>
          <Lines label={text.lateTitle(title)} lines={row.late.map(shownLine)} />
        </>
      )}
    </Panel>
  )
}

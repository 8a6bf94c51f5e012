/** The statements of restaurants or franchisees side by side; one of them in full, where its name is pressed. */
import type { Row } from "../../contract/admin/Finance.ts"
import { money, number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { useLocationName } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames } from "../shared/program.tsx"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import type { FinanceSearch } from "./financeSearch.ts"
import { financeStrings as text } from "./financeStrings.ts"
import { groupedPoints, groups } from "./lines.ts"
import { monthName } from "./months.ts"
import { useIsOnPaper } from "./paper.ts"
import { Statement } from "./Statement.tsx"

type PlaceKind = NonNullable<FinanceSearch["by"]>

/** The id of a row's restaurant or franchisee; empty: the brand. */
const idOf = ({ franchisee_id = "", location_id = franchisee_id }: Row): string => location_id

/** Rows shown at first on a screen. */
const step = 50

const usePlaceName = (by: PlaceKind): ((row: Row) => string) => {
  const nameOf = useLocationName()
  return (row) => {
    const id = idOf(row)
    if (id === "") return text.brand
    return by === "location" ? nameOf(id) : id
  }
}

/** A column of points, the same on the page and in its files. */
interface Points {
  readonly label: string
  readonly of: (row: Row) => number
  /** True: left out if no row has any. */
  readonly isSeldom?: boolean
}

const before: ReadonlyArray<Points> = [
  { label: text.openingShort, of: ({ opening }) => opening.points },
  ...groups.map((group) => ({
    label: text.groups[group],
    of: (row: Row) => groupedPoints(row)[group],
    isSeldom: group === "handed_over"
  })),
  { label: text.closingShort, of: ({ closing }) => closing.points }
]

const here: ReadonlyArray<Points> = [
  { label: text.redeemedHere, of: ({ redeemed_here }) => redeemed_here },
  { label: text.givenBackHere, of: ({ given_back_here }) => given_back_here, isSeldom: true }
]

/** The worth of all rows; undefined: none has any. */
const worthOf = (rows: ReadonlyArray<Row>) => {
  const all = rows.flatMap(({ closing: { worth } }) => (worth === undefined ? [] : [worth]))
  return all[0] && { ...all[0], amount: all.reduce((sum, { amount }) => sum + amount, 0) }
}

const Account = (props: {
  readonly by: PlaceKind
  readonly month: string
  readonly rows: ReadonlyArray<Row>
  readonly unit: string
}) => {
  const { by, month, rows, unit } = props
  const nameOf = usePlaceName(by)
  const title = text.rowsOf(useNames().unit(unit), text.kinds[by])
  const isOnPaper = useIsOnPaper()
  const worth = worthOf(rows)
  const present = (all: ReadonlyArray<Points>) =>
    all.filter(({ isSeldom, of }) => isSeldom !== true || rows.some((row) => of(row) !== 0))
  const [left, right] = [present(before), present(here)]
  const sumOf = ({ of }: Pick<Points, "of">): number => rows.reduce((sum, row) => sum + of(row), 0)
  const shown = ({ label, of }: Points) => ({
    label,
    isNumber: true,
    by: of,
    cell: (row: Row) => number(of(row)),
    total: number(sumOf({ of }))
  })
  const line = (name: string, sum: typeof worth, pointsOf: (column: Points) => number) => [
    ...[name, ...left.map(pointsOf)],
    ...[...(worth === undefined ? [] : [sum, sum?.currency]), ...right.map(pointsOf)]
  ]
  const cells = () => [
    [
      ...[text.names[by], ...left.map(({ label }) => label)],
      ...[...(worth === undefined ? [] : [text.worth, text.currency]), ...right.map(({ label }) => label)]
    ],
    ...rows.map((row) => line(nameOf(row), row.closing.worth, ({ of }) => of(row))),
    line(text.total, worth, sumOf)
  ]
  return (
    <Panel title={title} actions={<SaveFigures title={title} file={`${month} ${title}`} rows={cells} />}>
      <Listing
        label={title}
        minWidth={260 + 90 * (left.length + right.length)}
        rows={rows}
        step={isOnPaper ? rows.length : step}
        keyOf={idOf}
        columns={[
          {
            label: text.names[by],
            by: nameOf,
            cell: (row) => (
              <PageLink to="/finance" search={{ month, by, of: idOf(row) }} underline="always">
                <bdi>{nameOf(row)}</bdi>
              </PageLink>
            ),
            total: text.total
          },
          ...left.map(shown),
          ...(worth === undefined
            ? []
            : [
                {
                  label: text.worth,
                  isNumber: true,
                  by: ({ closing }: Row) => closing.worth?.amount,
                  cell: ({ closing }: Row) => (closing.worth === undefined ? undefined : money(closing.worth)),
                  total: money(worth)
                }
              ]),
          ...right.map(shown)
        ]}
      />
      {worth === undefined || rows.length < 2 ? undefined : <Note mt="xs">{text.cents}</Note>}
    </Panel>
  )
}

export const Places = (props: {
  readonly by: PlaceKind
  readonly isOver: boolean
  readonly month: string
  readonly of: string | undefined
  readonly rows: ReadonlyArray<Row>
}) => {
  const { by, isOver, month, of, rows } = props
  const nameOf = usePlaceName(by)
  const byUnit = [...Map.groupBy(rows, ({ unit }) => unit)]
  if (of !== undefined) {
    const own = rows.filter((row) => idOf(row) === of)
    return (
      <>
        <PageLink to="/finance" search={{ month, by }} className="screen">
          {text.back}
        </PageLink>
        {own.length === 0 ? <Note>{text.noStatement(of === "" ? text.brand : of, monthName(month))}</Note> : undefined}
        {own.map((row) => (
          <Statement key={row.unit} row={row} month={month} isOver={isOver} of={nameOf(row)} />
        ))}
      </>
    )
  }
  return (
    <>
      <Note>
        {`${text.placeHints[by]} ${text.brandHints[by]} `}
        <span className="screen">{text.opens}</span>
      </Note>
      {by === "franchisee" && rows.every((row) => idOf(row) === "") ? <Note>{text.noFranchisees}</Note> : undefined}
      {byUnit.map(([unit, own]) => (
        <Account key={unit} unit={unit} by={by} month={month} rows={own} />
      ))}
      <Note>{Object.values(text.groupHints).join(" ")}</Note>
    </>
  )
}

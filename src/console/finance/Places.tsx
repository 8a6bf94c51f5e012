/** The statements of restaurants or franchisees side by side; one of them in full, where its name is pressed. */
import type { Row } from "../../contract/admin/Finance.ts"
import { money, number } from "../app/format.ts"
import { useLocationName } from "../app/locations.ts"
import { useNames } from "../app/program.tsx"
import { Listing } from "../ui/Listing.tsx"
import { Note } from "../ui/Note.tsx"
import { PageLink } from "../ui/PageLink.tsx"
import { Panel } from "../ui/Panel.tsx"
import { SaveFigures } from "../ui/SaveFigures.tsx"
import type { FinanceSearch } from "./financeSearch.ts"
import { financeStrings as text } from "./financeStrings.ts"
import { groupedPoints, groups } from "./lines.ts"
import { Statement } from "./Statement.tsx"

type PlaceKind = NonNullable<FinanceSearch["by"]>

/** The id of a row's restaurant or franchisee; empty: the brand. */
const idOf = ({ franchisee_id = "", location_id = franchisee_id }: Row): string => location_id

/** Rows shown at first. */
const step = 50

const usePlaceName = (by: PlaceKind): ((row: Row) => string) => {
  const nameOf = useLocationName()
  return (row) => {
    const id = idOf(row)
    if (id === "") return text.brand
    return by === "location" ? nameOf(id) : id
  }
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
  const hasWorth = rows.some(({ closing }) => closing.worth !== undefined)
  const header = [
    ...[text.names[by], text.openingShort],
    ...groups.map((group) => text.groups[group]),
    ...[text.closingShort, text.worth, text.redeemedHere, text.givenBackHere]
  ]
  const cellsOf = (row: Row) => {
    const { worth } = row.closing
    return [
      ...[nameOf(row), row.opening.points],
      ...groups.map((group) => groupedPoints(row)[group]),
      ...[row.closing.points, worth, row.redeemed_here, row.given_back_here]
    ]
  }
  return (
    <Panel
      title={title}
      actions={<SaveFigures title={title} file={`${month} ${title}`} rows={() => [header, ...rows.map(cellsOf)]} />}
    >
      <Listing
        label={title}
        minWidth={860}
        rows={rows}
        step={step}
        keyOf={idOf}
        columns={[
          {
            label: text.names[by],
            by: nameOf,
            cell: (row) => (
              <PageLink to="/finance" search={{ month, by, of: idOf(row) }} underline="always">
                <bdi>{nameOf(row)}</bdi>
              </PageLink>
            )
          },
          {
            label: text.openingShort,
            isNumber: true,
            by: ({ opening }) => opening.points,
            cell: ({ opening }) => number(opening.points)
          },
          ...groups.map((group) => ({
            label: text.groups[group],
            isNumber: true,
            by: (row: Row) => groupedPoints(row)[group],
            cell: (row: Row) => number(groupedPoints(row)[group])
          })),
          {
            label: text.closingShort,
            isNumber: true,
            by: ({ closing }) => closing.points,
            cell: ({ closing }) => number(closing.points)
          },
          ...(hasWorth
            ? [
                {
                  label: text.worth,
                  isNumber: true,
                  by: ({ closing }: Row) => closing.worth?.amount,
                  cell: ({ closing }: Row) => (closing.worth === undefined ? undefined : money(closing.worth))
                }
              ]
            : []),
          {
            label: text.redeemedHere,
            isNumber: true,
            by: ({ redeemed_here }) => redeemed_here,
            cell: ({ given_back_here, redeemed_here }) => number(redeemed_here + given_back_here)
          }
        ]}
      />
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
  if (of !== undefined)
    return (
      <>
        <PageLink to="/finance" search={{ month, by }} className="screen">
          {text.back}
        </PageLink>
        {rows
          .filter((row) => idOf(row) === of)
          .map((row) => (
            <Statement key={row.unit} row={row} month={month} isOver={isOver} of={nameOf(row)} />
          ))}
      </>
    )
  return (
    <>
      <Note>{`${text.placeHints[by]} ${text.brandHints[by]}`}</Note>
      {by === "franchisee" && rows.every((row) => idOf(row) === "") ? <Note>{text.noFranchisees}</Note> : undefined}
      {byUnit.map(([unit, own]) => (
        <Account key={unit} unit={unit} by={by} month={month} rows={own} />
      ))}
    </>
  )
}

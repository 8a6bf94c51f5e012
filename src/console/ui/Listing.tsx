/** Rows of one kind: a table, and on a narrow screen a card for each row. */
import { Table, UnstyledButton } from "@mantine/core"
import type { Key, ReactNode } from "react"
import { useState } from "react"
import { compared } from "../app/format.ts"
import { useFirst } from "./More.tsx"
import { Wide } from "./Wide.tsx"

interface Column<Row> {
  /** Empty for the column with a row's actions. */
  readonly label: string
  readonly isNumber?: boolean
  /** Uses the card's full width, below its label. */
  readonly isLong?: boolean
  /** For the first column, if its value means nothing without the label. */
  readonly isLabelled?: boolean
  /** Pixels. */
  readonly width?: number
  /** What the rows are sorted by at a press on the label; undefined comes last. Only of lists that are whole. */
  readonly by?: (row: Row) => string | number | undefined
  /** The card omits an undefined cell. */
  readonly cell: (row: Row) => ReactNode
}

const isAbsent = (shown: ReactNode): boolean => shown === undefined || shown === null || shown === false || shown === ""

export interface ListingProps<Row> {
  readonly label: string
  /** The first column names the row. */
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => Key
  /** Minimum width of the table, pixels. */
  readonly minWidth: number
  /** Rows shown at first, and added by each press; absent: all are shown. */
  readonly step?: number
}

interface Order {
  readonly label: string
  readonly isDown: boolean
}

/** The rows in the order of a column; undefined: as they came. */
const useOrdered = <Row,>(rows: ReadonlyArray<Row>, columns: ReadonlyArray<Column<Row>>) => {
  const [order, setOrder] = useState<Order>()
  const by = columns.find(({ label }) => label === order?.label)?.by
  const sign = order?.isDown === true ? -1 : 1
  const ordered =
    by === undefined
      ? rows
      : rows.toSorted((one, other) => {
          const [a, b] = [by(one), by(other)]
          if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
          return sign * compared(a, b)
        })
  /** Up, then down, then as they came. */
  const press = (label: string): void => {
    if (order?.label !== label) setOrder({ label, isDown: false })
    else setOrder(order.isDown ? undefined : { label, isDown: true })
  }
  return { order, ordered, press }
}

/** The label of a column, which sorts by it if it can. */
const Head = (props: {
  readonly label: string
  readonly isSortable: boolean
  /** Undefined: another column's order, or none. */
  readonly order: Order | undefined
  readonly press: () => void
}) =>
  props.isSortable ? (
    <>
      <UnstyledButton className="sort" fz="inherit" fw="inherit" onClick={props.press}>
        {props.label}{" "}
        <span aria-hidden="true" className="order">
          {props.order === undefined ? "↕" : props.order.isDown ? "↓" : "↑"}
        </span>
      </UnstyledButton>
      <span className="unsorted">{props.label}</span>
    </>
  ) : (
    props.label
  )

/** States the ARIA roles, because the card styles remove them from table elements. */
export const Listing = <Row,>(props: ListingProps<Row>) => {
  const { columns, keyOf, label, minWidth, rows, step = rows.length } = props
  const { order, ordered, press } = useOrdered(rows, columns)
  const [shown, more] = useFirst(ordered, step)
  const align = ({ isNumber }: Column<Row>) => (isNumber === true ? { ta: "right" as const } : {})
  return (
    <Wide label={label} minWidth={minWidth}>
      <Table className="listing" role="table" aria-label={label} highlightOnHover>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column) =>
              column.label === "" ? (
                <Table.Td key="" role="cell" />
              ) : (
                <Table.Th
                  key={column.label}
                  role="columnheader"
                  w={column.width}
                  {...align(column)}
                  {...(order?.label === column.label ? { "aria-sort": order.isDown ? "descending" : "ascending" } : {})}
                >
                  <Head
                    label={column.label}
                    isSortable={column.by !== undefined && rows.length > 1}
                    order={order?.label === column.label ? order : undefined}
                    press={() => press(column.label)}
                  />
                </Table.Th>
              )
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {shown.map((row) => (
            <Table.Tr key={keyOf(row)} role="row">
              {columns.map((column) => {
                const shown = column.cell(row)
                return (
                  <Table.Td
                    key={column.label}
                    role="cell"
                    data-label={column.label}
                    data-absent={isAbsent(shown) || undefined}
                    data-long={column.isLong}
                    data-labelled={column.isLabelled}
                    className={column.isNumber === true ? "number" : undefined}
                    {...align(column)}
                  >
                    <div>{shown}</div>
                  </Table.Td>
                )
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {more}
    </Wide>
  )
}

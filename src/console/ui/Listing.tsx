/** Rows of one kind: a table, and on a narrow screen a card for each row. */
import { Table } from "@mantine/core"
import type { Key, ReactNode } from "react"
import { Wide } from "./Wide.tsx"

export interface Column<Row> {
  /** Empty for what can be done with the row. */
  readonly label: string
  readonly isNumber?: boolean
  /** Takes the card's whole width, below its label. */
  readonly isLong?: boolean
  /** Of the first column: its value says nothing without the label. */
  readonly isLabelled?: boolean
  /** Pixels. */
  readonly width?: number
  /** What is absent is absent from the card too. */
  readonly cell: (row: Row) => ReactNode
}

const isAbsent = (shown: ReactNode): boolean => shown === undefined || shown === null || shown === false || shown === ""

/** The roles are said, because the styles of the cards take them from a table's elements. */
export const Listing = <Row,>(props: {
  readonly label: string
  /** The first one names the row. */
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => Key
  /** Of the table, pixels. */
  readonly minWidth: number
}) => {
  const { columns, keyOf, label, minWidth, rows } = props
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
                <Table.Th key={column.label} role="columnheader" w={column.width} {...align(column)}>
                  {column.label}
                </Table.Th>
              )
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
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
    </Wide>
  )
}

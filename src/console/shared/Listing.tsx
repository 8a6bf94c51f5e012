/** Rows of one kind: a table, and on a narrow screen a card for each row. */
import { Table } from "@mantine/core"
import type { Key, ReactNode } from "react"
import { useFirst } from "./More.tsx"
import { Head, orderOf, useOrdered } from "./Ordered.tsx"
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
  /** Value that the rows are sorted by at a press on the label; undefined comes last. Only of lists that are whole. */
  readonly by?: (row: Row) => string | number | undefined
  /** The card omits an undefined cell. */
  readonly cell: (row: Row) => ReactNode
  /** Of all rows, also those that are not shown. Where the first column has one, a row of totals is below several rows. */
  readonly total?: ReactNode
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

type CellProps = Omit<Column<never>, "cell" | "by" | "width" | "total"> & { readonly shown: ReactNode }

const Cell = ({ isLabelled, isLong, isNumber, label, shown }: CellProps) => (
  <Table.Td
    role="cell"
    data-label={label}
    data-absent={isAbsent(shown) || undefined}
    data-long={isLong}
    data-labelled={isLabelled}
    className={isNumber === true ? "number" : undefined}
    {...(isNumber === true ? { ta: "right" as const } : {})}
  >
    <div>{shown}</div>
  </Table.Td>
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
                  {...orderOf(order, column.label)}
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
              {columns.map((column) => (
                <Cell key={column.label} {...column} shown={column.cell(row)} />
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {columns[0]?.total === undefined || rows.length < 2 ? undefined : (
          <Table.Tfoot role="rowgroup" fw={600}>
            <Table.Tr role="row">
              {columns.map((column) => (
                <Cell key={column.label} {...column} shown={column.total} />
              ))}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
      {more}
    </Wide>
  )
}

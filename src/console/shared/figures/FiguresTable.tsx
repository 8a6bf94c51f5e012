/** The figures of a chart as a table that can be sorted, with their totals. */
import { Table } from "@mantine/core"
import { number } from "../format.ts"
import { Head, orderOf, useOrdered } from "../Ordered.tsx"
import { strings } from "../strings.ts"
import { Wide } from "../Wide.tsx"
import type { ChartFigures } from "./ChartFigures.ts"
import { rangeStrings } from "./rangeStrings.ts"

const text = strings.today

type Row = ChartFigures["rows"][number]

export const FiguresTable = ({ figures, title }: { readonly figures: ChartFigures; readonly title: string }) => {
  const { column, hasNoTotal, rows, series } = figures
  const columns = [
    { label: column, by: ({ key, label }: Row) => key ?? label },
    ...series.map(({ label }, index) => ({ label, by: ({ values }: Row) => values[index] ?? 0 }))
  ]
  const { order, ordered, press } = useOrdered(rows, columns)
  return (
    <Wide label={text.tableOf(title)} minWidth={series.length * 100 + 110}>
      <Table aria-label={text.tableOf(title)} stickyHeader={false} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ label }, index) => (
              <Table.Th key={label} {...(index === 0 ? {} : { ta: "right" as const })} {...orderOf(order, label)}>
                <Head
                  label={label}
                  isSortable={rows.length > 1}
                  order={order?.label === label ? order : undefined}
                  press={() => press(label)}
                />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ordered.map(({ label, values }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={400}>
                {label}
              </Table.Th>
              {series.map((one, index) => (
                <Table.Td key={one.label} ta="right" className="number">
                  {number(values[index] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {hasNoTotal === true || rows.length < 2 ? undefined : (
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th scope="row">{rangeStrings.total}</Table.Th>
              {series.map((one, index) => (
                <Table.Td key={one.label} ta="right" className="number" fw={600}>
                  {number(rows.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))}
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </Wide>
  )
}

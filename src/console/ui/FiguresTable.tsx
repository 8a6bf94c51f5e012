/** The figures of a chart as a table. */
import { Table } from "@mantine/core"
import { number } from "../app/format.ts"
import { strings } from "../app/strings.ts"
import type { ChartFigures } from "./ChartFigures.ts"
import { Wide } from "./Wide.tsx"

const text = strings.today

export const FiguresTable = ({ figures, title }: { readonly figures: ChartFigures; readonly title: string }) => (
  <Wide label={text.tableOf(title)} minWidth={figures.series.length * 90 + 110}>
    <Table aria-label={text.tableOf(title)} stickyHeader={false} verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{figures.column}</Table.Th>
          {figures.series.map(({ label }) => (
            <Table.Th key={label} ta="right">
              {label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {figures.rows.map(({ label, values }) => (
          <Table.Tr key={label}>
            <Table.Th scope="row" fw={400}>
              {label}
            </Table.Th>
            {figures.series.map((one, index) => (
              <Table.Td key={one.label} ta="right" className="number">
                {number(values[index] ?? 0)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Wide>
)

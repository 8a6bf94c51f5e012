/** Promotions and challenges that run in a week, in the programme's time. */
import { Table } from "@mantine/core"
import type { Promotion } from "../../contract/Promotions.ts"
import { weekday } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { Wide } from "../shared/Wide.tsx"
import { promotionStrings as text } from "./promotionStrings.ts"
import type { Span } from "./promotionTimes.ts"
import { dayMs, spansWithin } from "./promotionTimes.ts"
import { clockTime } from "./promotionWords.ts"

/** The end of a day is shown as 24:00. */
const endOf = (end: number, day: number): string => (end === day + dayMs ? "24:00" : clockTime(end))

const inWords = ({ end, start }: Span, day: number): string =>
  start === day && end === day + dayMs ? text.allDay : `${clockTime(start)}–${endOf(end, day)}`

export const PromotionCalendar = (props: {
  readonly promotions: ReadonlyArray<Promotion>
  readonly zone: string
  /** The local time, which is an instant at which UTC shows the same. */
  readonly now: number
}) => {
  const { now, promotions, zone } = props
  const today = Math.floor(now / dayMs) * dayMs
  const days = Array.from({ length: 7 }, (_, place) => today + place * dayMs)
  return (
    <Panel title={text.calendar}>
      <Note mb="xs">{text.calendarHint(zone)}</Note>
      <Wide label={text.calendar} minWidth={720}>
        <Table aria-label={text.calendar} withColumnBorders>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.name}</Table.Th>
              {days.map((day) => (
                <Table.Th key={day}>{`${weekday(new Date(day).getUTCDay())} ${new Date(day).getUTCDate()}`}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {promotions.map((one) => (
              <Table.Tr key={one.promotion_id}>
                <Table.Th scope="row" fw={400}>
                  {one.name}
                </Table.Th>
                {days.map((day) => (
                  <Table.Td key={day}>
                    {spansWithin(one, zone, { start: day, end: day + dayMs })
                      .map((span) => inWords(span, day))
                      .join(", ")}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Wide>
    </Panel>
  )
}

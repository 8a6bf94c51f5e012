/** The figures of today so far as a file, which a chosen restaurant does not limit. */
import { Group } from "@mantine/core"
import { useSearch } from "@tanstack/react-router"
import type { Overview } from "../../contract/admin/Overview.ts"
import { rangeStrings } from "../shared/figures/rangeStrings.ts"
import { localDay } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { useZone } from "../shared/program.tsx"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { strings } from "../shared/strings.ts"
import { figuresPath } from "./todaySearch.ts"

const text = strings.today

const rowsOf = ({ members, points, today }: Overview) => [
  [rangeStrings.figure, rangeStrings.value],
  [text.orders, today.orders],
  [`${text.revenue} (${today.eligible_spend.currency})`, today.eligible_spend],
  [text.issued, today.issued],
  [text.redeemed, today.redeemed],
  [text.expired, today.expired],
  [text.adjusted, today.adjusted],
  [text.members, members.total],
  [`${text.members}: ${text.active}`, members.active],
  [`${text.members}: ${text.suspended}`, members.suspended],
  [`${text.members}: ${text.closed}`, members.closed],
  ...points.flatMap(({ expiring_30_days, outstanding, unit }) => [
    [`${text.outstanding} (${strings.values.unit(unit)})`, outstanding],
    [`${text.expiring} (${strings.values.unit(unit)})`, expiring_30_days]
  ])
]

export const SaveToday = ({ overview }: { readonly overview: Overview }) => {
  const { location } = useSearch({ from: figuresPath })
  const day = localDay(overview.as_of, useZone())
  return (
    <Group gap="xs">
      <Note>{location === undefined ? rangeStrings.posted : `${rangeStrings.everywhere}. ${rangeStrings.posted}`}</Note>
      <SaveFigures
        title={text.soFar}
        about={{ program: overview.program_id, from: day, to: day }}
        rows={() => rowsOf(overview)}
      />
    </Group>
  )
}

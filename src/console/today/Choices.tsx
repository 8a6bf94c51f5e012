/** Range and filters of the charts. */
import { Group, NativeSelect, SegmentedControl, TextInput } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Unit } from "../../contract/Values.ts"
import { rangeStrings } from "../shared/figures/rangeStrings.ts"
import { number } from "../shared/format.ts"
import { useLocationName } from "../shared/locations.ts"
import { strings } from "../shared/strings.ts"
import type { AnalyticsRange } from "./analytics.ts"
import { useLocations } from "./analytics.ts"
import { monthDays } from "./months.ts"
import type { TodaySearch } from "./todaySearch.ts"
import { daysOf, figuresPath, maxDays, ranges, todaySearch } from "./todaySearch.ts"

const text = strings.today

const months = ["this", "last"] as const

interface DayRange {
  readonly from: string
  readonly to: string
}

/** Any days, in place of the last so many. What makes no range stays typed, and is told. */
const Days = (props: {
  readonly from: string
  readonly to: string
  /** Text that was typed and makes no range. */
  readonly typed: DayRange | undefined
  readonly setTyped: (typed: DayRange | undefined) => void
  readonly choose: (range: DayRange) => void
}) => {
  const { choose, setTyped, typed } = props
  const shown = typed ?? props
  const isWrong =
    typed !== undefined && typed.from !== "" && typed.to !== "" && daysOf(typed.from, typed.to) === undefined
  return (
    <>
      {(["from", "to"] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={rangeStrings[name]}
          value={shown[name]}
          error={isWrong && name === "from" ? rangeStrings.wrong(number(maxDays)) : undefined}
          maw="12rem"
          onChange={({ currentTarget }) => {
            const next = { from: shown.from, to: shown.to, [name]: currentTarget.value }
            const isRange = daysOf(next.from, next.to) !== undefined
            setTyped(isRange ? undefined : next)
            if (isRange) choose(next)
          }}
        />
      ))}
    </>
  )
}

export const Choices = (props: {
  readonly search: TodaySearch
  readonly asked: AnalyticsRange
  /** The first and the last day. */
  readonly shownDays: DayRange
  /** `YYYY-MM-DD`. */
  readonly today: string
  readonly units: ReadonlyArray<Unit>
  readonly unit: Unit
}) => {
  const { asked, search, shownDays, today, unit, units } = props
  const navigate = useNavigate()
  const [typed, setTyped] = useState<DayRange>()
  const locations = useLocations(asked)
  const nameOf = useLocationName()
  const choose = (next: Readonly<Record<string, unknown>> | DayRange) =>
    void navigate({ to: figuresPath, search: todaySearch({ ...search, ...next }), resetScroll: false })
  const month = months.find((one) => {
    const { from, to } = monthDays(today, one)
    return search.from === from && search.to === to
  })
  return (
    <Group gap="sm" align="flex-end">
      <SegmentedControl
        aria-label={text.days}
        value={search.from === undefined ? String(asked.days) : ""}
        data={ranges.map((days) => ({ value: String(days), label: text.ranges[days] }))}
        onChange={(days) => {
          setTyped(undefined)
          choose({ days, from: undefined, to: undefined })
        }}
      />
      <SegmentedControl
        aria-label={rangeStrings.months}
        value={month ?? ""}
        data={months.map((one) => ({ value: one, label: rangeStrings[`${one}Month`] }))}
        onChange={(one) => {
          setTyped(undefined)
          choose(monthDays(today, one === "this" ? "this" : "last"))
        }}
      />
      <Days {...shownDays} typed={typed} setTyped={setTyped} choose={choose} />
      {locations.length < 2 ? undefined : (
        <NativeSelect
          aria-label={text.location}
          value={asked.location ?? ""}
          data={[
            { value: "", label: text.allLocations },
            ...locations.map((one) => ({ value: one, label: nameOf(one) }))
          ]}
          onChange={({ currentTarget }) => choose({ location: currentTarget.value })}
        />
      )}
      <NativeSelect
        aria-label={text.orderDays}
        value={asked.day ?? ""}
        data={[
          { value: "", label: text.byPosted },
          { value: "business", label: text.byBusiness }
        ]}
        onChange={({ currentTarget }) => choose({ day: currentTarget.value })}
      />
      {units.length < 2 ? undefined : (
        <NativeSelect
          aria-label={text.account}
          value={unit}
          data={[...units]}
          onChange={({ currentTarget }) => choose({ unit: currentTarget.value })}
        />
      )}
    </Group>
  )
}

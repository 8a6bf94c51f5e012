/** Queries of the charts: a range, refreshed, and the same number of days before it. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { Analytics } from "../../contract/platform/Analytics.ts"
import { AnalyticsGroup } from "../../contract/platform/Analytics.ts"
import { call, client } from "../shared/client.ts"
import { useProgram, useProgramId } from "../shared/program.tsx"

const platform = client(AnalyticsGroup)

const dayMs = 86_400_000
const refreshMs = 5_000

export interface AnalyticsRange {
  readonly days: number
  readonly location: string | undefined
  readonly day: "business" | undefined
  /** The first instant of the first day. */
  readonly from: string
  /** The end of the last day. Undefined: now. */
  readonly until: string | undefined
}

/** Daily bars for a year would be too narrow, and a day of a week's bar comes again after a year. */
const bucketOf = (days: number) => (days > 366 ? "month" : days > 90 ? "week" : "day")

const ask = (program_id: string, from: string, until: string | undefined, { day, days, location }: AnalyticsRange) =>
  call(
    platform.platform_analytics.analytics({
      query: {
        program_id,
        from,
        bucket: bucketOf(days),
        ...(until === undefined ? {} : { until }),
        ...(location === undefined ? {} : { location_id: location }),
        ...(day === undefined ? {} : { day })
      }
    })
  )

/** The figures up to now. Refetched while the page is visible. */
export const useAnalytics = (asked: AnalyticsRange) => {
  const id = useProgramId()
  // The zone of the days is the programme's.
  const isKnown = useProgram().data !== undefined
  return useQuery({
    queryKey: ["analytics", id, asked],
    enabled: id !== undefined && isKnown,
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
    queryFn: () => ask(id ?? "", asked.from, asked.until, asked)
  })
}

const earlier = (timestamp: string, days: number): string =>
  new Date(Date.parse(timestamp) - days * dayMs).toISOString()

/** The range before. Changes only every 15 minutes, because the service rounds ranges to that. */
export const useBefore = ({ program_id, range }: Analytics, asked: AnalyticsRange) => {
  const [from, until] = [earlier(range.from, asked.days), earlier(range.until, asked.days)]
  return useQuery({
    queryKey: ["analytics before", program_id, from, until, asked],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: () => ask(program_id, from, until, asked)
  })
}

/** All locations of the range, whatever the filter. */
export const useLocations = (asked: AnalyticsRange): ReadonlyArray<string> => {
  const all = useAnalytics({ ...asked, location: undefined }).data?.loyalty.orders.by_location ?? []
  const found = all.map(({ key }) => key).toSorted()
  return asked.location === undefined || found.includes(asked.location) ? found : [...found, asked.location]
}

/** Sums daily counts into the parts that begin on these days. Keys are `YYYY-MM-DD`, or longer texts that start so. */
export const summed = (
  counts: Analytics["customer_data"]["events"]["by_day"],
  starts: ReadonlyArray<string>
): ReadonlyArray<number> =>
  starts.map((start, index) => {
    const next = starts[index + 1]
    return counts.reduce(
      // Days before the first part count in it: a week may begin before the range.
      (sum, { count, key }) =>
        (index === 0 || key >= start) && (next === undefined || key < next) ? sum + count : sum,
      0
    )
  })

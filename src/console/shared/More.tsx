import { Button } from "@mantine/core"
import type { UseInfiniteQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useState } from "react"
import { strings } from "./strings.ts"

/** Fetches the next page of a list. Absent on the last page. */
export const More = ({
  query
}: {
  readonly query: Pick<UseInfiniteQueryResult, "fetchNextPage" | "hasNextPage" | "isFetchingNextPage">
}) =>
  query.hasNextPage ? (
    <Button variant="default" mt="sm" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {strings.states.more}
    </Button>
  ) : undefined

/** Rows shown at first and added by each press. Bounds requests: pages fetch figures for each row. */
export const usualStep = 25

/** The first rows of a fully fetched list, and the button for more, if there are more. */
export const useFirst = <Row,>(
  rows: ReadonlyArray<Row>,
  step: number
): readonly [shown: ReadonlyArray<Row>, more: ReactNode] => {
  const [added, setAdded] = useState(0)
  const count = step + added
  const more = (
    <Button variant="default" my="sm" onClick={() => setAdded(added + step)}>
      {strings.states.more}
    </Button>
  )
  return [rows.slice(0, count), count < rows.length ? more : undefined]
}

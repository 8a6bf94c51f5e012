import { Button } from "@mantine/core"
import type { UseInfiniteQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useState } from "react"
import { strings } from "../app/strings.ts"

/** Fetches the next page of a list; absent where there is none. */
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

/** Rows shown at first, and added by each press: the pages ask for figures of every row that is shown. */
const usualStep = 25

/** The first rows of a list that is fetched whole, and the button for more; absent where all are shown. */
export const useFirst = <Row,>(
  rows: ReadonlyArray<Row>,
  step = usualStep
): readonly [shown: ReadonlyArray<Row>, more: ReactNode] => {
  const [count, setCount] = useState(step)
  const more = (
    <Button variant="default" onClick={() => setCount(count + step)}>
      {strings.states.more}
    </Button>
  )
  return [rows.slice(0, count), count < rows.length ? more : undefined]
}

import { Button } from "@mantine/core"
import type { UseInfiniteQueryResult } from "@tanstack/react-query"
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

import type { InfiniteData } from "@tanstack/react-query"
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"

/**
 * A list that is fetched page by page. While other filters load, the old rows stay, so
 * that the page does not jump. `refetchMs`: refetched at this interval while it is at its first page.
 */
export const usePaged = <Page extends { readonly next_cursor?: string }>(
  queryKey: ReadonlyArray<unknown>,
  fetch: (page: { readonly cursor?: string }) => Promise<Page>,
  enabled = true,
  refetchMs?: number
) =>
  useInfiniteQuery<Page, Error, InfiniteData<Page>, ReadonlyArray<unknown>, string | undefined>({
    queryKey,
    enabled,
    // A refetch asks for all pages.
    refetchInterval: ({ state }) =>
      refetchMs !== undefined && (state.data?.pages.length ?? 0) < 2 ? refetchMs : false,
    initialPageParam: undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => fetch(pageParam === undefined ? {} : { cursor: pageParam }),
    getNextPageParam: ({ next_cursor }) => next_cursor
  })

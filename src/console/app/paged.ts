import type { InfiniteData } from "@tanstack/react-query"
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"

/**
 * A list that is fetched page by page. While other filters load, the old rows stay, so
 * that the page does not jump.
 */
export const usePaged = <Page extends { readonly next_cursor?: string }>(
  queryKey: ReadonlyArray<unknown>,
  fetch: (page: { readonly cursor?: string }) => Promise<Page>,
  enabled = true
) =>
  useInfiniteQuery<Page, Error, InfiniteData<Page>, ReadonlyArray<unknown>, string | undefined>({
    queryKey,
    enabled,
    initialPageParam: undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => fetch(pageParam === undefined ? {} : { cursor: pageParam }),
    getNextPageParam: ({ next_cursor }) => next_cursor
  })

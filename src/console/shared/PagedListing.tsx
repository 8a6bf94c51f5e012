/** A listing that is fetched page by page. */
import { Paper } from "@mantine/core"
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { ListingProps } from "./Listing.tsx"
import { Listing } from "./Listing.tsx"
import { More } from "./More.tsx"
import { Shown } from "./States.tsx"

export const PagedListing = <Page, Row>(
  props: Omit<ListingProps<Row>, "rows"> & {
    readonly query: UseInfiniteQueryResult<InfiniteData<Page>>
    readonly rowsOf: (page: Page) => ReadonlyArray<Row>
    /** Shown instead of a table without rows. */
    readonly empty?: ReactNode
    /** True outside a panel. */
    readonly hasFrame?: boolean
  }
) => {
  const { empty, hasFrame, query, rowsOf, ...listing } = props
  return (
    <Shown query={query}>
      {({ pages }) => {
        const rows = pages.flatMap(rowsOf)
        if (rows.length === 0 && empty !== undefined) return empty
        const shown = (
          <>
            <Listing rows={rows} {...listing} />
            <More query={query} />
          </>
        )
        return hasFrame === true ? (
          <Paper withBorder px="md" py="xs" radius="md">
            {shown}
          </Paper>
        ) : (
          shown
        )
      }}
    </Shown>
  )
}

/** Orders of the restaurants of a session, and their file. */

import { platformPath } from "../../contract/platform/Platform.ts"
import { RestaurantOrdersGroup } from "../../contract/platform/RestaurantOrders.ts"
import { call, client } from "../shared/client.ts"
import { calendarDay, money, timeShort } from "../shared/format.ts"
import { useLocationName } from "../shared/locations.ts"
import { PagedListing } from "../shared/PagedListing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useProgramQuery, useZone } from "../shared/program.tsx"
import { Empty } from "../shared/States.tsx"
import { CsvLink } from "../shared/spreadsheets/CsvLink.tsx"
import { locationStrings } from "./locationStrings.ts"

const platform = client(RestaurantOrdersGroup)

const text = locationStrings.own

export const OwnOrders = ({ range }: { readonly range: { readonly from?: string; readonly to?: string } }) => {
  const program = useProgramQuery()
  const zone = useZone()
  const nameOf = useLocationName()
  const query = { ...program, ...range }
  const orders = usePaged(["restaurants' orders", query], (page) =>
    call(platform.platform_restaurant_orders.restaurantOrders({ query: { ...query, ...page } }))
  )
  const csv = `${platformPath}/restaurants/orders.csv?${new URLSearchParams(query)}`
  return (
    <Panel title={text.orders} actions={<CsvLink href={csv}>{text.csv}</CsvLink>}>
      <PagedListing
        query={orders}
        rowsOf={(page) => page.orders}
        empty={<Empty title={text.nothing}>{text.nothingHint}</Empty>}
        label={text.orders}
        minWidth={640}
        keyOf={({ order_id }) => order_id}
        columns={[
          { label: text.day, cell: ({ business_date }) => calendarDay(business_date) },
          { label: text.restaurant, cell: ({ location_id }) => <bdi>{nameOf(location_id)}</bdi> },
          { label: text.order, cell: ({ order_id }) => <bdi>{order_id}</bdi> },
          { label: `${text.when} (${zone})`, cell: ({ accrued_at }) => timeShort(accrued_at, zone) },
          { label: text.guestId, cell: ({ member_id }) => <bdi>{member_id}</bdi> },
          {
            label: text.spend,
            isNumber: true,
            cell: ({ closed, eligible_spend }) => (closed ? text.closed : money(eligible_spend))
          }
        ]}
      />
    </Panel>
  )
}

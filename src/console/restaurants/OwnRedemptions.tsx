/** Redemptions at the restaurants of a session, and their file. */

import { platformPath } from "../../contract/platform/Platform.ts"
import { RestaurantRedemptionsGroup } from "../../contract/platform/RestaurantRedemptions.ts"
import { call, client } from "../shared/client.ts"
import { number, timeShort } from "../shared/format.ts"
import { useLocationName } from "../shared/locations.ts"
import { PagedListing } from "../shared/PagedListing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useNames, useProgramQuery, useZone } from "../shared/program.tsx"
import { Empty } from "../shared/States.tsx"
import { CsvLink } from "../shared/spreadsheets/CsvLink.tsx"
import { locationStrings } from "./locationStrings.ts"

const platform = client(RestaurantRedemptionsGroup)

const text = locationStrings.own

export const OwnRedemptions = ({ range }: { readonly range: { readonly from?: string; readonly to?: string } }) => {
  const program = useProgramQuery()
  const zone = useZone()
  const nameOf = useLocationName()
  const names = useNames()
  const query = { ...program, ...range }
  const redemptions = usePaged(["restaurants' redemptions", query], (page) =>
    call(platform.platform_restaurant_redemptions.restaurantRedemptions({ query: { ...query, ...page } }))
  )
  const csv = `${platformPath}/restaurants/redemptions.csv?${new URLSearchParams(query)}`
  return (
    <Panel title={text.redemptions} actions={<CsvLink href={csv}>{text.csvOfRedemptions}</CsvLink>}>
      <PagedListing
        query={redemptions}
        rowsOf={(page) => page.redemptions}
        empty={<Empty title={text.noRedemptions}>{text.nothingHint}</Empty>}
        label={text.redemptions}
        minWidth={640}
        keyOf={({ reservation_id }) => reservation_id}
        columns={[
          { label: `${text.when} (${zone})`, cell: ({ captured_at }) => timeShort(captured_at, zone) },
          { label: text.restaurant, cell: ({ location_id }) => <bdi>{nameOf(location_id)}</bdi> },
          { label: text.order, cell: ({ order_id }) => <bdi>{order_id}</bdi> },
          { label: text.reward, cell: ({ reward_id }) => <bdi>{names.reward(reward_id)}</bdi> },
          { label: text.guestId, cell: ({ member_id }) => <bdi>{member_id}</bdi> },
          {
            label: text.points,
            isNumber: true,
            cell: ({ issued_reward_id, points, reversed_at }) => {
              if (reversed_at !== undefined) return text.givenBack
              return issued_reward_id === undefined ? number(points) : text.ofWallet
            }
          }
        ]}
      />
    </Panel>
  )
}

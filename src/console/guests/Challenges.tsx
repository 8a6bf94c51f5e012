/** A member's progress in the programme's challenges. Nothing where there are none. */
import { useQuery } from "@tanstack/react-query"
import { Promotions } from "../../contract/platform/GuestPromotions.ts"
import { challengeStrings as text } from "../programme/challengeStrings.ts"
import { call, client } from "../shared/client.ts"
import { number, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"

const platform = client(Promotions)

export const Challenges = (member: { readonly program_id: string; readonly member_id: string }) => {
  const zone = useZone()
  const query = useQuery({
    queryKey: ["challenges", member],
    queryFn: () => call(platform.platform_promotions.memberChallenges({ query: member }))
  })
  if (!query.isError && (query.data?.challenges ?? []).length === 0) return undefined
  return (
    <Panel title={text.title}>
      <Shown query={query}>
        {({ challenges }) => (
          <Listing
            label={text.title}
            minWidth={360}
            rows={challenges}
            keyOf={({ challenge_id }) => challenge_id}
            columns={[
              { label: text.name, cell: ({ name }) => name },
              {
                label: text.progressColumn,
                cell: ({ needed, progress }) => text.progress(number(progress), number(needed))
              },
              { label: text.completed, isNumber: true, cell: ({ completed }) => number(completed) },
              { label: text.until, cell: ({ until }) => (until === undefined ? "" : timeShort(until, zone)) }
            ]}
          />
        )}
      </Shown>
    </Panel>
  )
}

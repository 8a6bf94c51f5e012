/** Guests who may be the one that is typed, so that nobody is enrolled twice. */

import { Alert } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { MemberLists } from "../../contract/admin/MemberList.ts"
import { call, client } from "../shared/client.ts"
import { PageLink } from "../shared/PageLink.tsx"
import { pointsOf } from "../shared/points.ts"
import { guestStrings } from "./guestStrings.ts"

const admin = client(MemberLists)

const text = guestStrings

/** Shorter texts find too many guests to be of use. */
const leastLength = 4
const most = "3"

/** `typed`: what the guest is looked for by. `but`: a guest who is not shown. */
export const Known = (props: {
  readonly program_id: string
  readonly typed: ReadonlyArray<string>
  readonly but?: string
}) => {
  const { but, program_id } = props
  const [typed] = useDebouncedValue(
    props.typed
      .map((one) => one.trim())
      .filter(({ length }) => length >= leastLength)
      .join("\n"),
    300
  )
  const found = useQuery({
    queryKey: ["known", program_id, typed],
    enabled: typed !== "",
    queryFn: async () => {
      const pages = await Promise.all(
        typed
          .split("\n")
          .map((search) => call(admin.member_list.listMembers({ query: { program_id, search, limit: most } })))
      )
      return new Map(pages.flatMap(({ members }) => members.map((one) => [one.member_id, one] as const)))
    }
  })
  const guests = typed === "" ? [] : [...(found.data?.values() ?? [])].filter(({ member_id }) => member_id !== but)
  if (guests.length === 0) return undefined
  return (
    <Alert color="yellow" title={text.known} role="status">
      {guests.map(({ balances, display_name, member_id }) => (
        <div key={member_id}>
          <PageLink
            size="sm"
            underline="always"
            to="/members/$program_id/$member_id"
            params={{ program_id, member_id }}
          >
            {display_name ?? member_id}
          </PageLink>
          {text.knownAs(balances.map(pointsOf).join(", "))}
        </div>
      ))}
    </Alert>
  )
}

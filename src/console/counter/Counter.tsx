/** The counter: one field finds a guest, by a scanner or by keys, and a clerk does there what she comes for. */

import { Group, Paper, Stack, Text, UnstyledButton } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { ListedMember } from "../../contract/admin/MemberList.ts"
import { MemberLists } from "../../contract/admin/MemberList.ts"
import { Asks } from "../asks/Asks.tsx"
import { Enrol } from "../guests/Enrol.tsx"
import { isFewDigits } from "../shared/choosers/fewDigits.ts"
import { call, client } from "../shared/client.ts"
import { Heading } from "../shared/Heading.tsx"
import { Note } from "../shared/Note.tsx"
import { pointsOf } from "../shared/points.ts"
import { useNames, useProgramId } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Empty, Shown } from "../shared/States.tsx"
import { MemberStatus, Status } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { counterStrings } from "./counterStrings.ts"
import { Find } from "./Find.tsx"
import { Guest } from "./Guest.tsx"

const admin = client(MemberLists)

const text = counterStrings

/** Most guests to choose from. */
const most = 8

const useFound = (program_id: string | undefined, search: string | undefined) =>
  useQuery({
    queryKey: ["counter", program_id, search],
    enabled: program_id !== undefined && search !== undefined,
    queryFn: () =>
      call(
        admin.member_list.listMembers({
          query: {
            ...(program_id === undefined ? {} : { program_id }),
            ...(search === undefined ? {} : { search }),
            limit: String(most)
          }
        })
      )
  })

/** A guest to choose: what tells two of one name apart. */
const Choice = ({ choose, one }: { readonly one: ListedMember; readonly choose: (guest: string) => void }) => {
  const names = useNames()
  const { balances, display_name, email, member_id, phone, similar = false, status, tier_id } = one
  const known = [phone, email, tier_id === undefined ? undefined : names.tier(tier_id)]
  return (
    <li>
      <UnstyledButton className="choice" w="100%" p="sm" onClick={() => choose(member_id)}>
        <Group justify="space-between">
          <div>
            <Text fw={600} dir="auto">
              {display_name ?? member_id}
            </Text>
            {similar ? <Status tone="waiting">{strings.members.similar}</Status> : undefined}
            <Note>{known.filter((part) => part !== undefined).join(" · ")}</Note>
          </div>
          <Group gap="sm">
            <Text className="number" fw={600}>
              {balances.map(pointsOf).join(", ")}
            </Text>
            {status === "active" ? undefined : <MemberStatus status={status} />}
          </Group>
        </Group>
      </UnstyledButton>
    </li>
  )
}

const Choices = (props: {
  readonly guests: ReadonlyArray<ListedMember>
  readonly hasMore: boolean
  readonly choose: (guest: string) => void
}) => (
  <Paper withBorder radius="md" p={0} component="ul" className="choices" aria-label={text.results}>
    {props.guests.map((one) => (
      <Choice key={one.member_id} one={one} choose={props.choose} />
    ))}
    {props.hasMore ? (
      <li>
        <Note p="sm">{text.many}</Note>
      </li>
    ) : undefined}
  </Paper>
)

/** How many guests were found; of none also why, if the search is too short. */
const told = (search: string, guests: number): string =>
  guests === 0 && isFewDigits(search) ? `${text.found(guests)} ${strings.members.fewDigits}` : text.found(guests)

export const Counter = () => {
  const { find, guest } = useSearch({ from: "/counter" })
  const navigate = useNavigate({ from: "/counter" })
  const program_id = useProgramId()
  const may = useMay()
  const refresh = useRefresh("counter", "member", "account")
  const found = useFound(program_id, find)
  const guests = found.data?.members ?? []
  const choose = (guest: string) => void navigate({ search: (before) => ({ ...before, guest }) })
  const [only, ...others] = guests
  // A similar name may be another guest's: she is shown once she is chosen.
  const chosen = guest ?? (others.length === 0 && only?.similar !== true ? only?.member_id : undefined)
  return (
    <Stack>
      <Heading help="counter">{text.title}</Heading>
      <Find
        asked={find ?? ""}
        find={(wanted) => {
          refresh()
          void navigate({ search: wanted === "" ? {} : { find: wanted } })
        }}
      />
      <Note role="status">{found.data === undefined ? "" : told(find ?? "", guests.length)}</Note>
      {program_id !== undefined && chosen !== undefined ? (
        <Guest program_id={program_id} member_id={chosen} choose={choose} />
      ) : find === undefined ? (
        <Empty title={text.begin} />
      ) : (
        <Shown query={found}>
          {({ members, next_cursor }) =>
            members.length > 0 ? (
              <Choices guests={members} hasMore={next_cursor !== undefined} choose={choose} />
            ) : program_id !== undefined && may("upsertMember") && may("changeMemberIdentities") ? (
              <Enrol key={find} program_id={program_id} search={find} />
            ) : undefined
          }
        </Shown>
      )}
      <Asks />
    </Stack>
  )
}

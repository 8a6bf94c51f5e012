import { Group, NativeSelect, Stack, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import type { ListedMember } from "../../contract/admin/MemberList.ts"
import { MemberLists } from "../../contract/admin/MemberList.ts"
import { isFewDigits } from "../shared/choosers/fewDigits.ts"
import { call, client } from "../shared/client.ts"
import { date, endOfDay, startOfDay } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { usePaged } from "../shared/paged.ts"
import { pointsOf } from "../shared/points.ts"
import { useNames, useProgram, useProgramId, useZone } from "../shared/program.tsx"
import { Empty } from "../shared/States.tsx"
import { MemberStatus, Status } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { Enrol } from "./Enrol.tsx"
import { keepMembersSearch } from "./lastMembers.ts"
import type { MembersSearch } from "./membersSearch.ts"
import { membersSearch, statuses } from "./membersSearch.ts"

const admin = client(MemberLists)

const text = strings.members

const useMembers = ({ from, search, status, tier, until }: MembersSearch) => {
  const program = useProgramId()
  const zone = useZone()
  return usePaged(
    ["members", program, search, status, tier, from, until, zone],
    (page) =>
      call(
        admin.member_list.listMembers({
          query: {
            ...(program === undefined ? {} : { program_id: program }),
            ...(search === undefined ? {} : { search }),
            ...(status === undefined ? {} : { status }),
            ...(tier === undefined ? {} : { tier_id: tier }),
            ...(from === undefined ? {} : { joined_from: startOfDay(from, zone) }),
            ...(until === undefined ? {} : { joined_until: endOfDay(until, zone) }),
            ...page
          }
        })
      ),
    program !== undefined
  )
}

const Filters = () => {
  const filters = useSearch({ from: "/members" })
  const navigate = useNavigate({ from: "/members" })
  const program = useProgram()
  const set = (change: Partial<Record<keyof MembersSearch, string>>) =>
    void navigate({ search: (before) => membersSearch({ ...before, ...change }), replace: true })
  const [typed, setTyped] = useState(filters.search ?? "")
  const [search] = useDebouncedValue(typed.trim(), 250)
  // The search that this field last put in the address. Any other value came from a link or the back button.
  const sent = useRef(filters.search ?? "")
  // After a pause in typing, the address follows the field.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed search may change the address
  useEffect(() => {
    if (search === sent.current) return
    sent.current = search
    set({ search })
  }, [search])
  // The field follows the address.
  useEffect(() => {
    const wanted = filters.search ?? ""
    if (wanted === sent.current) return
    sent.current = wanted
    setTyped(wanted)
  }, [filters.search])
  return (
    <Group align="flex-end" className="filters">
      <TextInput
        type="search"
        label={text.search}
        placeholder={text.searchHint}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        style={{ flex: "1 1 16rem" }}
      />
      <NativeSelect
        label={text.status}
        value={filters.status ?? ""}
        data={[{ value: "", label: text.any }, ...statuses.map((value) => ({ value, label: text.statuses[value] }))]}
        onChange={({ currentTarget }) => set({ status: currentTarget.value })}
      />
      <NativeSelect
        label={text.tier}
        value={filters.tier ?? ""}
        data={[
          { value: "", label: text.any },
          ...(program.data?.program.tiers ?? []).map(({ name, tier_id }) => ({ value: tier_id, label: name }))
        ]}
        onChange={({ currentTarget }) => set({ tier: currentTarget.value })}
      />
      <TextInput
        type="date"
        label={text.from}
        value={filters.from ?? ""}
        onChange={({ currentTarget }) => set({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label={text.until}
        value={filters.until ?? ""}
        onChange={({ currentTarget }) => set({ until: currentTarget.value })}
      />
    </Group>
  )
}

/** The name if there is one, because guests give their names; beneath it what tells two of one name apart. */
const Name = ({ row }: { readonly row: ListedMember }) => {
  const { display_name, email, member_id, phone, program_id, similar = false } = row
  return (
    <>
      <PageLink to="/members/$program_id/$member_id" params={{ program_id, member_id }} dir="auto">
        {display_name ?? member_id}
      </PageLink>
      {[display_name === undefined ? undefined : member_id, email, phone]
        .filter((part) => part !== undefined)
        .map((part) => (
          <Note key={part} size="xs" fw={400} style={{ overflowWrap: "anywhere" }}>
            <bdi>{part}</bdi>
          </Note>
        ))}
      {similar ? <Status tone="waiting">{text.similar}</Status> : undefined}
    </>
  )
}

export const Members = () => {
  const filters = useSearch({ from: "/members" })
  useEffect(() => keepMembersSearch(membersSearch({ ...filters })), [filters])
  const members = useMembers(filters)
  const zone = useZone()
  const names = useNames()
  const program = useProgramId()
  const may = useMay()
  const isFiltered = Object.keys(membersSearch({ ...filters })).length > 0
  return (
    <Stack>
      <Group justify="space-between">
        <Heading help="guests">{text.title}</Heading>
        {program === undefined || !may("upsertMember") || !may("changeMemberIdentities") ? undefined : (
          <Enrol program_id={program} search={filters.search ?? ""} />
        )}
      </Group>
      <Filters />
      <PagedListing
        query={members}
        rowsOf={(page) => page.members}
        empty={
          <Empty title={isFiltered ? text.noneFound : text.none}>
            {isFewDigits(filters.search ?? "") ? text.fewDigits : isFiltered ? text.noneFoundHint : text.noneHint}
          </Empty>
        }
        hasFrame
        label={text.title}
        minWidth={560}
        keyOf={({ member_id, program_id }) => `${program_id} ${member_id}`}
        columns={[
          { label: text.member, cell: (row) => <Name row={row} /> },
          {
            label: text.balance,
            isNumber: true,
            cell: ({ balances }) => balances.map((balance) => <div key={balance.unit}>{pointsOf(balance)}</div>)
          },
          { label: text.tier, cell: ({ tier_id }) => names.tier(tier_id) },
          { label: text.status, cell: ({ status }) => <MemberStatus status={status} /> },
          { label: `${text.joined} (${zone})`, cell: ({ joined_at }) => date(joined_at, zone) }
        ]}
      />
    </Stack>
  )
}

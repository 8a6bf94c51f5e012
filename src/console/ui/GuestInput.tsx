/** A field for a guest's id that offers the guests who match what is typed: a name, an e-mail, digits of a phone or card. */
import { TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useId } from "react"
import { MemberLists } from "../../contract/admin/MemberList.ts"
import { call, client } from "../app/client.ts"
import { strings } from "../app/strings.ts"

const admin = client(MemberLists)

const most = "8"

export const GuestInput = (props: {
  readonly label: string
  readonly program_id: string
  /** A guest who is not offered. */
  readonly but: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Of a text that is nobody's id. */
  readonly error: string | undefined
}) => {
  const { but, error, label, onChange, program_id, value } = props
  const list = useId()
  const [search] = useDebouncedValue(value.trim(), 250)
  const found = useQuery({
    queryKey: ["offered", program_id, search],
    enabled: search !== "",
    retry: false,
    queryFn: () => call(admin.member_list.listMembers({ query: { program_id, search, limit: most } }))
  })
  const offered = (found.data?.members ?? []).filter(({ member_id }) => member_id !== but)
  return (
    <>
      <TextInput
        label={label}
        description={strings.member.guestHint}
        autoComplete="off"
        required
        list={list}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        // Typed text may be no id yet, but a name of those who are offered.
        error={found.isFetching || offered.some(({ member_id }) => member_id !== search) ? undefined : error}
      />
      <datalist id={list}>
        {offered.map(({ display_name, member_id }) => (
          // Browsers offer only what contains the typed text.
          <option key={member_id} value={member_id} label={`${display_name ?? member_id} · ${search}`} />
        ))}
      </datalist>
    </>
  )
}

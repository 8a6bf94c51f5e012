/** Who is in a saved segment now: the whole list, and a file of it. */
import { Anchor, Button, Text } from "@mantine/core"
import { useState } from "react"
import { Members, membersPath } from "../../../contract/platform/Members.ts"
import { call, client } from "../../app/client.ts"
import { date } from "../../app/format.ts"
import { usePaged } from "../../app/paged.ts"
import { useProgramId, useZone } from "../../app/program.tsx"
import { segmentStrings } from "../../app/segmentStrings.ts"
import { useMay } from "../../app/session.tsx"
import { MemberLink } from "../../ui/Estimate.tsx"
import { Note } from "../../ui/Note.tsx"
import { PagedListing } from "../../ui/PagedListing.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { MemberStatus } from "../../ui/Status.tsx"

const platform = client(Members)

const text = segmentStrings.members

const pageLimit = "25"

const Listed = (query: { readonly program_id: string; readonly segment_id: string }) => {
  const zone = useZone()
  const members = usePaged(["members of a segment", query], (page) =>
    call(platform.platform_members.findMembers({ query: { ...query, limit: pageLimit, ...page } }))
  )
  return (
    <PagedListing
      query={members}
      rowsOf={(page) => page.members ?? []}
      empty={<Text c="dimmed">{text.none}</Text>}
      label={text.title}
      minWidth={420}
      keyOf={({ member_id }) => member_id}
      columns={[
        {
          label: text.member,
          cell: ({ display_name, member_id }) => (
            <>
              <MemberLink member_id={member_id} name={display_name} />
              {display_name === undefined ? undefined : (
                <Note size="xs">
                  <bdi>{member_id}</bdi>
                </Note>
              )}
            </>
          )
        },
        { label: text.status, cell: ({ status }) => <MemberStatus status={status} /> },
        { label: text.joined, cell: ({ joined_at }) => date(joined_at, zone) }
      ]}
    />
  )
}

/** Asked for: counting is quick, but a list of all is not needed at every look. */
export const SegmentMembers = ({ segment_id }: { readonly segment_id: string }) => {
  const may = useMay()
  const program_id = useProgramId()
  const [isShown, setShown] = useState(false)
  if (program_id === undefined || !may("findMembers")) return undefined
  const csv = `${membersPath}.csv?${new URLSearchParams({ program_id, segment_id, consent: "any" }).toString()}`
  return (
    <Panel
      title={text.title}
      actions={
        may("membersCsv") ? (
          <Anchor href={csv} download size="sm">
            {text.csv}
          </Anchor>
        ) : undefined
      }
    >
      {isShown ? (
        <Listed program_id={program_id} segment_id={segment_id} />
      ) : (
        <>
          <Note mb="xs">{text.hint}</Note>
          <Button variant="default" size="xs" onClick={() => setShown(true)}>
            {text.show}
          </Button>
        </>
      )}
    </Panel>
  )
}

/** Members of a saved segment now: the whole list, and a file of it. */
import { Button, Group, Text } from "@mantine/core"
import { useState } from "react"
import { Members, membersPath } from "../../contract/platform/Members.ts"
import type { Rules } from "../../contract/platform/Rules.ts"
import { call, client } from "../shared/client.ts"
import { date, number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useProgramId, useZone } from "../shared/program.tsx"
import { MemberStatus } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { CsvLink } from "../shared/spreadsheets/CsvLink.tsx"
import { useEstimate } from "./audience.ts"
import { MemberLink } from "./Estimate.tsx"
import { segmentStrings } from "./segmentStrings.ts"

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
      minWidth={520}
      keyOf={({ member_id }) => member_id}
      columns={[
        {
          label: text.member,
          cell: ({ display_name, member_id }) => <MemberLink member_id={member_id} name={display_name} />
        },
        { label: text.status, cell: ({ status }) => <MemberStatus status={status} /> },
        {
          label: text.marketing,
          cell: ({ consent }) =>
            consent === undefined ? text.undecided : text.consents[consent.marketing ? "yes" : "no"]
        },
        { label: text.joined, cell: ({ joined_at }) => date(joined_at, zone) }
      ]}
    />
  )
}

/** How many of a segment have agreed to marketing; undefined: not counted, such as for rules with too many conditions. */
const useAgreed = (segment_id: string): { readonly agreed: number; readonly all: number } | undefined => {
  const all = useEstimate({ segment_id }, 0).data?.estimated_size
  const rules = { all: [{ in_segment: segment_id }, { consent: { purpose: "marketing" } }] }
  const agreed = useEstimate({ rules: rules as Rules }, 0).data?.estimated_size
  return all === undefined || agreed === undefined ? undefined : { agreed, all }
}

/** Asked for: counting is quick, but a list of all is not needed at every look. */
export const SegmentMembers = ({ segment_id }: { readonly segment_id: string }) => {
  const may = useMay()
  const program_id = useProgramId()
  const [isShown, setShown] = useState(false)
  const counted = useAgreed(segment_id)
  if (program_id === undefined || !may("findMembers")) return undefined
  const csv = (consent: "marketing" | "any") =>
    `${membersPath}.csv?${new URLSearchParams({ program_id, segment_id, consent }).toString()}`
  return (
    <Panel
      title={text.title}
      actions={
        may("membersCsv") ? (
          <Group gap="md">
            <CsvLink href={csv("marketing")}>{text.csvAgreed}</CsvLink>
            <CsvLink href={csv("any")}>{text.csvAll}</CsvLink>
          </Group>
        ) : undefined
      }
    >
      {counted === undefined ? undefined : (
        <Text mb="xs" role="status">
          {text.agreed(number(counted.agreed), counted.all, number(counted.all))}
        </Text>
      )}
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

/** The number of members that rules or a segment match now, with examples. */
import { Group, List, Stack, Text } from "@mantine/core"
import type { UseQueryResult } from "@tanstack/react-query"
import { useQuery } from "@tanstack/react-query"
import { Members } from "../../contract/platform/Members.ts"
import type { Preview } from "../../contract/platform/Segments.ts"
import { call, client } from "../shared/client.ts"
import { number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useProgramId, useProgramQuery } from "../shared/program.tsx"
import { Loading, Refused } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { segmentStrings } from "./segmentStrings.ts"

const text = segmentStrings.estimate

/** Names are read again after this time, ms: a sample changes with every condition. */
const namedMs = 300_000

/** A member's name or else the id, as a link if the session may read the member. */
export const MemberLink = ({
  member_id,
  name = member_id
}: {
  readonly member_id: string
  readonly name?: string | undefined
}) => {
  const program_id = useProgramId()
  const may = useMay()
  if (program_id === undefined || !may("showMember")) return <bdi>{name}</bdi>
  return (
    <PageLink to="/members/$program_id/$member_id" params={{ program_id, member_id }} dir="auto" title={member_id}>
      {name}
    </PageLink>
  )
}

const platform = client(Members)

/** A member of the sample, by name if there is one and the session may read it. */
export const Sampled = ({ member_id }: { readonly member_id: string }) => {
  const program = useProgramQuery()
  const may = useMay()
  const named = useQuery({
    queryKey: ["named", program, member_id],
    enabled: program !== undefined && may("findMembers"),
    staleTime: namedMs,
    queryFn: () => call(platform.platform_members.findMembers({ query: { ...program, member_id } }))
  })
  return <MemberLink member_id={member_id} name={named.data?.member?.display_name} />
}

interface EstimateProps {
  readonly query: Pick<UseQueryResult<Preview>, "data" | "error" | "isFetching">
  /** Sentences on the fields that must be completed before a count. */
  readonly waitsFor?: ReadonlyArray<string>
  /** Why there is nothing to count yet. */
  readonly hint?: string | undefined
}

const Counted = ({ query: { data, error, isFetching } }: Pick<EstimateProps, "query">) => {
  if (error !== null) return <Refused error={error} />
  if (data === undefined) return <Loading />
  const { estimated_size: size, sample_member_ids: sample } = data
  return (
    <Stack gap="xs" aria-busy={isFetching} {...(isFetching ? { c: "dimmed" } : {})}>
      <div role="status">
        <Text className="number" fz={36} fw={700} lh={1.1}>
          {number(size)}
        </Text>
        <Text>{text.members(size)}</Text>
      </div>
      {sample.length === 0 ? undefined : (
        <>
          <Note>{text.sample}</Note>
          <Group gap="xs" style={{ overflowWrap: "anywhere" }}>
            {sample.map((id) => (
              <Sampled key={id} member_id={id} />
            ))}
          </Group>
        </>
      )}
    </Stack>
  )
}

export const Estimate = ({ hint, query, waitsFor = [] }: EstimateProps) => (
  <Panel title={text.title}>
    {hint !== undefined ? (
      <Text c="dimmed">{hint}</Text>
    ) : waitsFor.length > 0 ? (
      <div role="status">
        <Text mb="xs">{text.waits}</Text>
        <List size="sm">
          {waitsFor.map((what) => (
            <List.Item key={what}>{what}</List.Item>
          ))}
        </List>
      </div>
    ) : (
      <Counted query={query} />
    )}
  </Panel>
)

/** The service itself, for those who run it: its version, the write freeze, and the nodes of its database. */
import { Group, Stack } from "@mantine/core"
import type { Overview } from "../../contract/admin/Overview.ts"
import { Facts } from "../shared/Facts.tsx"
import { number, timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { Note } from "../shared/Note.tsx"
import { useOverview } from "../shared/overview.ts"
import { Panel } from "../shared/Panel.tsx"
import { useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { useMay, useSession } from "../shared/session.tsx"
import { Nodes } from "./Nodes.tsx"
import { serviceStrings } from "./serviceStrings.ts"
import { Writes } from "./Writes.tsx"

const text = serviceStrings

const useFacts = ({ service }: Overview): ReadonlyArray<readonly [string, string]> => {
  const zone = useZone()
  return [
    [text.version, service.version],
    [text.environment, text.environments[service.environment]],
    [text.role, text.roles[service.role]],
    [text.resident, number(service.resident_accounts)],
    [text.since, `${timeShort(service.started_at, zone)} (${zone})`]
  ]
}

const Own = ({ overview }: { readonly overview: Overview }) => (
  <Panel title={text.title}>
    <div className="halves">
      <Facts facts={useFacts(overview)} />
      <Writes isFrozen={overview.service.write_frozen} />
    </div>
  </Panel>
)

export const Service = () => {
  const overview = useOverview()
  // Nodes are shown to callers of all programmes alone.
  const { programs } = useSession()
  const may = useMay()
  return (
    <Stack>
      <Group justify="space-between" align="baseline">
        <Heading help="service">{text.title}</Heading>
        <Note>{text.about}</Note>
      </Group>
      <Shown query={overview}>{({ overview: data }) => <Own overview={data} />}</Shown>
      {programs === undefined && may("nodes") ? <Nodes /> : undefined}
    </Stack>
  )
}

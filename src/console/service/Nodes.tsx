import { Alert, Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { DatabaseNodes } from "../../contract/admin/Nodes.ts"
import { Nodes as NodeGroup } from "../../contract/admin/Nodes.ts"
import { call, client } from "../shared/client.ts"
import { rangeStrings } from "../shared/figures/rangeStrings.ts"
import { number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { Shown } from "../shared/States.tsx"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { serviceStrings } from "./serviceStrings.ts"

const admin = client(NodeGroup)

const text = serviceStrings

const List = ({ found: { nodes, partitions, unowned } }: { readonly found: DatabaseNodes }) => {
  const own = nodes.find(({ is_this }) => is_this)
  return (
    <Stack gap="xs">
      {unowned === 0 ? undefined : (
        <Alert color="red" variant="light">
          {text.unowned(unowned)}
        </Alert>
      )}
      <Listing
        label={text.nodes}
        columns={[
          {
            label: text.address,
            by: ({ address }) => address,
            cell: ({ address, is_this }) => (is_this ? `${address} (${text.thisNode})` : address)
          },
          { label: text.role, cell: ({ role }) => text.roles[role] },
          {
            label: text.partitions,
            isNumber: true,
            by: (one) => one.partitions,
            cell: ({ partitions }) => number(partitions)
          },
          {
            label: text.lastBeat,
            isNumber: true,
            by: (one) => one.beat_age_ms,
            cell: ({ beat_age_ms }) => text.secondsAgo(beat_age_ms / 1000)
          },
          { label: text.version, by: (one) => one.version, cell: ({ version }) => version }
        ]}
        rows={nodes}
        keyOf={({ id }) => id}
        minWidth={520}
      />
      {own === undefined || nodes.length < 2 ? undefined : (
        <Note>{text.forwards(1 - own.partitions / partitions)}</Note>
      )}
    </Stack>
  )
}

const rowsOf = (nodes: DatabaseNodes["nodes"]) => [
  [text.address, text.role, text.partitions, rangeStrings.beatMs, text.version],
  ...nodes.map((one) => [one.address, text.roles[one.role], one.partitions, one.beat_age_ms, one.version])
]

/** The nodes of the database, each with its share of the accounts. */
export const Nodes = () => {
  const found = useQuery({
    queryKey: ["nodes"],
    refetchInterval: 5_000,
    queryFn: () => call(admin.nodes.nodes())
  })
  return (
    <Panel
      title={text.nodes}
      actions={
        found.data === undefined ? undefined : <SaveFigures title={text.nodes} rows={() => rowsOf(found.data.nodes)} />
      }
    >
      <Shown query={found}>{(data) => <List found={data} />}</Shown>
    </Panel>
  )
}

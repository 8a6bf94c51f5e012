/** The connected tills, with what came in the last day. */
import { Anchor } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Connection } from "../../contract/admin/Connections.ts"
import { call } from "../shared/client.ts"
import { number, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { Empty, Shown } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { useIsOwner } from "./TillActions.tsx"
import { ConnectTill } from "./TillForm.tsx"
import { tillStrings } from "./tillStrings.ts"
import { admin, tillsMs } from "./tills.ts"

const text = tillStrings

const tones = { active: "good", paused: "neutral" } as const

export const TillStatus = ({ status }: Pick<Connection, "status">) => (
  <Status tone={tones[status]}>{text.statuses[status]}</Status>
)

/** The last day in a line: counts of transactions, and of those that stand out. */
export const dayText = ({ differing, refused, transactions, unfinished }: Connection["health"]): string =>
  [
    text.dayOf(transactions, number(transactions)),
    refused === 0 ? "" : text.refusedOf(number(refused)),
    differing === 0 ? "" : text.differingOf(number(differing)),
    unfinished === 0 ? "" : text.unfinishedOf(number(unfinished))
  ]
    .filter((part) => part !== "")
    .join(", ")

export const Tills = () => {
  const may = useMay()
  const zone = useZone()
  const names = useNames()
  const isOwner = useIsOwner()
  const connections = useQuery({
    queryKey: ["connections"],
    refetchInterval: tillsMs,
    queryFn: () => call(admin.connections.listConnections())
  })
  return (
    <Panel title={text.title} actions={may("createConnection") && isOwner ? <ConnectTill /> : undefined}>
      <Note size="sm">
        {text.hint}{" "}
        <Anchor size="sm" href="/docs/connecting-toast" underline="always">
          {text.guide}
        </Anchor>
      </Note>
      <Shown query={connections}>
        {({ connections: rows }) =>
          rows.length === 0 ? (
            <Empty title={text.none}>{text.noneHint}</Empty>
          ) : (
            <Listing
              label={text.title}
              minWidth={700}
              rows={rows}
              keyOf={({ connection_id }) => connection_id}
              columns={[
                {
                  label: text.name,
                  by: ({ name }) => name,
                  cell: ({ connection_id, name, vendor }) => (
                    <>
                      <PageLink to="/developers/tills/$connection_id" params={{ connection_id }} dir="auto">
                        {name}
                      </PageLink>
                      <Note size="xs">{text.vendors[vendor]}</Note>
                    </>
                  )
                },
                { label: text.program, cell: ({ program_id }) => <bdi>{names.program(program_id)}</bdi> },
                { label: text.status, by: ({ status }) => text.statuses[status], cell: TillStatus },
                {
                  label: `${text.lastSeen} (${zone})`,
                  by: ({ last_seen_at }) => last_seen_at,
                  cell: ({ last_seen_at }) => (last_seen_at === undefined ? text.never : timeShort(last_seen_at, zone))
                },
                { label: text.day, cell: ({ health }) => dayText(health) }
              ]}
            />
          )
        }
      </Shown>
    </Panel>
  )
}

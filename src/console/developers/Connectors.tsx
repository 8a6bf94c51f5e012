/** The connectors, with how their deliveries go. */
import { Group } from "@mantine/core"
import { Connectors as ConnectorsGroup } from "../../contract/platform/Connectors.ts"
import { call, client } from "../shared/client.ts"
import { timeShort } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useNames, useZone } from "../shared/program.tsx"
import { Empty } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { DeleteConnector, SwitchConnector } from "./ConnectorActions.tsx"
import { EditConnector } from "./ConnectorForm.tsx"
import { ConnectorHealth } from "./ConnectorHealth.tsx"
import { connectorStrings } from "./connectorStrings.ts"
import { connectorsMs } from "./connectors.ts"
import { programsText, secretText, typesText } from "./connectorWords.ts"

const platform = client(ConnectorsGroup)

const text = connectorStrings

export const Connectors = () => {
  const may = useMay()
  const zone = useZone()
  const names = useNames()
  const connectors = usePaged(
    ["connectors"],
    (page) => call(platform.platform_connectors.listConnectors({ query: page })),
    true,
    connectorsMs
  )
  return (
    <Panel title={text.title} actions={may("putConnector") ? <EditConnector /> : undefined}>
      <PagedListing
        query={connectors}
        rowsOf={(page) => page.connectors}
        empty={<Empty title={text.none}>{text.noneHint}</Empty>}
        label={text.title}
        minWidth={1000}
        keyOf={({ connector_id }) => connector_id}
        columns={[
          {
            label: text.name,
            width: 160,
            cell: ({ connector_id, name }) => (
              <PageLink to="/developers/connectors/$connector_id" params={{ connector_id }} dir="auto">
                {name}
              </PageLink>
            )
          },
          { label: text.health, cell: (connector) => <ConnectorHealth connector={connector} /> },
          {
            label: text.url,
            cell: ({ configuration }) => (
              <>
                {configuration.url}
                <Note size="xs">{secretText(configuration)}</Note>
              </>
            )
          },
          {
            label: text.types,
            cell: ({ configuration }) => (
              <>
                {typesText(configuration)}
                <Note size="xs">{programsText(configuration, names.program)}</Note>
              </>
            )
          },
          { label: `${text.changed} (${zone})`, cell: ({ updated_at }) => timeShort(updated_at, zone) },
          {
            label: "",
            cell: (connector) =>
              may("putConnector") ? (
                <Group gap="xs">
                  <EditConnector connector={connector} />
                  <SwitchConnector connector={connector} />
                  <DeleteConnector connector={connector} />
                </Group>
              ) : undefined
          }
        ]}
      />
    </Panel>
  )
}

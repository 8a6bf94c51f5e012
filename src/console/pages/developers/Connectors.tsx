/** The connectors, with how their deliveries go. */
import { Group } from "@mantine/core"
import { Connectors as ConnectorsGroup } from "../../../contract/platform/Connectors.ts"
import { call, client } from "../../app/client.ts"
import { connectorStrings } from "../../app/connectorStrings.ts"
import { connectorsMs } from "../../app/connectors.ts"
import { timeShort } from "../../app/format.ts"
import { usePaged } from "../../app/paged.ts"
import { useNames, useZone } from "../../app/program.tsx"
import { useMay } from "../../app/session.tsx"
import { Note } from "../../ui/Note.tsx"
import { PagedListing } from "../../ui/PagedListing.tsx"
import { PageLink } from "../../ui/PageLink.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Empty } from "../../ui/States.tsx"
import { DeleteConnector, SwitchConnector } from "./ConnectorActions.tsx"
import { EditConnector } from "./ConnectorForm.tsx"
import { ConnectorHealth } from "./ConnectorHealth.tsx"
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

/** A connector: how its deliveries go, its settings, what was sent, and what a person can do. */
import { Group, SimpleGrid, Stack, Text } from "@mantine/core"
import { useNavigate, useParams } from "@tanstack/react-router"
import type { Connector as Model } from "../../contract/platform/Connectors.ts"
import { Facts } from "../shared/Facts.tsx"
import { number, time } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { Empty, Forbidden, Shown } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { DeleteConnector, RotateConnector, SwitchConnector, TestConnector } from "./ConnectorActions.tsx"
import { EditConnector } from "./ConnectorForm.tsx"
import { ConnectorHealth, ConnectorTrouble } from "./ConnectorHealth.tsx"
import { connectorStrings } from "./connectorStrings.ts"
import { useConnector } from "./connectors.ts"
import { programsText, secretText, typesText } from "./connectorWords.ts"
import { Deliveries } from "./Deliveries.tsx"
import { DeliveryFigures } from "./DeliveryFigures.tsx"
import { developerStrings } from "./developerStrings.ts"

const text = connectorStrings

const Actions = ({ connector }: { readonly connector: Model }) => {
  const navigate = useNavigate()
  return (
    <Group gap="xs">
      <TestConnector connector={connector} />
      <RotateConnector connector={connector} />
      <EditConnector connector={connector} />
      <SwitchConnector connector={connector} />
      <DeleteConnector connector={connector} done={() => void navigate({ to: "/developers" })} />
    </Group>
  )
}

const Settings = ({ connector: { configuration, health } }: { readonly connector: Model }) => {
  const zone = useZone()
  const names = useNames()
  const { overlap_until } = configuration.secret
  const { failing_since, last_success_at, waiting } = health
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing={0}>
      <Facts
        facts={[
          [
            text.url,
            <span key="url" style={{ overflowWrap: "anywhere" }}>
              {configuration.url}
            </span>
          ],
          [text.types, `${typesText(configuration)} ${programsText(configuration, names.program)}`],
          [
            text.signature,
            overlap_until === undefined
              ? secretText(configuration)
              : `${secretText(configuration)}; ${text.signsUntil(time(overlap_until, zone))}`
          ]
        ]}
      />
      <Facts
        facts={[
          [text.waiting, number(waiting)],
          [text.lastSuccess, last_success_at === undefined ? text.never : time(last_success_at, zone)],
          ...(failing_since === undefined ? [] : [[text.failingSince, time(failing_since, zone)] as const])
        ]}
      />
    </SimpleGrid>
  )
}

const Whole = ({ connector }: { readonly connector: Model }) => {
  const may = useMay()
  return (
    <Stack>
      <Group gap="sm">
        <Heading of={developerStrings.title}>{connector.name}</Heading>
        <ConnectorHealth connector={connector} />
      </Group>
      <ConnectorTrouble connector={connector} />
      <Panel title={text.settings} actions={may("putConnector") ? <Actions connector={connector} /> : undefined}>
        <Settings connector={connector} />
      </Panel>
      <Deliveries connector={connector} />
      <DeliveryFigures connector_id={connector.connector_id} />
    </Stack>
  )
}

export const Connector = () => {
  const { connector_id } = useParams({ from: "/developers/connectors/$connector_id" })
  const may = useMay()
  const connector = useConnector(connector_id)
  if (!may("listConnectors")) return <Forbidden to="listConnectors" />
  return (
    <Stack gap="xs">
      <PageLink to="/developers">{text.allConnectors}</PageLink>
      <Shown query={connector}>
        {(found) =>
          found === null ? (
            <Empty title={text.gone}>
              <Text size="sm">{text.goneHint}</Text>
            </Empty>
          ) : (
            <Whole key={connector_id} connector={found} />
          )
        }
      </Shown>
    </Stack>
  )
}

/** Connectors that fail or that the service has disabled. Renders nothing if there are none. */
import { Alert, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Connectors } from "../../../contract/platform/Connectors.ts"
import type { Connector } from "../../../contract/platform/Connectors.ts"
import { connectorStrings } from "../../app/connectorStrings.ts"
import { call, client } from "../../app/client.ts"
import { stateOf } from "../../app/connectorState.ts"
import { time } from "../../app/format.ts"
import { useZone } from "../../app/program.tsx"
import { PageLink } from "../../ui/PageLink.tsx"

const platform = client(Connectors)

const text = connectorStrings

const refreshMs = 15_000
/** More have a link to the list. */
const mostShown = 5

const troubleOf = ({ health }: Connector, zone: string): string => {
  if (health.disabled_reason !== undefined)
    return health.disabled_reason === "gone" ? text.troubleOf.gone : text.troubleOf.stopped
  return text.troubleOf.failing(time(health.failing_since ?? "", zone))
}

export const Troubles = () => {
  const zone = useZone()
  const { data } = useQuery({
    queryKey: ["connectors", "troubles"],
    refetchInterval: refreshMs,
    queryFn: async () =>
      (await call(platform.platform_connectors.listConnectors({ query: { limit: "200" } }))).connectors.filter((one) =>
        ["failing", "stopped"].includes(stateOf(one, undefined))
      )
  })
  if (data === undefined || data.length === 0) return undefined
  return (
    <Alert color="red" role="status" title={text.troubles}>
      <Stack gap={4} align="flex-start">
        {data.slice(0, mostShown).map((one) => (
          <Text key={one.connector_id} size="sm">
            <PageLink
              to="/developers/connectors/$connector_id"
              params={{ connector_id: one.connector_id }}
              underline="always"
              c="inherit"
              dir="auto"
            >
              {one.name}
            </PageLink>{" "}
            {troubleOf(one, zone)}
          </Text>
        ))}
        {data.length > mostShown ? (
          <PageLink to="/developers" underline="always" c="inherit">
            {text.andMore(data.length - mostShown)}
          </PageLink>
        ) : undefined}
      </Stack>
    </Alert>
  )
}

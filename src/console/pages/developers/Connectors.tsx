/** Connectors, as they are stored: where events will be delivered to. */
import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  NumberInput,
  Radio,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Alert
} from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Connector, ConnectorFacts } from "../../../contract/platform/Connectors.ts"
import { Connectors as ConnectorsGroup, defaultInFlight } from "../../../contract/platform/Connectors.ts"
import type { EventType } from "../../../contract/platform/EventTypes.ts"
import { eventTypes } from "../../../contract/platform/EventTypes.ts"
import { call, client, keyed } from "../../app/client.ts"
import { useOnce } from "../../app/once.ts"
import { timeShort } from "../../app/format.ts"
import { usePaged } from "../../app/paged.ts"
import { useNames, useProgramList, useZone } from "../../app/program.tsx"
import { useMay } from "../../app/session.tsx"
import { strings } from "../../app/strings.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Listing } from "../../ui/Listing.tsx"
import { More } from "../../ui/More.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Replace } from "../../ui/Replace.tsx"
import { Empty, faultAt, faultsWithin, Shown } from "../../ui/States.tsx"
import { Status } from "../../ui/Status.tsx"

const platform = client(ConnectorsGroup)

const text = strings.connectors

const useRefresh = () => {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: ["connectors"] })
}

/** Bytes of a secret that the page makes: within the bounds of Standard Webhooks. */
const secretBytes = 32

const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(secretBytes))))}`

/** What an operator enters of a connector. */
interface Draft {
  /** Made here, so that a connector that is sent twice is made once. */
  readonly id: string
  readonly name: string
  readonly url: string
  readonly takesAll: boolean
  readonly types: ReadonlyArray<string>
  /** Empty: of all programmes. */
  readonly programs: ReadonlyArray<string>
  readonly hasCodes: boolean
  readonly inFlight: number | string
  readonly secret: string
  /** The version that was read; undefined: a new connector. */
  readonly version: number | undefined
  readonly isReplacing: boolean
}

const draftOf = (connector: Connector | undefined): Draft => {
  const before = connector?.configuration
  const types = before?.event_types ?? ["*"]
  return {
    id: connector?.connector_id ?? `con_${crypto.randomUUID()}`,
    name: connector?.name ?? "",
    url: before?.url ?? "",
    takesAll: types.includes("*"),
    types: types.filter((type) => type !== "*"),
    programs: before?.program_ids ?? [],
    hasCodes: before?.include_artifacts ?? false,
    inFlight: before?.max_in_flight ?? defaultInFlight,
    secret: "",
    version: connector?.version,
    isReplacing: false
  }
}

const factsOf = (draft: Draft): ConnectorFacts => ({
  connector_id: draft.id,
  name: draft.name.trim(),
  type: "webhook",
  configuration: {
    url: draft.url.trim(),
    event_types: draft.takesAll ? ["*"] : eventTypes.filter((type) => draft.types.includes(type)),
    ...(draft.programs.length === 0 ? {} : { program_ids: draft.programs }),
    include_artifacts: draft.hasCodes,
    max_in_flight: Number(draft.inFlight),
    ...(draft.secret.trim() === "" ? {} : { secret: draft.secret.trim() })
  },
  ...(draft.isReplacing || draft.version === undefined ? {} : { expected_version: draft.version })
})

/** An event type for people: `proto.member.enrolled.v1` is “Member enrolled”. */
const typeText = (type: EventType): string => {
  const words = type.split(".").slice(1, -1).join(" ").replaceAll("-", " ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

interface PartProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly error: unknown
}

const Types = ({ draft, error, set }: PartProps) => (
  <Fieldset legend={text.types} variant="unstyled">
    <Radio.Group
      aria-label={text.types}
      value={draft.takesAll ? "all" : "some"}
      onChange={(value) => set({ takesAll: value === "all" })}
    >
      <Group>
        <Radio value="all" label={text.allTypes} />
        <Radio value="some" label={text.someTypes} />
      </Group>
    </Radio.Group>
    {draft.takesAll ? undefined : (
      <Checkbox.Group
        aria-label={text.someTypes}
        value={[...draft.types]}
        onChange={(types) => set({ types })}
        error={faultsWithin(error, "/configuration/event_types")}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" my="xs">
          {eventTypes.map((type) => (
            <Checkbox key={type} value={type} label={typeText(type)} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    )}
  </Fieldset>
)

const ForPrograms = ({ draft, error, set }: PartProps) => {
  const { data: programs = [] } = useProgramList()
  return (
    <Checkbox.Group
      label={text.programs}
      description={text.programsHint}
      value={[...draft.programs]}
      onChange={(chosen) => set({ programs: chosen })}
      error={faultsWithin(error, "/configuration/program_ids")}
    >
      <Stack gap="xs" my="xs">
        {programs.map(({ name, program_id }) => (
          <Checkbox key={program_id} value={program_id} label={<bdi>{name}</bdi>} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

const Secret = ({ before, draft, error, set }: PartProps & { readonly before: Connector | undefined }) => {
  const known = before?.configuration.secret
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        label={text.secret}
        description={known?.configured === true ? text.secretStays(known.last4 ?? "") : text.secretHint}
        autoComplete="off"
        spellCheck={false}
        style={{ flex: "1 1 16rem" }}
        value={draft.secret}
        onChange={({ currentTarget }) => set({ secret: currentTarget.value })}
        error={faultAt(error, "/configuration/secret")}
      />
      <Button variant="default" onClick={() => set({ secret: newSecret() })}>
        {text.makeSecret}
      </Button>
    </Group>
  )
}

/** Makes a connector, or changes one. */
const Edit = ({ connector }: { readonly connector?: Connector }) => {
  const refresh = useRefresh()
  const [draft, setDraft] = useState(() => draftOf(connector))
  const once = useOnce()
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  return (
    <ChangeDialog
      label={connector === undefined ? text.add : text.edit}
      {...(connector === undefined ? {} : { name: text.editOf(connector.name) })}
      submit={text.save}
      begin={() => setDraft(draftOf(connector))}
      end={() => set({ secret: "" })}
      done={() => {
        once.done()
        refresh()
      }}
      isReady={draft.name.trim() !== "" && draft.url.trim() !== "" && (draft.takesAll || draft.types.length > 0)}
      run={() => {
        const payload = factsOf(draft)
        return call(keyed(once.keyOf(payload), platform.platform_connectors.putConnector({ payload })))
      }}
    >
      {(error: unknown) => {
        const part = { draft, error, set }
        return (
          <>
            <TextInput
              label={text.name}
              required
              dir="auto"
              value={draft.name}
              onChange={({ currentTarget }) => set({ name: currentTarget.value })}
              error={faultAt(error, "/name")}
            />
            <TextInput
              label={text.url}
              description={text.urlHint}
              required
              inputMode="url"
              value={draft.url}
              onChange={({ currentTarget }) => set({ url: currentTarget.value })}
              error={faultAt(error, "/configuration/url")}
            />
            <Types {...part} />
            <ForPrograms {...part} />
            <Checkbox
              label={text.codes}
              description={text.codesHint}
              checked={draft.hasCodes}
              onChange={({ currentTarget }) => set({ hasCodes: currentTarget.checked })}
            />
            <NumberInput
              label={text.inFlight}
              allowDecimal={false}
              value={draft.inFlight}
              onChange={(inFlight) => set({ inFlight })}
              error={faultAt(error, "/configuration/max_in_flight")}
            />
            <Secret {...part} before={connector} />
            <Replace error={error} isChosen={draft.isReplacing} choose={(isReplacing) => set({ isReplacing })} />
          </>
        )
      }}
    </ChangeDialog>
  )
}

const Switch = ({ connector }: { readonly connector: Connector }) => {
  const refresh = useRefresh()
  const { enabled, name } = connector
  return (
    <ChangeDialog
      label={enabled ? text.disable : text.enable}
      name={(enabled ? text.disableOf : text.enableOf)(name)}
      done={refresh}
      run={() =>
        call(
          platform.platform_connectors.putConnector({ payload: { ...factsOf(draftOf(connector)), enabled: !enabled } })
        )
      }
    >
      <Text>{(enabled ? text.willDisable : text.willEnable)(name)}</Text>
    </ChangeDialog>
  )
}

const Delete = ({ connector: { connector_id, name } }: { readonly connector: Connector }) => {
  const refresh = useRefresh()
  const once = useOnce()
  return (
    <ChangeDialog
      label={text.remove}
      name={text.removeOf(name)}
      isDangerous
      done={refresh}
      run={() =>
        call(
          keyed(once.keyOf(connector_id), platform.platform_connectors.deleteConnector({ payload: { connector_id } }))
        )
      }
    >
      <Alert color="red">{text.willRemove(name)}</Alert>
    </ChangeDialog>
  )
}

const typesText = ({ event_types: types }: Connector["configuration"]): string =>
  types.includes("*") ? text.all : types.map((type) => (type === "*" ? text.all : typeText(type))).join(", ")

export const Connectors = () => {
  const may = useMay()
  const zone = useZone()
  const names = useNames()
  const connectors = usePaged(["connectors"], (page) =>
    call(platform.platform_connectors.listConnectors({ query: page }))
  )
  return (
    <Panel title={text.title} actions={may("platform:write") ? <Edit /> : undefined}>
      <Shown query={connectors}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.connectors)
          if (rows.length === 0) return <Empty title={text.none}>{text.noneHint}</Empty>
          return (
            <>
              <Listing
                label={text.title}
                minWidth={1000}
                rows={rows}
                keyOf={({ connector_id }) => connector_id}
                columns={[
                  { label: text.name, width: 160, cell: ({ name }) => <bdi>{name}</bdi> },
                  {
                    label: text.url,
                    cell: ({ configuration: { secret, url } }) => (
                      <>
                        {url}
                        <Text size="xs" c="dimmed">
                          {secret.configured ? text.signed(secret.last4 ?? "") : text.unsigned}
                        </Text>
                      </>
                    )
                  },
                  {
                    label: text.types,
                    cell: ({ configuration }) => (
                      <>
                        {typesText(configuration)}
                        <Text size="xs" c="dimmed">
                          {configuration.program_ids === undefined
                            ? text.ofAll
                            : text.of(configuration.program_ids.map(names.program).join(", "))}
                        </Text>
                      </>
                    )
                  },
                  {
                    label: text.status,
                    cell: ({ enabled }) => (
                      <Status tone={enabled ? "good" : "neutral"}>{enabled ? text.enabled : text.disabled}</Status>
                    )
                  },
                  { label: `${text.changed} (${zone})`, cell: ({ updated_at }) => timeShort(updated_at, zone) },
                  {
                    label: "",
                    cell: (connector) =>
                      may("platform:write") ? (
                        <Group gap="xs">
                          <Edit connector={connector} />
                          <Switch connector={connector} />
                          <Delete connector={connector} />
                        </Group>
                      ) : undefined
                  }
                ]}
              />
              <More query={connectors} />
            </>
          )
        }}
      </Shown>
    </Panel>
  )
}

/** Where deliveries and the live feed will be. */
export const Deliveries = () => (
  <Panel title={text.deliveries}>
    <Empty title={text.notYet}>{text.later}</Empty>
  </Panel>
)

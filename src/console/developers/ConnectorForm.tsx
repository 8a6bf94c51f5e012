/** The form that creates or changes a connector. */
import { Checkbox, Fieldset, Group, Radio, SimpleGrid } from "@mantine/core"
import { useState } from "react"
import type { Connector } from "../../contract/platform/Connectors.ts"
import { ConnectorFacts, Connectors as ConnectorsGroup, defaultInFlight } from "../../contract/platform/Connectors.ts"
import { crossedType, eventTypes } from "../../contract/platform/EventTypes.ts"
import { client } from "../shared/client.ts"
import type { Draft } from "../shared/form/draft.ts"
import { valueAt, withAt } from "../shared/form/draft.ts"
import { Field, ReplaceField, useListField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { ProgramsInput } from "../shared/form/ProgramsInput.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { useSession } from "../shared/session.tsx"
import { ConnectorSecret } from "./ConnectorSecret.tsx"
import { connectorStrings } from "./connectorStrings.ts"
import { typeText } from "./connectorWords.ts"
import type { JustIssued } from "./SecretDialog.tsx"
import { Thresholds } from "./Thresholds.tsx"

const platform = client(ConnectorsGroup)

const text = connectorStrings

const place = "/configuration/event_types"

/** A connector with its event types: what is told of balances alone has their own, and what sends codes needs none. */
const complete = (payload: Draft): Draft => {
  const isOfBalances = valueAt(payload, "/configuration/thresholds") !== undefined
  return withAt(payload, place, valueAt(payload, place) ?? (isOfBalances ? [crossedType] : []))
}

/** True if it gets something: events, or codes for telephones alone. */
const hasEvents = (payload: Draft): boolean =>
  valueAt(payload, `${place}/0`) !== undefined || valueAt(payload, "/configuration/guest_codes") === true

const isAll = (types: ReadonlyArray<string>): boolean => types.includes("*")

const Types = () => {
  const { error, onChange, value: types } = useListField(place)
  /** The types that were chosen before all of them. */
  const [left, setLeft] = useState<ReadonlyArray<string>>([])
  return (
    <Fieldset legend={text.types} variant="unstyled">
      <Radio.Group
        label={text.types}
        labelProps={{ className: "unseen" }}
        value={isAll(types) ? "all" : "some"}
        onChange={(value) => {
          setLeft(isAll(types) ? left : types)
          onChange(value === "all" ? ["*"] : left)
        }}
      >
        <Group>
          <Radio value="all" label={text.allTypes} />
          <Radio value="some" label={text.someTypes} />
        </Group>
      </Radio.Group>
      {isAll(types) ? undefined : (
        <Checkbox.Group
          aria-label={text.someTypes}
          value={types}
          onChange={(chosen) => onChange(eventTypes.filter((type) => chosen.includes(type)))}
          description={text.someTypesHint}
          error={error}
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
}

/** The payload that leaves a connector as it is; of none: a new one, whose id the page makes, so that a repeated request creates one. */
const startOf = (connector: Connector | undefined) => ({
  connector_id: connector?.connector_id ?? `con_${crypto.randomUUID()}`,
  name: connector?.name,
  type: "webhook",
  configuration: {
    include_artifacts: false,
    max_in_flight: defaultInFlight,
    ...connector?.configuration,
    event_types: (connector?.configuration.event_types ?? ["*"]).filter((type) => type !== crossedType),
    secret: undefined
  },
  expected_version: connector?.version
})

/** Creates or changes a connector. Shows the secret that the service makes for it. */
export const EditConnector = ({ connector }: { readonly connector?: Connector }) => {
  const refresh = useRefresh("connectors")
  const { scopes } = useSession()
  const [issued, tell] = useState<JustIssued & { readonly connector: Connector }>()
  const known = connector?.configuration.secret
  return (
    <>
      <FormDialog
        label={connector === undefined ? text.add : text.edit}
        {...(connector === undefined ? {} : { name: text.editOf(connector.name) })}
        submit={text.save}
        schema={ConnectorFacts}
        start={startOf(connector)}
        needs={["/configuration/max_in_flight"]}
        complete={complete}
        isReady={hasEvents}
        send={(payload) => platform.platform_connectors.putConnector({ payload })}
        done={(made) => {
          if (made.secret !== undefined || made.secret_withheld === true) tell(made)
          refresh()
        }}
      >
        <Field at="/name" label={text.name} input={{ dir: "auto" }} />
        <Field at="/configuration/url" label={text.url} hint={text.urlHint} input={{ inputMode: "url" }} />
        <Types />
        <Thresholds />
        <ProgramsInput at="/configuration/program_ids" label={text.programs} hint={text.programsHint} />
        <Field at="/configuration/include_artifacts" label={text.codes} hint={text.codesHint} />
        {
          // Only an owner lets a receiver get what signs guests in.
          scopes.includes("staff:write") || connector?.configuration.guest_codes === true ? (
            <Field at="/configuration/guest_codes" label={text.guestCodes} hint={text.guestCodesHint} />
          ) : undefined
        }
        <Field at="/configuration/max_in_flight" label={text.inFlight} />
        <Field
          at="/configuration/secret"
          label={text.secret}
          hint={known?.configured === true ? text.secretStays(known.last4 ?? "") : text.secretMade}
          input={{ autoComplete: "off", spellCheck: false }}
        />
        <ReplaceField />
      </FormDialog>
      <ConnectorSecret issued={issued} name={issued?.connector.name ?? ""} close={() => tell(undefined)} />
    </>
  )
}

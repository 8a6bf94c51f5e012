/** What a member agrees to, by purpose and channel, and what it says now. */
import { Alert, Badge, Group, NativeSelect, Radio, Table, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import type { PlatformMember } from "../../../contract/platform/Members.ts"
import { ConsentChannel, Members } from "../../../contract/platform/Members.ts"
import { call, client } from "../../app/client.ts"
import { timeShort } from "../../app/format.ts"
import { useZone } from "../../app/program.tsx"
import { useMay } from "../../app/session.tsx"
import { strings } from "../../app/strings.ts"
import { Action } from "../../ui/Action.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { faultAt } from "../../ui/States.tsx"
import { Wide } from "../../ui/Wide.tsx"
import { useRefresh } from "./Profile.tsx"

const platform = client(Members)

const text = strings.consents

type Consent = PlatformMember["consents"][number]
type Channel = NonNullable<Consent["channel"]>

const say = ({ member_id, program_id }: PlatformMember, consent: Omit<Consent, "recorded_at">) =>
  call(platform.platform_members.upsertMember({ payload: { member_id, program_id, consent: [consent] } }))

const channelText = (channel: Channel | undefined): string =>
  channel === undefined ? text.allChannels : text.channels[channel]

const Source = (props: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: unknown
}) => (
  <TextInput
    label={text.source}
    description={text.sourceHint}
    required
    value={props.value}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
    error={faultAt(props.error, "/consent/0/source")}
  />
)

/** Turns one consent round. */
const Turn = ({ consent, member }: { readonly consent: Consent; readonly member: PlatformMember }) => {
  const refresh = useRefresh()
  const [source, setSource] = useState("")
  const { channel, granted, purpose } = consent
  const of = text.of(purpose, channelText(channel))
  return (
    <Action
      label={granted ? text.withdraw : text.grant}
      name={`${granted ? text.withdraw : text.grant}: ${of}`}
      begin={() => setSource("")}
      done={refresh}
      isReady={source.trim() !== ""}
      run={() =>
        say(member, {
          purpose,
          ...(channel === undefined ? {} : { channel }),
          granted: !granted,
          source: source.trim()
        })
      }
    >
      {(error: unknown) => (
        <>
          <Alert title={strings.member.preview}>{granted ? text.willWithdraw(of) : text.willGrant(of)}</Alert>
          <Source value={source} onChange={setSource} error={error} />
        </>
      )}
    </Action>
  )
}

const Enter = ({ member }: { readonly member: PlatformMember }) => {
  const refresh = useRefresh()
  const mayGrant = member.status === "active"
  const [purpose, setPurpose] = useState("marketing")
  const [channel, setChannel] = useState<Channel | "">("")
  const [isGranted, setGranted] = useState(mayGrant)
  const [source, setSource] = useState("")
  return (
    <Action
      label={text.enter}
      begin={() => {
        setPurpose("marketing")
        setChannel("")
        setGranted(mayGrant)
        setSource("")
      }}
      done={refresh}
      isReady={purpose.trim() !== "" && source.trim() !== ""}
      run={() =>
        say(member, {
          purpose: purpose.trim(),
          ...(channel === "" ? {} : { channel }),
          granted: isGranted && mayGrant,
          source: source.trim()
        })
      }
    >
      {(error: unknown) => (
        <>
          <TextInput
            label={text.purpose}
            description={text.purposeHint}
            required
            list="purposes"
            value={purpose}
            onChange={({ currentTarget }) => setPurpose(currentTarget.value)}
            error={faultAt(error, "/consent/0/purpose")}
          />
          <datalist id="purposes">
            {[...new Set(["marketing", "analytics", ...member.consents.map((one) => one.purpose)])].map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <NativeSelect
            label={text.channel}
            value={channel}
            data={[
              { value: "", label: text.allChannels },
              ...ConsentChannel.literals.map((value) => ({ value, label: text.channels[value] }))
            ]}
            onChange={({ currentTarget }) => setChannel(currentTarget.value as Channel | "")}
          />
          {mayGrant ? (
            <Radio.Group
              label={text.answer}
              value={String(isGranted)}
              onChange={(value) => setGranted(value === "true")}
            >
              <Group mt="xs">
                <Radio value="true" label={text.agrees} />
                <Radio value="false" label={text.refuses} />
              </Group>
            </Radio.Group>
          ) : (
            <Text size="sm">{text.onlyWithdraw}</Text>
          )}
          <Source value={source} onChange={setSource} error={error} />
        </>
      )}
    </Action>
  )
}

export const Consents = ({ member }: { readonly member: PlatformMember }) => {
  const may = useMay()
  const zone = useZone()
  const mayWrite = may("platform:write") && member.status !== "closed"
  const mayTurn = ({ granted }: Consent): boolean => mayWrite && (granted || member.status === "active")
  return (
    <Panel title={text.title} actions={mayWrite ? <Enter member={member} /> : undefined}>
      {member.consents.length === 0 ? (
        <Text c="dimmed">{text.none}</Text>
      ) : (
        <Wide label={text.title} minWidth={420}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.purpose}</Table.Th>
                <Table.Th>{text.answer}</Table.Th>
                <Table.Th>{text.source}</Table.Th>
                <Table.Td />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {member.consents.map((consent) => (
                <Table.Tr key={`${consent.purpose} ${consent.channel ?? ""}`}>
                  <Table.Td>
                    <bdi>{consent.purpose}</bdi>
                    <Text size="xs" c="dimmed">
                      {channelText(consent.channel)}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Badge variant="default">{consent.granted ? text.agrees : text.refuses}</Badge>
                  </Table.Td>
                  <Table.Td style={{ overflowWrap: "anywhere" }}>
                    <bdi>{consent.source ?? text.noSource}</bdi>
                    <Text size="xs" c="dimmed">
                      {timeShort(consent.recorded_at, zone)}
                    </Text>
                  </Table.Td>
                  <Table.Td>{mayTurn(consent) ? <Turn consent={consent} member={member} /> : undefined}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Wide>
      )}
    </Panel>
  )
}

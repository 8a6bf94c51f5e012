/** A member's consents by purpose and channel, and forms to record new answers. */
import { Alert, Group, NativeSelect, Radio, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import type { PlatformMember } from "../../contract/platform/Members.ts"
import { ConsentChannel, Members } from "../../contract/platform/Members.ts"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { More } from "../shared/More.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, Shown } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { enrolSource } from "./enrolling.ts"
import { consentStrings } from "./profileStrings.ts"

const platform = client(Members)

const text = consentStrings

type Consent = PlatformMember["consents"][number]
type Channel = NonNullable<Consent["channel"]>

const say = ({ member_id, program_id }: PlatformMember, consent: Omit<Consent, "recorded_at">) =>
  call(platform.platform_members.upsertMember({ payload: { member_id, program_id, consent: [consent] } }))

const channelText = (channel: Channel | undefined): string =>
  channel === undefined ? text.allChannels : text.channels[channel]

/** Where a guest answered: the guests' page writes `guest_page VERSION`, the dialog that enrols `console`. */
const sourceText = (source: string | undefined): string => {
  if (source === enrolSource) return text.console
  const [, version] = /^guest_page (.+)$/.exec(source ?? "") ?? []
  return version === undefined ? (source ?? text.noSource) : text.guestPage(version)
}

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
    error={faultAt(props.error, "/consent/0/source", props.value)}
  />
)

/** Grants a withdrawn consent, or withdraws a granted one. */
const Turn = ({ consent, member }: { readonly consent: Consent; readonly member: PlatformMember }) => {
  const refresh = useRefresh()
  const [source, setSource] = useState("")
  const { channel, granted, purpose } = consent
  const of = text.of(purpose, channelText(channel))
  return (
    <ChangeDialog
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
    </ChangeDialog>
  )
}

const Enter = ({ member }: { readonly member: PlatformMember }) => {
  const refresh = useRefresh()
  const mayGrant = member.status === "active"
  const [purpose, setPurpose] = useState("marketing")
  const [channel, setChannel] = useState<Channel | "">("")
  // Neither is chosen at first: a slip would record a consent that nobody gave.
  const [answer, setAnswer] = useState<"agrees" | "refuses">()
  const [source, setSource] = useState("")
  return (
    <ChangeDialog
      label={text.enter}
      begin={() => {
        setPurpose("marketing")
        setChannel("")
        setAnswer(undefined)
        setSource("")
      }}
      done={refresh}
      isReady={purpose.trim() !== "" && source.trim() !== "" && (answer !== undefined || !mayGrant)}
      run={() =>
        say(member, {
          purpose: purpose.trim(),
          ...(channel === "" ? {} : { channel }),
          granted: answer === "agrees" && mayGrant,
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
            error={faultAt(error, "/consent/0/purpose", purpose)}
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
              required
              value={answer ?? null}
              onChange={(value) => setAnswer(value as typeof answer)}
            >
              <Group mt="xs">
                <Radio value="agrees" label={text.agrees} />
                <Radio value="refuses" label={text.refuses} />
              </Group>
            </Radio.Group>
          ) : (
            <Text size="sm">{text.onlyWithdraw}</Text>
          )}
          <Source value={source} onChange={setSource} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}

/** All recorded answers, newest first. */
export const ConsentHistory = ({ member: { member_id, program_id } }: { readonly member: PlatformMember }) => {
  const zone = useZone()
  const history = usePaged(["consents", program_id, member_id], (page) =>
    call(platform.platform_members.memberConsents({ query: { program_id, member_id, ...page } }))
  )
  const rows = history.data?.pages.flatMap((page) => page.consents) ?? []
  if (history.error === null && rows.length === 0) return undefined
  return (
    <Panel title={text.history}>
      <Shown query={history}>
        {() => (
          <>
            <Listing
              label={text.history}
              minWidth={520}
              rows={rows.map((row, place) => ({ ...row, place }))}
              keyOf={({ place }) => String(place)}
              columns={[
                {
                  label: `${text.when} (${zone})`,
                  cell: ({ recorded_at }) => timeShort(recorded_at, zone)
                },
                {
                  label: text.purpose,
                  cell: (row) => (
                    <>
                      <bdi>{text.of(row.purpose, channelText(row.channel))}</bdi>
                      {row.member_id === member_id ? undefined : <Note size="xs">{text.before(row.member_id)}</Note>}
                    </>
                  )
                },
                {
                  label: text.answer,
                  cell: ({ granted }) => (
                    <Status tone={granted ? "good" : "neutral"}>{granted ? text.agrees : text.refuses}</Status>
                  )
                },
                { label: text.source, cell: ({ source }) => <bdi>{sourceText(source)}</bdi> },
                { label: text.recordedBy, cell: ({ recorded_by }) => <bdi>{recorded_by ?? text.itself}</bdi> }
              ]}
            />
            <More query={history} />
          </>
        )}
      </Shown>
    </Panel>
  )
}

export const Consents = ({ member }: { readonly member: PlatformMember }) => {
  const may = useMay()
  const zone = useZone()
  const mayWrite = may("upsertMember") && member.status !== "closed"
  const mayTurn = ({ granted }: Consent): boolean => mayWrite && (granted || member.status === "active")
  return (
    <Panel title={text.title} actions={mayWrite ? <Enter member={member} /> : undefined}>
      {member.consents.length === 0 ? (
        <Text c="dimmed">{text.none}</Text>
      ) : (
        <Listing
          label={text.title}
          minWidth={420}
          rows={member.consents}
          keyOf={({ channel, purpose }) => `${purpose} ${channel ?? ""}`}
          columns={[
            {
              label: text.purpose,
              by: ({ channel, purpose }) => `${purpose} ${channelText(channel)}`,
              cell: ({ channel, purpose }) => (
                <>
                  <bdi>{purpose}</bdi>
                  <Note size="xs" fw={400}>
                    {channelText(channel)}
                  </Note>
                </>
              )
            },
            {
              label: text.answer,
              by: ({ granted }) => (granted ? text.agrees : text.refuses),
              cell: ({ granted }) => (
                <Status tone={granted ? "good" : "neutral"}>{granted ? text.agrees : text.refuses}</Status>
              )
            },
            {
              label: text.source,
              by: ({ source }) => source,
              cell: ({ recorded_at, source }) => (
                <>
                  <bdi>{sourceText(source)}</bdi>
                  <Note size="xs">{timeShort(recorded_at, zone)}</Note>
                </>
              )
            },
            {
              label: "",
              cell: (consent) =>
                // An open dialog never turns into the opposite answer.
                mayTurn(consent) ? <Turn key={String(consent.granted)} consent={consent} member={member} /> : undefined
            }
          ]}
        />
      )}
    </Panel>
  )
}

/** A member's consents by purpose and channel, and forms to record new answers. */
import { Alert, Group, Radio, Text } from "@mantine/core"
import type { ReactNode } from "react"
import type { PlatformMember } from "../../contract/platform/Members.ts"
import { ConsentChannel, Members, ProfileFacts } from "../../contract/platform/Members.ts"
import { call, client } from "../shared/client.ts"
import { Field, useField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { More } from "../shared/More.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Shown } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { enrolSource } from "./enrolling.ts"
import { consentStrings } from "./profileStrings.ts"

const platform = client(Members)

const text = consentStrings

type Consent = PlatformMember["consents"][number]
type Channel = NonNullable<Consent["channel"]>

const channelText = (channel: Channel | undefined): string =>
  channel === undefined ? text.allChannels : text.channels[channel]

/** Where a guest answered: the guests' page writes `guest_page VERSION`, the dialog that enrols `console`. */
const sourceText = (source: string | undefined): string => {
  if (source === enrolSource) return text.console
  const [, version] = /^guest_page (.+)$/.exec(source ?? "") ?? []
  return version === undefined ? (source ?? text.noSource) : text.guestPage(version)
}

/** Records an answer, and where it was given. `consent`: its parts that are known. */
const Answered = (props: {
  readonly label: string
  readonly name?: string
  readonly member: PlatformMember
  readonly consent: object
  readonly children: ReactNode
}) => {
  const { children, consent, member, ...dialog } = props
  const { member_id, program_id } = member
  return (
    <FormDialog
      {...dialog}
      schema={ProfileFacts}
      start={{ member_id, program_id, consent: [consent] }}
      needs={["/consent/0/source"]}
      send={(payload) => platform.platform_members.upsertMember({ payload })}
      done={useRefresh()}
    >
      {children}
      <Field at="/consent/0/source" label={text.source} hint={text.sourceHint} />
    </FormDialog>
  )
}

/** Grants a withdrawn consent, or withdraws a granted one. */
const Turn = ({ consent, member }: { readonly consent: Consent; readonly member: PlatformMember }) => {
  const { channel, granted, purpose } = consent
  const of = text.of(purpose, channelText(channel))
  const label = granted ? text.withdraw : text.grant
  return (
    <Answered label={label} name={`${label}: ${of}`} member={member} consent={{ purpose, channel, granted: !granted }}>
      <Alert title={strings.member.preview}>{granted ? text.willWithdraw(of) : text.willGrant(of)}</Alert>
    </Answered>
  )
}

const Answer = () => {
  const { onChange, value } = useField("/consent/0/granted")
  return (
    <Radio.Group
      label={text.answer}
      required
      value={value === undefined ? null : String(value)}
      onChange={(next) => onChange(next === "true")}
    >
      <Group mt="xs">
        <Radio value="true" label={text.agrees} />
        <Radio value="false" label={text.refuses} />
      </Group>
    </Radio.Group>
  )
}

const Enter = ({ member }: { readonly member: PlatformMember }) => {
  const mayGrant = member.status === "active"
  return (
    <Answered
      label={text.enter}
      member={member}
      // No answer is chosen at first: a slip would record a consent that nobody gave.
      consent={{ purpose: "marketing", granted: mayGrant ? undefined : false }}
    >
      <Field at="/consent/0/purpose" label={text.purpose} hint={text.purposeHint} input={{ list: "purposes" }} />
      <datalist id="purposes">
        {[...new Set(["marketing", "analytics", ...member.consents.map((one) => one.purpose)])].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Field
        at="/consent/0/channel"
        label={text.channel}
        options={[
          { value: "", label: text.allChannels },
          ...ConsentChannel.literals.map((value) => ({ value, label: text.channels[value] }))
        ]}
      />
      {mayGrant ? <Answer /> : <Text size="sm">{text.onlyWithdraw}</Text>}
    </Answered>
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

/** Creates or changes a campaign: its segment, action, and schedule or trigger. */
import { Alert, Button, Group, Paper, Radio, SegmentedControl, Stack, Title } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { Campaign, CampaignFacts } from "../../contract/platform/Campaigns.ts"
import { Campaigns, defaultAttributionDays } from "../../contract/platform/Campaigns.ts"
import { handoverStrings } from "../handovers/handoverStrings.ts"
import { putterWords, useHandsOver } from "../handovers/putters.ts"
import { call, client, faultsOf, keyed } from "../shared/client.ts"
import { useServiceNow } from "../shared/clock.ts"
import { useOnce } from "../shared/form/once.ts"
import { Unsaved } from "../shared/form/Unsaved.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useIsZoneKnown, useProgramQuery, useZone } from "../shared/program.tsx"
import { Replace } from "../shared/Replace.tsx"
import { Failed, Loading, Refused, Shown } from "../shared/States.tsx"
import { draftOf, faultOf, longestGapDays, scheduleOf } from "../shared/schedule.ts"
import { strings } from "../shared/strings.ts"
import { tell } from "../shared/told.ts"
import { useCampaign, useOffer, useRecent, useRuns, useSegments } from "./audience.ts"
import * as Automation from "./automation.ts"
import { automationStrings } from "./automationStrings.ts"
import type { Draft, PartProps } from "./CampaignParts.tsx"
import { Credit, form, Limits, Measure, Reward, Who } from "./CampaignParts.tsx"
import { isMailComplete, mailDraftOf, mailOf } from "./campaignMail.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { GuestWords } from "./GuestWords.tsx"
import { guestTextsDraftOf, guestTextsOf } from "./guestTexts.ts"
import { MailInput } from "./MailInput.tsx"
import { ScheduleInput } from "./ScheduleInput.tsx"
import { FrequencyInput, TriggerInput } from "./TriggerInput.tsx"

const platform = client(Campaigns)

const text = campaignStrings

const draftFrom = (campaign: Campaign | undefined, segment: string): Draft => {
  const { credit, issue_reward: reward } = campaign?.action ?? {}
  return {
    name: campaign?.name ?? "",
    guestName: campaign?.guest_name ?? "",
    guestText: campaign?.guest_text ?? "",
    guestTexts: guestTextsDraftOf(campaign?.guest_texts),
    guestDays: campaign?.guest_days,
    mail: mailDraftOf(campaign?.mail),
    segment: campaign?.segment_id ?? segment,
    kind: credit === undefined ? "reward" : "credit",
    reward: reward?.reward_id ?? "",
    seconds: reward?.expires_in_seconds,
    amount: credit?.amount,
    unit: credit?.unit ?? "",
    reason: credit?.reason ?? "",
    holdout: campaign?.holdout_percent ?? 0,
    limitRewards: campaign?.limit?.rewards,
    limitAmount: campaign?.limit?.amount,
    attribution: campaign?.attribution_days ?? defaultAttributionDays,
    how: campaign?.trigger === undefined ? "schedule" : "trigger",
    trigger: Automation.draftOf(campaign?.trigger),
    frequency: Automation.frequencyDraftOf(campaign)
  }
}

const present = <A,>(name: string, value: A | undefined) =>
  value === undefined || value === "" ? {} : { [name]: value }

const actionOf = ({ amount, kind, reason, reward, seconds, unit }: Draft) =>
  kind === "reward"
    ? { issue_reward: { reward_id: reward, ...present("expires_in_seconds", seconds) } }
    : { credit: { amount, ...present("unit", unit), reason } }

const limitOf = ({ kind, limitAmount, limitRewards }: Draft) => {
  const limit = { ...present("rewards", limitRewards), ...(kind === "credit" ? present("amount", limitAmount) : {}) }
  return Object.keys(limit).length === 0 ? undefined : limit
}

/** Facts of a draft that need nothing else. */
const factsOf = (draft: Draft) => ({
  name: draft.name.trim(),
  ...present("guest_name", draft.guestName.trim()),
  ...present("guest_text", draft.guestText.trim()),
  ...present("guest_texts", draft.guestText.trim() === "" ? undefined : guestTextsOf(draft.guestTexts)),
  ...present("guest_days", draft.guestDays),
  ...present("mail", mailOf(draft.mail)),
  ...present("segment_id", draft.segment),
  action: actionOf(draft),
  holdout_percent: draft.holdout,
  ...present("limit", limitOf(draft)),
  attribution_days: draft.attribution
})

const isComplete = ({ amount, attribution, holdout, kind, name, reason, reward, ...draft }: Draft): boolean =>
  name.trim() !== "" &&
  isMailComplete(draft.mail) &&
  (draft.how === "schedule" ? draft.segment !== "" : Automation.isComplete(draft.trigger)) &&
  holdout !== undefined &&
  attribution !== undefined &&
  (kind === "reward" ? reward !== "" : amount !== undefined && reason.trim() !== "")

/** Paths whose faults a field above shows. */
const placed = new Set([
  "/name",
  "/guest_name",
  "/guest_text",
  "/segment_id",
  "/action/issue_reward/reward_id",
  "/action/issue_reward/expires_in_seconds",
  "/action/credit/amount",
  "/action/credit/unit",
  "/action/credit/reason",
  "/schedule/starts_at",
  "/schedule/ends_at",
  "/schedule/repeat/cron",
  "/schedule/repeat/time_zone",
  "/holdout_percent",
  "/attribution_days",
  "/limit/rewards",
  "/limit/amount",
  "/trigger/on",
  "/trigger/to",
  "/trigger/delay_seconds",
  "/frequency/times",
  "/frequency/days"
])

const within = [
  "/trigger/where/location_ids",
  "/trigger/where/minimum_spend",
  "/trigger/once",
  "/mail",
  "/guest_texts",
  "/guest_days"
]

const isPlaced = (path: string): boolean => placed.has(path) || within.some((one) => path.startsWith(one))

/** The frequency of the draft, and what its note tells. */
const useFrequency = ({ frequency, how, segment, trigger }: Draft) => {
  const rules = useSegments().data?.find((one) => one.segment_id === segment)?.rules
  const usual = Automation.usualFrequency(how === "trigger" ? trigger : undefined, rules)
  const value = frequency ?? usual
  const isRequired = how === "trigger" && trigger.to === "referrer"
  return {
    value,
    isRequired,
    isOfYear: how === "schedule" && frequency === undefined && usual.times !== undefined,
    isComplete: Automation.isFrequencyComplete(value, isRequired)
  }
}

/** Effect of a schedule on birthdays that the segment asks for. Reads nothing where it asks for none. */
const Birthdays = ({ schedule, segment }: { readonly schedule: Campaign["schedule"]; readonly segment: string }) => {
  const now = useServiceNow()
  const ahead = Automation.birthdaysAhead(useSegments().data?.find((one) => one.segment_id === segment)?.rules)
  const gap = ahead === undefined ? undefined : longestGapDays(schedule, now)
  if (ahead === undefined || gap === undefined || gap <= ahead) return undefined
  return (
    <Alert color="yellow" role="status">
      {gap > ahead + 1 ? automationStrings.birthdaysMissed(gap, ahead) : automationStrings.birthdaysAtRisk}
    </Alert>
  )
}

/** On a schedule or by a trigger: a campaign keeps its kind. */
const How = ({ draft, isNew, set }: Omit<PartProps, "error"> & { readonly isNew: boolean }) => (
  <Stack gap={4}>
    <Radio.Group
      label={automationStrings.how}
      labelProps={{ className: "unseen" }}
      value={draft.how}
      onChange={(how) => set({ how: how === "trigger" ? "trigger" : "schedule" })}
    >
      <Group>
        {(["schedule", "trigger"] as const).map((one) => (
          <Radio key={one} value={one} disabled={!isNew} label={automationStrings.hows[one]} />
        ))}
      </Group>
    </Radio.Group>
    {isNew ? undefined : <Note>{automationStrings.howFixed}</Note>}
  </Stack>
)

const Action = (part: PartProps) => (
  <Stack>
    <SegmentedControl
      aria-label={form.action}
      value={part.draft.kind}
      onChange={(kind) => part.set({ kind: kind === "credit" ? "credit" : "reward" })}
      data={(["reward", "credit"] as const).map((value) => ({ value, label: form.actions[value] }))}
    />
    {part.draft.kind === "reward" ? <Reward {...part} /> : <Credit {...part} />}
  </Stack>
)

/** Paths of faults that the folded fields show. */
const folded = ["/holdout_percent", "/attribution_days", "/frequency/times", "/frequency/days"]

interface MoreProps extends PartProps {
  readonly hasRun: boolean
  readonly frequency: ReturnType<typeof useFrequency>
  readonly repeats: boolean
}

/** How often a guest gets it where nobody has said so; undefined: as the fields say. */
const usualOf = (frequency: MoreProps["frequency"], repeats: boolean): string | undefined => {
  if (frequency.isOfYear) return automationStrings.frequencyOfYear
  if (frequency.isRequired) return automationStrings.frequencyOfReferrer
  return repeats && frequency.value.times === undefined ? automationStrings.frequencyOfAgain : undefined
}

/** How it is measured, and how often one guest gets it: folded away while they are as usual. */
const More = ({ draft, error, frequency, hasRun, repeats, set }: MoreProps) => {
  const { attribution, frequency: chosen, holdout } = draft
  // One that gives again and again without a bound is what people come to bound.
  const isToBound = chosen !== undefined && (chosen.times !== undefined || repeats)
  const isUnusual = holdout !== 0 || attribution !== defaultAttributionDays || isToBound
  const [isOpen, setOpen] = useState(isUnusual)
  const [told, setTold] = useState<unknown>(null)
  // A refusal opens it once, where the fault is in it.
  if (told !== error) {
    setTold(error)
    if (faultsOf(error).some(({ path }) => folded.includes(path))) setOpen(true)
  }
  const usual = usualOf(frequency, repeats)
  return (
    <Paper withBorder p="md" radius="md">
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{form.more}</summary>
        {isOpen ? (
          <Stack mt="md">
            <Title order={3} size="h4">
              {form.measure}
            </Title>
            <Measure draft={draft} set={set} error={error} hasRun={hasRun} />
            <Title order={3} size="h4">
              {automationStrings.frequency}
            </Title>
            <FrequencyInput
              {...frequency}
              repeats={repeats}
              onChange={(next) => set({ frequency: next })}
              error={error}
            />
          </Stack>
        ) : undefined}
      </details>
      {isOpen || usual === undefined ? undefined : <Note>{usual}</Note>}
    </Paper>
  )
}

const Save = (props: {
  readonly isNew: boolean
  readonly isFilledIn: boolean
  readonly canSave: boolean
  readonly isSaving: boolean
}) => (
  <Group>
    <Button type="submit" loading={props.isSaving} disabled={!props.canSave}>
      {form.save}
    </Button>
    {props.isFilledIn && !props.isNew ? undefined : (
      <Note role="status">{props.isFilledIn ? form.draftHint : form.toSave}</Note>
    )}
  </Group>
)

interface FormProps {
  /** Absent: a new one. */
  readonly campaign?: Campaign
  /** The campaign that a new one begins as a copy of. */
  readonly copied?: Campaign
  readonly hasRun: boolean
  readonly segment: string
}

const Form = (props: FormProps) => {
  const { campaign, hasRun } = props
  const { copied = campaign } = props
  const program = useProgramQuery()
  const handsOver = useHandsOver("campaign")
  const usual = useZone()
  const queries = useQueryClient()
  const navigate = useNavigate()
  // Keeps the new id: a save repeated after a lost response must not create a second one.
  const [id] = useState(() => campaign?.campaign_id ?? `cmp_${crypto.randomUUID()}`)
  const [draft, setDraft] = useState((): Draft => {
    const begun = draftFrom(copied, props.segment)
    return copied === campaign ? begun : { ...begun, name: form.copyOf(begun.name) }
  })
  const [schedule, setSchedule] = useState(() => draftOf(copied?.schedule, usual))
  // The version when the form opened. A version that arrives later was not edited here.
  const [version] = useState(campaign?.version)
  const [isReplacing, setReplacing] = useState(false)
  const once = useOnce()
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const isTriggered = draft.how === "trigger"
  const written = isTriggered ? { schedule: undefined, isComplete: true } : scheduleOf(schedule)
  const frequency = useFrequency(draft)
  const [offered, recent] = [useOffer(), useRecent()]
  const currency = offered?.currency ?? recent.currency ?? campaign?.trigger?.where?.minimum_spend?.currency
  const save = useMutation({
    mutationFn: async () => {
      // The service checks the input. Its faults are shown at their fields.
      const payload = {
        ...program,
        campaign_id: id,
        ...factsOf(draft),
        ...present("schedule", written.schedule),
        ...(isTriggered ? { trigger: Automation.triggerOf(draft.trigger, currency ?? "") } : {}),
        ...present("frequency", Automation.frequencyOf(frequency.value)),
        ...present("expected_version", isReplacing ? undefined : version)
      } as CampaignFacts
      return (await call(keyed(once.keyOf(payload), platform.platform_campaigns.putCampaign({ payload })))).campaign
    },
    onSuccess: (made) => {
      const { campaign_id } = made
      queries.setQueryData(["campaign", campaign_id], made)
      tell(strings.states.saved(made.name))
      void queries.invalidateQueries({ queryKey: ["campaigns"] })
      void navigate({ to: "/audience/campaigns/$campaign_id", params: { campaign_id }, ignoreBlocker: true })
    }
  })
  const isFilledIn = isComplete(draft) && written.isComplete && frequency.isComplete
  const canSave = isFilledIn && faultOf(written.schedule) === undefined && program !== undefined
  const part = { draft, set, error: save.error }
  const entered = JSON.stringify([draft, schedule])
  const [blank] = useState(entered)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (canSave) save.mutate()
      }}
    >
      <Unsaved isUnsaved={entered !== blank} />
      <Stack maw={820}>
        <Title order={2}>{campaign === undefined ? form.newTitle : form.changeTitle(campaign.name)}</Title>
        {handsOver ? <Alert role="note">{handoverStrings.before(putterWords("campaign"))}</Alert> : undefined}
        <Paper withBorder p="md" radius="md">
          <Who {...part} />
        </Paper>
        <Panel title={automationStrings.when}>
          <Stack>
            <How {...part} isNew={campaign === undefined} />
            {isTriggered && campaign !== undefined && campaign.status !== "draft" ? (
              <Note>{automationStrings.changed}</Note>
            ) : undefined}
            {isTriggered ? (
              <TriggerInput
                value={draft.trigger}
                onChange={(trigger) => set({ trigger })}
                currency={currency}
                error={save.error}
              />
            ) : (
              <>
                <ScheduleInput value={schedule} onChange={setSchedule} error={save.error} />
                {schedule.mode === "repeated" ? (
                  <Birthdays schedule={written.schedule} segment={draft.segment} />
                ) : undefined}
              </>
            )}
          </Stack>
        </Panel>
        <Panel title={form.action}>
          <Action {...part} />
        </Panel>
        <Panel title={text.guests.title}>
          <GuestWords value={draft} onChange={set} error={save.error} />
        </Panel>
        <Panel title={text.mail.title}>
          <MailInput value={draft.mail} onChange={(mail) => set({ mail })} error={save.error} />
        </Panel>
        <More
          {...part}
          hasRun={hasRun}
          frequency={frequency}
          repeats={isTriggered ? draft.trigger.once === "event" : schedule.mode === "repeated"}
        />
        <Panel title={isTriggered ? automationStrings.limits : form.limits}>
          <Limits {...part} />
        </Panel>
        <Refused error={save.error} isPlaced={isPlaced} entered={entered} />
        <Replace error={save.error} isChosen={isReplacing} choose={setReplacing} />
        <Save isNew={campaign === undefined} isFilledIn={isFilledIn} canSave={canSave} isSaving={save.isPending} />
      </Stack>
    </form>
  )
}

export const NewCampaign = () => {
  const { copy, segment = "" } = useSearch({ from: "/audience/campaigns/new" })
  // The form's initial values need the zone.
  const isKnown = useIsZoneKnown()
  return (
    <Stack gap="xs">
      <PageLink to="/audience/campaigns">{text.all}</PageLink>
      {!isKnown ? <Loading /> : copy === undefined ? <Form hasRun={false} segment={segment} /> : <Copy of={copy} />}
    </Stack>
  )
}

const Copy = ({ of }: { readonly of: string }) => (
  <Shown query={useCampaign(of)}>{(copied) => <Form copied={copied} hasRun={false} segment="" />}</Shown>
)

export const ChangedCampaign = () => {
  const { campaign_id } = useParams({ from: "/audience/campaigns/$campaign_id/edit" })
  const campaign = useCampaign(campaign_id)
  const runs = useRuns(campaign_id, 1)
  const isKnown = useIsZoneKnown()
  return (
    <Stack gap="xs">
      <PageLink to="/audience/campaigns/$campaign_id" params={{ campaign_id }}>
        {campaign.data?.name ?? text.all}
      </PageLink>
      <Shown query={campaign}>
        {(shown) =>
          runs.error !== null ? (
            <Failed error={runs.error} retry={() => void runs.refetch()} />
          ) : runs.data === undefined || !isKnown ? (
            <Loading />
          ) : (
            <Form key={campaign_id} campaign={shown} hasRun={runs.data.length > 0} segment="" />
          )
        }
      </Shown>
    </Stack>
  )
}

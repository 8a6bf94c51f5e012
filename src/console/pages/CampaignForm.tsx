/** Creates or changes a campaign: its segment, action, and schedule or trigger. */
import {
  Alert,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Paper,
  Radio,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TextInput,
  Title
} from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { Campaign, CampaignFacts } from "../../contract/platform/Campaigns.ts"
import { Campaigns, defaultAttributionDays } from "../../contract/platform/Campaigns.ts"
import { useCampaign, useEstimate, useOffer, useRecent, useRuns, useSegments } from "../app/audience.ts"
import type { FrequencyDraft, Draft as TriggerDraft } from "../app/automation.ts"
import * as Automation from "../app/automation.ts"
import { automationStrings } from "../app/automationStrings.ts"
import { call, client, keyed } from "../app/client.ts"
import { number } from "../app/format.ts"
import { useOnce } from "../app/once.ts"
import { useIsZoneKnown, useProgramQuery, useZone } from "../app/program.tsx"
import { useServiceNow } from "../app/clock.ts"
import { draftOf, faultOf, longestGapDays, scheduleOf } from "../app/schedule.ts"
import { campaignStrings } from "../app/campaignStrings.ts"
import { strings } from "../app/strings.ts"
import { tell } from "../app/told.ts"
import { GuestWords } from "../ui/GuestWords.tsx"
import { Note } from "../ui/Note.tsx"
import { PageLink } from "../ui/PageLink.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Replace } from "../ui/Replace.tsx"
import { ScheduleInput } from "../ui/ScheduleInput.tsx"
import { Failed, faultAt, Loading, Refused, sentenceOf, Shown } from "../ui/States.tsx"
import { FrequencyInput, TriggerInput } from "../ui/TriggerInput.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"

const platform = client(Campaigns)

const text = campaignStrings
const form = text.form

const daySeconds = 86_400
/** Decimals of a number of days, enough to represent every whole second. */
const dayDecimals = 5

type Amount = number | undefined

/** A number input's value: a number, or a text that is not a number yet. */
const amountOf = (value: number | string): Amount => (typeof value === "number" ? value : undefined)

interface Draft {
  readonly name: string
  readonly guestName: string
  readonly guestText: string
  readonly segment: string
  readonly kind: "reward" | "credit"
  readonly reward: string
  readonly seconds: Amount
  readonly amount: Amount
  readonly unit: string
  readonly reason: string
  readonly holdout: Amount
  readonly limitRewards: Amount
  readonly limitAmount: Amount
  readonly attribution: Amount
  readonly how: "schedule" | "trigger"
  readonly trigger: TriggerDraft
  /** Undefined: the usual one, until it is changed. */
  readonly frequency: FrequencyDraft | undefined
}

const draftFrom = (campaign: Campaign | undefined, segment: string): Draft => {
  const { credit, issue_reward: reward } = campaign?.action ?? {}
  return {
    name: campaign?.name ?? "",
    guestName: campaign?.guest_name ?? "",
    guestText: campaign?.guest_text ?? "",
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

const isComplete = ({ amount, attribution, holdout, kind, name, reason, reward, ...draft }: Draft): boolean =>
  name.trim() !== "" &&
  (draft.how === "schedule" ? draft.segment !== "" : Automation.isComplete(draft.trigger)) &&
  holdout !== undefined &&
  attribution !== undefined &&
  (kind === "reward" ? reward !== "" : amount !== undefined && reason.trim() !== "")

interface PartProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly error: unknown
}

const Reward = ({ draft, error, set }: PartProps) => {
  const offer = useOffer()
  const recent = useRecent()
  const rewards = offer?.rewards ?? recent.rewards.map((value) => ({ value, label: value }))
  const at = "/action/issue_reward"
  const isKnown = draft.reward === "" || rewards.some(({ value }) => value === draft.reward)
  const isLoading = offer === undefined && recent.isLoading
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {isLoading ? (
        <NativeSelect
          label={form.reward}
          required
          disabled
          value=""
          data={[{ value: "", label: strings.states.loading }]}
        />
      ) : rewards.length === 0 ? (
        <TextInput
          label={form.reward}
          description={form.rewardHint}
          inputWrapperOrder={["label", "input", "description", "error"]}
          required
          value={draft.reward}
          onChange={({ currentTarget }) => set({ reward: currentTarget.value })}
          error={faultAt(error, `${at}/reward_id`, draft.reward)}
        />
      ) : (
        <NativeSelect
          label={form.reward}
          {...(offer === undefined ? { description: form.rewardsHint } : {})}
          inputWrapperOrder={["label", "input", "description", "error"]}
          required
          value={draft.reward}
          data={[
            { value: "", label: form.chooseReward },
            ...rewards,
            ...(isKnown ? [] : [{ value: draft.reward, label: draft.reward }])
          ]}
          onChange={({ currentTarget }) => set({ reward: currentTarget.value })}
          error={faultAt(error, `${at}/reward_id`, draft.reward)}
        />
      )}
      <NumberInput
        label={form.expires}
        description={draft.how === "trigger" ? automationStrings.expiresHint : form.expiresHint}
        inputWrapperOrder={["label", "input", "description", "error"]}
        decimalScale={dayDecimals}
        value={draft.seconds === undefined ? "" : draft.seconds / daySeconds}
        onChange={(days) => set({ seconds: typeof days === "number" ? Math.round(days * daySeconds) : undefined })}
        error={faultAt(error, `${at}/expires_in_seconds`, draft.seconds) && form.expiresBounds}
      />
    </SimpleGrid>
  )
}

const Credit = ({ draft, error, set }: PartProps) => {
  const units = useOffer()?.units ?? []
  const at = "/action/credit"
  return (
    <SimpleGrid cols={{ base: 1, xs: units.length > 1 ? 3 : 2 }}>
      <NumberInput
        label={form.amount}
        required
        allowDecimal={false}
        suffix={units.length === 1 && draft.unit === "" ? ` ${units[0]?.label}` : ""}
        value={draft.amount ?? ""}
        onChange={(amount) => set({ amount: amountOf(amount) })}
        error={faultAt(error, `${at}/amount`, draft.amount)}
      />
      {units.length > 1 || draft.unit !== "" ? (
        <NativeSelect
          label={form.unit}
          value={draft.unit === "" ? units[0]?.value : draft.unit}
          data={units.length === 0 ? [draft.unit] : [...units]}
          onChange={({ currentTarget }) => set({ unit: currentTarget.value })}
          error={faultAt(error, `${at}/unit`, draft.unit)}
        />
      ) : undefined}
      <TextInput
        label={form.reason}
        description={form.reasonHint}
        inputWrapperOrder={["label", "input", "description", "error"]}
        required
        maxLength={255}
        value={draft.reason}
        onChange={({ currentTarget }) => set({ reason: currentTarget.value })}
        error={faultAt(error, `${at}/reason`, draft.reason)}
      />
    </SimpleGrid>
  )
}

/** The number of members in the chosen segment now. */
const SegmentSize = ({ segment_id }: { readonly segment_id: string }) => {
  const { data, error } = useEstimate({ segment_id }, 0)
  return (
    <Note role="status">
      {error !== null
        ? sentenceOf(error)
        : data === undefined
          ? "…"
          : form.matches(number(data.estimated_size), strings.people(data.estimated_size))}
    </Note>
  )
}

const Who = ({ draft, error, set }: PartProps) => {
  const segments = useSegments().data ?? []
  const isTriggered = draft.how === "trigger"
  return (
    <Stack>
      <TextInput
        label={text.name}
        required
        maxLength={512}
        value={draft.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        error={faultAt(error, "/name", draft.name)}
      />
      <Stack gap={4}>
        <NativeSelect
          label={isTriggered ? automationStrings.audience : text.segment}
          required={!isTriggered}
          {...(isTriggered ? { description: automationStrings.audienceHints[draft.trigger.to] } : {})}
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={draft.segment}
          data={[
            { value: "", label: isTriggered ? automationStrings.anybody : form.chooseSegment },
            ...segments
              .filter(({ archived_at, segment_id }) => archived_at === undefined || segment_id === draft.segment)
              .map(({ name, segment_id }) => ({ value: segment_id, label: name }))
          ]}
          onChange={({ currentTarget }) => set({ segment: currentTarget.value })}
          error={faultAt(error, "/segment_id", draft.segment)}
        />
        {draft.segment === "" ? undefined : <SegmentSize segment_id={draft.segment} />}
      </Stack>
    </Stack>
  )
}

const Measure = ({ draft, error, hasRun, set }: PartProps & { readonly hasRun: boolean }) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>
    <NumberInput
      label={form.holdout}
      description={
        hasRun ? form.holdoutFixed : draft.how === "trigger" ? automationStrings.holdoutHint : form.holdoutHint
      }
      inputWrapperOrder={["label", "input", "description", "error"]}
      required
      allowDecimal={false}
      disabled={hasRun}
      value={draft.holdout ?? ""}
      onChange={(holdout) => set({ holdout: amountOf(holdout) })}
      error={faultAt(error, "/holdout_percent", draft.holdout)}
    />
    <NumberInput
      label={form.attribution}
      description={form.attributionHint}
      inputWrapperOrder={["label", "input", "description", "error"]}
      required
      allowDecimal={false}
      value={draft.attribution ?? ""}
      onChange={(attribution) => set({ attribution: amountOf(attribution) })}
      error={faultAt(error, "/attribution_days", draft.attribution)}
    />
  </SimpleGrid>
)

const Limits = ({ draft, error, set }: PartProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>
    <NumberInput
      label={form.limitRewards}
      placeholder={form.noLimit}
      allowDecimal={false}
      value={draft.limitRewards ?? ""}
      onChange={(limit) => set({ limitRewards: amountOf(limit) })}
      error={faultAt(error, "/limit/rewards", draft.limitRewards)}
    />
    {draft.kind === "credit" ? (
      <NumberInput
        label={form.limitAmount}
        placeholder={form.noLimit}
        allowDecimal={false}
        value={draft.limitAmount ?? ""}
        onChange={(limit) => set({ limitAmount: amountOf(limit) })}
        error={faultAt(error, "/limit/amount", draft.limitAmount)}
      />
    ) : undefined}
  </SimpleGrid>
)

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
const within = ["/trigger/where/location_ids", "/trigger/where/minimum_spend", "/trigger/once"]
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
        name: draft.name.trim(),
        ...present("guest_name", draft.guestName.trim()),
        ...present("guest_text", draft.guestText.trim()),
        ...present("segment_id", draft.segment),
        action: actionOf(draft),
        ...present("schedule", written.schedule),
        ...(isTriggered ? { trigger: Automation.triggerOf(draft.trigger, currency ?? "") } : {}),
        ...present("frequency", Automation.frequencyOf(frequency.value)),
        holdout_percent: draft.holdout,
        ...present("limit", limitOf(draft)),
        attribution_days: draft.attribution,
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
          <Stack>
            <SegmentedControl
              aria-label={form.action}
              value={draft.kind}
              onChange={(kind) => set({ kind: kind === "credit" ? "credit" : "reward" })}
              data={(["reward", "credit"] as const).map((value) => ({ value, label: form.actions[value] }))}
            />
            {draft.kind === "reward" ? <Reward {...part} /> : <Credit {...part} />}
          </Stack>
        </Panel>
        <Panel title={text.guests.title}>
          <GuestWords value={draft} onChange={set} error={save.error} />
        </Panel>
        <Panel title={form.measure}>
          <Measure {...part} hasRun={hasRun} />
        </Panel>
        <Panel title={automationStrings.frequency}>
          <FrequencyInput
            {...frequency}
            repeats={isTriggered ? draft.trigger.once === "event" : schedule.mode === "repeated"}
            onChange={(next) => set({ frequency: next })}
            error={save.error}
          />
        </Panel>
        <Panel title={isTriggered ? automationStrings.limits : form.limits}>
          <Limits {...part} />
        </Panel>
        <Refused error={save.error} isPlaced={isPlaced} entered={entered} />
        <Replace error={save.error} isChosen={isReplacing} choose={setReplacing} />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!canSave}>
            {form.save}
          </Button>
          {isFilledIn && campaign !== undefined ? undefined : (
            <Note role="status">{isFilledIn ? form.draftHint : form.toSave}</Note>
          )}
        </Group>
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

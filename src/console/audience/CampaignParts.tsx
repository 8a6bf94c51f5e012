/** Parts of a campaign's form: gift, audience, measurement, limits. */
import { NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core"
import { NumberField } from "../shared/form/NumberField.tsx"
import { number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { faultAt, sentenceOf } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { useEstimate, useOffer, useRecent, useSegments } from "./audience.ts"
import type { FrequencyDraft, Draft as TriggerDraft } from "./automation.ts"
import { automationStrings } from "./automationStrings.ts"
import type { MailDraft } from "./campaignMail.ts"
import { campaignStrings } from "./campaignStrings.ts"
import type { GuestTextsDraft } from "./guestTexts.ts"

const text = campaignStrings

export const form = text.form

const daySeconds = 86_400

/** Decimals of a number of days, enough to represent every whole second. */
const dayDecimals = 5

type Amount = number | undefined

const amountOf = (value: number | ""): Amount => (value === "" ? undefined : value)

export interface Draft {
  readonly name: string
  readonly guestName: string
  readonly guestText: string
  readonly guestTexts: GuestTextsDraft
  readonly guestDays: Amount
  readonly mail: MailDraft
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

export interface PartProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly error: unknown
}

/** In the place of a choice of rewards. `isKnown`: the programme has none; else it cannot be read, and an id is typed. */
const NoRewards = ({ draft, error, isKnown, set }: PartProps & { readonly isKnown: boolean }) =>
  isKnown ? (
    <NativeSelect
      label={form.reward}
      description={form.noRewards}
      inputWrapperOrder={["label", "input", "description", "error"]}
      required
      disabled
      value=""
      data={[{ value: "", label: form.chooseReward }]}
    />
  ) : (
    <TextInput
      label={form.reward}
      description={form.rewardHint}
      inputWrapperOrder={["label", "input", "description", "error"]}
      required
      value={draft.reward}
      onChange={({ currentTarget }) => set({ reward: currentTarget.value })}
      error={faultAt(error, "/action/issue_reward/reward_id", draft.reward)}
    />
  )

export const Reward = ({ draft, error, set }: PartProps) => {
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
        <NoRewards isKnown={offer !== undefined} draft={draft} set={set} error={error} />
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
      <NumberField
        label={form.expires}
        description={draft.how === "trigger" ? automationStrings.expiresHint : form.expiresHint}
        inputWrapperOrder={["label", "input", "description", "error"]}
        decimals={dayDecimals}
        value={draft.seconds === undefined ? "" : draft.seconds / daySeconds}
        onChange={(days) => set({ seconds: days === "" ? undefined : Math.round(days * daySeconds) })}
        error={faultAt(error, `${at}/expires_in_seconds`, draft.seconds) && form.expiresBounds}
      />
    </SimpleGrid>
  )
}

export const Credit = ({ draft, error, set }: PartProps) => {
  const units = useOffer()?.units ?? []
  const at = "/action/credit"
  return (
    <SimpleGrid cols={{ base: 1, xs: units.length > 1 ? 3 : 2 }}>
      <NumberField
        label={units.length === 1 && draft.unit === "" ? `${form.amount} (${units[0]?.label})` : form.amount}
        required
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

export const Who = ({ draft, error, set }: PartProps) => {
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

export const Measure = ({ draft, error, hasRun, set }: PartProps & { readonly hasRun: boolean }) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>
    <NumberField
      label={form.holdout}
      description={
        hasRun ? form.holdoutFixed : draft.how === "trigger" ? automationStrings.holdoutHint : form.holdoutHint
      }
      inputWrapperOrder={["label", "input", "description", "error"]}
      required
      disabled={hasRun}
      value={draft.holdout ?? ""}
      onChange={(holdout) => set({ holdout: amountOf(holdout) })}
      error={faultAt(error, "/holdout_percent", draft.holdout)}
    />
    <NumberField
      label={form.attribution}
      description={form.attributionHint}
      inputWrapperOrder={["label", "input", "description", "error"]}
      required
      value={draft.attribution ?? ""}
      onChange={(attribution) => set({ attribution: amountOf(attribution) })}
      error={faultAt(error, "/attribution_days", draft.attribution)}
    />
  </SimpleGrid>
)

export const Limits = ({ draft, error, set }: PartProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>
    <NumberField
      label={form.limitRewards}
      placeholder={form.noLimit}
      value={draft.limitRewards ?? ""}
      onChange={(limit) => set({ limitRewards: amountOf(limit) })}
      error={faultAt(error, "/limit/rewards", draft.limitRewards)}
    />
    {draft.kind === "credit" ? (
      <NumberField
        label={form.limitAmount}
        placeholder={form.noLimit}
        value={draft.limitAmount ?? ""}
        onChange={(limit) => set({ limitAmount: amountOf(limit) })}
        error={faultAt(error, "/limit/amount", draft.limitAmount)}
      />
    ) : undefined}
  </SimpleGrid>
)

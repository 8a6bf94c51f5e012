/** Trigger of a campaign, the guests who get something, and how often. */
import { Checkbox, Group, Input, NativeSelect, SimpleGrid, Stack } from "@mantine/core"
import { PlacesInput } from "../shared/choosers/PlacesInput.tsx"
import { NumberField } from "../shared/form/NumberField.tsx"
import { digitsOf } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { faultAt, faultsWithin } from "../shared/States.tsx"
import type { DelayUnit, Draft, FrequencyDraft } from "./automation.ts"
import { delayUnits, directions, events, receivers, repeats, withReceiver } from "./automation.ts"
import { automationStrings as text } from "./automationStrings.ts"
import { minorUnitsOf } from "./minorUnits.ts"

interface Props {
  readonly value: Draft
  readonly onChange: (value: Draft) => void
  /** The programme's; undefined: not known, so no minimum spend can be entered. */
  readonly currency: string | undefined
  /** The request's error. */
  readonly error: unknown
}

const order = ["label", "input", "description", "error"] as const
const numberOf = (value: number | "") => (value === "" ? undefined : value)

const Orders = ({ currency, error, onChange, value }: Props) => {
  const digits = currency === undefined ? 0 : digitsOf(currency)
  const set = (change: Partial<Draft>) => onChange({ ...value, ...change })
  return (
    <Input.Wrapper label={text.where} labelElement="div">
      <Stack gap="xs" role="group" aria-label={text.where}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <PlacesInput
            of="location_ids"
            label={text.places}
            description={text.placesHint}
            inputWrapperOrder={[...order]}
            value={value.places}
            onChange={(places) => set({ places })}
            error={faultsWithin(error, "/trigger/where/location_ids", [...value.places])}
          />
          <NumberField
            label={text.spend}
            {...(value.to === "referrer" || value.isFirst ? { description: text.spendOfFirst } : {})}
            inputWrapperOrder={[...order]}
            placeholder={text.anySpend}
            disabled={currency === undefined}
            decimals={digits}
            isMoney
            unit={currency}
            value={value.spend === undefined ? "" : value.spend / 10 ** digits}
            onChange={(spend) => set({ spend: minorUnitsOf(spend, digits) })}
            error={faultsWithin(error, "/trigger/where/minimum_spend", value.spend)}
          />
        </SimpleGrid>
        {value.to === "referrer" ? undefined : (
          <Checkbox
            label={text.first}
            checked={value.isFirst}
            onChange={({ currentTarget }) => set({ isFirst: currentTarget.checked })}
          />
        )}
      </Stack>
    </Input.Wrapper>
  )
}

const Repeats = ({ error, onChange, value }: Props) => {
  const set = (change: Partial<Draft>) => onChange({ ...value, ...change })
  return (
    <Group align="flex-start">
      <NativeSelect
        label={text.once}
        value={value.once}
        data={repeats.map((one) => ({ value: one, label: text.repeats[one] }))}
        onChange={({ currentTarget }) => set({ once: repeats.find((one) => one === currentTarget.value) ?? "member" })}
      />
      {value.once === "days" ? (
        <NumberField
          label={text.onceDays}
          required
          w={110}
          value={value.onceDays ?? ""}
          onChange={(days) => set({ onceDays: numberOf(days) })}
          error={faultsWithin(error, "/trigger/once", [value.once, value.onceDays])}
        />
      ) : undefined}
    </Group>
  )
}

const Delay = ({ error, onChange, value }: Props) => {
  const set = (change: Partial<Draft["delay"]>) => onChange({ ...value, delay: { ...value.delay, ...change } })
  return (
    <Stack gap={4}>
      <Group align="flex-start" wrap="nowrap">
        <NumberField
          label={text.delay}
          placeholder={text.noDelay}
          maw={160}
          value={value.delay.value ?? ""}
          onChange={(delay) => set({ value: numberOf(delay) })}
          error={faultAt(error, "/trigger/delay_seconds", value.delay) && text.delayBounds}
        />
        <NativeSelect
          label={text.delayUnit}
          value={value.delay.unit}
          data={delayUnits.map((one) => ({ value: one, label: text.units[one] }))}
          onChange={({ currentTarget }) => set({ unit: currentTarget.value as DelayUnit })}
        />
      </Group>
      {value.on === "order.accrued" ? <Note>{text.delayHint}</Note> : undefined}
    </Stack>
  )
}

export const TriggerInput = (props: Props) => {
  const { error, onChange, value } = props
  const isForReferrer = value.to === "referrer"
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NativeSelect
          label={text.on}
          disabled={isForReferrer}
          {...(isForReferrer ? { description: text.onFixed } : {})}
          inputWrapperOrder={[...order]}
          value={value.on}
          data={events.map((one) => ({ value: one, label: text.events[one] }))}
          onChange={({ currentTarget }) =>
            onChange({ ...value, on: events.find((one) => one === currentTarget.value) ?? value.on })
          }
          error={faultAt(error, "/trigger/on", value.on)}
        />
        <NativeSelect
          label={text.to}
          {...(isForReferrer ? { description: text.referrerHint } : {})}
          inputWrapperOrder={[...order]}
          value={value.to}
          data={receivers.map((one) => ({ value: one, label: text.receivers[one] }))}
          onChange={({ currentTarget }) =>
            onChange(withReceiver(value, receivers.find((one) => one === currentTarget.value) ?? "member"))
          }
          error={faultAt(error, "/trigger/to", value.to)}
        />
      </SimpleGrid>
      {value.on === "order.accrued" ? <Orders {...props} /> : undefined}
      {value.on === "tier.changed" ? (
        <NativeSelect
          label={text.direction}
          value={value.direction}
          data={directions.map((one) => ({ value: one, label: text.directions[one] }))}
          onChange={({ currentTarget }) =>
            onChange({ ...value, direction: directions.find((one) => one === currentTarget.value) ?? "up" })
          }
        />
      ) : undefined}
      {value.on === "member.enrolled" ? (
        <Checkbox
          label={text.imports}
          checked={value.withImports}
          onChange={({ currentTarget }) => onChange({ ...value, withImports: currentTarget.checked })}
        />
      ) : undefined}
      <Delay {...props} />
      {isForReferrer ? undefined : <Repeats {...props} />}
    </Stack>
  )
}

/** How often one member gets something of the campaign. */
export const FrequencyInput = (props: {
  readonly value: FrequencyDraft
  readonly onChange: (value: FrequencyDraft) => void
  readonly isRequired: boolean
  /** True if a birthday or an absence is the reason. */
  readonly isOfYear: boolean
  /** True if it gives again and again. */
  readonly repeats: boolean
  readonly error: unknown
}) => {
  const { error, isOfYear, isRequired, onChange, repeats, value } = props
  // One without the other says nothing.
  const isBegun = value.times !== undefined || value.days !== undefined
  const field = (name: keyof FrequencyDraft, label: string) => (
    <NumberField
      label={label}
      required={isRequired || isBegun}
      placeholder={text.unbounded}
      value={value[name] ?? ""}
      onChange={(next) => onChange({ ...value, [name]: numberOf(next) })}
      error={faultAt(error, `/frequency/${name}`, value[name])}
    />
  )
  return (
    <Stack gap={4} role="group" aria-label={text.frequency}>
      <SimpleGrid cols={2}>
        {field("times", text.times)}
        {field("days", text.inDays)}
      </SimpleGrid>
      <Note>
        {isRequired
          ? text.frequencyOfReferrer
          : isOfYear
            ? text.frequencyOfYear
            : repeats && !isBegun
              ? text.frequencyOfAgain
              : text.frequencyHint}
      </Note>
    </Stack>
  )
}

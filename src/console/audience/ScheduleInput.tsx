/** When a campaign runs: once, repeatedly, or when someone starts it. Shows the next occurrences. */
import { Alert, Chip, Group, Input, List, NativeSelect, Radio, Stack, Text, TextInput } from "@mantine/core"
import { useServiceNow } from "../shared/clock.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { time, weekday } from "../shared/format.ts"
import { faultAt } from "../shared/States.tsx"
import type { Draft, Pattern } from "../shared/schedule.ts"
import { faultOf, modes, occurrencesOf, patterns, scheduleOf } from "../shared/schedule.ts"
import { timeZones } from "../shared/timeZones.ts"
import { campaignStrings } from "./campaignStrings.ts"

const text = campaignStrings.form

/** Monday first. */
const week = [1, 2, 3, 4, 5, 6, 0]

interface Props {
  readonly value: Draft
  readonly onChange: (value: Draft) => void
  /** The request's error. */
  readonly error: unknown
}

const Repeated = ({ error, onChange, value }: Props) => {
  const set = (change: Partial<Draft>) => onChange({ ...value, ...change })
  const fault = faultOf(scheduleOf(value).schedule)
  return (
    <>
      <Group align="flex-start">
        <NativeSelect
          label={text.pattern}
          value={value.pattern}
          data={patterns.map((one) => ({ value: one, label: text.patterns[one] }))}
          onChange={({ currentTarget }) => set({ pattern: currentTarget.value as Pattern })}
        />
        {value.pattern === "advanced" ? (
          <TextInput
            label={text.cron}
            description={text.cronHint}
            inputWrapperOrder={["label", "input", "description", "error"]}
            required
            value={value.cron}
            onChange={({ currentTarget }) => set({ cron: currentTarget.value })}
            error={fault ?? faultAt(error, "/schedule/repeat/cron", value.cron)}
          />
        ) : (
          <TextInput
            type="time"
            label={text.time}
            required
            value={value.time}
            onChange={({ currentTarget }) => set({ time: currentTarget.value })}
          />
        )}
        {value.pattern === "monthly" ? (
          <NumberField
            label={text.day}
            description={text.dayHint}
            inputWrapperOrder={["label", "input", "description", "error"]}
            required
            value={value.day ?? ""}
            onChange={(day) => set({ day: day === "" ? undefined : day })}
            error={fault}
          />
        ) : undefined}
      </Group>
      {value.pattern === "weekly" ? (
        <Input.Wrapper label={text.days} labelElement="div">
          <Chip.Group multiple value={value.days.map(String)} onChange={(days) => set({ days: days.map(Number) })}>
            <Group gap={6} role="group" aria-label={text.days}>
              {week.map((day) => (
                <Chip key={day} value={String(day)} size="xs" variant="outline">
                  {weekday(day)}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Input.Wrapper>
      ) : undefined}
    </>
  )
}

const Occurrences = ({ value }: { readonly value: Draft }) => {
  const now = useServiceNow()
  const { isComplete, schedule } = scheduleOf(value)
  if (!isComplete || faultOf(schedule) !== undefined) return <Text c="dimmed">{text.incomplete}</Text>
  const next = occurrencesOf(schedule, now)
  if (next.length === 0) return <Alert color="yellow">{value.mode === "once" ? text.past : text.noOccurrence}</Alert>
  return (
    <div role="status">
      <Text size="sm" fw={500}>
        {text.occurrences}
      </Text>
      <List size="sm">
        {next.map((at) => (
          <List.Item key={at}>{time(new Date(at).toISOString(), value.zone)}</List.Item>
        ))}
      </List>
    </div>
  )
}

export const ScheduleInput = ({ error, onChange, value }: Props) => {
  const set = (change: Partial<Draft>) => onChange({ ...value, ...change })
  const inZone = text.inZone(value.zone)
  return (
    <Stack>
      <Radio.Group
        label={text.schedule}
        labelProps={{ className: "unseen" }}
        value={value.mode}
        onChange={(next) => set({ mode: modes.find((one) => one === next) ?? "none" })}
      >
        <Group>
          {modes.map((one) => (
            <Radio key={one} value={one} label={text.modes[one]} />
          ))}
        </Group>
      </Radio.Group>
      {value.mode === "repeated" ? <Repeated value={value} onChange={onChange} error={error} /> : undefined}
      <Group align="flex-start">
        {value.mode === "once" ? (
          <TextInput
            type="datetime-local"
            label={text.at}
            description={inZone}
            inputWrapperOrder={["label", "input", "description", "error"]}
            required
            value={value.once}
            onChange={({ currentTarget }) => set({ once: currentTarget.value })}
            error={faultAt(error, "/schedule/starts_at", [value.mode, value.once, value.from, value.until])}
          />
        ) : (
          <>
            <TextInput
              type="datetime-local"
              label={text.starts}
              description={inZone}
              inputWrapperOrder={["label", "input", "description", "error"]}
              value={value.from}
              onChange={({ currentTarget }) => set({ from: currentTarget.value })}
              error={faultAt(error, "/schedule/starts_at", [value.mode, value.once, value.from, value.until])}
            />
            <TextInput
              type="datetime-local"
              label={text.ends}
              description={inZone}
              inputWrapperOrder={["label", "input", "description", "error"]}
              value={value.until}
              onChange={({ currentTarget }) => set({ until: currentTarget.value })}
              error={faultAt(error, "/schedule/ends_at", [value.mode, value.once, value.from, value.until])}
            />
          </>
        )}
        <NativeSelect
          label={text.zone}
          value={value.zone}
          data={timeZones.includes(value.zone) ? [...timeZones] : [value.zone, ...timeZones]}
          onChange={({ currentTarget }) => set({ zone: currentTarget.value })}
          error={faultAt(error, "/schedule/repeat/time_zone", value.zone)}
        />
      </Group>
      {value.mode === "none" ? undefined : <Occurrences value={value} />}
    </Stack>
  )
}

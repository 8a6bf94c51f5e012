/** A pasted list of member ids, with its faults by line. */
import { Alert, List, Stack, Text, Textarea } from "@mantine/core"
import { maxStaticMembers } from "../../contract/platform/Segments.ts"
import { segmentStrings } from "./segmentStrings.ts"
import type { Fault } from "./segmentWire.ts"

const text = segmentStrings.list

export interface ListedId {
  readonly id: string
  /** From 1. */
  readonly line: number
}

/** Parses ids, separated by line breaks, commas, semicolons or spaces. */
export const idsIn = (typed: string): ReadonlyArray<ListedId> =>
  typed.split("\n").flatMap((line, index) =>
    line
      .split(/[\s,;]+/)
      .filter((id) => id !== "")
      .map((id) => ({ id, line: index + 1 }))
  )

/** Faults shown at most. A wrong column has a fault on every line. */
const shownFaults = 20

const place = /^\/member_ids\/(\d+)$/

export const MemberListInput = (props: {
  readonly value: string
  readonly onChange: (value: string) => void
  /** The request's faults. Only those at `/member_ids` are shown. */
  readonly faults: ReadonlyArray<Fault>
  /** The ids sent in the request that has these faults. */
  readonly sent: ReadonlyArray<ListedId>
  readonly isReadOnly: boolean
}) => {
  const ids = idsIn(props.value)
  const different = new Set(ids.map(({ id }) => id)).size
  const faults = props.faults.flatMap(({ message, path }) => {
    const at = props.sent[Number(place.exec(path)?.[1] ?? Number.NaN)]
    return at === undefined ? [] : [text.fault(at.line, at.id, message)]
  })
  return (
    <Stack gap="xs">
      <Textarea
        label={text.ids}
        description={text.idsHint}
        required
        rows={14}
        styles={{ input: { color: "var(--mantine-color-text)" } }}
        spellCheck={false}
        disabled={props.isReadOnly}
        value={props.value}
        onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
        error={ids.length > maxStaticMembers ? text.tooMany(maxStaticMembers) : faults.length > 0}
      />
      <Text size="sm" role="status">
        {text.listed(different)} {different === ids.length ? "" : text.twice(ids.length - different)}
      </Text>
      {faults.length === 0 ? undefined : (
        <Alert color="red" role="alert" title={text.faults}>
          <List size="sm">
            {faults.slice(0, shownFaults).map((fault) => (
              <List.Item key={fault}>{fault}</List.Item>
            ))}
            {faults.length > shownFaults ? (
              <List.Item>{text.moreFaults(faults.length - shownFaults)}</List.Item>
            ) : undefined}
          </List>
        </Alert>
      )}
    </Stack>
  )
}

/** Builds the rules of a segment: groups of conditions, each a sentence with fields. */
import { Button, CloseButton, Menu, NativeSelect, Paper, Group as Row, Stack, Text } from "@mantine/core"
import type { ComponentType } from "react"
import { createContext, useContext, useEffect, useId, useRef } from "react"
import { Note } from "../shared/Note.tsx"
import { PartCount } from "./PartCount.tsx"
import type { BuilderContext } from "./RuleFields.tsx"
import { ConditionContext, Context } from "./RuleFields.tsx"
import type { Props } from "./RuleSentences.tsx"
import { sentences } from "./RuleSentences.tsx"
import type { About, Condition, Content, Group, Item, Join } from "./segmentRules.ts"
import { abouts, joins, newCondition, newGroup } from "./segmentRules.ts"
import { segmentStrings } from "./segmentStrings.ts"
import type { Fault } from "./segmentWire.ts"

const text = segmentStrings.rules

/** The id of the item that was added last, until it has the focus. */
const AddedContext = createContext<{ current: string | undefined }>({ current: undefined })

/** Gives an item that was just added the focus, at its first field. */
const useFocusIfAdded = (id: string) => {
  const added = useContext(AddedContext)
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (added.current !== id) return
    added.current = undefined
    element.current?.querySelector<HTMLElement>("input, select")?.focus()
  }, [added, id])
  return element
}

interface ItemProps<I extends Item> {
  readonly item: I
  readonly onChange: (item: I) => void
  readonly onRemove: () => void
}

const FaultText = ({ faults, id }: { readonly faults: ReadonlyArray<Fault>; readonly id: string }) =>
  faults.length === 0 ? undefined : (
    <Text id={id} size="sm" c="var(--mantine-color-error)" mt={4}>
      {[...new Set(faults.map(({ message }) => message))].join("; ")}
    </Text>
  )

const noFaults: ReadonlyArray<Fault> = []

const ConditionRow = ({ item, onChange, onRemove }: ItemProps<Condition>) => {
  const { faults: all, isCounted, isReadOnly } = useContext(Context)
  const describedBy = useId()
  const faults = all.get(item.id) ?? noFaults
  const about = text.about[item.content.about]
  // The sentence of a content takes this content.
  const Sentence = sentences[item.content.about] as ComponentType<Props<About>>
  const element = useFocusIfAdded(item.id)
  return (
    <Paper ref={element} withBorder radius="sm" p="xs" role="group" aria-label={about}>
      <Row wrap="nowrap" align="flex-start" justify="space-between" gap="xs">
        <Row gap={8} align="center">
          <ConditionContext value={{ faults, describedBy }}>
            <Sentence content={item.content} onChange={(content: Content) => onChange({ ...item, content })} />
          </ConditionContext>
        </Row>
        {isReadOnly ? undefined : <CloseButton aria-label={text.remove(about)} onClick={onRemove} />}
      </Row>
      {isCounted && faults.length === 0 ? <PartCount item={item} /> : undefined}
      <FaultText faults={faults} id={describedBy} />
    </Paper>
  )
}

const AddCondition = ({ add }: { readonly add: (item: Item) => void }) => (
  <Menu position="bottom-start" withinPortal withInitialFocusPlaceholder={false} returnFocus={false}>
    <Menu.Target>
      <Button size="xs" variant="default">
        {text.add}
      </Button>
    </Menu.Target>
    <Menu.Dropdown mah="60vh" style={{ overflowY: "auto" }}>
      {(Object.keys(abouts) as Array<keyof typeof abouts>).map((subject) => [
        <Menu.Label key={subject}>{text.subjects[subject]}</Menu.Label>,
        ...abouts[subject].map((about) => (
          <Menu.Item key={about} onClick={() => add(newCondition(about))}>
            {text.about[about]}
          </Menu.Item>
        ))
      ])}
    </Menu.Dropdown>
  </Menu>
)

const GroupBox = ({
  item,
  onChange,
  onRemove
}: Omit<ItemProps<Group>, "onRemove"> & { readonly onRemove?: () => void }) => {
  const { faults, isCounted, isReadOnly } = useContext(Context)
  const faultsId = useId()
  const set = (items: ReadonlyArray<Item>) => onChange({ ...item, items })
  const added = useContext(AddedContext)
  const add = (one: Item) => {
    added.current = one.id
    set([...item.items, one])
  }
  const element = useFocusIfAdded(item.id)
  return (
    <Paper ref={element} className="rules" radius="md" p="sm" role="group" aria-label={text.joins[item.join]}>
      <Stack gap="xs">
        <Row justify="space-between" wrap="nowrap">
          <NativeSelect
            size="xs"
            aria-label={text.join}
            disabled={isReadOnly}
            value={item.join}
            data={joins.map((value) => ({ value, label: text.joins[value] }))}
            onChange={({ currentTarget }) => onChange({ ...item, join: currentTarget.value as Join })}
          />
          {onRemove === undefined || isReadOnly ? undefined : (
            <CloseButton aria-label={text.removeGroup} onClick={onRemove} />
          )}
        </Row>
        {isCounted && onRemove !== undefined ? <PartCount item={item} /> : undefined}
        <FaultText faults={faults.get(item.id) ?? noFaults} id={faultsId} />
        {item.items.map((one, index) => (
          <Stack key={one.id} gap="xs">
            {index === 0 ? undefined : (
              <Note size="xs" ps="xs">
                {text.between[item.join]}
              </Note>
            )}
            {one.kind === "group" ? (
              <GroupBox
                item={one}
                onChange={(next) => set(item.items.with(index, next))}
                onRemove={() => set(item.items.toSpliced(index, 1))}
              />
            ) : (
              <ConditionRow
                item={one}
                onChange={(next) => set(item.items.with(index, next))}
                onRemove={() => set(item.items.toSpliced(index, 1))}
              />
            )}
          </Stack>
        ))}
        {isReadOnly ? undefined : (
          <Row gap="xs">
            <AddCondition add={add} />
            <Button size="xs" variant="subtle" onClick={() => add(newGroup("any"))}>
              {text.addGroup}
            </Button>
          </Row>
        )}
      </Stack>
    </Paper>
  )
}

export const RuleBuilder = ({
  context,
  onChange,
  value
}: {
  readonly context: BuilderContext
  readonly value: Group
  readonly onChange: (group: Group) => void
}) => (
  <Context value={context}>
    <AddedContext value={useRef<string>(undefined)}>
      <GroupBox item={value} onChange={onChange} />
    </AddedContext>
  </Context>
)

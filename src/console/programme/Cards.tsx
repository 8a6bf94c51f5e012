/** A section of an edited programme: cards, and the forms of all its properties under “Advanced”. */
import { Button, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"
import { useState } from "react"
import { Fields } from "../shared/form/ShapeForm.tsx"
import type { Field } from "../shared/form/shape.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { cardStrings as text } from "./cardStrings.ts"
import type { Draft } from "./draft.ts"

/** Properties that the page gives to each of its sections. */
export interface Section {
  readonly draft: Draft
  /** The definition in force. */
  readonly inForce: Draft
  /** The properties of the definition that the section changes. */
  readonly fields: ReadonlyArray<Field>
  /** True if one of them has a fault. */
  readonly isFaulty: boolean
  readonly isReadOnly: boolean
  readonly onChange: (value: unknown) => void
}

/** Changes of cards. The forms keep what is typed, and begin anew with each of them: their key is `changes`. */
export const useCards = ({ draft, onChange }: Section) => {
  const [changes, setChanges] = useState(0)
  const put = (next: Draft) => {
    onChange(next)
    setChanges(changes + 1)
  }
  return { changes, put: (more: Draft) => put({ ...draft, ...more }), replace: put }
}

/** The items of one of a draft's lists, as cards change them. */
export const useCardList = (section: Section, list: string) => {
  const { changes, put } = useCards(section)
  const drafted = section.draft[list]
  const items: ReadonlyArray<unknown> = Array.isArray(drafted) ? drafted : []
  return { changes, items, put: (next: ReadonlyArray<unknown>) => put({ [list]: next }) }
}

/** True if an item is not in force as it is drafted. `name`: of its id. */
export const isUnpublished = ({ inForce }: Section, list: string, name: string, item: object): boolean => {
  const published: unknown = inForce[list]
  const id: unknown = Reflect.get(item, name)
  const known: ReadonlyArray<unknown> = Array.isArray(published) ? published : []
  const before = known.find((one) => typeof one === "object" && one !== null && Reflect.get(one, name) === id)
  return JSON.stringify(before) !== JSON.stringify(item)
}

/** The ids of items, which a new one must not have. */
export const takenIds = (items: ReadonlyArray<unknown>, name: string): ReadonlyArray<string> =>
  items.map((one) => (typeof one === "object" && one !== null ? String(Reflect.get(one, name)) : ""))

/** A section that is told in words and changed by one dialog. */
export const InWords = (props: {
  readonly text: { readonly title: string; readonly advanced: string }
  readonly section: Section
  /** Counts the changes of the dialog. */
  readonly changes: number
  /** Undefined: nothing to change by one. */
  readonly dialog: ReactNode
  readonly children: ReactNode
}) => {
  const { changes, children, dialog, section, text: own } = props
  return (
    <Stack>
      <Panel title={own.title} actions={section.isReadOnly ? undefined : dialog}>
        <Stack gap={6}>{children}</Stack>
      </Panel>
      <Advanced label={own.advanced} section={section} changes={changes} />
    </Stack>
  )
}

interface Removed {
  readonly at: number
  readonly item: unknown
  readonly name: string
}

export interface CardContent {
  readonly name: string
  /** Absent: the item is not complete. */
  readonly body?: ReactNode
  /** Actions that change the item. */
  readonly actions?: ReactNode
}

/** An item in words: what it is first, then more of it, and its sentence for guests. */
export interface ItemWords {
  readonly first: string
  readonly lines: ReadonlyArray<string>
  readonly description?: string | undefined
}

export const CardLines = (props: ItemWords) => (
  <>
    <Text size="sm" fw={600}>
      {props.first}
    </Text>
    {props.lines.map((line) => (
      <Text key={line} size="sm">
        {line}
      </Text>
    ))}
    {props.description === undefined ? undefined : <Note>{props.description}</Note>}
  </>
)

const Card = ({
  actions,
  body,
  name,
  onRemove
}: CardContent & { readonly onRemove: (() => void) | undefined }): ReactNode => (
  <Paper withBorder p="md" radius="md" component="article" aria-label={name}>
    <Stack gap={6} h="100%">
      <Text fw={600} style={{ overflowWrap: "anywhere" }}>
        {name}
      </Text>
      {body ?? <Note>{text.incomplete}</Note>}
      {onRemove === undefined ? undefined : (
        <Group gap="xs" mt="auto" pt="xs">
          {actions}
          <Button variant="subtle" color="red" size="xs" aria-label={text.removeOf(name)} onClick={onRemove}>
            {text.remove}
          </Button>
        </Group>
      )}
    </Stack>
  </Paper>
)

interface CardsProps {
  readonly text: {
    readonly title: string
    /** Text where there are none. */
    readonly none: string
    /** Name of the forms. */
    readonly advanced: string
  }
  readonly section: Section
  readonly items: ReadonlyArray<unknown>
  /** Adds an item. */
  readonly add: ReactNode
  readonly cardOf: (item: unknown, place: number, save: (next: unknown) => void) => CardContent
  readonly onChange: (items: ReadonlyArray<unknown>) => void
}

const CardPanel = (props: CardsProps) => {
  const { add, cardOf, items, onChange, section, text: own } = props
  const [removed, setRemoved] = useState<Removed>()
  return (
    <Panel title={own.title} actions={section.isReadOnly ? undefined : add}>
      <Stack>
        {removed === undefined ? undefined : (
          <Group role="status" gap="xs">
            <Text size="sm">{text.removed(removed.name)}</Text>
            <Button
              variant="subtle"
              size="xs"
              onClick={() => {
                onChange(items.toSpliced(removed.at, 0, removed.item))
                setRemoved(undefined)
              }}
            >
              {text.putBack}
            </Button>
          </Group>
        )}
        {items.length === 0 ? <Note>{own.none}</Note> : undefined}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {items.map((item, at) => {
            const content = cardOf(item, at, (next) => onChange(items.with(at, next)))
            const remove = () => {
              setRemoved({ at, item, name: content.name })
              onChange(items.toSpliced(at, 1))
            }
            return (
              <Card
                // biome-ignore lint/suspicious/noArrayIndexKey: an id may be missing or there twice
                key={at}
                {...content}
                onRemove={section.isReadOnly ? undefined : remove}
              />
            )
          })}
        </SimpleGrid>
      </Stack>
    </Panel>
  )
}

/** The forms of a section: folded away until one has a fault. Those who may only read have them as text. */
const Advanced = (props: {
  readonly label: string
  readonly section: Section
  /** Counts the changes of cards. */
  readonly changes: number
}) => {
  const { changes, label, section } = props
  const { draft, fields, isFaulty, isReadOnly, onChange } = section
  // Forms that were opened stay open, also once their fault is gone.
  const [isOpen, setOpen] = useState(false)
  const forms = <Fields key={changes} fields={fields} path="" value={draft} onChange={onChange} />
  return (
    <Paper withBorder p="md" radius="md">
      {isReadOnly ? (
        forms
      ) : (
        <details open={isOpen || isFaulty} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{label}</summary>
          <Stack mt="md">{forms}</Stack>
        </details>
      )}
    </Paper>
  )
}

/** A section that has a card for each item of a list. */
export const Cards = (
  props: CardsProps & {
    /** Counts the changes of cards. */
    readonly changes: number
    /** Content between the cards and the forms. */
    readonly children?: ReactNode
  }
) => (
  <Stack>
    <CardPanel {...props} />
    {props.children}
    <Advanced label={props.text.advanced} section={props.section} changes={props.changes} />
  </Stack>
)

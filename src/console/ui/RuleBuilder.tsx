/** Builds the rules of a segment: groups of conditions, each a sentence with fields. */
import {
  Autocomplete,
  Button,
  Chip,
  CloseButton,
  Menu,
  NativeSelect,
  NumberInput,
  Paper,
  Group as Row,
  Stack,
  TagsInput,
  Text,
  TextInput
} from "@mantine/core"
import type { ComponentType, ReactNode } from "react"
import { createContext, useContext, useEffect, useId, useRef } from "react"
import type { Offer, Recent } from "../app/audience.ts"
import { digitsOf } from "../app/format.ts"
import { useLocationName, useOpenLocations } from "../app/locations.ts"
import { statuses } from "../app/membersSearch.ts"
import { minorUnitsOf } from "../app/minorUnits.ts"
import type { About, Condition, Content, ContentOf, Group, Item, Join, Typed } from "../app/segmentRules.ts"
import { abouts, joins, newCondition, newGroup, scalarTypes } from "../app/segmentRules.ts"
import { segmentStrings } from "../app/segmentStrings.ts"
import type { Fault } from "../app/segmentWire.ts"
import { strings } from "../app/strings.ts"
import { Note } from "./Note.tsx"
import { PartCount } from "./PartCount.tsx"

const text = segmentStrings.rules

interface BuilderContext {
  /** Faults of each item. Paths are relative to the item. */
  readonly faults: ReadonlyMap<string, ReadonlyArray<Fault>>
  /** The programme's choices, if the session may read them. */
  readonly offer: Offer | undefined
  /** Segments that a condition may name. */
  readonly segments: ReadonlyArray<{ readonly value: string; readonly label: string }>
  readonly recent: Recent
  /** True if each condition and inner group shows how many members it matches. */
  readonly isCounted: boolean
  readonly isReadOnly: boolean
}

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

const Context = createContext<BuilderContext>({
  faults: new Map(),
  offer: undefined,
  segments: [],
  recent: { eventTypes: [], tiers: [], rewards: [], currency: undefined, isLoading: false },
  isCounted: false,
  isReadOnly: false
})

interface FieldProps<A> {
  readonly label: string
  /** JSON Pointer within the condition. */
  readonly at: string
  readonly value: A
  readonly onChange: (value: A) => void
}

/** The condition of the fields, and the id of the element with its faults. */
const ConditionContext = createContext<{ readonly faults: ReadonlyArray<Fault>; readonly describedBy: string }>({
  faults: [],
  describedBy: ""
})

/** Attributes of every field: its name, whether it can be edited, and whether it has a fault. */
const useCommon = (label: string, at: string) => {
  const { isReadOnly } = useContext(Context)
  const { describedBy, faults } = useContext(ConditionContext)
  const isWrong = faults.some(({ path }) => path === at || path.startsWith(`${at}/`))
  return {
    size: "xs",
    "aria-label": label,
    disabled: isReadOnly,
    ...(isWrong ? { error: true, "aria-invalid": true, "aria-describedby": describedBy } : {})
  } as const
}

const Words = ({ children }: { readonly children: string }) => <Text size="sm">{children}</Text>

const Count = ({
  at,
  label,
  onChange,
  placeholder,
  value,
  width = 90
}: FieldProps<number | undefined> & { readonly placeholder?: string; readonly width?: number }) => (
  <NumberInput
    {...useCommon(label, at)}
    w={width}
    allowDecimal={false}
    placeholder={placeholder ?? ""}
    value={value ?? ""}
    onChange={(next) => onChange(typeof next === "number" ? next : undefined)}
  />
)

/** An amount of minor units, in the programme's currency if known. */
const Amount = ({ at, label, onChange, value }: FieldProps<number | undefined>) => {
  const common = useCommon(label, at)
  const { offer, recent } = useContext(Context)
  const currency = offer?.currency ?? recent.currency
  const digits = currency === undefined ? 0 : digitsOf(currency)
  return (
    <NumberInput
      {...common}
      w={currency === undefined ? 290 : 120}
      decimalScale={digits}
      fixedDecimalScale
      placeholder={`${text.optional} (${currency ?? text.minor})`}
      suffix={` ${currency ?? text.minor}`}
      value={value === undefined ? "" : value / 10 ** digits}
      onChange={(next) => onChange(minorUnitsOf(next, digits))}
    />
  )
}

const Phrase = ({
  at,
  label,
  onChange,
  placeholder,
  value,
  width = 160
}: FieldProps<string> & { readonly placeholder?: string; readonly width?: number }) => (
  <TextInput
    {...useCommon(label, at)}
    w={width}
    placeholder={placeholder ?? ""}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
)

/** How often something happened: at least once. */
const Times = (props: Omit<FieldProps<number | undefined>, "label">) => (
  <Count label={text.labels.count} width={70} placeholder="1" {...props} />
)

/** A text that may be left out. */
const Optional = (props: FieldProps<string>) => <Phrase placeholder={text.optional} width={130} {...props} />

/** A restaurant by name, or any. Without a list of them: its id. */
const Place = (props: FieldProps<string>) => {
  const { at, label, onChange, value } = props
  const known = useOpenLocations()
  const nameOf = useLocationName()
  const common = useCommon(label, at)
  if (known.length === 0) return <Optional {...props} />
  const places = known.map(({ location_id, name = location_id }) => ({ value: location_id, label: name }))
  const isListed = value === "" || places.some((one) => one.value === value)
  return (
    <NativeSelect
      {...common}
      data={[{ value: "", label: text.anyLocation }, ...places, ...(isListed ? [] : [{ value, label: nameOf(value) }])]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

const Pick = <A extends string>({
  at,
  data,
  label,
  onChange,
  value
}: FieldProps<A> & { readonly data: ReadonlyArray<{ readonly value: A; readonly label: string }> }) => (
  <NativeSelect
    {...useCommon(label, at)}
    data={[...data]}
    value={value}
    onChange={({ currentTarget }) => {
      const next = data.find((one) => one.value === currentTarget.value)
      if (next !== undefined) onChange(next.value)
    }}
  />
)

/** Selects several of a few choices. */
const Some = ({
  data,
  label,
  onChange,
  value
}: Omit<FieldProps<ReadonlyArray<string>>, "at"> & {
  readonly data: ReadonlyArray<{ readonly value: string; readonly label: string }>
}) => {
  const { isReadOnly } = useContext(Context)
  const known = new Set(data.map((one) => one.value))
  const all = [...data, ...value.filter((one) => !known.has(one)).map((one) => ({ value: one, label: one }))]
  return (
    <Chip.Group multiple value={[...value]} onChange={onChange}>
      <Row gap={6} role="group" aria-label={label}>
        {all.map((one) => (
          <Chip key={one.value} value={one.value} size="xs" variant="outline" disabled={isReadOnly}>
            {one.label}
          </Chip>
        ))}
      </Row>
    </Chip.Group>
  )
}

const Tags = ({
  at,
  label,
  onChange,
  placeholder,
  value
}: FieldProps<ReadonlyArray<string>> & { readonly placeholder?: string }) => (
  <TagsInput
    {...useCommon(label, at)}
    placeholder={value.length === 0 ? (placeholder ?? "") : ""}
    w={220}
    acceptValueOnBlur
    splitChars={["\n"]}
    value={[...value]}
    onChange={onChange}
  />
)

const labelled = <A extends string>(labels: Readonly<Record<A, string>>) =>
  (Object.keys(labels) as Array<A>).map((value) => ({ value, label: labels[value] }))

const flags = [
  { value: "true", label: text.yes },
  { value: "false", label: text.no }
]

/** Fields for the type of a value and for the value. `isMany`: a list of values; one of them must match. */
const Value = ({
  at,
  isMany,
  onChange,
  value: { type, values }
}: Omit<FieldProps<Typed>, "label"> & { readonly isMany: boolean }) => {
  const [only = ""] = values
  return (
    <>
      <Pick
        label={text.labels.type}
        at=""
        data={scalarTypes.map((value) => ({ value, label: text.types[value] }))}
        value={type}
        onChange={(next) => onChange({ type: next, values: next === "flag" ? ["true"] : [] })}
      />
      {type === "flag" ? (
        <Pick
          label={text.labels.value}
          at={at}
          data={flags}
          value={only}
          onChange={(next) => onChange({ type, values: [next] })}
        />
      ) : isMany ? (
        <Tags label={text.labels.values} at={at} value={values} onChange={(next) => onChange({ type, values: next })} />
      ) : (
        <Phrase
          label={text.labels.value}
          at={at}
          value={only}
          onChange={(next) => onChange({ type, values: [next] })}
        />
      )}
    </>
  )
}

/** Selects the account of points. Absent if the programme has only one. */
const UnitOf = ({ at, onChange, value }: Omit<FieldProps<ContentOf<"balance">["unit"]>, "label">) => {
  const units = useContext(Context).offer?.units ?? []
  const [primary] = units
  if (units.length < 2 && value === undefined) return <Words>{primary?.label ?? text.points}</Words>
  const data = units.length === 0 && value !== undefined ? [{ value, label: value }] : units
  const [first] = data
  if (first === undefined) return undefined
  return <Pick label={text.labels.unit} at={at} data={data} value={value ?? first.value} onChange={onChange} />
}

interface PropsOf<C extends Content> {
  readonly content: C
  readonly onChange: (content: Content) => void
}
type Props<A extends About> = PropsOf<ContentOf<A>>

/** Binds a field to a property of a condition. */
const bound = <C extends Content, Name extends keyof C>({ content, onChange }: PropsOf<C>, name: Name) => ({
  value: content[name],
  onChange: (value: C[Name]) => onChange({ ...content, [name]: value })
})

const Tier = (props: Props<"tier">) => {
  const { offer, recent } = useContext(Context)
  const data = offer?.tiers ?? recent.tiers.map((value) => ({ value, label: value }))
  return (
    <>
      <Words>{text.tierIs}</Words>
      {data.length === 0 ? (
        <Tags label={text.labels.tier} placeholder={text.tierHint} at="/tier" {...bound(props, "tiers")} />
      ) : (
        <Some label={text.labels.tier} data={data} {...bound(props, "tiers")} />
      )}
    </>
  )
}

const Status = ({ onChange, content }: Props<"status">) => (
  <>
    <Words>{text.statusIs}</Words>
    <Some
      label={text.labels.status}
      data={labelled(strings.members.statuses)}
      value={content.statuses}
      onChange={(next) => onChange({ ...content, statuses: statuses.filter((one) => next.includes(one)) })}
    />
  </>
)

const daysAfter = (before: string, at: string) => (props: Props<"joined" | "birthday">) => (
  <>
    <Words>{before}</Words>
    <Count label={text.labels.days} at={at} {...bound(props, "days")} />
    <Words>{text.days}</Words>
  </>
)

const Inactive = (props: Props<"inactive">) => {
  const isAnywhere = props.content.location === ""
  return (
    <>
      <Words>{text.noOrder}</Words>
      <Count
        label={text.labels.days}
        at={isAnywhere ? "/inactive_days" : "/all/1/not/order/within_days"}
        {...bound(props, "days")}
      />
      <Words>{text.days}</Words>
      <Words>{text.atLocation}</Words>
      <Place label={text.labels.location} at="/all/0/order/location_id" {...bound(props, "location")} />
      {isAnywhere ? undefined : <Words>{text.cameBefore}</Words>}
    </>
  )
}

/** Choices after an empty one. Keeps an unknown value. */
const choices = (
  none: string,
  known: ReadonlyArray<{ readonly value: string; readonly label: string }>,
  value: string
) => [
  { value: "", label: none },
  ...known,
  ...(value === "" || known.some((one) => one.value === value) ? [] : [{ value, label: value }])
]

const InSegment = (props: Props<"segment">) => {
  const data = choices(text.chooseSegment, useContext(Context).segments, props.content.segment)
  return (
    <>
      <Words>{text.inSegment}</Words>
      <Pick label={text.labels.segment} at="/in_segment" data={data} {...bound(props, "segment")} />
    </>
  )
}

const Has = (props: Props<"has">) => (
  <>
    <Words>{text.has}</Words>
    <Pick label={text.labels.field} at="/has" data={labelled(text.fields)} {...bound(props, "field")} />
  </>
)

const Consent = (props: Props<"consent">) => {
  const channels = choices(text.anyChannel, labelled(text.channels), props.content.channel)
  return (
    <>
      <Words>{text.agreed}</Words>
      <Phrase label={text.labels.purpose} at="/consent/purpose" {...bound(props, "purpose")} />
      <Words>{text.by}</Words>
      <Pick label={text.labels.channel} at="/consent/channel" data={channels} {...bound(props, "channel")} />
    </>
  )
}

const Attribute = (props: Props<"attribute">) => (
  <>
    <Words>{text.attribute}</Words>
    <Phrase label={text.labels.attribute} at="/attribute/name" {...bound(props, "name")} />
    <Words>{props.content.is.type === "flag" ? text.is : text.oneOf}</Words>
    <Value at="/attribute" isMany {...bound(props, "is")} />
  </>
)

const Balance = (props: Props<"balance">) => (
  <>
    <Words>{text.balance}</Words>
    <UnitOf at="/balance/unit" {...bound(props, "unit")} />
    <Words>{text.atLeast}</Words>
    <Count
      label={text.labels.atLeast}
      at="/balance/at_least"
      placeholder={text.optional}
      {...bound(props, "atLeast")}
    />
    <Words>{text.atMost}</Words>
    <Count label={text.labels.atMost} at="/balance/at_most" placeholder={text.optional} {...bound(props, "atMost")} />
  </>
)

const Available = (props: Props<"available">) => (
  <>
    <Words>{text.available}</Words>
    <Count label={text.labels.atLeast} at="/minimum_available_balance" {...bound(props, "atLeast")} />
    <Words>{useContext(Context).offer?.units[0]?.label ?? text.points}</Words>
  </>
)

const Expiring = (props: Props<"expiring">) => (
  <>
    <Words>{text.expiring}</Words>
    <Count label={text.labels.amount} at="/expiring/amount" {...bound(props, "amount")} />
    <UnitOf at="/expiring/unit" {...bound(props, "unit")} />
    <Words>{text.expireWithin}</Words>
    <Count label={text.labels.days} at="/expiring/within_days" {...bound(props, "days")} />
    <Words>{text.days}</Words>
  </>
)

const Order = (props: Props<"order">) => (
  <>
    <Words>{text.hasOrdered}</Words>
    <Times at="/order/minimum_count" {...bound(props, "count")} />
    <Words>{text.ordersWithin}</Words>
    <Count label={text.labels.days} at="/order/within_days" placeholder={text.optional} {...bound(props, "days")} />
    <Words>{text.days}</Words>
    <Words>{text.worth}</Words>
    <Amount label={text.labels.spend} at="/order/minimum_spend" {...bound(props, "spend")} />
    <Words>{text.atLocation}</Words>
    <Place label={text.labels.location} at="/order/location_id" {...bound(props, "location")} />
  </>
)

const EventRule = (props: Props<"event">) => {
  const { eventTypes } = useContext(Context).recent
  const common = useCommon(text.labels.event, "/event/type")
  return (
    <>
      <Words>{text.event}</Words>
      <Autocomplete {...common} w={200} data={[...eventTypes]} {...bound(props, "type")} />
      <Words>{text.times}</Words>
      <Times at="/event/minimum_count" {...bound(props, "count")} />
      <Words>{text.timesWithin}</Words>
      <Count label={text.labels.days} at="/event/within_days" placeholder={text.optional} {...bound(props, "days")} />
      <Words>{text.days}</Words>
      <Words>{text.worthEach}</Words>
      <Amount label={text.labels.eachValue} at="/event/minimum_value" {...bound(props, "value")} />
      <Words>{text.property}</Words>
      <Optional label={text.labels.property} at="/event/property/name" {...bound(props, "property")} />
      {props.content.property === "" ? undefined : (
        <>
          <Words>{text.is}</Words>
          <Value at="/event/property/equals" isMany={false} {...bound(props, "is")} />
        </>
      )}
    </>
  )
}

const sentences: { readonly [A in About]: (props: Props<A>) => ReactNode } = {
  tier: Tier,
  status: Status,
  joined: daysAfter(text.joinedWithin, "/joined_within_days"),
  birthday: daysAfter(text.birthdayWithin, "/birthday_within_days"),
  inactive: Inactive,
  segment: InSegment,
  has: Has,
  consent: Consent,
  attribute: Attribute,
  balance: Balance,
  available: Available,
  expiring: Expiring,
  order: Order,
  event: EventRule
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

/** The conditions of a segment, each a sentence with fields. */
import { Autocomplete } from "@mantine/core"
import type { ReactNode } from "react"
import { useContext } from "react"
import { statuses } from "../guests/membersSearch.ts"
import { strings } from "../shared/strings.ts"
import {
  Amount,
  Context,
  Count,
  labelled,
  Optional,
  Phrase,
  Pick,
  Place,
  Some,
  Tags,
  Times,
  UnitOf,
  useCommon,
  Value,
  Words
} from "./RuleFields.tsx"
import type { About, Content, ContentOf } from "./segmentRules.ts"
import { segmentStrings } from "./segmentStrings.ts"

const text = segmentStrings.rules

interface PropsOf<C extends Content> {
  readonly content: C
  readonly onChange: (content: Content) => void
}

export type Props<A extends About> = PropsOf<ContentOf<A>>

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

export const sentences: { readonly [A in About]: (props: Props<A>) => ReactNode } = {
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

/** Tries an edited programme on an order: what it would earn, by which promotions, and why others do not count. */
import { Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { Dispatch, SetStateAction } from "react"
import { useMemo } from "react"
import type { Evaluated } from "../../contract/admin/Programs.ts"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import { Channel } from "../../contract/Values.ts"
import { SoldInput } from "../shared/choosers/SoldInput.tsx"
import { call, client } from "../shared/client.ts"
import { useServiceNow } from "../shared/clock.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { digitsOf, money, number } from "../shared/format.ts"
import { useOpenLocations } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { instantOf, localOf } from "../shared/schedule.ts"
import { labelOf } from "../shared/words/words.ts"
import type { Draft } from "./draft.ts"
import { evaluationStrings as text } from "./evaluationStrings.ts"
import type { NamedItem } from "./named.ts"
import { namedIn } from "./named.ts"
import type { Sample } from "./sample.ts"

const admin = client(ManagedPrograms)

/** A sample order of one line. */
const orderOf = (
  program_id: string,
  currency: string,
  amount: number,
  channel: Channel,
  now: number,
  { category, location, product }: Sample["sold"]
) => {
  const money = (amount: number) => ({ amount, currency })
  const place = "example"
  return {
    order_id: "example",
    scope: { program_id, brand_id: place, merchant_id: place, location_id: location === "" ? place : location },
    channel,
    status: "paid" as const,
    business_date: new Date(now).toISOString().slice(0, 10),
    placed_at: new Date(now).toISOString(),
    lines: [
      {
        line_id: "1",
        kind: "item" as const,
        product_id: product === "" ? place : product,
        category_ids: category === "" ? [] : [category],
        quantity: 1,
        unit_price: money(amount),
        subtotal: money(amount),
        discount: money(0),
        tax: money(0)
      }
    ],
    totals: {
      subtotal: money(amount),
      discount: money(0),
      tax: money(0),
      tip: money(0),
      service_charge: money(0),
      total: money(amount)
    },
    tenders: [{ tender_id: "1", type: "card" as const, amount: money(amount) }]
  }
}

/** The answer in words. */
const EvaluationAnswer = ({ answer }: { readonly answer: typeof Evaluated.Type }) => {
  const names = useNames()
  const { almost = [], card, estimated_accrual, estimated_accruals, ineligible_reasons = [], promotions = [] } = answer
  const earned = (estimated_accruals ?? [estimated_accrual]).filter((one) => one.amount !== 0)
  const amounts = earned.map(({ amount, unit }) => names.amount(amount, unit)).join(", ")
  const lacking = new Set(almost.map(({ promotion_id }) => promotion_id))
  // The reasons of the whole order are told once.
  const withheld = answer.withheld.filter(
    ({ promotion_id, reason }) => !lacking.has(promotion_id) && reason !== "order_earns_nothing"
  )
  return (
    <>
      <Text role="status">
        {earned.length === 0
          ? [text.earnsNothing, ...ineligible_reasons.map((one) => text.because[one])].join(" ")
          : text.earns(amounts)}
      </Text>
      {card === undefined ? undefined : (
        <Text>{text.fills(card.rewards, number(card.rewards), card.name, card.cost && money(card.cost))}</Text>
      )}
      {promotions.map(({ amount, name, promotion_id, unit }) => (
        <Note key={`${promotion_id} ${unit}`}>{text.earnsBy(names.amount(amount, unit), name)}</Note>
      ))}
      {almost.map(({ missing: { items, minimum_spend }, name, promotion_id }) => (
        <Note key={promotion_id}>
          {minimum_spend === undefined
            ? text.lacksItem(name, number(items ?? 1))
            : text.lacksSpend(name, money(minimum_spend))}
        </Note>
      ))}
      {withheld.map(({ name, promotion_id, reason }) => (
        <Note key={promotion_id}>{text.withheld[reason](name)}</Note>
      ))}
    </>
  )
}

interface SampleProps {
  readonly currency: string
  readonly sample: Sample
  readonly onSample: Dispatch<SetStateAction<Sample>>
}

/** The order that the draft is tried on, and its guest's tier. */
const SampleFields = ({
  currency,
  onSample,
  sample: { amount, channel, local, sold },
  tier,
  tiers
}: SampleProps & { readonly tiers: ReadonlyArray<NamedItem>; readonly tier: string | undefined }) => {
  const put = (part: Partial<Sample>) => onSample((before) => ({ ...before, ...part }))
  const putSold = (part: Partial<Sample["sold"]>) =>
    onSample((before) => ({ ...before, sold: { ...before.sold, ...part } }))
  const locations = useOpenLocations()
  const now = useServiceNow()
  const zone = useZone()
  return (
    <>
      <Group grow align="flex-end">
        <NumberField
          label={`${text.spend} (${currency})`}
          decimals={digitsOf(currency)}
          isMoney
          value={amount}
          onChange={(amount) => put({ amount })}
        />
        <NativeSelect
          label={text.channel}
          value={channel}
          data={Channel.literals.map((value) => ({ value, label: labelOf(value) }))}
          onChange={({ currentTarget }) => put({ channel: currentTarget.value as Channel })}
        />
      </Group>
      {tiers.length < 2 && locations.length === 0 ? undefined : (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {tiers.length < 2 ? undefined : (
            <NativeSelect
              label={text.tier}
              value={tier ?? ""}
              data={tiers.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={({ currentTarget }) => put({ chosen: currentTarget.value })}
            />
          )}
          {locations.length === 0 ? undefined : (
            <NativeSelect
              label={text.location}
              value={sold.location}
              data={[
                ...locations.map(({ location_id, name = location_id }) => ({ value: location_id, label: name })),
                { value: "", label: text.anyLocation }
              ]}
              onChange={({ currentTarget: { value } }) => putSold({ location: value })}
            />
          )}
        </SimpleGrid>
      )}
      <TextInput
        type="datetime-local"
        label={text.placed(zone)}
        value={local ?? localOf(now, zone)}
        onChange={({ currentTarget: { value } }) => put({ local: value === "" ? undefined : value })}
      />
      <Group grow align="flex-end">
        <SoldInput
          of="products"
          label={text.product}
          value={sold.product === "" ? [] : [sold.product]}
          onChange={(ids) => putSold({ product: ids.at(-1) ?? "" })}
        />
        <SoldInput
          of="categories"
          label={text.category}
          value={sold.category === "" ? [] : [sold.category]}
          onChange={(ids) => putSold({ category: ids.at(-1) ?? "" })}
        />
      </Group>
    </>
  )
}

export const Evaluation = ({
  currency,
  draft,
  id,
  isFaulty,
  onSample,
  sample
}: SampleProps & { readonly draft: Draft; readonly id: string; readonly isFaulty: boolean }) => {
  const { amount, channel, chosen, local, sold } = sample
  const tiers = namedIn(draft, "tiers", "tier_id")
  // A tier may have gone from the draft since.
  const tier = tiers.find((one) => one.id === chosen) ?? tiers[0]
  const digits = digitsOf(currency)
  const now = useServiceNow()
  const zone = useZone()
  const placed = local === undefined ? now : (instantOf(local, zone) ?? now)
  const order = orderOf(id, currency, Math.round(Number(amount) * 10 ** digits), channel, placed, sold)
  const asked = useMemo(
    () => ({ draft, amount, channel, sold, local, tier: tier?.id }),
    [draft, amount, channel, sold, local, tier?.id]
  )
  const [settled] = useDebouncedValue(asked, 400)
  const evaluation = useQuery({
    queryKey: ["evaluation", settled],
    // The faults are shown where they are.
    enabled: !isFaulty && Number.isFinite(Number(settled.amount)),
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: () =>
      call(
        admin.programs.evaluateProgram({
          payload: { program: draft, order, ...(tier === undefined ? {} : { tier_id: tier.id }) }
        })
      )
  })
  return (
    <Panel title={text.evaluate}>
      <Stack>
        <SampleFields currency={currency} tiers={tiers} tier={tier?.id} sample={sample} onSample={onSample} />
        {isFaulty ? (
          <Note>{text.mendFirst}</Note>
        ) : (
          <Shown query={evaluation} isOld={settled !== asked}>
            {(answer) => <EvaluationAnswer answer={answer} />}
          </Shown>
        )}
      </Stack>
    </Panel>
  )
}

/** How an edited programme earns: in words, a short dialog, and the forms. */

import { Text } from "@mantine/core"
import { Schema } from "effect"
import { ProgramFile } from "../../contract/ProgramFile.ts"
import { Channel } from "../../contract/Values.ts"
import { useSoldName } from "../shared/choosers/soldNames.ts"
import { money, number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { labelOf, labelWithin } from "../shared/words/words.ts"
import type { Section } from "./Cards.tsx"
import { InWords, useCards } from "./Cards.tsx"
import { cardStrings } from "./cardStrings.ts"
import { EarningDialog } from "./EarningDialog.tsx"
import { earningEntryOf, withEarningEntry } from "./earning.ts"
import { earningStrings as text } from "./earningStrings.ts"
import { isRules, rateInWords, unitOf } from "./earningWords.ts"

type Earning = ProgramFile["earning"]

const isEarning = Schema.is(ProgramFile.fields.earning)
const isLimits = Schema.is(ProgramFile.fields.limits)

const named = (ids: ReadonlyArray<string>): string => ids.map((id) => labelWithin(id)).join(", ")

const excludedInWords = ({ exclusions }: Earning, soldOf: (id: string) => string): ReadonlyArray<string> => {
  const { category_ids, line_kinds, product_ids, tags, tender_types = [] } = exclusions
  const of = text.excluded
  return [
    ...(product_ids.length === 0 ? [] : [of.products(product_ids.map(soldOf).join(", "))]),
    ...(category_ids.length === 0 ? [] : [of.categories(category_ids.join(", "))]),
    ...(tags.length === 0 ? [] : [of.tags(tags.join(", "))]),
    ...(line_kinds.length === 0 ? [] : [of.kinds(named(line_kinds))]),
    ...(tender_types.length === 0 ? [] : [of.tenders(named(tender_types))])
  ].map(text.nothingFor)
}

const limitsInWords = (limits: ProgramFile["limits"]): ReadonlyArray<string> => {
  const { order_total, orders_per_member_and_day: orders, points_per_order: points } = limits ?? {}
  return [
    ...(points === undefined ? [] : [text.most(number(points))]),
    ...(orders === undefined ? [] : [text.mostOrders(orders, number(orders))]),
    ...(order_total === undefined ? [] : [text.mostTotal(money(order_total))])
  ]
}

const linesOf = (earning: Earning, soldOf: (id: string) => string): ReadonlyArray<string> => {
  const { eligible_channels, minimum_eligible_spend } = earning
  const isAny = Channel.literals.every((one) => eligible_channels.includes(one))
  return [
    text.rounded,
    minimum_eligible_spend.amount === 0 ? text.anySpend : text.from(money(minimum_eligible_spend)),
    isAny ? text.anyChannel : text.channels(eligible_channels.map((one) => labelOf(one)).join(", ")),
    ...excludedInWords(earning, soldOf)
  ]
}

export const Earning = (props: { readonly section: Section; readonly currency: string }) => {
  const { currency, section } = props
  const { changes, put } = useCards(section)
  const soldOf = useSoldName()
  const { account_earning, earning, limits } = section.draft
  const rules = isRules(account_earning) ? (account_earning ?? []) : []
  const base = isEarning(earning) ? earning : undefined
  const primary = rules.find(({ unit }) => unit === base?.rate.unit)
  return (
    <InWords
      text={text}
      section={section}
      changes={changes}
      dialog={
        base === undefined ? undefined : (
          <EarningDialog
            label={text.edit}
            entry={earningEntryOf(base)}
            unit={unitOf(base.rate.unit)}
            isFixed={primary?.mode === "per_order"}
            currency={currency}
            onSave={(entry) => put({ earning: withEarningEntry(base, entry, currency) })}
          />
        )
      }
    >
      {base === undefined ? (
        <Note>{cardStrings.incomplete}</Note>
      ) : (
        <>
          <Text fw={600}>{rateInWords(primary ?? base.rate)}</Text>
          {rules
            .filter((rule) => rule !== primary)
            .map((rule) => (
              <Text key={rule.unit} fw={600}>
                {rateInWords(rule)}
              </Text>
            ))}
          {[...linesOf(base, soldOf), ...(isLimits(limits) ? limitsInWords(limits) : [])].map((line) => (
            <Text key={line} size="sm">
              {line}
            </Text>
          ))}
        </>
      )}
    </InWords>
  )
}

/** The tiers of an edited programme: cards, a short dialog for each, and the forms. */
import { Schema } from "effect"
import { ProgramFile } from "../../contract/ProgramFile.ts"
import { Tier } from "../../contract/protocol/Program.ts"
import type { Unit } from "../../contract/Values.ts"
import { locales } from "../shared/language.ts"
import { Note } from "../shared/Note.tsx"
import type { CardContent, Section } from "./Cards.tsx"
import { CardLines, Cards, takenIds, useCards } from "./Cards.tsx"
import { cardStrings } from "./cardStrings.ts"
import { idOf } from "./rewards.ts"
import { TierDialog } from "./TierDialog.tsx"
import { tierStrings as text } from "./tierStrings.ts"
import type { TierEntry } from "./tiers.ts"
import { ascending, metricNameOf, metricOf, tierEntryOf, withTierEntry } from "./tiers.ts"
import { tierInWords } from "./tierWords.ts"

const isTier = Schema.is(Tier)
const isPolicy = Schema.is(ProgramFile.fields.tier_policy)

const yearly = new Intl.DateTimeFormat(locales, { timeZone: "UTC", day: "numeric", month: "long" })

/** When tiers are counted anew. */
const policyInWords = (policy: unknown): string => {
  if (!isPolicy(policy) || policy === undefined) return text.never
  const { starts_day, starts_month } = policy.period
  const day = yearly.format(Date.UTC(2024, starts_month - 1, starts_day))
  return `${text.anew(day)} ${text.retention[policy.retention ?? "period"]}`
}

export const Tiers = (props: { readonly section: Section; readonly primary: Unit }) => {
  const { primary, section } = props
  const { draft } = section
  const { changes, put } = useCards(section)
  const tiers: ReadonlyArray<unknown> = Array.isArray(draft["tiers"]) ? draft["tiers"] : []
  const metric = metricOf(draft, primary, text.metric)
  const metricName = metricNameOf({ metrics: metric.metrics }, metric.id)
  const add = (entry: TierEntry) => {
    const blank: Tier = {
      tier_id: idOf(entry.name, takenIds(tiers, "tier_id"), "tier"),
      name: "",
      qualification_metric_id: metric.id,
      minimum: 0,
      benefits: []
    }
    put({ metrics: metric.metrics, tiers: ascending([...tiers, withTierEntry(blank, entry)]) })
  }
  const cardOf = (tier: unknown, place: number, save: (next: Tier) => void): CardContent => {
    if (!isTier(tier)) return { name: text.unnamed(place + 1) }
    const { name } = tier
    return {
      name,
      body: <CardLines {...tierInWords(tier, draft)} />,
      actions: (
        <TierDialog
          label={cardStrings.edit}
          name={cardStrings.editOf(name)}
          entry={tierEntryOf(tier)}
          metric={metricName}
          onSave={(entry) => save(withTierEntry(tier, entry))}
        />
      )
    }
  }
  return (
    <Cards
      text={text}
      section={section}
      changes={changes}
      items={tiers}
      cardOf={cardOf}
      onChange={(next) => put({ tiers: ascending(next) })}
      add={<TierDialog label={text.add} isFirst={tiers.length === 0} metric={metricName} onSave={add} />}
    >
      {tiers.length === 0 ? undefined : <Note>{policyInWords(draft["tier_policy"])}</Note>}
    </Cards>
  )
}

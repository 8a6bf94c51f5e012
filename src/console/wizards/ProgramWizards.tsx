/** The wizards of the programme: each puts its answer into the draft, which is then reviewed as any other. */
import { Group } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import type { Draft } from "../programme/draft.ts"
import { namedIn } from "../programme/named.ts"
import type { Section } from "../programme/programmeSearch.ts"
import { call, client } from "../shared/client.ts"
import { money, number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { besideOf, primaryOf } from "./beside.ts"
import type { Reckoned } from "./monthCost.ts"
import { monthCost } from "./monthCost.ts"
import type { ProgramWizard, Told } from "./programWizards.ts"
import { programWizards } from "./programWizards.ts"
import { useToday, useTold } from "./told.ts"
import type { Notes } from "./Wizard.tsx"
import { Wizard } from "./Wizard.tsx"
import { wizardStrings as text } from "./wizardStrings.ts"

const admin = client(ManagedPrograms)

const usePreview = (program: Draft) =>
  useQuery({
    queryKey: ["publication", program],
    retry: false,
    queryFn: () => call(admin.programs.previewPublication({ payload: { program } }))
  })

/** Money where the programme says what points are worth, else points. */
const reckonedWords = (
  { of, orders, points, rewards }: Reckoned,
  { currency, pointsOf, worthOfPoints }: Told
): string => {
  const worth = worthOfPoints(points)
  const amount = worth === undefined ? points : worth + rewards
  const by = [orders, number(orders), of === orders ? undefined : number(of)] as const
  if (amount === 0) return text.noChange(...by)
  const shown = worth === undefined ? pointsOf(Math.abs(points)) : money({ amount: Math.abs(amount), currency })
  const told = (amount > 0 ? text.month : text.lessMonth)(shown, ...by)
  return worth === undefined ? `${told} ${text.worth}` : told
}

const Reckoning = (props: { readonly before: Draft; readonly after: Draft; readonly told: Told }) => {
  const [after] = useDebouncedValue(props.after, 400)
  const [without, preview] = [usePreview(props.before), usePreview(after)]
  if (without.error !== null || preview.error !== null) return text.draftFaulty
  if (without.data === undefined || preview.data === undefined) return "…"
  const { orders } = preview.data
  const reckoned = monthCost(without.data.orders, orders, primaryOf(after))
  if (reckoned === "none") return text.noOrders
  return reckoned === "few days" ? text.fewDays(number(orders.count)) : reckonedWords(reckoned, props.told)
}

const notesOf = (before: Draft, after: Draft, today: string): Notes => {
  const { atTimes, isExcluded, outdoneBy } = besideOf(before, after, today)
  return {
    never: isExcluded ? text.excluded : outdoneBy === undefined ? undefined : text.outdone(outdoneBy),
    warning: atTimes.length === 0 ? undefined : text.stronger(atTimes)
  }
}

const labelsOf = (name: ProgramWizard["name"]): readonly [string, string, string] => {
  const { cateringCap, coffeeStamps, happyHour, productOfMonth } = text
  switch (name) {
    case "coffeeStamps":
      return [coffeeStamps.products, coffeeStamps.stamps, coffeeStamps.reward]
    case "happyHour":
      return [happyHour.days, happyHour.hours, happyHour.times]
    case "productOfMonth":
      return [productOfMonth.products, productOfMonth.points, productOfMonth.last]
    case "cateringCap":
      return [cateringCap.total, cateringCap.earns, cateringCap.perDay]
  }
}

export const ProgramWizards = (props: {
  readonly draft: Draft
  readonly currency: string
  /** The draft with the answer, and the section that has it. */
  readonly onDraft: (draft: Draft, section: Section) => void
}) => {
  const { currency, draft, onDraft } = props
  const told = useTold(draft, currency)
  const today = useToday()
  return (
    <Panel title={text.programme}>
      <Note>{text.programmeHint}</Note>
      <Group gap="xs" mt="xs">
        {programWizards
          .filter(({ isOffered }) => isOffered(draft))
          .map((one) => (
            <Wizard
              key={one.name}
              of={{ asks: one.asks, starts: { ...one.starts, ...one.now?.(draft, currency) } }}
              known={one.known?.(draft, today) ?? []}
              name={text.names[one.name]}
              labels={labelsOf(one.name)}
              currency={currency}
              rewards={namedIn(draft, "rewards", "reward_id")}
              says={(answers) => one.says(answers, told)}
              notes={(answers, changes) => notesOf(draft, one.make(draft, answers, currency, changes), today)}
              cost={(answers, changes) =>
                one.each === undefined ? (
                  <Reckoning before={draft} after={one.make(draft, answers, currency, changes)} told={told} />
                ) : (
                  [one.each(answers, told), text.unknownOften].join(" ").trim()
                )
              }
              submit={text.toDraft}
              told={text.drafted}
              run={async (answers, _, changes) => one.make(draft, answers, currency, changes)}
              done={(made) => onDraft(made, one.section)}
            />
          ))}
      </Group>
    </Panel>
  )
}

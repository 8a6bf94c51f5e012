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
import type { Reckoned } from "./monthCost.ts"
import { monthCost } from "./monthCost.ts"
import type { ProgramWizard, Told } from "./programWizards.ts"
import { programWizards } from "./programWizards.ts"
import { primaryOf, useTold } from "./told.ts"
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
const reckonedWords = ({ orders, points, rewards }: Reckoned, { currency, pointsOf, worthOfPoints }: Told): string => {
  const worth = worthOfPoints(points)
  const amount = worth === undefined ? points : worth + rewards
  if (amount === 0) return text.noChange(orders, number(orders))
  const shown = worth === undefined ? pointsOf(Math.abs(points)) : money({ amount: Math.abs(amount), currency })
  const told = (amount > 0 ? text.month : text.lessMonth)(shown, orders, number(orders))
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
  return (
    <Panel title={text.programme}>
      <Note>{text.programmeHint}</Note>
      <Group gap="xs" mt="xs">
        {programWizards
          .filter(({ isOffered }) => isOffered(draft))
          .map((one) => (
            <Wizard
              key={one.name}
              of={one}
              name={text.names[one.name]}
              labels={labelsOf(one.name)}
              currency={currency}
              rewards={namedIn(draft, "rewards", "reward_id")}
              says={(answers) => one.says(answers, told)}
              cost={(answers) =>
                one.each === undefined ? (
                  <Reckoning before={draft} after={one.make(draft, answers, currency)} told={told} />
                ) : (
                  [one.each(answers, told), text.unknownOften].join(" ").trim()
                )
              }
              submit={text.toDraft}
              told={text.drafted}
              run={async (answers) => one.make(draft, answers, currency)}
              done={(made) => onDraft(made, one.section)}
            />
          ))}
      </Group>
    </Panel>
  )
}

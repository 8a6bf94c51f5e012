/** Words and worths of the programme, for the sentences of wizards. */
import type { PointValue } from "../../contract/ProgramFile.ts"
import type { Reward } from "../../contract/protocol/Program.ts"
import { rewardWorth, worthOf } from "../../contract/Worth.ts"
import type { Draft } from "../programme/draft.ts"
import { namedIn, nameIn } from "../programme/named.ts"
import { unitsOf } from "../programme/units.ts"
import { useSoldName } from "../shared/choosers/soldNames.ts"
import { useServiceNow } from "../shared/clock.ts"
import { localDay, number } from "../shared/format.ts"
import { useZone } from "../shared/program.tsx"
import { strings } from "../shared/strings.ts"
import { primaryOf } from "./beside.ts"
import type { Told } from "./programWizards.ts"
import { pointsBy } from "./programWizards.ts"
import { wizardStrings as text } from "./wizardStrings.ts"

const listIn = (draft: Draft, name: string): ReadonlyArray<unknown> => {
  const drafted = draft[name]
  return Array.isArray(drafted) ? drafted : []
}

/** The worth of points of the primary account, minor units; undefined: the definition says none. */
const worthIn = (draft: Draft, points: number): number | undefined => {
  const value = draft["point_value"] as PointValue | undefined
  return value === undefined ? undefined : worthOf(value, points).amount
}

/** The day in the programme's zone, `YYYY-MM-DD`. */
export const useToday = (): string => localDay(new Date(useServiceNow()).toISOString(), useZone())

export const useTold = (draft: Draft, currency: string): Told => {
  const soldOf = useSoldName()
  const rewards = namedIn(draft, "rewards", "reward_id")
  const primary = primaryOf(draft)
  const unit = unitsOf(draft).find((one) => one.unit === primary)?.name ?? primary
  return {
    currency,
    pointsBy: (amount) => pointsBy(draft, amount),
    soldOf,
    rewardOf: (id) => nameIn(rewards, id),
    pointsOf: (points) => text.points(number(points), strings.values.unitOf(points, strings.values.unit(unit))),
    worthOfReward: (id) => rewardWorth(listIn(draft, "rewards") as ReadonlyArray<Reward>, id),
    worthOfPoints: (points) => worthIn(draft, points)
  }
}

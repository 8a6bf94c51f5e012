/** The cost of gifts of a campaign in money, or why nobody knows it and where that is set. */
import { Text } from "@mantine/core"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { money } from "../shared/format.ts"
import { PageLink } from "../shared/PageLink.tsx"
import { useMay } from "../shared/session.tsx"
import { campaignStrings } from "./campaignStrings.ts"
import { useGiftWorth } from "./giftWorth.ts"

const text = campaignStrings.cost

/** The link to where the worth of points is set. Absent: the session may not change the programme. */
export const SetPointValue = () =>
  useMay()("validateProgram") ? (
    <PageLink to="/programme" underline="always">
      {text.setPoints}
    </PageLink>
  ) : undefined

/** `words` get the money that so many gifts cost. The first of a preview says why nobody knows it; others are absent then. */
export const GiftCost = (props: {
  readonly action: Campaign["action"]
  readonly isFirst?: boolean
  readonly words: (costOf: (times: number) => string) => string
}) => {
  const { action, isFirst = false, words } = props
  const worth = useGiftWorth(action)
  if (worth === undefined) return undefined
  if (typeof worth === "string")
    return !isFirst ? undefined : (
      <Text size="sm">
        {text.unknown[worth]} {worth === "points" ? <SetPointValue /> : undefined}
      </Text>
    )
  return (
    <Text size="sm" fw={600}>
      {words((times) => money(worth(times)))} {isFirst && action.issue_reward !== undefined ? text.unused : ""}
    </Text>
  )
}

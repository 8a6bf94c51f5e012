/** The wizards of campaigns: each makes the draft of one, with the segment that it needs, and shows it. */
import { Group } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import type { Campaign, CampaignFacts } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import type { Segment } from "../../contract/platform/Segments.ts"
import { Segments } from "../../contract/platform/Segments.ts"
import { useCampaigns, useEstimate, useSegments } from "../audience/audience.ts"
import type { Draft } from "../programme/draft.ts"
import { isSame } from "../programme/draft.ts"
import { namedIn } from "../programme/named.ts"
import { call, client, keyed } from "../shared/client.ts"
import type { Once } from "../shared/form/once.ts"
import { money, number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useProgram, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import type { Answers } from "./answers.ts"
import type { CampaignWizard } from "./campaignWizards.ts"
import { campaignWizards } from "./campaignWizards.ts"
import type { Told } from "./programWizards.ts"
import { useTold } from "./told.ts"
import { Wizard } from "./Wizard.tsx"
import { wizardStrings as text } from "./wizardStrings.ts"

const platform = client(Campaigns, Segments)

type Month = ReturnType<NonNullable<CampaignWizard["month"]>>

/** About how many guests get it in a month, and what that costs. */
const Guests = (props: { readonly month: Month; readonly reward: string; readonly told: Told }) => {
  const { month, reward, told } = props
  const all = useEstimate({ rules: month.rules }, 0, true)
  const before = useEstimate(month.but === undefined ? undefined : { rules: month.but }, 0, true)
  if (all.data === undefined || (month.but !== undefined && before.data === undefined)) return "…"
  const reached = before.data?.estimated_size ?? 0
  const guests = Math.max(0, all.data.estimated_size - reached)
  const worth = told.worthOfReward(reward)
  const amount = worth === undefined ? undefined : money({ amount: worth * guests, currency: told.currency })
  const monthly =
    guests === 0
      ? text.nobody
      : amount === undefined
        ? text.guestsOnly(guests, number(guests))
        : text.guests(guests, number(guests), amount)
  return reached === 0 ? monthly : `${monthly} ${text.atOnce(reached, number(reached))}`
}

const labelsOf = (name: CampaignWizard["name"]): readonly [string, string, string] => {
  const { birthday, bringFriend, winBack } = text
  switch (name) {
    case "birthday":
      return [birthday.reward, birthday.ahead, birthday.usable]
    case "winBack":
      return [winBack.away, winBack.orders, winBack.reward]
    case "bringFriend":
      return [bringFriend.points, bringFriend.delay, bringFriend.most]
  }
}

interface Made {
  readonly program_id: string
  readonly zone: string
  readonly segments: ReadonlyArray<Segment>
}

/** The segment of these rules: one that is there, or a new one. */
const segmentFor = async (
  one: CampaignWizard,
  answers: Answers,
  { program_id, segments }: Made,
  keyOf: Once["keyOf"]
): Promise<string | undefined> => {
  const wanted = one.segment?.(answers)
  if (wanted === undefined) return undefined
  const known = segments.find(({ archived_at, rules }) => archived_at === undefined && isSame(rules, wanted.rules))
  if (known !== undefined) return known.segment_id
  const payload = { program_id, ...wanted }
  const { segment } = await call(keyed(keyOf(payload), platform.platform_segments.putSegment({ payload })))
  return segment.segment_id
}

const make = async (one: CampaignWizard, answers: Answers, facts: Made, keyOf: Once["keyOf"]): Promise<string> => {
  const segment_id = await segmentFor(one, answers, facts, keyOf)
  const payload: CampaignFacts = {
    program_id: facts.program_id,
    name: text.names[one.name],
    ...(segment_id === undefined ? {} : { segment_id }),
    ...one.campaign(answers, facts.zone)
  }
  return (await call(keyed(keyOf(payload), platform.platform_campaigns.putCampaign({ payload })))).campaign.campaign_id
}

/** Campaigns that give nothing any more. */
const over: ReadonlySet<Campaign["status"]> = new Set(["archived", "completed", "expired"])

const Twice = ({ campaign: { campaign_id, name } }: { readonly campaign: Campaign }) => (
  <>
    {text.twice(name)}{" "}
    <PageLink to="/audience/campaigns/$campaign_id/edit" params={{ campaign_id }}>
      {text.changeThat(name)}
    </PageLink>
  </>
)

const Ideas = ({
  program
}: {
  readonly program: Draft & { readonly program_id: string; readonly currency: string }
}) => {
  const { currency, program_id } = program
  const told = useTold(program, currency)
  const zone = useZone()
  const navigate = useNavigate()
  const refresh = useRefresh("campaigns", "segments")
  const segments = useSegments().data ?? []
  const campaigns = useCampaigns().data ?? []
  /** The campaign of the kind that is there already; undefined: there is none, or it is over. */
  const knownOf = (one: CampaignWizard) =>
    campaigns.find(
      (campaign) =>
        !over.has(campaign.status) &&
        one.isSameAs(campaign, segments.find(({ segment_id }) => segment_id === campaign.segment_id)?.rules)
    )
  return (
    <Panel title={text.campaigns}>
      <Note>{text.campaignsHint}</Note>
      <Group gap="xs" mt="xs">
        {campaignWizards.map((one) => (
          <Wizard
            key={one.name}
            of={one}
            name={text.names[one.name]}
            labels={labelsOf(one.name)}
            currency={currency}
            rewards={namedIn(program, "rewards", "reward_id")}
            says={(answers) => one.says(answers, told)}
            notes={() => {
              const known = knownOf(one)
              return { warning: known && <Twice campaign={known} /> }
            }}
            cost={(answers) =>
              one.month === undefined ? (
                [one.each?.(answers, told), text.unknownOften].join(" ").trim()
              ) : (
                <Guests month={one.month(answers)} reward={answers.reward} told={told} />
              )
            }
            submit={text.toCampaign}
            told={text.made}
            run={(answers, keyOf) => make(one, answers, { program_id, zone, segments }, keyOf)}
            done={(campaign_id) => {
              refresh()
              void navigate({
                to: "/audience/campaigns/$campaign_id",
                params: { campaign_id },
                ignoreBlocker: true
              })
            }}
          />
        ))}
      </Group>
    </Panel>
  )
}

/** Absent until the programme is known. */
export const CampaignWizards = () => {
  const program = useProgram().data?.program
  return program === undefined ? undefined : <Ideas program={program} />
}

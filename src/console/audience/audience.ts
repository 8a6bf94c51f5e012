/** Queries of the audience's pages: segments, campaigns, and choices for their forms. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { Campaign, RunListed } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import { Members } from "../../contract/platform/Members.ts"
import { PendingAudiences } from "../../contract/platform/PendingAudience.ts"
import type { Rules } from "../../contract/platform/Rules.ts"
import type { Segment } from "../../contract/platform/Segments.ts"
import { Segments } from "../../contract/platform/Segments.ts"
import type { Unit } from "../../contract/Values.ts"
import { call, client } from "../shared/client.ts"
import { useFigures, useProgram, useProgramQuery } from "../shared/program.tsx"

const platform = client(Segments, Members, Campaigns, PendingAudiences)

/** Pause in typing before members are counted, ms. */
export const estimateRestMs = 400

/** Page size when all pages of a list are fetched. */
const limit = "200"

/** Fetches all pages of a list. Calls `onRows` with the number of rows so far. */
const fetchAll = async <A>(
  fetch: (page: {
    readonly limit: string
    readonly cursor?: string
  }) => Promise<{ readonly rows: ReadonlyArray<A>; readonly next_cursor?: string }>,
  onRows?: (rows: number) => void
): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  let cursor: string | undefined
  do {
    const page = await fetch({ limit, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.rows)
    onRows?.(found.length)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return found
}

/** All segments of the programme. */
export const useSegments = () => {
  const program = useProgramQuery()
  return useQuery({
    queryKey: ["segments", program],
    enabled: program !== undefined,
    queryFn: () =>
      fetchAll<Segment>(async (page) => {
        const { segments: rows, ...next } = await call(
          platform.platform_segments.listSegments({ query: { ...program, ...page } })
        )
        return { rows, ...next }
      })
  })
}

export const useSegment = (segment_id: string | undefined) => {
  const program = useProgramQuery()
  return useQuery({
    queryKey: ["segment", program, segment_id],
    enabled: program !== undefined && segment_id !== undefined,
    queryFn: async (): Promise<Segment> => {
      const query = { ...program, ...(segment_id === undefined ? undefined : { segment_id }) }
      const [found] = (await call(platform.platform_segments.listSegments({ query }))).segments
      if (found === undefined) throw new Error("a list of one segment has it, or is refused")
      return found
    }
  })
}

/** The ids of all members of a static segment. */
export const useListedMembers = (segment_id: string, isNeeded: boolean, onRows: (rows: number) => void) => {
  const program = useProgramQuery()
  return useQuery({
    queryKey: ["segment members", program, segment_id],
    enabled: isNeeded && program !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      fetchAll<string>(async (page) => {
        const found = await call(platform.platform_members.findMembers({ query: { ...program, segment_id, ...page } }))
        if (!("members" in found)) throw new Error("without a member id the answer is a list")
        const { members, next_cursor } = found
        const rows = members.map(({ member_id }) => member_id)
        return { rows, ...(next_cursor === undefined ? {} : { next_cursor }) }
      }, onRows)
  })
}

/** Subject of a preview's count: a segment, or unsaved rules. */
export type Counted = { readonly segment_id: string } | { readonly rules: Rules }

/** A preview: the number of members now, and some of their ids. */
export const useEstimate = (counted: Counted | undefined, sample_size: number, keepsLast = false) => {
  const program = useProgramQuery()
  return useQuery({
    queryKey: ["estimate", program, counted, sample_size],
    enabled: program !== undefined && counted !== undefined,
    ...(keepsLast ? { placeholderData: keepPreviousData } : {}),
    queryFn: () => call(platform.platform_segments.previewSegment({ payload: { ...program, ...counted, sample_size } }))
  })
}

/** All campaigns of the programme. */
export const useCampaigns = () => {
  const program = useProgramQuery()
  return useQuery({
    queryKey: ["campaigns", program],
    enabled: program !== undefined,
    queryFn: () =>
      fetchAll<Campaign>(async (page) => {
        const found = await call(platform.platform_campaigns.campaigns({ query: { ...program, ...page } }))
        if (!("campaigns" in found)) throw new Error("without a campaign id the answer is a list")
        const { campaigns: rows, next_cursor } = found
        return { rows, ...(next_cursor === undefined ? {} : { next_cursor }) }
      })
  })
}

export const useCampaign = (campaign_id: string) =>
  useQuery({
    queryKey: ["campaign", campaign_id],
    queryFn: async (): Promise<Campaign> => {
      const found = await call(platform.platform_campaigns.campaigns({ query: { campaign_id } }))
      if (!("campaign" in found)) throw new Error("with a campaign id the answer is the campaign")
      return found.campaign
    }
  })

/** The effect that confirming the changes of a campaign's audience would have now. */
export const usePendingAudience = (campaign_id: string) =>
  useQuery({
    queryKey: ["pending audience", campaign_id],
    queryFn: async () =>
      (await call(platform.platform_pending_audiences.previewAudience({ payload: { campaign_id } }))).audience
  })

/** The newest runs of a campaign. */
export const useRuns = (campaign_id: string, rows: number, refetchMs?: (runs: ReadonlyArray<RunListed>) => number) =>
  useQuery({
    queryKey: ["runs", campaign_id, rows],
    queryFn: async (): Promise<ReadonlyArray<RunListed>> => {
      const found = await call(
        platform.platform_campaigns.campaignRuns({ query: { campaign_id, limit: String(rows) } })
      )
      if (!("runs" in found)) throw new Error("the runs of a campaign are answered as a list")
      return found.runs
    },
    refetchInterval: ({ state }) => (refetchMs === undefined ? false : refetchMs(state.data ?? []))
  })

/** Members that a run of this version would reach now. `run_key` undefined: a run without a key. */
export const useForecast = ({ campaign_id, version }: Campaign, run_key: string | undefined) =>
  useQuery({
    queryKey: ["forecast", campaign_id, version, run_key],
    queryFn: async () => {
      const query = { campaign_id, ...(run_key === undefined ? undefined : { run_key }) }
      return (await call(platform.platform_campaigns.previewCampaignRun({ query }))).forecast
    }
  })

/** A choice in a form. */
interface Choice {
  readonly value: string
  readonly label: string
}

/** Choices that a programme offers; undefined if the session may not read its definition. */
export interface Offer {
  readonly tiers: ReadonlyArray<Choice>
  readonly rewards: ReadonlyArray<Choice>
  /** The primary account's unit is the first. */
  readonly units: ReadonlyArray<Choice & { readonly value: Unit }>
  readonly currency: string
}

export const useOffer = (): Offer | undefined => {
  const program = useProgram().data?.program
  if (program === undefined) return undefined
  const { accounts = [], currency, rewards, tiers = [] } = program
  return {
    tiers: tiers.map(({ name, tier_id }) => ({ value: tier_id, label: name })),
    rewards: rewards.map(({ name, reward_id }) => ({ value: reward_id, label: name })),
    units: accounts
      .toSorted((a, b) => Number(b.is_primary ?? false) - Number(a.is_primary ?? false))
      .map(({ unit, unit_label }) => ({ value: unit, label: unit_label ?? unit })),
    currency
  }
}

/**
 * Facts about the programme from the platform's analytics: available also to sessions that may not read the programme.
 */
export interface Recent {
  readonly eventTypes: ReadonlyArray<string>
  /** Ids of the tiers, lowest first. */
  readonly tiers: ReadonlyArray<string>
  /** Ids of the programme's rewards, also of removed ones. */
  readonly rewards: ReadonlyArray<string>
  /** Undefined until it is loaded. */
  readonly currency: string | undefined
  readonly isLoading: boolean
}

export const useRecent = (): Recent => {
  const { data, isPending, error } = useFigures(true)
  return {
    isLoading: isPending && error === null,
    eventTypes: data?.customer_data.events.by_type.map(({ key }) => key) ?? [],
    tiers: data?.loyalty.members.by_tier.map(({ key }) => key) ?? [],
    rewards: data?.loyalty.rewards.map(({ reward_id }) => reward_id) ?? [],
    currency: data?.loyalty.orders.eligible_spend.currency
  }
}

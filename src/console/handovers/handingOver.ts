/** Work that a person hands over, because somebody else may put it in force. */
import { useQuery } from "@tanstack/react-query"
import type { HandedOver, Handover } from "../../contract/admin/Handovers.ts"
import { Handovers } from "../../contract/admin/Handovers.ts"
import { call, client } from "../shared/client.ts"
import { useProgramId } from "../shared/program.tsx"
import { useMay } from "../shared/session.tsx"
import { loadProblemTexts } from "../shared/words/problems.ts"
import { handoverStrings } from "./handoverStrings.ts"

export const handoversClient = client(Handovers)

const text = handoverStrings

/** People look at Today between other work. */
const refreshMs = 60_000
/** So long after an answer its author is told of it, ms. */
const toldMs = 7 * 24 * 3_600_000

export const doesWords = ({ campaign_id = "", campaign_name = campaign_id, kind }: Handover): string =>
  kind === "program" ? text.does.program : text.does[kind](campaign_name)

/** The sentence for who may put it in force. */
export const asksWords = ({ campaign_id = "", campaign_name = campaign_id, handed_by, kind }: Handover): string =>
  kind === "program" ? text.asks.program(handed_by) : text.asks[kind](handed_by, campaign_name)

/** The sentence for its author. */
export const yoursWords = ({ campaign_id = "", campaign_name = campaign_id, kind }: Handover): string =>
  kind === "program" ? text.yours.program : text.yours[kind](campaign_name)

/** The deed that puts it in force. */
export const putWords = ({ campaign_id = "", campaign_name = campaign_id, kind }: Handover): string =>
  kind === "program" ? text.putOf.program : text.putOf[kind](campaign_name)

/** Answers of long ago, and what its author took back, need nobody. */
const isTold = ({ decided_at, decided_by, handed_at, handed_by, is_own, status }: Handover): boolean =>
  !is_own ||
  status === "open" ||
  (Date.now() - Date.parse(decided_at ?? handed_at) < toldMs && !(status === "declined" && decided_by === handed_by))

export const useHandovers = () => {
  const program_id = useProgramId()
  const may = useMay()
  return useQuery({
    queryKey: ["handovers", program_id],
    enabled: may("listHandovers") && program_id !== undefined,
    refetchInterval: refreshMs,
    queryFn: async () => {
      const query = program_id === undefined ? {} : { program_id }
      const shown = (await call(handoversClient.handovers.listHandovers({ query }))).handovers.filter(isTold)
      if (shown.some(({ refused }) => refused !== undefined)) await loadProblemTexts()
      return shown
    }
  })
}

/** The own handover of the same work, if it was handed over. */
export const useOwnHandover = (what: Pick<HandedOver, "type"> & { readonly campaign_id?: string }) =>
  useHandovers().data?.find(
    ({ campaign_id, is_own, kind }) => is_own && kind === what.type && campaign_id === what.campaign_id
  )

export const stateWords = ({ decided_by, note = "", status }: Handover): string => {
  if (status === "done") return decided_by === undefined ? text.states.done : text.states.doneBy(decided_by)
  return status === "declined" ? text.states.declined(decided_by ?? "", note) : text.states[status]
}

/** The draft that the programme's forms begin with: a change that is handed over, on the version that it changes. */
import { useQuery } from "@tanstack/react-query"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import { handoversClient } from "../handovers/handingOver.ts"
import { call, client } from "../shared/client.ts"
import type { Draft } from "./draft.ts"
import type { Base } from "./Review.tsx"

const admin = client(ManagedPrograms)

export interface Begun {
  readonly base: Base
  readonly draft: Draft
  /** The open handover that a publication of the draft answers; absent: it is decided. */
  readonly answers?: string
}

/** `handover` undefined: none, and nothing is read. */
export const useBegun = (handover: string | undefined) =>
  useQuery({
    queryKey: ["begun", handover],
    enabled: handover !== undefined,
    // The forms begin once, so that typed text stays.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Begun> => {
      const params = { handover_id: handover ?? "" }
      const shown = await call(handoversClient.handovers.showHandover({ params }))
      const { program = {}, program_id, status, version = 1 } = shown
      const of = { program_id, version: String(version) }
      const base = await call(admin.programs.showProgramVersion({ params: of }))
      return { base, draft: program as Draft, ...(status === "open" ? { answers: shown.handover_id } : {}) }
    }
  })

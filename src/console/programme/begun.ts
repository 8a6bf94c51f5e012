/** The draft of the programme's forms: what it begins with, such as a change that is handed over, and what others publish meanwhile. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { Handover } from "../../contract/admin/Handovers.ts"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import { handoversClient } from "../handovers/handingOver.ts"
import { call, client } from "../shared/client.ts"
import type { Draft } from "./draft.ts"
import { isSame } from "./draft.ts"
import type { Base, Published } from "./Review.tsx"
import { rebase } from "./rebase.ts"

const admin = client(ManagedPrograms)

/** A draft and the version that it changes. */
interface Based {
  readonly base: Base
  readonly draft: Draft
}

export interface Begun extends Based {
  /** The handover of the change. A publication of the draft answers it while it is open. */
  readonly handover: Handover
}

/** The draft on the version in force, without what others have published meanwhile being undone. */
const carriedOver = (base: Base, draft: Draft, published: Published): Based => {
  // The published version that this page knows may be older.
  if (base.version >= published.version) return { base, draft }
  if (isSame(draft, published.program)) return { base: published, draft: published.program }
  const { both, draft: next } = rebase(base.program, draft, published.program)
  const all = [...new Set([...(base.meanwhile?.both ?? []), ...both])]
  return { base: { ...published, meanwhile: { by: published.published_by, both: all } }, draft: next }
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
      const { program = {}, program_id, version = 1, ...facts } = shown
      const of = { program_id, version: String(version) }
      const base = await call(admin.programs.showProgramVersion({ params: of }))
      return { base, draft: program as Draft, handover: { program_id, version, ...facts } }
    }
  })

/** The draft and the version that it changes. Follows what others publish. */
export const useDraft = (published: Published, begin: () => void, begun: Begun | undefined) => {
  // Carried over from the first look on: what others have published never shows as a change of the draft.
  const [first] = useState(() =>
    begun === undefined
      ? { base: published, draft: published.program }
      : carriedOver(begun.base, begun.draft, published)
  )
  const [base, setBase] = useState<Base>(first.base)
  const [draft, setDraft] = useState<Draft>(first.draft)
  /** Counts the drafts that came out of a file. Forms keep what is typed, and begin anew with each of them. */
  const [loaded, setLoaded] = useState(0)
  const isUnsaved = !isSame(base.program, draft)
  // Unchanged forms follow the published version, such as after a rollback.
  const isOutdated = !isUnsaved && !isSame(base.program, published.program)
  useEffect(() => {
    if (isOutdated) begin()
  }, [begin, isOutdated])
  // When somebody else has published, the draft is carried over to that version. So publishing it undoes nobody's changes.
  useEffect(() => {
    if (base.version >= published.version || isOutdated || isSame(draft, published.program)) return
    const next = carriedOver(base, draft, published)
    setBase(next.base)
    setDraft(next.draft)
    setLoaded((before) => before + 1)
  }, [base, draft, isOutdated, published])
  const load = (next: Draft): void => {
    setDraft(next)
    setLoaded(loaded + 1)
  }
  return { base, draft, isUnsaved, load, loaded, setDraft }
}

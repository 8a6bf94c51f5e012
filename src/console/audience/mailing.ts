/** Query of what mails to the programme's guests need, as their page tells it. */
import { useQuery } from "@tanstack/react-query"
import type { PageFacts } from "../../contract/guest/Page.ts"
import { GuestPageGroup } from "../../contract/guest/Page.ts"
import { call, client, Failure } from "../shared/client.ts"
import { useProgramId } from "../shared/program.tsx"
import { useSession } from "../shared/session.tsx"

const guests = client(GuestPageGroup)

/** Why no mail goes out. `page`: the programme has no page for guests; `server`: the service has no mail server. */
type Lack = "page" | "sandbox" | "server"

interface Mailing {
  /** Undefined: mails go out, or it is not known yet. */
  readonly lacks: Lack | undefined
  /** Languages of the page, the first one for guests whose own is not there. */
  readonly languages: PageFacts["languages"]
}

/** `program_id`: absent, the programme of the console. */
export const useMailing = (program_id?: string): Mailing => {
  const shown = useProgramId()
  const id = program_id ?? shown
  const isSandbox = useSession().sandbox === true
  const { data } = useQuery({
    queryKey: ["guest page", id],
    enabled: id !== undefined,
    queryFn: async () =>
      call(guests.guest_page.showGuestPage({ params: { program_id: id ?? "" } })).catch((error: unknown) => {
        if (error instanceof Failure && error.code === "not_found") return null
        throw error
      })
  })
  const lacks = data === null ? "page" : isSandbox ? "sandbox" : data?.sign_in.email === false ? "server" : undefined
  return { lacks, languages: data?.languages ?? ["en"] }
}

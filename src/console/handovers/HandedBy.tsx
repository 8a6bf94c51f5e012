/** The author of the change that the editor shows, what it is for, and what became of it. */
import { Alert, Text } from "@mantine/core"
import type { Handover } from "../../contract/admin/Handovers.ts"
import { timeShort } from "../shared/format.ts"
import { useZone } from "../shared/program.tsx"
import { stateWords } from "./handingOver.ts"
import { handoverStrings as text } from "./handoverStrings.ts"

export const HandedBy = ({ handover }: { readonly handover: Handover }) => {
  const { handed_at, handed_by, is_own, reason, status } = handover
  const zone = useZone()
  return (
    <Alert role="note" mb="md" title={is_own ? text.byYou : text.by(handed_by)}>
      <Text size="sm">{text.because(reason, timeShort(handed_at, zone))}</Text>
      {status === "open" ? undefined : <Text size="sm">{stateWords(handover)}</Text>}
    </Alert>
  )
}

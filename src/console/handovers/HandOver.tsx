/** Hands over what a person has prepared and may not put in force, and tells what became of it. */
import { Group, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import type { HandedOver } from "../../contract/admin/Handovers.ts"
import { call } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt } from "../shared/States.tsx"
import { handoversClient, stateWords, useOwnHandover } from "./handingOver.ts"
import { handoverStrings as text } from "./handoverStrings.ts"
import { putterWords } from "./putters.ts"

export const HandOver = (props: {
  readonly what: HandedOver
  /** The deed that others are asked for. */
  readonly does: string
  readonly isReady?: boolean
  readonly done?: () => void
}) => {
  const { does, done, isReady = true, what } = props
  const refresh = useRefresh("handovers")
  const own = useOwnHandover(what.type === "program" ? { type: what.type } : what)
  const [reason, setReason] = useState("")
  return (
    <Stack gap={4}>
      {own === undefined ? undefined : (
        <Text size="sm" role="status">
          {stateWords(own)}
        </Text>
      )}
      <Group>
        <ChangeDialog
          label={text.handOver}
          name={text.handOverOf(does)}
          submit={text.handOver}
          told={text.handed}
          isReady={isReady && reason.trim() !== ""}
          begin={() => setReason("")}
          done={() => {
            refresh()
            done?.()
          }}
          run={() => call(handoversClient.handovers.handOver({ payload: { what, reason: reason.trim() } }))}
        >
          {(error: unknown) => (
            <>
              <Text size="sm">{text.explained(putterWords(what.type))}</Text>
              <TextInput
                label={text.reason}
                description={text.reasonHint}
                required
                maxLength={255}
                value={reason}
                onChange={({ currentTarget }) => setReason(currentTarget.value)}
                error={faultAt(error, "/reason", reason)}
              />
            </>
          )}
        </ChangeDialog>
      </Group>
    </Stack>
  )
}

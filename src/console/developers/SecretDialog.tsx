/** Shows a secret that the service has just made. It cannot be shown again. */
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core"
import { useState } from "react"
import { Copy } from "../shared/Copy.tsx"
import { OnceDialog } from "../shared/form/OnceDialog.tsx"
import { strings } from "../shared/strings.ts"
import { developerStrings } from "./developerStrings.ts"

const text = developerStrings

/** Secret that was just made. It is absent if the first response, which had it, was lost. */
export interface JustIssued {
  readonly secret?: string
}

export const SecretDialog = (props: {
  readonly issued: JustIssued | undefined
  readonly title: string
  readonly hint: string
  readonly lost: string
  readonly close: () => void
}) => {
  const { close, hint, issued, lost, title } = props
  const secret = issued?.secret
  const [copied, setCopied] = useState<string>()
  return (
    <OnceDialog
      opened={issued !== undefined}
      isHeld={secret !== undefined && secret !== copied}
      onClose={close}
      title={title}
    >
      <Stack>
        {secret === undefined ? (
          <Alert color="yellow">{lost}</Alert>
        ) : (
          <>
            <Text>{hint}</Text>
            <Code block className="secret" onCopy={() => setCopied(secret)}>
              {secret}
            </Code>
          </>
        )}
        <Group justify="flex-end">
          {secret === undefined ? undefined : (
            <Copy value={secret} label={text.copy} done={text.copied} onCopied={() => setCopied(secret)} />
          )}
          <Button variant="default" onClick={close}>
            {strings.states.close}
          </Button>
        </Group>
      </Stack>
    </OnceDialog>
  )
}

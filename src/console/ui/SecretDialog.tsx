/** Shows a secret that the service has just made. It cannot be shown again. */
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core"
import { developerStrings } from "../app/developerStrings.ts"
import { strings } from "../app/strings.ts"
import { Dialog } from "./Dialog.tsx"

const text = developerStrings

/** What was just made. It has no secret if the first response, which had it, was lost. */
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
  return (
    <Dialog opened={issued !== undefined} onClose={close} title={title}>
      <Stack>
        {secret === undefined ? (
          <Alert color="yellow">{lost}</Alert>
        ) : (
          <>
            <Text>{hint}</Text>
            <Code block className="secret">
              {secret}
            </Code>
          </>
        )}
        <Group justify="flex-end">
          {secret === undefined ? undefined : (
            <CopyButton value={secret}>
              {({ copied, copy }) => <Button onClick={copy}>{copied ? text.copied : text.copy}</Button>}
            </CopyButton>
          )}
          <Button variant="default" onClick={close}>
            {strings.states.close}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Shows the address of an invitation that was just made. It cannot be shown again. */
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core"
import { useState } from "react"
import type { Invited } from "../../contract/admin/Staff.ts"
import { Copy } from "../shared/Copy.tsx"
import { OnceDialog } from "../shared/form/OnceDialog.tsx"
import { useBusinessName } from "../shared/look.ts"
import { staffStrings } from "../shared/staffStrings.ts"
import { strings } from "../shared/strings.ts"

const text = staffStrings.people

export type JustInvited = typeof Invited.Type

const Copied = (props: {
  readonly label: string
  readonly copyLabel: string
  readonly value: string
  readonly copied: () => void
}) => (
  <div onCopy={props.copied}>
    <Group justify="space-between" mb={4}>
      <Text fw={600} size="sm">
        {props.label}
      </Text>
      <Copy
        size="xs"
        variant="default"
        value={props.value}
        label={props.copyLabel}
        done={text.copied}
        onCopied={props.copied}
      />
    </Group>
    <Code block className="secret" dir="auto">
      {props.value}
    </Code>
  </div>
)

export const InvitedDialog = (props: { readonly invited: JustInvited | undefined; readonly close: () => void }) => {
  const { close, invited } = props
  const { email = "", name = "", role = "support" } = invited?.user ?? {}
  const business = useBusinessName() ?? strings.product
  const isMailed = invited?.mailed === true
  const url = invited?.invitation_url
  const [copied, setCopied] = useState<string>()
  return (
    <OnceDialog
      opened={invited !== undefined}
      isHeld={!isMailed && url !== undefined && url !== copied}
      onClose={close}
      title={text.invitedTitle(name)}
      size="lg"
    >
      <Stack>
        {url === undefined ? (
          <Alert color="yellow">{text.invitedLost}</Alert>
        ) : (
          <>
            <Text>{isMailed ? text.mailedHint(name, email) : text.invitedHint(name)}</Text>
            <Copied label={text.address} copyLabel={text.copyAddress} value={url} copied={() => setCopied(url)} />
            <Copied
              label={text.message}
              copyLabel={text.copyMessage}
              value={text.messageText(name, business, staffStrings.roles[role], url)}
              copied={() => setCopied(url)}
            />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {strings.states.close}
          </Button>
        </Group>
      </Stack>
    </OnceDialog>
  )
}

/** Shows the address of an invitation that was just made. It cannot be shown again. */
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core"
import type { Invited } from "../../../contract/admin/Staff.ts"
import { staffStrings } from "../../app/staffStrings.ts"
import { strings } from "../../app/strings.ts"
import { Dialog } from "../../ui/Dialog.tsx"

const text = staffStrings.people

export type JustInvited = typeof Invited.Type

const Copied = (props: { readonly label: string; readonly copyLabel: string; readonly value: string }) => (
  <div>
    <Group justify="space-between" mb={4}>
      <Text fw={600} size="sm">
        {props.label}
      </Text>
      <CopyButton value={props.value}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy}>
            {copied ? text.copied : props.copyLabel}
          </Button>
        )}
      </CopyButton>
    </Group>
    <Code block className="secret" dir="auto">
      {props.value}
    </Code>
  </div>
)

export const InvitedDialog = (props: { readonly invited: JustInvited | undefined; readonly close: () => void }) => {
  const { close, invited } = props
  const { name = "", role = "support" } = invited?.user ?? {}
  const url = invited?.invitation_url
  return (
    <Dialog
      opened={invited !== undefined}
      onClose={close}
      // A slip must not lose what cannot be shown again.
      closeOnClickOutside={false}
      title={text.invitedTitle(name)}
      size="lg"
    >
      <Stack>
        {url === undefined ? (
          <Alert color="yellow">{text.invitedLost}</Alert>
        ) : (
          <>
            <Text>{text.invitedHint(name)}</Text>
            <Copied label={text.address} copyLabel={text.copyAddress} value={url} />
            <Copied
              label={text.message}
              copyLabel={text.copyMessage}
              value={text.messageText(name, staffStrings.roles[role], url)}
            />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {strings.states.close}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** The second confirmation of a definition by which one order may give many rewards. */
import { Alert, Checkbox, Stack, Text } from "@mantine/core"
import { number } from "../shared/format.ts"
import { publicationStrings } from "./publicationStrings.ts"

const text = publicationStrings.confirm

export const ConfirmRewards = (props: {
  /** Undefined: none is needed. */
  readonly rewards: number | undefined
  /** The number that was confirmed last. */
  readonly confirmed: number | undefined
  readonly onConfirm: (rewards: number | undefined) => void
}) => {
  const { confirmed, onConfirm, rewards } = props
  if (rewards === undefined) return undefined
  return (
    <Alert color="red" title={text.title}>
      <Stack gap="xs">
        <Text size="sm">{text.told(number(rewards))}</Text>
        <Checkbox
          label={text.yes(number(rewards))}
          checked={confirmed === rewards}
          onChange={({ currentTarget }) => onConfirm(currentTarget.checked ? rewards : undefined)}
        />
      </Stack>
    </Alert>
  )
}

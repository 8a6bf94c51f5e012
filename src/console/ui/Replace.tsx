/** The choice to replace somebody else's change, shown where a change was refused for it. What was typed stays. */
import { Alert, Anchor, Checkbox, Stack } from "@mantine/core"
import { strings } from "../app/strings.ts"
import { isOutdated } from "./States.tsx"

const text = strings.states

export const Replace = (props: {
  readonly error: unknown
  readonly isChosen: boolean
  readonly choose: (isChosen: boolean) => void
}) =>
  isOutdated(props.error) ? (
    <Alert color="yellow">
      <Stack gap="xs" align="flex-start">
        <Anchor href={location.href} target="_blank" size="sm">
          {text.seeOther}
        </Anchor>
        <Checkbox
          label={text.replaceOther}
          checked={props.isChosen}
          onChange={({ currentTarget }) => props.choose(currentTarget.checked)}
        />
      </Stack>
    </Alert>
  ) : undefined

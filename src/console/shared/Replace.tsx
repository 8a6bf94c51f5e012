/** After a conflict: the choice to overwrite the other change. Keeps the input. */
import { Alert, Anchor, Checkbox, Stack } from "@mantine/core"
import { isOutdated } from "./States.tsx"
import { strings } from "./strings.ts"

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

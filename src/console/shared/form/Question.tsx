/** Asks before something is lost. */
import { Button, Group, Stack, Text } from "@mantine/core"
import { Dialog } from "./Dialog.tsx"

export interface QuestionWords {
  readonly title: string
  readonly hint: string
  readonly stay: string
  readonly leave: string
}

export const Question = (props: {
  readonly isAsking: boolean
  readonly words: QuestionWords
  /** Dismisses the question. Keeps everything. */
  readonly stay: () => void
  readonly leave: () => void
}) => {
  const { isAsking, leave, stay, words } = props
  return (
    <Dialog
      opened={isAsking}
      onClose={stay}
      // The window gets this key before a form, which would ask again.
      closeOnEscape={false}
      onKeyDown={({ key }) => {
        if (key === "Escape") stay()
      }}
      title={words.title}
    >
      <Stack>
        <Text>{words.hint}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={stay}>
            {words.stay}
          </Button>
          <Button color="red" onClick={leave}>
            {words.leave}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

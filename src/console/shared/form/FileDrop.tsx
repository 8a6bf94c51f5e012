/** Takes one file: dropped, or chosen by mouse or keyboard. */
import { Button, FileButton, Group, Text } from "@mantine/core"
import { useRef, useState } from "react"

export const FileDrop = (props: {
  readonly label: string
  readonly hint: string
  /** The accepted types, as HTML's `accept`. */
  readonly accept: string
  readonly onFile: (file: File) => void
}) => {
  const [isOver, setOver] = useState(false)
  const reset = useRef<() => void>(null)
  const take = (file: File | null | undefined): void => {
    if (file !== null && file !== undefined) props.onFile(file)
    // Otherwise choosing the same file again, after correcting it, fires no event.
    reset.current?.()
  }
  return (
    <section
      className="drop"
      aria-label={props.label}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer.files[0])
      }}
    >
      <Group gap="sm" justify="center">
        <Text c="dimmed">{props.hint}</Text>
        <FileButton accept={props.accept} onChange={take} resetRef={reset}>
          {(button) => (
            <Button variant="default" {...button}>
              {props.label}
            </Button>
          )}
        </FileButton>
      </Group>
    </section>
  )
}

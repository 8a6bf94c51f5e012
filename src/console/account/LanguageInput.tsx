/** Chooses the console's language, where there is a choice. The page is loaded anew in it. */
import { NativeSelect } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { language, languages, speak } from "../shared/language.ts"
import { sentenceOf } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"

/** A language's name in itself: who looks for it may read no other. */
const nameOf = (tag: string): string => new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag

interface Props {
  /** Keeps the choice in the account. Absent: the browser alone keeps it. */
  readonly keep?: (choice: string) => Promise<unknown>
  /** Called at the moment before the page is loaded anew. */
  readonly leave?: () => void
}

export const LanguageInput = ({ keep, leave }: Props) => {
  const choose = useMutation({
    mutationFn: async (choice: string) => {
      await keep?.(choice)
      speak(choice)
      leave?.()
      location.reload()
    }
  })
  return languages.length < 2 ? undefined : (
    <NativeSelect
      label={strings.nav.language}
      value={choose.isPending ? choose.variables : language}
      disabled={choose.isPending}
      data={languages.map((tag) => ({ value: tag, label: nameOf(tag) }))}
      maw="16rem"
      onChange={({ currentTarget }) => choose.mutate(currentTarget.value)}
      error={choose.error === null ? undefined : sentenceOf(choose.error)}
    />
  )
}

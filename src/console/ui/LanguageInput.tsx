/** Chooses the console's language, where there is a choice. The page is loaded anew in it. */
import { NativeSelect } from "@mantine/core"
import { language, languages, speak } from "../app/language.ts"
import { strings } from "../app/strings.ts"

/** A language's name in itself: who looks for it may read no other. */
const nameOf = (tag: string): string => new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag

export const LanguageInput = () =>
  languages.length < 2 ? undefined : (
    <NativeSelect
      label={strings.nav.language}
      value={language}
      data={languages.map((tag) => ({ value: tag, label: nameOf(tag) }))}
      maw="16rem"
      onChange={({ currentTarget }) => {
        speak(currentTarget.value)
        location.reload()
      }}
    />
  )

/** A link to a list of the service as a file that spreadsheets read. */
import { Anchor } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { fetchFile } from "../app/client.ts"
import { saveFile } from "../app/saveFile.ts"
import { tell } from "../app/told.ts"
import { sentenceOf } from "./States.tsx"

/** Excel takes a file without a byte order mark for one in the encoding of the machine. Other readers do not expect it. */
const save = async (href: string): Promise<void> => {
  const { content, name } = await fetchFile(href)
  saveFile(name ?? "list.csv", new Blob(["\uFEFF", content]), "text/csv")
}

export const CsvLink = (props: { readonly href: string; readonly children: string; readonly pb?: number }) => {
  const { children, href, pb } = props
  const download = useMutation({ mutationFn: save, onError: (error) => tell(sentenceOf(error)) })
  return (
    <Anchor
      href={href}
      download
      size="sm"
      {...(pb === undefined ? {} : { pb })}
      aria-busy={download.isPending}
      onClick={(event) => {
        event.preventDefault()
        if (!download.isPending) download.mutate(href)
      }}
    >
      {children}
    </Anchor>
  )
}

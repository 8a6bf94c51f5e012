/** Links to a list of the service as a file that spreadsheets read. */
import { Anchor, Group } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { fetchFile } from "../client.ts"
import { useZone } from "../program.tsx"
import { sentenceOf } from "../States.tsx"
import { tell } from "../told.ts"
import { fileStrings } from "./fileStrings.ts"
import { readers } from "./readers.ts"
import { saveFile } from "./saveFile.ts"

/** Excel takes a file without a byte order mark for one in the encoding of the machine. Other readers do not expect it. */
const save = async (href: string): Promise<void> => {
  const { content, name } = await fetchFile(href)
  saveFile(name ?? "list.csv", new Blob(["\uFEFF", content]), "text/csv")
}

export const CsvLink = (props: { readonly href: string; readonly children: string; readonly pb?: number }) => {
  const { children, href, pb = 0 } = props
  const zone = useZone()
  const download = useMutation({
    mutationFn: (make: () => Promise<void>) => make(),
    onError: (error) => tell(sentenceOf(error))
  })
  const begin = (make: () => Promise<void>) => {
    if (!download.isPending) download.mutate(make)
  }
  const lists = () => import("./lists.ts")
  const local = readers
  return (
    <Group gap="xs" pb={pb} aria-busy={download.isPending}>
      <Anchor
        href={href}
        download
        size="sm"
        onClick={(event) => {
          event.preventDefault()
          begin(() => save(href))
        }}
      >
        {children}
      </Anchor>
      {local === undefined ? undefined : (
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-label={fileStrings.localOf(children)}
          onClick={() => begin(async () => (await lists()).saveListFor(href, local))}
        >
          {fileStrings.local}
        </Anchor>
      )}
      <Anchor
        component="button"
        type="button"
        size="sm"
        aria-label={fileStrings.excelOf(children)}
        onClick={() => begin(async () => (await lists()).saveListForExcel(href, zone))}
      >
        {fileStrings.excel}
      </Anchor>
    </Group>
  )
}

/** What the import of a file would do: figures, and its faults with the cells, which only this page has. */
import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import type { ErrorGroup, ForeseenImport } from "../../../contract/platform/Imports.ts"
import { number } from "../../app/format.ts"
import { importStrings } from "../../app/importStrings.ts"
import { saveFile } from "../../app/saveFile.ts"
import { Listing } from "../../ui/Listing.tsx"
import { Note } from "../../ui/Note.tsx"
import { columnOf, importable, sentence } from "./faults.ts"
import type { ImportFile } from "./file.ts"
import { failedRows } from "./sent.ts"

const text = importStrings

const Figure = ({ label, value }: { readonly label: string; readonly value: number }) => (
  <div>
    <Note>{label}</Note>
    <Text className="number" size="xl" fw={600}>
      {number(value)}
    </Text>
  </div>
)

/** The rows that a group names, each with its cell if the group is about one column. */
const Rows = ({ file, group }: { readonly file: ImportFile; readonly group: ErrorGroup }) => {
  const column = file.sent.header.indexOf(columnOf(group))
  const cellOf = (shown: number) => file.sent.rows.find(({ row }) => row === shown)?.cells[column]
  const left = group.count - group.rows.length
  return (
    <>
      {group.rows.map((row) => (
        <div key={row}>
          {text.rowNumber(number(row))} <bdi>{column < 0 ? "" : cellOf(row)}</bdi>
        </div>
      ))}
      {left > 0 ? <Note>{text.andMore(left)}</Note> : undefined}
    </>
  )
}

export const Foreseen = ({ file, shown }: { readonly file: ImportFile; readonly shown: ForeseenImport }) => (
  <section aria-label={text.foreseen}>
    <Stack gap="sm">
      <Title order={3} size="h5">
        {text.foreseen}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Figure label={text.wouldCreate} value={shown.created} />
        <Figure label={text.wouldUpdate} value={shown.updated} />
        <Figure label={text.wouldCredit} value={shown.opening_total} />
        <Figure label={text.wouldFail} value={shown.failed} />
      </SimpleGrid>
      {shown.failed === 0 ? (
        <Note>{text.noFaults}</Note>
      ) : (
        <>
          <Alert color="yellow" role="status">
            {importable(shown) === 0 ? text.allFail : text.someFail(shown.failed)}
          </Alert>
          <Listing
            label={text.faultGroups}
            rows={shown.error_groups}
            minWidth={480}
            keyOf={({ code, detail, path }) => `${path} ${code} ${detail}`}
            step={10}
            columns={[
              { label: text.fault, isLong: true, cell: sentence },
              { label: text.times, isNumber: true, cell: ({ count }) => number(count) },
              { label: text.where, isLong: true, cell: (group) => <Rows file={file} group={group} /> }
            ]}
          />
          <Group>
            <Button
              variant="default"
              size="xs"
              onClick={() => saveFile(`failed-${file.name}`, failedRows(file, shown.errors, sentence), "text/csv")}
            >
              {text.failedRows}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  </section>
)

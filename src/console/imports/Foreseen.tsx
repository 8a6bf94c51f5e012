/** Effects of a file's import: figures, and its faults with the cells, which only this page has. */
import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import type { RepeatedRows } from "../../contract/platform/Imports.ts"
import { number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { saveFile } from "../shared/spreadsheets/saveFile.ts"
import { columnOf, importable, sentColumn, sentence } from "./faults.ts"
import type { ImportFile } from "./file.ts"
import { importStrings } from "./importStrings.ts"
import { failedRows } from "./sent.ts"
import type { Told } from "./together.ts"

const text = importStrings

interface ShownFile {
  readonly file: ImportFile
  readonly shown: Told
}

const Figure = ({ label, value }: { readonly label: string; readonly value: number }) => (
  <div>
    <Note>{label}</Note>
    <Text className="number" size="xl" fw={600}>
      {number(value)}
    </Text>
  </div>
)

/** The rows that failed, by what is wrong with them, and as a file. */
const Faults = ({ file, shown }: ShownFile) => (
  <>
    <Listing
      label={text.faultGroups}
      rows={shown.groups}
      minWidth={480}
      keyOf={({ detail, path }) => `${path} ${detail}`}
      step={10}
      columns={[
        { label: text.fault, isLong: true, cell: (group) => sentence(group, file.own) },
        { label: text.times, isNumber: true, cell: ({ count }) => number(count) },
        { label: text.where, isLong: true, cell: (group) => <Rows file={file} group={group} /> }
      ]}
    />
    <Group>
      <Button
        variant="default"
        size="xs"
        onClick={() => saveFile(`failed-${file.name}`, failedRows(file, shown.errors), "text/csv")}
      >
        {text.failedRows}
      </Button>
    </Group>
  </>
)

/** The rows that a group names, each with its cell if the group is about one column. */
const Rows = ({ file, group }: { readonly file: ImportFile; readonly group: RepeatedRows }) => {
  const column = file.sent.header.indexOf(sentColumn(group))
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

/** Rows with one member. They are imported one after the other. */
export const Repeated = (props: { readonly file: ImportFile; readonly repeated: ReadonlyArray<RepeatedRows> }) =>
  props.repeated.length === 0 ? undefined : (
    <Stack gap="sm">
      <Alert color="yellow" role="status">
        {text.repeatedRows}
      </Alert>
      <Listing
        label={text.repeated}
        rows={props.repeated}
        minWidth={480}
        keyOf={({ path, rows }) => `${path} ${rows.join(" ")}`}
        step={10}
        columns={[
          {
            label: text.repeats,
            isLong: true,
            cell: ({ path }) =>
              path === "/opening_balance"
                ? text.repeatedOpening
                : text.repeatedIn(columnOf({ path, detail: "" }, props.file.own))
          },
          { label: text.times, isNumber: true, cell: ({ count }) => number(count) },
          { label: text.where, isLong: true, cell: (group) => <Rows file={props.file} group={group} /> }
        ]}
      />
    </Stack>
  )

/** Rows that can be imported, and may be a mistake. */
const Warnings = ({ file, shown }: ShownFile) =>
  shown.warnings.length === 0 ? undefined : (
    <Listing
      label={text.warnings}
      rows={shown.warnings}
      minWidth={480}
      keyOf={({ path, rows }) => `${path} ${rows.join(" ")}`}
      step={10}
      columns={[
        { label: text.warning, isLong: true, cell: (group) => sentence(group, file.own) },
        { label: text.times, isNumber: true, cell: ({ count }) => number(count) },
        { label: text.where, isLong: true, cell: (group) => <Rows file={file} group={group} /> }
      ]}
    />
  )

/** Results of the rows, in figures that add up. */
const rowsTold = (shown: Told): string => {
  const { left, partly, whole } = importable(shown)
  return whole + partly === 0 ? text.allFail : text.someFail(shown.submitted, whole, partly, left)
}

/** Results of a file that was sent in parts. `again`: rows that were imported before. */
export const Imported = ({ again, file, shown }: ShownFile & { readonly again: number }) => (
  <section aria-label={text.result}>
    <Stack gap="sm">
      <Title order={3} size="h5">
        {text.result}
      </Title>
      <Text role="status">{text.allSent(number(shown.submitted))}</Text>
      {again === 0 ? undefined : <Note>{text.rowsAgain(number(again))}</Note>}
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {(["submitted", "created", "updated", "failed"] as const).map((name) => (
          <Figure key={name} label={text[name]} value={shown[name]} />
        ))}
      </SimpleGrid>
      {shown.errors.length === 0 ? undefined : <Faults file={file} shown={shown} />}
      <Repeated file={file} repeated={shown.repeated} />
    </Stack>
  </section>
)

export const Foreseen = ({ credits, file, shown }: ShownFile & { readonly credits: number }) => (
  <section aria-label={text.foreseen}>
    <Stack gap="sm">
      <Title order={3} size="h5">
        {text.foreseen}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Figure label={text.wouldCreate} value={shown.created} />
        <Figure label={text.wouldUpdate} value={shown.updated} />
        <Figure label={text.wouldCredit} value={credits} />
        <Figure label={text.wouldFail} value={shown.failed} />
      </SimpleGrid>
      {shown.failed === 0 ? (
        <Note>{text.noFaults}</Note>
      ) : (
        <>
          <Alert color="yellow" role="status">
            {rowsTold(shown)}
          </Alert>
          <Faults file={file} shown={shown} />
        </>
      )}
      <Repeated file={file} repeated={shown.repeated} />
      <Warnings file={file} shown={shown} />
    </Stack>
  </section>
)

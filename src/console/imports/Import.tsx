/** One import with the results of its rows. */
import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { Import as ImportShown } from "../../contract/platform/Imports.ts"
import { Imports } from "../../contract/platform/Imports.ts"
import { asCsv, call, client } from "../shared/client.ts"
import { number, time } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useZone } from "../shared/program.tsx"
import { Shown, sentenceOf } from "../shared/States.tsx"
import { saveFile } from "../shared/spreadsheets/saveFile.ts"
import { Repeated } from "./Foreseen.tsx"
import { columnOf, sentence } from "./faults.ts"
import { ImportStatus } from "./ImportStatus.tsx"
import { importStrings } from "./importStrings.ts"
import { failedRows, keptFile } from "./sent.ts"
import { TakeBackImport, TakenBack } from "./TakeBackImport.tsx"
import { together } from "./together.ts"

const platform = client(Imports)

const text = importStrings

/** Interval for refetching a running import, ms. */
const progressPollMs = 2_000

const useImport = (import_id: string) =>
  useQuery({
    queryKey: ["import", import_id],
    refetchInterval: ({ state: { data } }) => (data === undefined || data.completed_at ? false : progressPollMs),
    queryFn: async () => {
      const { import: found } = await call(platform.platform_imports.listImports({ query: { import_id } }))
      if (found === undefined) throw new Error("an answer about one import has it")
      return found
    }
  })

const Figures = ({ shown }: { readonly shown: ImportShown }) => (
  <SimpleGrid cols={{ base: 2, sm: 4 }}>
    {(["submitted", "created", "updated", "failed"] as const).map((name) => (
      <div key={name}>
        <Note>{text[name]}</Note>
        <Text className="number" size="xl" fw={600}>
          {number(shown[name])}
        </Text>
      </div>
    ))}
  </SimpleGrid>
)

const Download = ({ import_id }: { readonly import_id: string }) => {
  const download = useMutation({
    mutationFn: async () => {
      const faults = await call(asCsv(platform.platform_imports.listImportErrors({ query: { import_id } })))
      if (typeof faults !== "string") throw new Error("what was asked for as CSV is text")
      // Excel takes a file without a byte order mark for one in the encoding of the machine.
      saveFile(`faults-${import_id}.csv`, `\uFEFF${faults}`, "text/csv")
    }
  })
  return (
    <Group gap="sm">
      {download.error === null ? undefined : (
        <Text size="sm" role="alert" c="var(--mantine-color-error)">
          {sentenceOf(download.error)}
        </Text>
      )}
      <Button variant="default" size="xs" loading={download.isPending} onClick={() => download.mutate()}>
        {text.csv}
      </Button>
    </Group>
  )
}

/** Downloads the failed rows as they were sent, if the page still has the file. */
const DownloadRows = ({ shown }: { readonly shown: ImportShown }) => {
  const file = keptFile(shown.import_id)?.file
  return file === undefined ? undefined : (
    <Button
      size="xs"
      onClick={() =>
        saveFile(`failed-${file.name}`, failedRows(file, together([shown], file.shift).errors), "text/csv")
      }
    >
      {text.failedRows}
    </Button>
  )
}

const Faults = ({ shown }: { readonly shown: ImportShown }) => {
  const { failed, import_id } = shown
  const file = keptFile(import_id)?.file
  const own = file?.own
  const faults = usePaged(["import faults", import_id, failed], async (page) => {
    const found = await call(platform.platform_imports.listImportErrors({ query: { import_id, ...page } }))
    if (typeof found === "string") throw new Error("what was not asked for as CSV is no text")
    return found
  })
  return (
    <Panel
      title={text.faults}
      actions={
        <Group gap="sm">
          <DownloadRows shown={shown} />
          <Download import_id={import_id} />
        </Group>
      }
    >
      <Note mb="xs">{text.rowsCount}</Note>
      <PagedListing
        query={faults}
        rowsOf={({ errors }) => errors}
        label={text.faults}
        minWidth={480}
        keyOf={({ detail, path, row }) => `${row} ${path} ${detail}`}
        columns={[
          { label: text.row, width: 80, isLabelled: true, cell: ({ row }) => number(row - (file?.shift ?? 0)) },
          { label: text.column, width: 150, cell: (fault) => columnOf(fault, own) },
          { label: text.fault, isLong: true, cell: (fault) => sentence(fault, own) }
        ]}
      />
    </Panel>
  )
}

/** The rows with one member, if the page still has the file. */
const KeptRepeats = ({ import_id }: { readonly import_id: string }) => {
  const kept = keptFile(import_id)
  return kept === undefined || kept.repeated.length === 0 ? undefined : (
    <Panel title={text.repeated}>
      <Repeated {...kept} />
    </Panel>
  )
}

/** Facts about an import before its figures. */
const Notes = ({ isAgain, shown }: { readonly shown: ImportShown; readonly isAgain: boolean }) => {
  const zone = useZone()
  return (
    <>
      {isAgain ? <Alert role="status">{text.again}</Alert> : undefined}
      {shown.completed_at === undefined && shown.rows_deleted === undefined ? (
        <Alert color="yellow" role="status">
          {text.unfinished}
        </Alert>
      ) : undefined}
      {shown.taken_back_at === undefined ? undefined : (
        <Panel title={text.takenBackAt(time(shown.taken_back_at, zone), shown.taken_back_by ?? "")}>
          <TakenBack shown={shown} />
        </Panel>
      )}
      {shown.rows_deleted === true ? <Alert role="status">{text.rowsDeleted}</Alert> : undefined}
    </>
  )
}

const canBeTakenBack = ({ completed_at, rows_deleted, status, taken_back_at }: ImportShown): boolean =>
  completed_at !== undefined && rows_deleted === undefined && taken_back_at === undefined && status !== "failed"

export const Import = () => {
  const { import_id } = useParams({ from: "/audience/imports/$import_id" })
  const { again } = useSearch({ from: "/audience/imports/$import_id" })
  const zone = useZone()
  const query = useImport(import_id)
  return (
    <Stack>
      <PageLink to="/audience/imports">{text.all}</PageLink>
      <Shown query={query}>
        {(shown) => (
          <>
            <Group gap="sm">
              <Title order={2}>{text.of(time(shown.created_at, zone))}</Title>
              <ImportStatus {...shown} />
              {canBeTakenBack(shown) ? <TakeBackImport shown={shown} /> : undefined}
            </Group>
            <Text size="sm">
              <bdi>{text.sentBy(shown.created_by, shown.file_name)}</bdi>
            </Text>
            <Notes shown={shown} isAgain={again === true} />
            <Panel title={text.result}>
              <Figures shown={shown} />
            </Panel>
            {shown.rows_deleted === undefined && (shown.failed > 0 || (shown.errors?.length ?? 0) > 0) ? (
              <Faults shown={shown} />
            ) : undefined}
            <KeptRepeats import_id={import_id} />
          </>
        )}
      </Shown>
    </Stack>
  )
}

/** Imports members: tells what a file would do, then sends it. Lists earlier imports. */
import { Alert, Anchor, Button, Group, List, Stack, Table, Text } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Imports as ImportsGroup, maxRows } from "../../contract/platform/Imports.ts"
import { maxBodyBytes } from "../../contract/protocol/Protocol.ts"
import { maxTextLength } from "../../contract/Values.ts"
import { call, client, Failure, faultsOf, keyed, mayPass } from "../app/client.ts"
import { number, timeShort } from "../app/format.ts"
import { usePaged } from "../app/paged.ts"
import { useProgramQuery, useZone } from "../app/program.tsx"
import { useRefresh } from "../app/refresh.ts"
import { useMay } from "../app/session.tsx"
import { importStrings } from "../app/importStrings.ts"
import { strings } from "../app/strings.ts"
import { FileDrop } from "../ui/FileDrop.tsx"
import { Note } from "../ui/Note.tsx"
import { PagedListing } from "../ui/PagedListing.tsx"
import { PageLink } from "../ui/PageLink.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Empty, sentenceOf } from "../ui/States.tsx"
import { Wide } from "../ui/Wide.tsx"
import { importable } from "./imports/faults.ts"
import { Foreseen } from "./imports/Foreseen.tsx"
import type { FileFault, ImportFile, OwnFile } from "./imports/file.ts"
import { readFile, template, withChoices } from "./imports/file.ts"
import { OwnColumns } from "./imports/OwnColumns.tsx"
import type { Choices } from "./imports/mapping.ts"
import { keepFile } from "./imports/sent.ts"
import { ImportStatus } from "./imports/ImportStatus.tsx"

const platform = client(ImportsGroup)

const text = importStrings

/** Rows shown before a file is sent. */
const shownRows = 5

const faultText = (fault: FileFault): string => {
  switch (fault.kind) {
    case "tooLarge":
      return text.tooLarge(number(fault.bytes), number(maxBodyBytes))
    case "tooMany":
      return text.tooMany(number(fault.rows), number(maxRows))
    case "notCsv":
      return text.notCsv(number(fault.line))
    default:
      return text[fault.kind]
  }
}

/** Why there is no result, and what to do. */
const failureText = (error: unknown): string => {
  if (!(error instanceof Failure)) return sentenceOf(error)
  const { problem, unanswered } = error
  const about = problem?.errors?.filter(({ path }) => path === "/csv") ?? []
  if (about.length > 0) return `${about.map(({ message }) => text.file(message)).join(" ")} ${text.useTemplate}`
  if (problem?.code === "payload_too_large") return text.tooLargeHere(number(maxBodyBytes))
  const isCutOff = unanswered === "unreachable" || unanswered === "unavailable" || (problem?.status ?? 0) >= 500
  return isCutOff && problem?.code !== "write_frozen" ? text.cutOff : sentenceOf(error)
}

/** Why it is not known what an import would do. */
const checkFailureText = (error: unknown): string => {
  const isCutOff = error instanceof Failure && faultsOf(error).length === 0 && mayPass(error)
  return isCutOff ? sentenceOf(error) : failureText(error)
}

const Look = ({ file }: { readonly file: ImportFile | OwnFile }) => (
  <Stack gap="xs">
    <Text fw={600}>
      <bdi>{file.name}</bdi>
    </Text>
    <Text size="sm">{text.has(file.rows.length, file.header.length, number(file.bytes))}</Text>
    <Note>{text.readAs(text.encodings[file.encoding], text.separators[file.separator])}</Note>
  </Stack>
)

/** The first rows as they are sent. */
const FirstRows = ({ file: { sent } }: { readonly file: ImportFile }) => (
  <Stack gap="xs">
    <Wide label={text.firstRows} minWidth={sent.header.length * 140}>
      <Table aria-label={text.firstRows}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.row}</Table.Th>
            {sent.header.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sent.rows.slice(0, shownRows).map(({ cells, row }) => (
            <Table.Tr key={row}>
              <Table.Td className="number">{number(row)}</Table.Td>
              {cells.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows and cells never change their places
                <Table.Td key={column} style={{ overflowWrap: "anywhere" }}>
                  <bdi>{cell}</bdi>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
    {sent.rows.length > shownRows ? <Note>{text.andMore(sent.rows.length - shownRows)}</Note> : undefined}
  </Stack>
)

const targetOf = (program: { readonly program_id?: string } | undefined, file: ImportFile) => ({
  ...program,
  file_name: file.name.slice(0, maxTextLength)
})

/** What the import of a file would do. Nothing is stored. */
const useForeseen = (file: ImportFile | undefined) => {
  const program = useProgramQuery()
  return useQuery({
    queryKey: ["import foreseen", program, file?.key],
    enabled: file !== undefined && program !== undefined,
    // The members change by the day, but not while one reads the figures.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    queryFn: async () => {
      if (file === undefined) throw new Error("a file was chosen")
      const query = { ...targetOf(program, file), dry_run: "true" as const }
      const { import: foreseen } = await call(platform.platform_imports.importMembers({ query, payload: file.text }))
      if ("import_id" in foreseen) throw new Error("a dry run has no id")
      return foreseen
    }
  })
}

const useSend = () => {
  const program = useProgramQuery()
  const refresh = useRefresh()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (file: ImportFile) =>
      call(
        keyed(
          file.key,
          platform.platform_imports.importMembers({
            query: targetOf(program, file),
            payload: file.text,
            responseMode: "decoded-and-response"
          })
        )
      ),
    onSuccess: async ([{ import: done }, { headers }], file) => {
      if (!("import_id" in done)) throw new Error("only a dry run has no id, and none was asked for")
      keepFile(done.import_id, { file, repeated: done.repeated ?? [] })
      refresh()
      const isReplay = headers["idempotent-replayed"] === "true"
      await navigate({
        to: "/audience/imports/$import_id",
        params: { import_id: done.import_id },
        search: isReplay ? { again: true } : {}
      })
    }
  })
}

const New = () => {
  const read = useMutation({ mutationFn: readFile })
  const convert = useMutation({
    mutationFn: ({ choices, file }: { readonly file: OwnFile; readonly choices: Choices }) => withChoices(file, choices)
  })
  const send = useSend()
  const own = read.data?.kind === "own" ? read.data : undefined
  const found = own === undefined ? read.data : convert.data
  const file = found?.kind === "ready" ? found : undefined
  const fault = found === undefined || found.kind === "ready" || found.kind === "own" ? undefined : found
  const shown = own ?? file
  const foreseen = useForeseen(file)
  const failure = send.error ?? foreseen.error
  const { partly, whole } = importable(foreseen.data ?? { errors: [], submitted: 0 })
  const take = (chosen: File): void => {
    send.reset()
    convert.reset()
    read.mutate(chosen)
  }
  return (
    <Panel
      title={text.new}
      actions={
        <Anchor href={`data:text/csv;charset=utf-8,${encodeURIComponent(template)}`} download="members.csv" size="sm">
          {text.template}
        </Anchor>
      }
    >
      <Stack>
        <List size="sm">
          {text.rules(number(maxRows), number(maxBodyBytes / 2 ** 20)).map((rule) => (
            <List.Item key={rule}>{rule}</List.Item>
          ))}
        </List>
        <FileDrop label={text.choose} hint={text.drop} accept=".csv,text/csv" onFile={take} />
        {fault === undefined ? undefined : (
          <Alert color="red" role="alert" title={text.refused}>
            {faultText(fault)}
          </Alert>
        )}
        {read.error === null ? undefined : (
          <Alert color="red" role="alert" title={text.refused}>
            {text.unreadable}
          </Alert>
        )}
        {shown === undefined ? undefined : <Look file={shown} />}
        {own === undefined ? undefined : (
          <OwnColumns
            // Another file has other columns.
            key={read.submittedAt}
            file={own}
            isBusy={convert.isPending || foreseen.isFetching}
            onCheck={(choices) => convert.mutate({ file: own, choices })}
            onChange={() => {
              send.reset()
              convert.reset()
            }}
          />
        )}
        {file === undefined ? undefined : <FirstRows file={file} />}
        {foreseen.isFetching ? <Note role="status">{text.checking}</Note> : undefined}
        {file === undefined || foreseen.data === undefined ? undefined : <Foreseen file={file} shown={foreseen.data} />}
        {failure === null ? undefined : (
          <Alert color="red" role="alert">
            {send.error === null ? checkFailureText(failure) : failureText(failure)}
          </Alert>
        )}
        {file === undefined || foreseen.isFetching ? undefined : (
          <Group justify="flex-end">
            {foreseen.error === null || !mayPass(foreseen.error) ? undefined : (
              <Button variant="default" onClick={() => foreseen.refetch()}>
                {strings.states.retry}
              </Button>
            )}
            {whole + partly === 0 ? undefined : (
              <Button loading={send.isPending} onClick={() => send.mutate(file)}>
                {text.send(whole, partly)}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Panel>
  )
}

const Former = () => {
  const program = useProgramQuery()
  const zone = useZone()
  const imports = usePaged(
    ["imports", program],
    (page) => call(platform.platform_imports.listImports({ query: { ...program, ...page } })),
    program !== undefined
  )
  return (
    <Panel title={text.former}>
      <PagedListing
        query={imports}
        rowsOf={(page) => page.imports ?? []}
        empty={<Empty title={text.none}>{text.noneHint}</Empty>}
        label={text.former}
        minWidth={800}
        keyOf={({ import_id }) => import_id}
        columns={[
          {
            label: `${text.when} (${zone})`,
            cell: ({ created_at, import_id }) => (
              <PageLink to="/audience/imports/$import_id" params={{ import_id }}>
                {timeShort(created_at, zone)}
              </PageLink>
            )
          },
          { label: text.fileName, isLong: true, cell: ({ file_name }) => <bdi>{file_name}</bdi> },
          { label: text.by, cell: ({ created_by }) => <bdi>{created_by}</bdi> },
          { label: text.status, cell: (one) => <ImportStatus {...one} /> },
          { label: text.submitted, isNumber: true, cell: ({ submitted }) => number(submitted) },
          { label: text.created, isNumber: true, cell: ({ created }) => number(created) },
          { label: text.updated, isNumber: true, cell: ({ updated }) => number(updated) },
          { label: text.failed, isNumber: true, cell: ({ failed }) => number(failed) }
        ]}
      />
    </Panel>
  )
}

export const Imports = () => {
  const may = useMay()
  return (
    <Stack>
      {may("importMembers") ? <New /> : undefined}
      <Former />
    </Stack>
  )
}

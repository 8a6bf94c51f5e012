/** Imports members: tells what a file would do, then sends it. Lists earlier imports. */
import { Alert, Anchor, Button, Group, List, Stack, Table, Text } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import type { ForeseenImport, Import, ImportColumn } from "../../contract/platform/Imports.ts"
import { Imports as ImportsGroup } from "../../contract/platform/Imports.ts"
import { maxTextLength } from "../../contract/Values.ts"
import { putterWords } from "../handovers/putters.ts"
import { call, client, Failure, faultsOf, keyed, mayPass } from "../shared/client.ts"
import { FileDrop } from "../shared/form/FileDrop.tsx"
import { number, timeShort } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useProgramQuery, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Empty, sentenceOf } from "../shared/States.tsx"
import { useMay, useMayGive } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { Wide } from "../shared/Wide.tsx"
import { Foreseen, Imported } from "./Foreseen.tsx"
import { importable } from "./faults.ts"
import type { FileFault, ImportFile, OwnFile, Part } from "./file.ts"
import { readFile, template, withChoices } from "./file.ts"
import { ImportStatus } from "./ImportStatus.tsx"
import { importStrings } from "./importStrings.ts"
import { MoveRuns } from "./MoveRuns.tsx"
import type { Choices } from "./mapping.ts"
import { OwnColumns } from "./OwnColumns.tsx"
import { maxFileBytes, maxFileRows } from "./parts.ts"
import { sentOnce } from "./sendings.ts"
import { keepFile } from "./sent.ts"
import { together } from "./together.ts"

const platform = client(ImportsGroup)

const text = importStrings

/** Rows shown before a file is sent. */
const shownRows = 5

/** A number of bytes in words: `31.2 MB`. */
const sizeText = (bytes: number): string => {
  const { kilobytes, megabytes } = text.sizes
  if (bytes < 1_000) return text.sizes.bytes(number(bytes))
  return bytes < 999_950
    ? kilobytes(number(Math.round(bytes / 100) / 10))
    : megabytes(number(Math.round(bytes / 1e5) / 10))
}

const faultText = (fault: FileFault): string => {
  switch (fault.kind) {
    case "tooLarge": {
      const rows = fault.rows === undefined ? undefined : number(fault.rows)
      return text.tooLarge(sizeText(fault.bytes), rows, sizeText(maxFileBytes), number(maxFileRows))
    }
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
  if (problem?.code === "payload_too_large") return text.partTooLarge
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
    <Text size="sm">{text.has(file.rows.length, file.header.length, sizeText(file.bytes))}</Text>
    <Note>{text.readAs(text.encodings[file.encoding], text.separators[file.separator])}</Note>
  </Stack>
)

/** The first rows as they are sent. */
const FirstRows = ({ file: { own, sent } }: { readonly file: ImportFile }) => (
  <Stack gap="xs">
    <Wide label={text.firstRows} minWidth={sent.header.length * 140}>
      <Table aria-label={text.firstRows}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.row}</Table.Th>
            {sent.header.map((name) => (
              <Table.Th key={name}>{own === undefined ? name : text.mapping.fields[name as ImportColumn]}</Table.Th>
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

/** The query of a part. Its name in the list tells which part it is, if there are several. */
const targetOf = (program: { readonly program_id?: string } | undefined, { name, parts }: ImportFile, part: Part) => {
  const isOne = parts.length === 1
  const told = isOne ? "" : text.part("", parts.indexOf(part) + 1, parts.length)
  return { ...program, file_name: `${name.slice(0, maxTextLength - told.length)}${told}` }
}

const rowsIn = (parts: ReadonlyArray<Part>): number => parts.reduce((sum, { rows }) => sum + rows, 0)

/** Foreseen effects of a file's import, part by part. Nothing is stored. */
const useForeseen = (file: ImportFile | undefined) => {
  const program = useProgramQuery()
  const [checkedRows, setChecked] = useState(0)
  const query = useQuery({
    queryKey: ["import foreseen", program, file?.parts.map(({ key }) => key)],
    enabled: file !== undefined && program !== undefined,
    // The members change by the day, but not while one reads the figures.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    queryFn: async ({ signal }) => {
      if (file === undefined) throw new Error("a file was chosen")
      const found: Array<ForeseenImport> = []
      for (const part of file.parts) {
        if (signal.aborted) throw new Error("another file was chosen")
        setChecked(rowsIn(file.parts.slice(0, found.length)))
        const query = { ...targetOf(program, file, part), dry_run: "true" as const }
        const { import: foreseen } = await call(platform.platform_imports.importMembers({ query, payload: part.text }))
        if ("import_id" in foreseen) throw new Error("a dry run has no id")
        found.push(foreseen)
      }
      const credits = found.reduce((sum, { opening_total }) => sum + opening_total, 0)
      return { credits, shown: together(found, file.shift) }
    }
  })
  return { ...query, checkedRows }
}

/** The results of the parts of a file that were sent. */
interface Sent {
  readonly file: ImportFile
  readonly done: ReadonlyArray<{ readonly import: Import; readonly isAgain: boolean }>
}

/** Sends the parts of a file one after the other. Sent again after a fault, it goes on where it stopped. */
const useSend = () => {
  const program = useProgramQuery()
  const navigate = useNavigate()
  const refresh = useRefresh("imports")
  const latest = useRef<Sent>(undefined)
  const [sent, setSent] = useState<Sent>()
  const keep = (next: Sent | undefined): void => {
    latest.current = next
    setSent(next)
  }
  const mutation = useMutation({
    mutationFn: async (file: ImportFile) => {
      if (latest.current?.file !== file) keep({ file, done: [] })
      for (const part of file.parts.slice(latest.current?.done.length)) {
        const { import: done, isAgain } = await sentOnce(part.key, async (key) => {
          const [{ import: done }, { headers }] = await call(
            keyed(
              key,
              platform.platform_imports.importMembers({
                query: targetOf(program, file, part),
                payload: part.text,
                responseMode: "decoded-and-response"
              })
            )
          )
          if (!("import_id" in done)) throw new Error("only a dry run has no id, and none was asked for")
          return { import: done, isAgain: headers["idempotent-replayed"] === "true" }
        })
        if (latest.current?.file !== file) return
        keepFile(done.import_id, { file, repeated: together([done], file.shift).repeated })
        keep({ file, done: [...latest.current.done, { import: done, isAgain }] })
      }
    },
    onSettled: refresh,
    onSuccess: async (_, file) => {
      const [one] = latest.current?.done ?? []
      if (file.parts.length > 1 || one === undefined || latest.current?.file !== file) return
      await navigate({
        to: "/audience/imports/$import_id",
        params: { import_id: one.import.import_id },
        search: one.isAgain ? { again: true } : {}
      })
    }
  })
  const reset = (): void => {
    keep(undefined)
    mutation.reset()
  }
  return { ...mutation, sent, reset }
}

/** How far a file is that is sent in parts. */
const Progress = ({ isSending, sent: { done, file } }: { readonly sent: Sent; readonly isSending: boolean }) => {
  const rows = number(rowsIn(file.parts.slice(0, done.length)))
  const all = number(rowsIn(file.parts))
  return <Text role="status">{isSending ? text.sending(rows, all) : text.stopped(rows, all)}</Text>
}

/** A chosen file: its columns may have other names, and are named first. */
const useChosen = () => {
  const read = useMutation({ mutationFn: readFile })
  const convert = useMutation({
    mutationFn: ({ choices, file }: { readonly file: OwnFile; readonly choices: Choices }) => withChoices(file, choices)
  })
  const own = read.data?.kind === "own" ? read.data : undefined
  const found = own === undefined ? read.data : convert.data
  const file = found?.kind === "ready" ? found : undefined
  const fault = found === undefined || found.kind === "ready" || found.kind === "own" ? undefined : found
  const refusal = fault === undefined ? undefined : faultText(fault)
  return { read, convert, own, file, refusal: read.error === null ? refusal : text.unreadable }
}

const isOver = ({ done, file }: Sent): boolean => done.length === file.parts.length

/** A file that is sent in parts: how far it is, or what all parts did. */
const InParts = ({ isSending, sent }: { readonly sent: Sent; readonly isSending: boolean }) => {
  const { done, file } = sent
  if (!isOver(sent)) return <Progress sent={sent} isSending={isSending} />
  const results = done.map((one) => one.import)
  const again = done.reduce((sum, one) => sum + (one.isAgain ? one.import.submitted : 0), 0)
  return <Imported file={file} shown={together(results, file.shift)} again={again} />
}

const Checking = ({ file, rows }: { readonly file: ImportFile; readonly rows: number }) => (
  <Note role="status">
    {text.checking}
    {file.parts.length === 1 ? undefined : ` ${text.checked(number(rows), number(rowsIn(file.parts)))}`}
  </Note>
)

interface StepsProps {
  readonly file: ImportFile
  readonly foreseen: ReturnType<typeof useForeseen>
  readonly send: ReturnType<typeof useSend>
  readonly isBegun: boolean
}

/** Checks a file again after a fault that may pass, and sends it. */
const Steps = ({ file, foreseen, isBegun, send }: StepsProps) => {
  const { partly, whole } = importable(foreseen.data?.shown ?? { errors: [], submitted: 0 })
  return (
    <Group justify="flex-end">
      {foreseen.error === null || !mayPass(foreseen.error) ? undefined : (
        <Button variant="default" onClick={() => foreseen.refetch()}>
          {strings.states.retry}
        </Button>
      )}
      {whole + partly === 0 ? undefined : (
        <Button loading={send.isPending} onClick={() => send.mutate(file)}>
          {isBegun ? text.goOn : text.send(whole, partly)}
        </Button>
      )}
    </Group>
  )
}

interface ReadyProps extends Omit<StepsProps, "isBegun"> {
  /** The file as it is sent, if it has several parts and its sending has begun. */
  readonly inParts: Sent | undefined
}

/** A file that can be sent: its first rows and its effects, or how far it is. */
const Ready = ({ file, foreseen, inParts, send }: ReadyProps) => {
  const program = useProgramQuery()?.program_id
  const isDone = inParts !== undefined && isOver(inParts)
  const failure = send.error ?? foreseen.error
  return (
    <>
      {isDone ? undefined : <FirstRows file={file} />}
      {foreseen.isFetching ? <Checking file={file} rows={foreseen.checkedRows} /> : undefined}
      {foreseen.data === undefined || inParts !== undefined ? undefined : (
        <>
          <OwnLimits program={program} names={["points_per_action", "points_per_day"]} />
          <Foreseen file={file} {...foreseen.data} />
        </>
      )}
      {inParts === undefined ? undefined : <InParts sent={inParts} isSending={send.isPending} />}
      {failure === null ? undefined : (
        <Alert color="red" role="alert">
          {send.error === null ? checkFailureText(failure) : failureText(failure)}
        </Alert>
      )}
      {foreseen.isFetching || isDone ? undefined : (
        <Steps file={file} foreseen={foreseen} send={send} isBegun={inParts !== undefined} />
      )}
    </>
  )
}

const New = () => {
  const mayGive = useMayGive("platform")
  const { convert, file, own, read, refusal } = useChosen()
  const send = useSend()
  const { sent } = send
  const inParts = sent !== undefined && sent.file === file && sent.file.parts.length > 1 ? sent : undefined
  const isDone = inParts !== undefined && isOver(inParts)
  const foreseen = useForeseen(isDone ? undefined : file)
  const refresh = useRefresh()
  // Once all is sent, nothing is checked any more, and all that pages show of members has changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `refresh` is another one each time, and does the same
  useEffect(() => {
    if (isDone) refresh()
  }, [isDone])
  const reset = (): void => {
    send.reset()
    convert.reset()
  }
  const shown = file ?? own
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
          {text.rules(number(maxFileRows), sizeText(maxFileBytes)).map((rule) => (
            <List.Item key={rule}>{rule}</List.Item>
          ))}
        </List>
        {mayGive ? undefined : <Note>{text.mayNotGive(putterWords("campaign"))}</Note>}
        <FileDrop
          label={text.choose}
          hint={text.drop}
          accept=".csv,text/csv"
          onFile={(chosen) => {
            reset()
            read.mutate(chosen)
          }}
        />
        {refusal === undefined ? undefined : (
          <Alert color="red" role="alert" title={text.refused}>
            {refusal}
          </Alert>
        )}
        {shown === undefined ? undefined : <Look file={shown} />}
        {own === undefined || isDone ? undefined : (
          <OwnColumns
            // Another file has other columns.
            key={read.submittedAt}
            file={own}
            isBusy={convert.isPending || foreseen.isFetching || send.isPending}
            onCheck={(choices) => convert.mutate({ file: own, choices })}
            onChange={reset}
          />
        )}
        {file === undefined ? undefined : <Ready file={file} foreseen={foreseen} send={send} inParts={inParts} />}
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
      <MoveRuns />
    </Stack>
  )
}

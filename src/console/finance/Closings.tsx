/** Closed months with what proves them, and the button that closes one. */
import { Button, Group, List, Stack, Text } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { adminPath } from "../../contract/admin/Endpoint.ts"
import type { ClosingList, Row } from "../../contract/admin/Finance.ts"
import { FinanceGroup } from "../../contract/admin/Finance.ts"
import { call, client, Failure, fetchFile, keyed, Worded } from "../shared/client.ts"
import { Facts } from "../shared/Facts.tsx"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { money, number, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useProgramId, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { foreseenSentenceOf, Shown, sentenceOf } from "../shared/States.tsx"
import { saveFile } from "../shared/spreadsheets/saveFile.ts"
import { tell } from "../shared/told.ts"
import { financeStrings as text } from "./financeStrings.ts"
import { monthName } from "./months.ts"

const admin = client(FinanceGroup)

const hashed = (value: string) => <bdi className="hash">{value}</bdi>

export const useClosings = () => {
  const program_id = useProgramId()
  return useQuery({
    queryKey: ["finance", "closings", program_id],
    enabled: program_id !== undefined,
    queryFn: () => call(admin.finance.listClosings({ params: { program_id: program_id ?? "" } }))
  })
}

/** The statement of a month, if it is closed. */
export const useClosing = (month: string, isClosed: boolean) => {
  const program_id = useProgramId()
  return useQuery({
    queryKey: ["finance", "closing", program_id, month],
    enabled: program_id !== undefined && isClosed,
    queryFn: () => call(admin.finance.showClosing({ params: { program_id: program_id ?? "", period: month } }))
  })
}

export const Closings = ({ closings }: Pick<ClosingList, "closings">) => {
  const zone = useZone()
  return (
    <Panel title={text.closings}>
      {closings.length === 0 ? (
        <Note>{text.noClosings}</Note>
      ) : (
        <Listing
          label={text.closings}
          minWidth={640}
          rows={closings}
          keyOf={({ period }) => period}
          columns={[
            {
              label: text.month,
              width: 150,
              cell: ({ period }) => (
                <PageLink to="/finance" search={{ month: period }} underline="always">
                  {monthName(period)}
                </PageLink>
              )
            },
            { label: `${text.closedAt} (${zone})`, width: 190, cell: ({ closed_at }) => timeShort(closed_at, zone) },
            { label: text.closedBy, width: 150, cell: ({ closed_by = text.business }) => <bdi>{closed_by}</bdi> },
            { label: text.hash, isLong: true, cell: ({ sha256 }) => hashed(sha256) }
          ]}
        />
      )}
    </Panel>
  )
}

/** The month as the service's file. */
const Download = ({ month, program }: { readonly month: string; readonly program: string }) => {
  const download = useMutation({
    mutationFn: async () => {
      const { content, name } = await fetchFile(`${adminPath}/finance/closings/${program}/${month}/file`)
      saveFile(name ?? `${month}.zip`, content, "application/zip")
    },
    onError: (error) => tell(sentenceOf(error))
  })
  return (
    <Button variant="default" size="compact-sm" loading={download.isPending} onClick={() => download.mutate()}>
      {text.download}
    </Button>
  )
}

/** Proof of the statement of a closed month. */
export const Proof = ({ month }: { readonly month: string }) => {
  const zone = useZone()
  const query = useClosing(month, true)
  return (
    <Panel title={text.proof}>
      <Shown query={query}>
        {(closed) => (
          <>
            <Group justify="space-between" mb="xs" gap="xs">
              <Note>{text.hashHint}</Note>
              <Download month={closed.period} program={closed.statement.program_id} />
            </Group>
            <Facts
              facts={[
                [text.hash, hashed(closed.sha256)],
                [text.closedAt, `${timeShort(closed.closed_at, zone)} (${zone})`],
                [text.closedBy, closed.closed_by],
                [
                  text.position,
                  text.positionOf(number(closed.statement.position.epoch), closed.statement.position.transaction)
                ],
                [text.head, hashed(closed.statement.head)],
                [text.version, number(closed.statement.program_version)]
              ]}
            />
          </>
        )}
      </Shown>
    </Panel>
  )
}

/** A month that cannot be closed yet: the service says why, and there is nothing to reload. */
const notYet = (error: unknown): unknown =>
  error instanceof Failure && error.code === "invalid_state" ? new Worded(foreseenSentenceOf(error)) : error

/** Closes a month, once it is said what will be kept. */
export const CloseMonth = (props: {
  readonly month: string
  readonly rows: ReadonlyArray<Row>
  readonly isFirst: boolean
}) => {
  const { isFirst, month, rows } = props
  const program_id = useProgramId() ?? ""
  const refresh = useRefresh("finance")
  const { unit: unitOf } = useNames()
  const label = text.close(monthName(month))
  const amount = ({ points, worth }: Row["closing"]) =>
    worth === undefined ? number(points) : `${number(points)} (${money(worth)})`
  return (
    <ChangeDialog
      help="finance"
      label={label}
      told={text.told(monthName(month))}
      done={refresh}
      run={(keyOf) => {
        const payload = { program_id, period: month }
        return call(keyed(keyOf(payload), admin.finance.closeMonth({ payload }))).catch((error: unknown) => {
          throw notYet(error)
        })
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{text.closeHint}</Text>
        <Facts
          facts={rows.flatMap((row) => {
            const name = unitOf(row.unit)
            const late = row.lines.find(({ line }) => line === "late")
            return [
              [text.kept(name), amount(row.closing)] as const,
              ...(late === undefined ? [] : [[text.keptLate(name), amount(late)] as const])
            ]
          })}
        />
        <List size="sm">
          <List.Item>{text.closeMissing}</List.Item>
          {isFirst ? <List.Item>{text.closeFirst}</List.Item> : undefined}
        </List>
      </Stack>
    </ChangeDialog>
  )
}

/** The books of a month, for people who keep them: the statement in words, and its close (contract/finance.md *Closing a month*). */
import { Anchor, Button, Group, NativeSelect, Stack, Text } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import type { ClosingList, RollForward } from "../../contract/admin/Finance.ts"
import { FinanceGroup } from "../../contract/admin/Finance.ts"
import { call, client } from "../shared/client.ts"
import { useServiceNow } from "../shared/clock.ts"
import { localDay, time } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { useNames, useProgramId, useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { Cohorts, Rewards } from "./Beside.tsx"
import { CloseMonth, Closings, Proof, useClosings } from "./Closings.tsx"
import "./finance.css"
import type { Kind } from "./financeSearch.ts"
import { kinds } from "./financeSearch.ts"
import { financeStrings as text } from "./financeStrings.ts"
import { choices, daysOf, monthName, monthOf, stateOf, worthSentence } from "./months.ts"
import { Places } from "./Places.tsx"
import { Statement } from "./Statement.tsx"

const admin = client(FinanceGroup)

const useRollForward = (month: string, by: Kind) => {
  const program_id = useProgramId()
  return useQuery({
    queryKey: ["finance", "roll-forward", program_id, month, by],
    enabled: program_id !== undefined,
    placeholderData: keepPreviousData,
    queryFn: () => call(admin.finance.rollForward({ query: { program_id: program_id ?? "", ...daysOf(month), by } }))
  })
}

const Kinds = ({ by, month }: { readonly by: Kind; readonly month: string }) => (
  <nav className="tabs" aria-label={text.by}>
    {kinds.map((kind) => (
      <Link
        key={kind}
        to="/finance"
        search={kind === "unit" ? { month } : { month, by: kind }}
        // Else the first is taken for the page's own address with all others.
        activeOptions={{ exact: true }}
        aria-current={kind === by ? "page" : undefined}
      >
        {text.kinds[kind]}
      </Link>
    ))}
  </nav>
)

/** How the month stands, and what may be done about it. */
const State = ({
  closed,
  month,
  rows,
  today
}: {
  readonly closed: ClosingList
  readonly month: string
  readonly rows: RollForward["rows"] | undefined
  readonly today: string
}) => {
  const may = useMay()
  const state = stateOf(closed, month, today)
  const next = closed.next_period
  const isReady = (state === "next" || state === "first") && may("closeMonth")
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Text size="sm" role="status" flex="1 1 20rem">
        {text.hints[state]}{" "}
        {state === "order" && next !== undefined ? (
          <PageLink to="/finance" search={{ month: next }} underline="always">
            {text.toNext(monthName(next))}
          </PageLink>
        ) : undefined}
      </Text>
      {isReady && rows !== undefined ? <CloseMonth month={month} rows={rows} isFirst={state === "first"} /> : undefined}
    </Group>
  )
}

/** By what a reader can count money after. */
const Worth = ({ values }: { readonly values: RollForward["point_values"] }) => {
  const told = worthSentence(values)
  return told === undefined ? undefined : <Note>{told}</Note>
}

const Rows = ({ by, isOver, month }: { readonly by: Kind; readonly isOver: boolean; readonly month: string }) => {
  const { of } = useSearch({ from: "/finance" })
  const zone = useZone()
  const query = useRollForward(month, by)
  return (
    <Shown query={query}>
      {({ as_of, closed, point_values, rewards, rows }) => (
        <>
          {closed === undefined ? <Note>{text.asOf(time(as_of, zone))}</Note> : undefined}
          {rows.some(({ opening }) => opening.worth !== undefined) ? undefined : <Note>{text.noWorth}</Note>}
          <Worth values={point_values} />
          {by === "unit" ? (
            rows.map((row) => <Statement key={row.unit} row={row} month={month} of="" isOver={isOver} />)
          ) : (
            <Places rows={rows} by={by} month={month} of={of} isOver={isOver} />
          )}
          {by === "unit" ? <Rewards rewards={rewards} month={month} /> : undefined}
        </>
      )}
    </Shown>
  )
}

const Books = ({ closed }: { readonly closed: ClosingList }) => {
  const search = useSearch({ from: "/finance" })
  const navigate = useNavigate({ from: "/finance" })
  const program = useNames().program(closed.program_id)
  const now = useServiceNow()
  const zone = useZone()
  const today = localDay(new Date(now).toISOString(), zone)
  const month = monthOf(search.month, closed, today)
  const by = search.by ?? "unit"
  const whole = useRollForward(month, "unit")
  const state = stateOf(closed, month, today)
  const isOver = state !== "goes_on"
  const isClosed = state === "closed"
  return (
    <>
      <div className="paper">
        <Text fw={600}>{`${program}, ${monthName(month)}`}</Text>
        <Text size="sm">{text.printed(time(new Date(now).toISOString(), zone))}</Text>
      </div>
      <Group align="flex-end" className="screen">
        <NativeSelect
          label={text.month}
          value={month}
          data={choices(closed, today, month).map((value) => ({
            value,
            label: `${monthName(value)} (${text.states[stateOf(closed, value, today)]})`
          }))}
          onChange={({ currentTarget }) => {
            const { month: _, of: __, ...others } = search
            void navigate({ search: { ...others, month: currentTarget.value } })
          }}
        />
        <Button variant="default" onClick={() => window.print()}>
          {text.print}
        </Button>
      </Group>
      {search.month === undefined || search.month === month ? undefined : (
        <Text size="sm" role="alert">
          {text.noMonth(search.month, monthName(month))}
        </Text>
      )}
      <State
        closed={closed}
        month={month}
        today={today}
        rows={whole.isPlaceholderData ? undefined : whole.data?.rows}
      />
      <Kinds by={by} month={month} />
      <Rows by={by} month={month} isOver={isOver} />
      {by === "unit" ? <Cohorts month={month} isClosed={isClosed} /> : undefined}
      {isClosed ? <Proof month={month} /> : undefined}
      <div className="screen">
        <Closings closings={closed.closings} />
      </div>
    </>
  )
}

export const Finance = () => {
  const closings = useClosings()
  return (
    <Stack className="finance">
      <Group justify="space-between" align="baseline">
        <Heading help="finance">{text.title}</Heading>
        <Anchor href="/docs/closing-the-month" hrefLang="en" size="sm" className="screen">
          {text.guide}
        </Anchor>
      </Group>
      <Note>{text.about}</Note>
      <Shown query={closings}>{(closed) => <Books closed={closed} />}</Shown>
    </Stack>
  )
}

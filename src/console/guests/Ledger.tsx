/** Changes of a guest's points, newest first, in words. */
import "../shared/words/labels.ts"
import { Group, NativeSelect, TextInput } from "@mantine/core"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import type { OperatorsEntry } from "../../contract/admin/MemberLedger.ts"
import { OneMember, pathOf } from "../../contract/admin/Members.ts"
import { LedgerOperation as Operations } from "../../contract/Values.ts"
import { CampaignLink } from "../audience/CampaignLink.tsx"
import { call, client } from "../shared/client.ts"
import { calendarDay, endOfDay, money, number, signed, startOfDay, timeShort } from "../shared/format.ts"
import { useLocationName } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useNames, useProgram, useZone } from "../shared/program.tsx"
import { Empty } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { CsvLink } from "../shared/spreadsheets/CsvLink.tsx"
import { labelOf } from "../shared/words/words.ts"
import { ledgerSearch } from "./ledgerSearch.ts"
import { ledgerStrings } from "./ledgerStrings.ts"
import { MoveOrder } from "./MoveOrder.tsx"
import { memberStrings } from "./memberStrings.ts"
import { promotionReason } from "./promotionReason.ts"

const admin = client(OneMember)

const text = memberStrings

type Entry = typeof OperatorsEntry.Type

const useIds = () => useParams({ from: "/members/$program_id/$member_id" })

/** Entries of a page: the balances below it stay near. */
const pageLimit = "10"

const LedgerFilters = ({ csv }: { readonly csv: string }) => {
  const filters = useSearch({ from: "/members/$program_id/$member_id" })
  const navigate = useNavigate({ from: "/members/$program_id/$member_id" })
  const set = (change: Readonly<Record<string, string>>) =>
    void navigate({
      search: ({ program, ...before }) => ({
        ...(program === undefined ? {} : { program }),
        ...ledgerSearch({ ...before, ...change })
      }),
      replace: true,
      resetScroll: false
    })
  return (
    <Group align="flex-end" gap="sm" className="filters">
      <NativeSelect
        label={text.operation}
        value={filters.operation ?? ""}
        data={[
          { value: "", label: text.allOperations },
          ...Operations.literals.map((value) => ({ value, label: text.operations[value] }))
        ]}
        onChange={({ currentTarget }) => set({ operation: currentTarget.value })}
      />
      {(["from", "until"] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={text[name]}
          value={filters[name] ?? ""}
          onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
        />
      ))}
      <CsvLink href={csv} pb={8}>
        {text.csv}
      </CsvLink>
    </Group>
  )
}

/** The campaign that posted an entry; undefined: something else did. */
const campaignOf = ({ actor, request }: Entry): string | undefined =>
  request?.source?.system === "campaigns" || request?.source?.system === "campaigns-test"
    ? /^campaign:(.+)$/s.exec(actor ?? "")?.[1]
    : undefined

/** The poster of an entry, and the request. */
const By = ({ entry }: { readonly entry: Entry }) => {
  const campaign_id = campaignOf(entry)
  return campaign_id === undefined ? <Caller entry={entry} /> : <CampaignLink campaign_id={campaign_id} />
}

const Caller = ({ entry: { actor, request } }: { readonly entry: Entry }) => {
  const source = [request?.source?.system, request?.source?.instance].filter((part) => part !== undefined)
  return (
    <>
      <bdi>{actor ?? text.itself}</bdi>
      {source.length === 0 ? undefined : (
        <>
          {" "}
          (<bdi>{source.join(", ")}</bdi>)
        </>
      )}
      {request === undefined ? undefined : (
        <Note size="xs" style={{ overflowWrap: "anywhere" }}>
          {text.request(request.request_id)}
        </Note>
      )}
    </>
  )
}

/** The rule that turned an order into points. */
const Rate = ({ entry: { rate, unit } }: { readonly entry: Entry }) => {
  const names = useNames()
  // A card's stamps come from promotions alone.
  if (rate === undefined || rate.amount === 0) return undefined
  const points = names.amount(rate.amount, unit)
  return (
    <Note size="xs">
      {ledgerStrings.rate(
        points,
        rate.spend === undefined ? undefined : money(rate.spend),
        rate.multiplier_bps === 10_000 ? undefined : number(rate.multiplier_bps / 10_000),
        money(rate.eligible_spend)
      )}
    </Note>
  )
}

const What = ({ entry }: { readonly entry: Entry }) => {
  const names = useNames()
  const location = useLocationName()
  const promotions = useProgram().data?.program.promotions ?? []
  const zone = useZone()
  const {
    business_date,
    cause,
    classification,
    location_id,
    member_id,
    operation,
    order_id,
    placed_at,
    reason,
    reward_id
  } = entry
  const { member_id: shown } = useIds()
  const where = location_id === undefined ? undefined : location(location_id)
  const what =
    operation === "manual" && classification !== undefined
      ? `${text.operations.manual}: ${labelOf(classification)}`
      : reward_id === undefined
        ? ledgerStrings.causes[cause]
        : ledgerStrings.cardFull(names.reward(reward_id))
  return (
    <>
      {member_id === shown ? undefined : <div>{ledgerStrings.before(member_id)}</div>}
      <bdi>{campaignOf(entry) === undefined ? ledgerStrings.what(what, order_id, where) : text.byCampaign}</bdi>
      <Rate entry={entry} />
      {placed_at === undefined || business_date === undefined ? undefined : (
        <Note size="xs">{ledgerStrings.ordered(timeShort(placed_at, zone), calendarDay(business_date))}</Note>
      )}
      {/* The service's own words of a merge say nothing more. */}
      {reason === undefined || cause === "merge" ? undefined : (
        <Note size="xs">{promotionReason(reason, promotions)}</Note>
      )}
    </>
  )
}

export const Ledger = () => {
  const params = useIds()
  const zone = useZone()
  const names = useNames()
  const may = useMay()
  const { from, operation, until } = useSearch({ from: "/members/$program_id/$member_id" })
  const filter = {
    ...(operation === undefined ? {} : { operations: operation }),
    ...(from === undefined ? {} : { occurred_from: startOfDay(from, zone) }),
    ...(until === undefined ? {} : { occurred_until: endOfDay(until, zone) })
  }
  const ledger = usePaged(["ledger", params, filter], (page) =>
    call(admin.member.memberLedger({ params, query: { ...filter, limit: pageLimit, ...page } }))
  )
  const search = new URLSearchParams(filter).toString()
  const csv = `${pathOf(params.program_id, params.member_id)}/ledger.csv${search === "" ? "" : `?${search}`}`
  return (
    <Panel title={text.ledger} actions={<LedgerFilters csv={csv} />}>
      <PagedListing
        query={ledger}
        rowsOf={({ entries }) => entries}
        empty={<Empty title={search === "" ? text.noEntries : text.noneMatch} />}
        label={text.ledger}
        minWidth={680}
        keyOf={({ entry_id }) => entry_id}
        columns={[
          { label: `${text.when} (${zone})`, cell: ({ occurred_at }) => timeShort(occurred_at, zone) },
          { label: ledgerStrings.happened, cell: (entry) => <What entry={entry} /> },
          {
            label: text.amount,
            isNumber: true,
            cell: ({ amount, unit }) => `${signed(amount)} ${names.unit(unit)}`
          },
          {
            label: ledgerStrings.balance,
            isNumber: true,
            cell: ({ balance, member_id, unit }) =>
              balance === undefined ? undefined : (
                <>
                  {names.amount(balance, unit)}
                  {member_id === params.member_id ? undefined : (
                    <Note size="xs">{ledgerStrings.balanceOf(member_id)}</Note>
                  )}
                </>
              )
          },
          { label: text.by, cell: (entry) => <By entry={entry} /> },
          {
            label: "",
            cell: ({ operation, order_id }) =>
              operation === "accrual" && order_id !== undefined && may("moveOrder") ? (
                <MoveOrder {...params} order_id={order_id} />
              ) : undefined
          }
        ]}
      />
    </Panel>
  )
}

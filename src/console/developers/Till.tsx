/** Connected tills: the address and the key for their maker's settings, what came, and what a person can do. */
import { Code, Group, Stack, Text } from "@mantine/core"
import { useNavigate, useParams } from "@tanstack/react-router"
import type { Connection, ConnectionTransaction } from "../../contract/admin/Connections.ts"
import { Copy } from "../shared/Copy.tsx"
import { call } from "../shared/client.ts"
import { Facts } from "../shared/Facts.tsx"
import { signed, time, timeExact } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { useLocationName } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useNames, useZone } from "../shared/program.tsx"
import { Empty, Forbidden, Shown } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { developerStrings } from "./developerStrings.ts"
import { DeleteTill, RotateTill, SwitchTill, TryTill, useIsOwner } from "./TillActions.tsx"
import { EditTill } from "./TillForm.tsx"
import { dayText, TillStatus } from "./Tills.tsx"
import { tillStrings } from "./tillStrings.ts"
import { addressOf, admin, tillsMs, useConnection } from "./tills.ts"

const text = tillStrings

const Actions = ({ connection }: { readonly connection: Connection }) => {
  const navigate = useNavigate()
  const isOwner = useIsOwner()
  const isActive = connection.status === "active"
  return (
    <Group gap="xs">
      <TryTill connection={connection} />
      <EditTill connection={connection} />
      {isActive || isOwner ? <SwitchTill connection={connection} /> : undefined}
      {isOwner ? (
        <>
          <RotateTill connection={connection} />
          <DeleteTill connection={connection} done={() => void navigate({ to: "/developers" })} />
        </>
      ) : (
        <Note size="xs">{text.forOwners}</Note>
      )}
    </Group>
  )
}

const Address = ({ connection }: { readonly connection: Connection }) => {
  const address = addressOf(connection)
  return (
    <Stack gap={4} mb="md">
      <Text size="sm" fw={600}>
        {text.address}
      </Text>
      <Group gap="xs" align="center">
        <Code style={{ overflowWrap: "anywhere" }}>{address}</Code>
        <Copy
          size="xs"
          variant="default"
          value={address}
          label={developerStrings.copy}
          done={developerStrings.copied}
          onCopied={() => undefined}
        />
      </Group>
      <Note size="xs">{text.addressHint}</Note>
    </Stack>
  )
}

const Settings = ({ connection }: { readonly connection: Connection }) => {
  const zone = useZone()
  const names = useNames()
  const place = useLocationName()
  const { health, key_hint, last_seen_at, program_id, restaurants, rotating_until, unknown_restaurant } = connection
  const known = restaurants.map(({ external_id, location_id }) => `${external_id} → ${place(location_id)}`)
  const key = text.keyEnds(key_hint)
  return (
    <Facts
      facts={[
        [text.key, rotating_until === undefined ? key : `${key}; ${text.keyBefore(time(rotating_until, zone))}`],
        [text.program, names.program(program_id)],
        [text.restaurants, known.length === 0 ? text.noRestaurants : known.map((one) => <div key={one}>{one}</div>)],
        [text.unknown, text.unknowns[unknown_restaurant]],
        [text.lastSeen, last_seen_at === undefined ? text.never : time(last_seen_at, zone)],
        [text.day, dayText(health)]
      ]}
    />
  )
}

const tones = { begun: "waiting", done: "good", refused: "bad", kept: "neutral" } as const

const Result = ({ became, reason, status }: ConnectionTransaction) => {
  const lines = [
    became?.points === undefined ? "" : text.pointsOf(signed(became.points)),
    became?.order_id === undefined ? "" : text.orderOf(became.order_id),
    became?.reservations === undefined ? "" : text.rewardsOf(became.reservations.length),
    became?.differs === undefined ? "" : text.differs,
    reason ?? ""
  ].filter((line) => line !== "")
  return (
    <>
      <Status tone={tones[status]}>{text.results[status]}</Status>
      {lines.map((line) => (
        <Note key={line} size="xs">
          {line}
        </Note>
      ))}
    </>
  )
}

const Transactions = ({ connection_id }: { readonly connection_id: string }) => {
  const zone = useZone()
  const transactions = usePaged(
    ["connections", "transactions", connection_id],
    (page) => call(admin.connections.listConnectionTransactions({ params: { connection_id }, query: page })),
    true,
    tillsMs
  )
  return (
    <Panel title={text.transactions}>
      <Note size="sm">{text.transactionsHint}</Note>
      <PagedListing
        query={transactions}
        rowsOf={(page) => page.transactions}
        empty={<Empty title={text.noTransactions}>{text.noTransactionsHint}</Empty>}
        label={text.transactions}
        minWidth={760}
        keyOf={({ at, transaction_id }) => `${at} ${transaction_id}`}
        columns={[
          { label: `${text.when} (${zone})`, width: 190, cell: ({ at }) => timeExact(at, zone) },
          { label: text.what, cell: ({ type }) => text.types[type] ?? type },
          { label: text.result, isLong: true, cell: Result },
          { label: text.location, cell: ({ restaurant }) => <bdi>{restaurant ?? ""}</bdi> },
          {
            label: text.check,
            isLong: true,
            cell: ({ check_id, transaction_id }) => (
              <>
                {check_id}
                <Note size="xs">{`${text.transactionId}: ${transaction_id}`}</Note>
              </>
            )
          }
        ]}
      />
    </Panel>
  )
}

const Whole = ({ connection }: { readonly connection: Connection }) => {
  const may = useMay()
  return (
    <Stack>
      <Group gap="sm">
        <Heading of={developerStrings.title}>{connection.name}</Heading>
        <TillStatus status={connection.status} />
      </Group>
      <Panel title={text.settings} actions={may("changeConnection") ? <Actions connection={connection} /> : undefined}>
        <Address connection={connection} />
        <Settings connection={connection} />
      </Panel>
      <Transactions connection_id={connection.connection_id} />
    </Stack>
  )
}

export const Till = () => {
  const { connection_id } = useParams({ from: "/developers/tills/$connection_id" })
  const may = useMay()
  const connection = useConnection(connection_id)
  if (!may("showConnection")) return <Forbidden to="showConnection" />
  return (
    <Stack gap="xs">
      <PageLink to="/developers">{text.all}</PageLink>
      <Shown query={connection}>{(found) => <Whole key={connection_id} connection={found} />}</Shown>
    </Stack>
  )
}

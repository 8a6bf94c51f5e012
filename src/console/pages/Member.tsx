import {
  Alert,
  Anchor,
  Badge,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Progress,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
  Title
} from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { Merging } from "../../contract/admin/Merge.ts"
import { Audits } from "../../contract/admin/Audit.ts"
import { OneMember, pathOf } from "../../contract/admin/Members.ts"
import type { LedgerOperation, MemberStatus, Unit } from "../../contract/Values.ts"
import { Classification, LedgerOperation as Operations } from "../../contract/Values.ts"
import { call, client } from "../app/client.ts"
import { number, signed, time, timeShort } from "../app/format.ts"
import { useOnce } from "../app/once.ts"
import { usePaged } from "../app/paged.ts"
import { useNames, useProgram, useZone } from "../app/program.tsx"
import { useMay } from "../app/session.tsx"
import { strings } from "../app/strings.ts"
import { labelOf } from "../app/words.ts"
import { Action } from "../ui/Action.tsx"
import { More } from "../ui/More.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Reason } from "../ui/Reason.tsx"
import { Empty, faultAt, sentenceOf, Shown } from "../ui/States.tsx"
import { Wide } from "../ui/Wide.tsx"
import { Customer } from "./member/Customer.tsx"

const admin = client(OneMember, Merging, Audits)

const text = strings.member

const useIds = () => useParams({ from: "/members/$program_id/$member_id" })

const useMember = (program_id: string, member_id: string) =>
  useQuery({
    queryKey: ["member", program_id, member_id],
    queryFn: () => call(admin.member.showMember({ params: { program_id, member_id } }))
  })
type MemberShown = NonNullable<ReturnType<typeof useMember>["data"]>

/** Everything that shows the member is asked for again. */
const useRefresh = () => {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" })
}

const balancesText = ({ balances }: MemberShown): string =>
  balances.map(({ amount, unit }) => `${number(amount)} ${unit}`).join(", ")

const Adjust = ({ shown }: { readonly shown: MemberShown }) => {
  const params = useIds()
  const refresh = useRefresh()
  const once = useOnce()
  const [unit, setUnit] = useState<Unit>(shown.balances[0]?.unit ?? "points")
  const [amount, setAmount] = useState<number | string>("")
  const [classification, setClassification] = useState<(typeof Classification.literals)[number]>("service_recovery")
  const [qualifies, setQualifies] = useState(false)
  const [reason, setReason] = useState("")
  const [settled] = useDebouncedValue(amount, 300)
  const change = (amount: number) => {
    const content = {
      amount,
      unit,
      classification,
      qualifies_for_tier: qualifies,
      reason: reason === "" ? "-" : reason
    }
    return { adjustment_id: once.keyOf(content), ...content }
  }
  const preview = useQuery({
    queryKey: ["adjustment", params, unit, settled, classification, qualifies],
    enabled: typeof settled === "number" && settled !== 0,
    retry: false,
    queryFn: () => call(admin.member.adjustMember({ params, payload: { ...change(Number(settled)), dry_run: true } }))
  })
  const before = shown.balances.find((one) => one.unit === unit)?.amount ?? 0
  const after = preview.data?.balances.find((one) => one.unit === unit)?.amount
  return (
    <Action
      label={text.adjust}
      done={() => {
        once.done()
        setAmount("")
        setReason("")
        refresh()
      }}
      isReady={typeof amount === "number" && amount !== 0 && reason !== ""}
      run={() => call(admin.member.adjustMember({ params, payload: change(Number(amount)) }))}
    >
      {(error: unknown) => (
        <>
          <Group grow align="flex-start">
            <NativeSelect
              label={text.unit}
              value={unit}
              data={shown.balances.map((one) => one.unit)}
              onChange={({ currentTarget }) => setUnit(currentTarget.value as Unit)}
            />
            <NumberInput
              label={text.amount}
              description={text.amountHint}
              inputWrapperOrder={["label", "input", "description", "error"]}
              required
              allowDecimal={false}
              value={amount}
              onChange={setAmount}
              error={faultAt(error, "/amount")}
            />
          </Group>
          <NativeSelect
            label={text.classification}
            value={classification}
            data={Classification.literals.map((value) => ({ value, label: labelOf(value) }))}
            onChange={({ currentTarget }) => setClassification(currentTarget.value as typeof classification)}
          />
          <Checkbox
            label={text.qualifies}
            checked={qualifies}
            onChange={({ currentTarget }) => setQualifies(currentTarget.checked)}
          />
          <Reason value={reason} onChange={setReason} error={error} />
          {after === undefined && preview.error === null ? undefined : (
            <Alert color={preview.error === null ? "indigo" : "red"} title={text.preview} role="status">
              {after === undefined ? sentenceOf(preview.error) : text.previewOf(number(before), number(after))}
            </Alert>
          )}
        </>
      )}
    </Action>
  )
}

const Issue = () => {
  const params = useIds()
  const refresh = useRefresh()
  const program = useProgram()
  const rewards = program.data?.program.rewards ?? []
  const once = useOnce()
  const [chosen, setChosen] = useState<string>()
  const reward = rewards.find(({ reward_id }) => reward_id === chosen) ?? rewards[0]
  return (
    <Action
      label={text.issue}
      done={() => {
        once.done()
        refresh()
      }}
      isReady={reward !== undefined}
      run={() => {
        const reward_id = reward?.reward_id ?? ""
        const issued_reward_id = once.keyOf({ reward_id })
        return call(admin.member.issueMemberReward({ params, payload: { issued_reward_id, reward_id } }))
      }}
    >
      <NativeSelect
        label={text.reward}
        value={reward?.reward_id ?? ""}
        data={rewards.map(({ name, reward_id }) => ({ value: reward_id, label: name }))}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <Alert title={text.preview}>{text.issuePreview(reward?.name ?? "")}</Alert>
    </Action>
  )
}

const Status = (props: { readonly to: MemberStatus; readonly label: string; readonly preview: string }) => {
  const params = useIds()
  const refresh = useRefresh()
  const [reason, setReason] = useState("")
  return (
    <Action
      label={props.label}
      isDangerous={props.to === "closed"}
      isReady={reason !== ""}
      begin={() => setReason("")}
      done={refresh}
      run={() => call(admin.member.setMemberStatus({ params, payload: { status: props.to, reason } }))}
    >
      {(error: unknown) => (
        <>
          <Alert title={text.preview}>{props.preview}</Alert>
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </Action>
  )
}

const Merge = () => {
  const { member_id: from, program_id } = useIds()
  const refresh = useRefresh()
  const [into, setInto] = useState("")
  const [reason, setReason] = useState("")
  const [settled] = useDebouncedValue(into.trim(), 300)
  const other = useQuery({
    queryKey: ["member", program_id, settled],
    enabled: settled !== "" && settled !== from,
    retry: false,
    queryFn: () => call(admin.member.showMember({ params: { program_id, member_id: settled } }))
  })
  return (
    <Action
      label={text.merge}
      isDangerous
      isReady={other.data !== undefined && settled === into.trim() && reason !== ""}
      begin={() => {
        setInto("")
        setReason("")
      }}
      done={refresh}
      run={() =>
        call(admin.merge.mergeMembers({ params: { program_id }, payload: { from, into: into.trim(), reason } }))
      }
    >
      {(error: unknown) => (
        <>
          <TextInput
            label={text.mergeInto}
            description={text.mergeHint}
            autoComplete="off"
            required
            value={into}
            onChange={({ currentTarget }) => setInto(currentTarget.value)}
            error={faultAt(error, "/into") ?? (other.error === null ? undefined : sentenceOf(other.error))}
          />
          {other.data === undefined ? undefined : (
            <Alert color="red" title={text.preview} role="status">
              {text.mergePreview(from, settled, balancesText(other.data))}
            </Alert>
          )}
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </Action>
  )
}

const Actions = ({ shown }: { readonly shown: MemberShown }) => {
  const may = useMay()
  const { status } = shown.member
  if (!may("admin:write") || status === "closed") return undefined
  return (
    <Group gap="xs">
      {status === "active" ? (
        <>
          <Adjust shown={shown} />
          <Issue />
          <Status to="suspended" label={text.suspend} preview={text.suspendPreview} />
        </>
      ) : (
        <Status to="active" label={text.activate} preview={text.activatePreview} />
      )}
      <Merge />
      <Status to="closed" label={text.close} preview={text.closePreview} />
    </Group>
  )
}

const Balances = ({ shown: { balances, tier_progress: tier } }: { readonly shown: MemberShown }) => {
  const names = useNames()
  return (
    <Panel title={text.balances}>
      <Stack gap="xs">
        {balances.map(({ amount, available, reserved, unit }) => (
          <div key={unit}>
            <Text className="number" size="xl" fw={600}>{`${number(amount)} ${unit}`}</Text>
            <Text
              size="sm"
              c="dimmed"
            >{`${number(available)} ${text.available}, ${number(reserved)} ${text.reserved}`}</Text>
          </div>
        ))}
        {tier === undefined ? undefined : (
          <div>
            <Text fw={600}>{`${text.tier}: ${names.tier(tier.current_tier_id)}`}</Text>
            <Progress value={tier.progress_bps / 100} aria-label={text.tier} my={4} />
            <Text size="sm" c="dimmed">
              {tier.next_tier_id === undefined
                ? text.topTier
                : text.toNext(number(tier.remaining_to_next ?? 0), names.tier(tier.next_tier_id))}
            </Text>
          </div>
        )}
      </Stack>
    </Panel>
  )
}

/** Lots along the time when they expire, the next one first. */
const Lots = ({ shown: { lots } }: { readonly shown: MemberShown }) => {
  const zone = useZone()
  const most = Math.max(1, ...lots.map(({ amount }) => amount))
  const byExpiry = lots.toSorted((a, b) => (a.expires_at ?? "9").localeCompare(b.expires_at ?? "9"))
  return (
    <Panel title={text.lots}>
      {lots.length === 0 ? (
        <Empty title={text.noLots} />
      ) : (
        <Wide label={text.lots} minWidth={420}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.expires}</Table.Th>
                <Table.Th>{text.left}</Table.Th>
                <Table.Th>{text.earned}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {byExpiry.map(({ amount, earned_at, expires_at, lot_id, remaining, unit }) => (
                <Table.Tr key={lot_id}>
                  <Table.Td>{expires_at === undefined ? text.never : timeShort(expires_at, zone)}</Table.Td>
                  <Table.Td>
                    <Text
                      size="sm"
                      className="number"
                    >{`${number(remaining)} ${text.of} ${number(amount)} ${unit}`}</Text>
                    <Progress value={(100 * remaining) / most} aria-label={`${text.left}: ${number(remaining)}`} />
                  </Table.Td>
                  <Table.Td>{timeShort(earned_at, zone)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Wide>
      )}
    </Panel>
  )
}

const Identities = ({ shown: { member } }: { readonly shown: MemberShown }) => (
  <Panel title={text.identities}>
    {member.identities.length === 0 ? <Text c="dimmed">{text.noIdentities}</Text> : undefined}
    <Stack gap={2}>
      {member.identities.map(({ issuer, type, value }) => (
        <Text component="div" key={`${type} ${issuer ?? ""} ${value}`} size="sm" style={{ overflowWrap: "anywhere" }}>
          <Badge variant="default" mr="xs">
            {labelOf(type)}
          </Badge>
          <bdi>{value}</bdi>
          {issuer === undefined ? "" : ` (${issuer})`}
        </Text>
      ))}
    </Stack>
  </Panel>
)

const Held = ({ shown: { issued_rewards, reservations } }: { readonly shown: MemberShown }) => {
  const zone = useZone()
  const names = useNames()
  return (
    <>
      <Panel title={text.wallet}>
        {issued_rewards.length === 0 ? (
          <Text c="dimmed">{text.noWallet}</Text>
        ) : (
          <Stack gap={2}>
            {issued_rewards.map(({ expires_at, issued_reward_id, reward_id }) => (
              <Text key={issued_reward_id} size="sm">
                {`${names.reward(reward_id)} – ${text.expires}: ${expires_at === undefined ? text.never : time(expires_at, zone)}`}
              </Text>
            ))}
          </Stack>
        )}
      </Panel>
      <Panel title={text.reservations}>
        {reservations.length === 0 ? (
          <Text c="dimmed">{text.noReservations}</Text>
        ) : (
          <Stack gap={2}>
            {reservations.map(({ cost, expires_at, reservation_id, reward_id }) => (
              <Text key={reservation_id} size="sm">
                {`${names.reward(reward_id)}, ${number(cost.amount)} ${cost.unit} – ${text.expires}: ${time(expires_at, zone)}`}
              </Text>
            ))}
          </Stack>
        )}
      </Panel>
    </>
  )
}

const Ledger = () => {
  const params = useIds()
  const zone = useZone()
  const [operation, setOperation] = useState<LedgerOperation | "">("")
  const filter = operation === "" ? {} : { operations: operation }
  const ledger = usePaged(["ledger", params, operation], (page) =>
    call(admin.member.memberLedger({ params, query: { ...filter, ...page } }))
  )
  const csv = `${pathOf(params.program_id, params.member_id)}/ledger.csv${operation === "" ? "" : `?operations=${operation}`}`
  return (
    <Panel
      title={text.ledger}
      actions={
        <Group>
          <NativeSelect
            aria-label={text.operation}
            value={operation}
            data={[
              { value: "", label: text.allOperations },
              ...Operations.literals.map((value) => ({ value, label: text.operations[value] }))
            ]}
            onChange={({ currentTarget }) => setOperation(currentTarget.value as LedgerOperation | "")}
          />
          <Anchor href={csv} download size="sm">
            {text.csv}
          </Anchor>
        </Group>
      }
    >
      <Shown query={ledger}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries)
          if (entries.length === 0) return <Empty title={text.noEntries} />
          return (
            <>
              <Wide label={text.ledger} minWidth={560}>
                <Table>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{text.when}</Table.Th>
                      <Table.Th ta="right">{text.amount}</Table.Th>
                      <Table.Th>{text.operation}</Table.Th>
                      <Table.Th>{text.detail}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {entries.map((entry) => (
                      <Table.Tr key={entry.entry_id}>
                        <Table.Td>{timeShort(entry.occurred_at, zone)}</Table.Td>
                        <Table.Td className="number" ta="right">{`${signed(entry.amount)} ${entry.unit}`}</Table.Td>
                        <Table.Td>{text.operations[entry.operation]}</Table.Td>
                        <Table.Td style={{ overflowWrap: "anywhere" }}>
                          {entry.reason ?? entry.order_id ?? entry.adjustment_id ?? entry.reservation_id}
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Wide>
              <More query={ledger} />
            </>
          )
        }}
      </Shown>
    </Panel>
  )
}

const Trail = () => {
  const { member_id } = useIds()
  const zone = useZone()
  const trail = useQuery({
    queryKey: ["trail", member_id],
    queryFn: () => call(admin.audit.audit({ query: { subject: member_id, limit: "20" } }))
  })
  return (
    <Panel title={text.trail}>
      <Shown query={trail}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Text c="dimmed">{text.noTrail}</Text>
          ) : (
            <Stack gap="xs">
              {entries.map(({ action, actor, at, audit_id, reason }) => (
                <div key={audit_id}>
                  <Text size="sm" fw={600}>{`${strings.audit.actions[action] ?? action} – ${actor.name}`}</Text>
                  <Text size="xs" c="dimmed">
                    {[timeShort(at, zone), reason].filter((part) => part !== undefined).join(" – ")}
                  </Text>
                </div>
              ))}
            </Stack>
          )
        }
      </Shown>
    </Panel>
  )
}

export const Member = () => {
  const { member_id, program_id } = useIds()
  const query = useMember(program_id, member_id)
  const zone = useZone()
  return (
    <Stack>
      <Anchor component={Link} to="/members" size="sm">
        {text.notHere}
      </Anchor>
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={1} dir="auto" style={{ overflowWrap: "anywhere" }}>
            {member_id}
          </Title>
          {query.data === undefined ? undefined : (
            <Badge variant="default">{strings.members.statuses[query.data.member.status]}</Badge>
          )}
        </Group>
        {query.data === undefined ? undefined : <Actions shown={query.data} />}
      </Group>
      <Text size="sm" c="dimmed">
        {query.data?.profile?.display_name === undefined ? undefined : (
          <>
            <bdi>{query.data.profile.display_name}</bdi> –{" "}
          </>
        )}
        {text.zone(zone)}
      </Text>
      <Shown query={query}>
        {(shown) => (
          <>
            {shown.member.merged_into === undefined ? undefined : (
              <Alert color="yellow">
                {text.merged}{" "}
                <Anchor
                  underline="always"
                  renderRoot={(props) => (
                    <Link
                      {...props}
                      to="/members/$program_id/$member_id"
                      params={{ program_id, member_id: shown.member.merged_into ?? "" }}
                    />
                  )}
                >
                  {shown.member.merged_into}
                </Anchor>
              </Alert>
            )}
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Balances shown={shown} />
              <Lots shown={shown} />
              <Customer member={shown.member} />
              <Identities shown={shown} />
              <Held shown={shown} />
              <Trail />
            </SimpleGrid>
            <Ledger />
          </>
        )}
      </Shown>
    </Stack>
  )
}

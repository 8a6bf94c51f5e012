import "../shared/words/labels.ts"
import { Alert, Group, Progress, SimpleGrid, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Audits } from "../../contract/admin/Audit.ts"
import { auditStrings } from "../audit/auditStrings.ts"
import { chooserStrings } from "../shared/choosers/chooserStrings.ts"
import { call, client } from "../shared/client.ts"
import { date, number, time, timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { MemberStatus } from "../shared/Status.tsx"
import { useMay, useSession } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { Actions, useIds } from "./Actions.tsx"
import { byManager } from "./byManager.ts"
import { Challenges } from "./Challenges.tsx"
import { Customer } from "./Customer.tsx"
import { Identities } from "./Identities.tsx"
import { Ledger } from "./Ledger.tsx"
import { lastMembersSearch } from "./lastMembers.ts"
import type { MemberShown } from "./MemberShown.ts"
import { balancesText, useMember } from "./MemberShown.ts"
import { memberStrings } from "./memberStrings.ts"
import { Wallet } from "./Wallet.tsx"

const admin = client(Audits)

const text = memberStrings
const guestChosen = chooserStrings.guest

const actions: Readonly<Record<string, string>> = auditStrings.actions

const Balances = ({ shown: { balances, lots, member, tier_progress: tier } }: { readonly shown: MemberShown }) => {
  const names = useNames()
  const zone = useZone()
  return (
    <Panel title={text.balances}>
      <Stack gap="md">
        {balances.map(({ amount, available, reserved, unit }) => {
          const [next] = byExpiry(lots.filter((lot) => lot.unit === unit && lot.expires_at !== undefined))
          return (
            <div key={unit}>
              <Text className="number" fz={32} fw={700} lh={1.2}>
                {names.amount(amount, unit)}
              </Text>
              <Note>
                {member.status === "closed"
                  ? text.spentNoMore
                  : `${number(available)} ${text.available}, ${number(reserved)} ${text.reserved}`}
              </Note>
              {next?.expires_at === undefined ? undefined : (
                <Text size="sm">{text.nextExpires(number(expiringWith(next, lots)), time(next.expires_at, zone))}</Text>
              )}
            </div>
          )
        })}
        {tier === undefined ? undefined : (
          <div>
            <Group justify="space-between" gap="xs">
              <Text fw={600}>{`${text.tier}: ${names.tier(tier.current_tier_id)}`}</Text>
              <Note>
                {tier.next_tier_id === undefined
                  ? text.topTier
                  : text.toNext(number(tier.remaining_to_next ?? 0), names.tier(tier.next_tier_id))}
              </Note>
            </Group>
            <Progress value={Math.round(tier.progress_bps / 100)} aria-label={text.tier} mt={4} />
          </div>
        )}
      </Stack>
    </Panel>
  )
}

type Lot = MemberShown["lots"][number]

/** Orders lots by expiry, earliest first. */
const byExpiry = (lots: ReadonlyArray<Lot>): ReadonlyArray<Lot> =>
  lots.toSorted((a, b) => (a.expires_at ?? "9").localeCompare(b.expires_at ?? "9"))

/** The lots that expire at the same instant. */
const expiringWith = ({ expires_at, unit }: Lot, lots: ReadonlyArray<Lot>): number =>
  lots.reduce((sum, lot) => (lot.unit === unit && lot.expires_at === expires_at ? sum + lot.remaining : sum), 0)

/** Lots shown at first, and added by each press. */
const lotsStep = 6

/** Lots in the order of their expiry, the next one first. */
const Lots = ({ shown: { lots } }: { readonly shown: MemberShown }) => {
  const zone = useZone()
  const names = useNames()
  return (
    <Panel title={text.lots}>
      {lots.length === 0 ? (
        <Text c="dimmed">{text.noLots}</Text>
      ) : (
        <Listing
          label={text.lots}
          minWidth={420}
          rows={byExpiry(lots)}
          step={lotsStep}
          keyOf={({ lot_id }) => lot_id}
          columns={[
            {
              label: text.expires,
              by: ({ expires_at }) => expires_at,
              cell: ({ expires_at }) => (expires_at === undefined ? text.never : timeShort(expires_at, zone))
            },
            {
              label: text.left,
              by: ({ remaining }) => remaining,
              cell: ({ amount, remaining, unit }) => (
                <>
                  <div className="number">
                    {amount === undefined
                      ? names.amount(remaining, unit)
                      : `${number(remaining)} ${text.of} ${names.amount(amount, unit)}`}
                  </div>
                  {amount === undefined ? null : (
                    <Progress
                      value={Math.round((100 * remaining) / Math.max(1, amount))}
                      aria-label={`${text.left}: ${number(remaining)}`}
                    />
                  )}
                </>
              )
            },
            {
              label: text.earned,
              by: ({ earned_at }) => earned_at,
              cell: ({ earned_at }) => timeShort(earned_at, zone)
            }
          ]}
        />
      )}
    </Panel>
  )
}

const Reservations = ({ shown: { reservations } }: { readonly shown: MemberShown }) => {
  const zone = useZone()
  const names = useNames()
  return (
    <Panel title={text.reservations}>
      {reservations.length === 0 ? (
        <Text c="dimmed">{text.noReservations}</Text>
      ) : (
        <Listing
          label={text.reservations}
          minWidth={360}
          rows={reservations}
          keyOf={({ reservation_id }) => reservation_id}
          columns={[
            { label: text.reward, cell: ({ reward_id }) => names.reward(reward_id) },
            {
              label: text.amount,
              isNumber: true,
              cell: ({ cost }) => names.amount(cost.amount, cost.unit)
            },
            { label: text.expires, cell: ({ expires_at }) => timeShort(expires_at, zone) }
          ]}
        />
      )}
    </Panel>
  )
}

const Trail = () => {
  const { member_id } = useIds()
  const zone = useZone()
  const { scopes } = useSession()
  const trail = useQuery({
    queryKey: ["trail", member_id],
    queryFn: () => call(admin.audit.audit({ query: { subject: member_id, limit: "10" } }))
  })
  return (
    <Panel
      title={scopes.includes("audit:own") && !scopes.includes("audit:read") ? text.ownTrail : text.trail}
      actions={
        <PageLink to="/audit" search={{ subject: member_id }}>
          {text.wholeTrail}
        </PageLink>
      }
    >
      <Shown query={trail}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Text c="dimmed">{text.noTrail}</Text>
          ) : (
            <Stack gap="xs">
              {entries.map(({ action, actor, at, audit_id, reason }) => (
                <div key={audit_id}>
                  <Text size="sm" fw={600}>{`${actions[action] ?? action} – ${actor.name}`}</Text>
                  <Note size="xs" style={{ overflowWrap: "anywhere" }}>
                    {[timeShort(at, zone), reason].filter((part) => part !== undefined).join(" – ")}
                  </Note>
                </div>
              ))}
            </Stack>
          )
        }
      </Shown>
    </Panel>
  )
}

/** The page's heading: the name if there is one, because guests give their names, and what every caller asks for first. */
const Who = ({ shown }: { readonly shown: MemberShown | undefined }) => {
  const { member_id } = useIds()
  const zone = useZone()
  const names = useNames()
  const name = shown?.profile?.display_name
  return (
    <div>
      <Group gap="sm">
        <Heading of={strings.members.title} help="guests">
          {name ?? member_id}
        </Heading>
        {shown === undefined ? undefined : <MemberStatus status={shown.member.status} />}
      </Group>
      <Note>
        {shown === undefined ? undefined : `${text.joined(date(shown.member.joined_at, zone))} · `}
        {strings.member.zone(zone)}
      </Note>
      {shown === undefined ? undefined : (
        <Text className="number" fw={700} fz="lg" mt={4}>
          {[balancesText(shown, names.amount), shown.tier_progress && names.tier(shown.tier_progress.current_tier_id)]
            .filter((part) => part !== undefined)
            .join(" · ")}
        </Text>
      )}
      {name === undefined ? undefined : (
        <details>
          <summary>{guestChosen.details}</summary>
          <Note>{guestChosen.id(member_id)}</Note>
        </details>
      )}
    </div>
  )
}

export const Member = () => {
  const may = useMay()
  const { member_id, program_id } = useIds()
  const query = useMember(program_id, member_id)
  const zone = useZone()
  const others = byManager(may)
  return (
    <Stack>
      <PageLink to="/members" search={lastMembersSearch()}>
        {text.notHere}
      </PageLink>
      <Group justify="space-between" align="flex-start">
        <Who shown={query.data} />
        {query.data === undefined ? undefined : <Actions shown={query.data} />}
      </Group>
      {others === undefined ? undefined : <Note>{others}</Note>}
      <Shown query={query}>
        {(shown) => (
          <>
            {shown.member.merged_into === undefined ? undefined : (
              <Alert color="yellow">
                {text.merged}{" "}
                <PageLink
                  size="md"
                  underline="always"
                  to="/members/$program_id/$member_id"
                  params={{ program_id, member_id: shown.member.merged_into ?? "" }}
                >
                  {shown.member.merged_into}
                </PageLink>
              </Alert>
            )}
            {shown.leaves_at === undefined ? undefined : (
              <Alert color="yellow">{text.leaves(date(shown.leaves_at, zone))}</Alert>
            )}
            <Ledger />
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <Stack>
                <Balances shown={shown} />
                <Lots shown={shown} />
                <Wallet shown={shown} />
                <Reservations shown={shown} />
              </Stack>
              <Stack>
                <Customer member={shown.member} />
                {may("memberChallenges") && shown.member.merged_into === undefined ? (
                  <Challenges program_id={program_id} member_id={member_id} />
                ) : undefined}
                <Identities member={shown.member} />
                {may("audit") ? <Trail /> : undefined}
              </Stack>
            </SimpleGrid>
          </>
        )}
      </Shown>
    </Stack>
  )
}

/** Gifts that people ask others for: those that wait for this person, to be given with one tap, and the own ones with their answers. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { Suspense, useEffect } from "react"
import type { Ask } from "../../contract/admin/Asks.ts"
import { call } from "../shared/client.ts"
import { money, number, signed, timeShort } from "../shared/format.ts"
import { later } from "../shared/Later.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useProgramId, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { sentenceOf } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { tell } from "../shared/told.ts"
import { foreseenProblem, loadProblemTexts } from "../shared/words/problems.ts"
import { asksClient } from "./asking.ts"
import { askStrings } from "./askStrings.ts"

const text = askStrings

const Decline = later(() => import("./Decline.tsx"), "Decline")

/** An answer comes while the guest still stands there. */
const refreshMs = 10_000

const useAsks = () => {
  const program_id = useProgramId()
  const may = useMay()
  return useQuery({
    queryKey: ["asks", program_id],
    enabled: may("listAsks") && program_id !== undefined,
    refetchInterval: refreshMs,
    queryFn: async () => {
      const found = await call(asksClient.asks.listAsks({ query: program_id === undefined ? {} : { program_id } }))
      if (found.asks.some(({ refused }) => refused !== undefined)) await loadProblemTexts()
      return found
    }
  })
}

const useGiftWords = () => {
  const names = useNames()
  return ({ gift }: Ask): string => {
    switch (gift.type) {
      case "points":
        return text.points(signed(gift.amount), names.unit(gift.unit ?? "points"))
      case "reward":
        return names.reward(gift.reward_id)
      case "receipt":
        return text.receipt(gift.number, money(gift.amount))
    }
  }
}

const guestOf = ({ display_name, member_id }: Ask): string => display_name ?? member_id

const Guest = ({ ask }: { readonly ask: Ask }) => (
  <PageLink
    to="/members/$program_id/$member_id"
    params={{ program_id: ask.program_id, member_id: ask.member_id }}
    underline="always"
    dir="auto"
  >
    {guestOf(ask)}
  </PageLink>
)

const useEffectWords = () => {
  const names = useNames()
  return ({ alike, balance_after: after, earns, gift }: Ask): string => {
    if (gift.type === "reward") return text.reward(names.reward(gift.reward_id))
    if (after === undefined) return ""
    if (gift.type === "points") return text.effect(number(after - gift.amount), number(after))
    const earned = text.earns(signed(earns ?? 0), number(after))
    return alike === undefined ? earned : `${earned} ${text.alike(alike.join("; "))}`
  }
}

const Effects = ({ ask }: { readonly ask: Ask }) => {
  const effect = useEffectWords()(ask)
  const { has_changed, refused, refused_template: template } = ask
  if (refused !== undefined) return <Text size="sm">{foreseenProblem("conflict", { detail: refused, template })}</Text>
  return <Text size="sm">{has_changed === true ? `${text.changed} ${effect}` : effect}</Text>
}

const Waiting = ({ ask }: { readonly ask: Ask }) => {
  const refresh = useRefresh()
  const zone = useZone()
  const gift = useGiftWords()(ask)
  const { ask_id, asked_at, asked_by, look, reason } = ask
  const give = useMutation({
    mutationFn: () => call(asksClient.asks.approveAsk({ params: { ask_id }, payload: { look: look ?? "" } })),
    onSuccess: () => tell(text.given(gift, guestOf(ask))),
    // Refused because the guest has changed, it is looked at again.
    onSettled: refresh
  })
  return (
    <Stack gap={4} component="li">
      <Text size="sm" component="div">
        {text.askedBy(asked_by, gift)} <Guest ask={ask} />
      </Text>
      <Note size="xs">{text.because(reason, timeShort(asked_at, zone))}</Note>
      <Effects ask={ask} />
      {give.error === null ? undefined : (
        <Alert color="red" role="alert">
          {sentenceOf(give.error)}
        </Alert>
      )}
      <Group gap="xs" className="counter">
        <Button aria-label={text.giveOf(gift, guestOf(ask))} loading={give.isPending} onClick={() => give.mutate()}>
          {text.give}
        </Button>
        <Suspense>
          <Decline ask_id={ask_id} gift={gift} guest={guestOf(ask)} />
        </Suspense>
      </Group>
    </Stack>
  )
}

const stateWords = ({ decided_by = "", note = "", status }: Ask): string => {
  switch (status) {
    case "doing":
    case "done":
      return text.states[status](decided_by)
    case "declined":
      return text.states.declined(decided_by, note)
    default:
      return text.states[status]
  }
}

const Own = ({ ask }: { readonly ask: Ask }) => {
  const zone = useZone()
  const gift = useGiftWords()(ask)
  return (
    <Stack gap={4} component="li">
      <Text size="sm" component="div">
        {text.youAsked(gift)} <Guest ask={ask} />
      </Text>
      <Note size="xs">{text.because(ask.reason, timeShort(ask.asked_at, zone))}</Note>
      <Text size="sm">{stateWords(ask)}</Text>
    </Stack>
  )
}

/** Absent where there is nothing to decide and nothing was asked. */
export const Asks = () => {
  const asks = useAsks().data?.asks ?? []
  const may = useMay()
  const waiting = may("approveAsk")
    ? asks.filter(({ is_own, status }) => !is_own && (status === "open" || status === "doing"))
    : []
  const own = asks.filter(({ is_own }) => is_own)
  const refresh = useRefresh("member", "counter")
  const given = own.filter(({ status }) => status === "done").length
  // Somebody else has changed the guest that the page shows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a gift that was given changes a guest
  useEffect(refresh, [given])
  return (
    <>
      {waiting.length === 0 ? undefined : (
        <Panel title={text.waiting}>
          <Stack component="ul" className="plain">
            {waiting.map((ask) => (
              <Waiting key={ask.ask_id} ask={ask} />
            ))}
          </Stack>
        </Panel>
      )}
      {own.length === 0 ? undefined : (
        <Panel title={text.own}>
          <Stack component="ul" className="plain">
            {own.map((ask) => (
              <Own key={ask.ask_id} ask={ask} />
            ))}
          </Stack>
        </Panel>
      )}
    </>
  )
}

/** Work that others handed over to this person, to be put in force after its preview, and the own work with its answers. */
import { Group, Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"
import { Suspense } from "react"
import type { Handover } from "../../contract/admin/Handovers.ts"
import { timeShort } from "../shared/format.ts"
import { later } from "../shared/Later.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useZone } from "../shared/program.tsx"
import { foreseenProblem } from "../shared/words/problems.ts"
import { asksWords, stateWords, useHandovers, yoursWords } from "./handingOver.ts"
import { handoverStrings as text } from "./handoverStrings.ts"
import type { Kind } from "./putters.ts"

// The first page does without dialogs and previews.
const Put = later(() => import("./Put.tsx"), "Put")
const SendBack = later(() => import("./Put.tsx"), "SendBack")
const TakeBack = later(() => import("./Put.tsx"), "TakeBack")

interface Props {
  readonly handover: Handover
}

const Told = ({ handover, told }: Props & { readonly told: string }) => {
  const { campaign_id, handed_at, handover_id, kind, reason } = handover
  const zone = useZone()
  return (
    <>
      <Text size="sm">{told}</Text>
      <Note size="xs">{text.because(reason, timeShort(handed_at, zone))}</Note>
      {campaign_id !== undefined ? (
        <PageLink to="/audience/campaigns/$campaign_id" params={{ campaign_id }}>
          {handover.campaign_name ?? campaign_id}
        </PageLink>
      ) : kind === "program" ? (
        <PageLink to="/programme" search={{ handover: handover_id }}>
          {text.open}
        </PageLink>
      ) : undefined}
    </>
  )
}

const Waiting = ({ handover }: Props) => (
  <Stack gap={4} component="li" align="flex-start">
    <Told handover={handover} told={asksWords(handover)} />
    {handover.refused === undefined ? undefined : (
      <Text size="sm">
        {foreseenProblem("invalid_state", { detail: handover.refused, template: handover.refused_template })}
      </Text>
    )}
    {handover.has_changed === true ? <Text size="sm">{text.changed}</Text> : undefined}
    <Group gap="xs">
      <Suspense>
        {handover.look === undefined ? undefined : <Put handover={handover} />}
        <SendBack handover={handover} />
      </Suspense>
    </Group>
  </Stack>
)

const Own = ({ handover }: Props) => (
  <Stack gap={4} component="li" align="flex-start">
    <Told handover={handover} told={yoursWords(handover)} />
    <Text size="sm">
      {handover.refused === undefined
        ? stateWords(handover)
        : foreseenProblem("invalid_state", { detail: handover.refused, template: handover.refused_template })}
    </Text>
    {handover.status === "open" ? (
      <Suspense>
        <TakeBack handover={handover} />
      </Suspense>
    ) : undefined}
  </Stack>
)

const List = (props: {
  readonly title: string
  readonly of: ReadonlyArray<Handover>
  readonly Item: (props: Props) => ReactNode
}) => {
  const { Item, of, title } = props
  return of.length === 0 ? undefined : (
    <Panel title={title}>
      <Stack component="ul" className="plain">
        {of.map((handover) => (
          <Item key={handover.handover_id} handover={handover} />
        ))}
      </Stack>
    </Panel>
  )
}

/** Absent where nothing is handed over. `kinds`: those of the page; absent: all. */
export const Handovers = ({ kinds }: { readonly kinds?: ReadonlyArray<Kind> }) => {
  const all = useHandovers().data ?? []
  const shown = kinds === undefined ? all : all.filter(({ kind }) => kinds.includes(kind))
  return (
    <>
      <List title={text.waiting} of={shown.filter(({ is_own }) => !is_own)} Item={Waiting} />
      <List title={text.own} of={shown.filter(({ is_own }) => is_own)} Item={Own} />
    </>
  )
}

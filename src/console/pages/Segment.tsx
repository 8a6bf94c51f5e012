/** One segment: its rules or its list, and the number of its members. */
import { Alert, Button, Grid, Group, Paper, SegmentedControl, Stack, Text, TextInput, Title } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { AnalyticsGroup } from "../../contract/platform/Analytics.ts"
import type { Rules } from "../../contract/platform/Rules.ts"
import type { PutSegment, Segment as SegmentShown } from "../../contract/platform/Segments.ts"
import { Segments } from "../../contract/platform/Segments.ts"
import { archiveStrings } from "../app/archiveStrings.ts"
import {
  estimateRestMs,
  useEstimate,
  useListedMembers,
  useOffer,
  useRecent,
  useSegment,
  useSegments
} from "../app/audience.ts"
import { call, client, Failure, faultsOf, keyed } from "../app/client.ts"
import { number } from "../app/format.ts"
import { useOnce } from "../app/once.ts"
import { useProgramQuery } from "../app/program.tsx"
import { useRefresh } from "../app/refresh.ts"
import type { Group as RuleGroup } from "../app/segmentRules.ts"
import { incomplete, newGroup } from "../app/segmentRules.ts"
import { segmentStrings } from "../app/segmentStrings.ts"
import { faultsByItem, groupOf, write } from "../app/segmentWire.ts"
import { useMay } from "../app/session.tsx"
import { strings } from "../app/strings.ts"
import { tell } from "../app/told.ts"
import { ChangeDialog } from "../ui/ChangeDialog.tsx"
import { DeleteDialog } from "../ui/DeleteDialog.tsx"
import { Estimate } from "../ui/Estimate.tsx"
import { Found } from "../ui/Found.tsx"
import type { ListedId } from "../ui/MemberListInput.tsx"
import { idsIn, MemberListInput } from "../ui/MemberListInput.tsx"
import { Note } from "../ui/Note.tsx"
import { ButtonLink, PageLink } from "../ui/PageLink.tsx"
import { countsParts } from "../ui/PartCount.tsx"
import { Replace } from "../ui/Replace.tsx"
import { RuleBuilder } from "../ui/RuleBuilder.tsx"
import { Failed, faultAt, Loading, Refused } from "../ui/States.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"
import { WaitingCampaigns } from "../ui/WaitingCampaigns.tsx"
import { SegmentMembers } from "./segment/SegmentMembers.tsx"

const platform = client(AnalyticsGroup, Segments)

const text = segmentStrings

/** Number of members in the estimate's sample. */
const sampleSize = 10

type Mode = SegmentShown["mode"]

const isInUse = (error: unknown): boolean => error instanceof Failure && error.code === "conflict"

const Delete = ({ segment: { name, segment_id } }: { readonly segment: SegmentShown }) => (
  <DeleteDialog
    label={text.delete}
    preview={text.deletePreview(name)}
    to="/audience/segments"
    done={useRefresh("segments")}
    run={(keyOf) =>
      call(keyed(keyOf(segment_id), platform.platform_segments.deleteSegment({ payload: { segment_id } })))
    }
    why={(error) => (isInUse(error) ? <Text>{text.whyKept}</Text> : undefined)}
  />
)

/** Archives a segment, or restores it. */
const Archive = ({ segment: { archived_at, segment_id } }: { readonly segment: SegmentShown }) => {
  const program = useProgramQuery()
  const queries = useQueryClient()
  const refresh = useRefresh("segments")
  const archived = archived_at === undefined
  return (
    <ChangeDialog
      label={archived ? archiveStrings.archive : archiveStrings.restore}
      run={async () => {
        const payload = { segment_id, archived }
        const { segment } = await call(platform.platform_segments.archiveSegment({ payload }))
        queries.setQueryData(["segment", program, segment_id], segment)
      }}
      done={refresh}
    >
      {(error: unknown) => (
        <>
          <Alert title={strings.member.preview}>{archived ? archiveStrings.segment : archiveStrings.segmentBack}</Alert>
          {isInUse(error) ? <Text>{archiveStrings.used}</Text> : undefined}
        </>
      )}
    </ChangeDialog>
  )
}

interface EditorProps {
  /** Absent for a new segment. */
  readonly segment?: SegmentShown
  /** The member ids of a list, one on each line. */
  readonly listed: string
}

/** The request body, and for a list the ids with their lines. */
const bodyOf = (draft: {
  readonly name: string
  readonly mode: Mode
  readonly group: RuleGroup
  readonly ids: ReadonlyArray<ListedId>
}) => ({
  name: draft.name.trim(),
  ...(draft.mode === "static" ? { member_ids: draft.ids.map(({ id }) => id) } : { rules: write(draft.group).rules })
})

/** Faults of rules are shown at their conditions, those of a list at its lines. */
const isPlaced = (path: string): boolean => path === "/name" || /^\/(?:rules|member_ids)\b/.test(path)

const Editor = ({ listed, segment }: EditorProps) => {
  const may = useMay()
  const isArchived = segment?.archived_at !== undefined
  const isReadOnly = isArchived || !may("putSegment")
  const program = useProgramQuery()
  const offer = useOffer()
  const segments = useSegments().data ?? []
  const recent = useRecent()
  const queries = useQueryClient()
  const refresh = useRefresh("segments", "estimate", "pending audience")
  const navigate = useNavigate()
  // Keeps the new id: a save repeated after a lost response must not create a second one.
  const [id] = useState(() => segment?.segment_id ?? `seg_${crypto.randomUUID()}`)
  const [name, setName] = useState(segment?.name ?? "")
  const [mode, setMode] = useState<Mode>(segment?.mode ?? "dynamic")
  const [group, setGroup] = useState(() => (segment?.rules === undefined ? newGroup("all") : groupOf(segment.rules)))
  const [list, setList] = useState(listed)
  const [sent, setSent] = useState<ReadonlyArray<ListedId>>([])
  const body = bodyOf({ name, mode, group, ids: idsIn(list) })
  const [blank] = useState(() => JSON.stringify(body))
  // The version when the form opened. A version that arrives later was not edited here.
  const [version, setVersion] = useState(segment?.version)
  const [isReplacing, setReplacing] = useState(false)
  const once = useOnce()
  const [saved, setSaved] = useState(segment === undefined ? undefined : blank)
  const isSaved = saved === JSON.stringify(body)
  const isUnsaved = JSON.stringify(body) !== (saved ?? blank)

  const save = useMutation({
    mutationFn: async () => {
      setSent(idsIn(list))
      // The service checks the input. Its faults are shown at their fields.
      const expected = isReplacing || version === undefined ? {} : { expected_version: version }
      const payload = { ...program, segment_id: id, ...body, ...expected } as PutSegment
      const answer = await call(keyed(once.keyOf(payload), platform.platform_segments.putSegment({ payload })))
      return { made: answer.segment, as: JSON.stringify(body), pendingFor: answer.pending_for }
    },
    onSuccess: ({ as, made }) => {
      once.done()
      setSaved(as)
      setVersion(made.version)
      setReplacing(false)
      queries.setQueryData(["segment", program, made.segment_id], made)
      refresh()
      tell(strings.states.saved(made.name))
      if (segment === undefined)
        void navigate({
          to: "/audience/segments/$segment_id",
          params: { segment_id: made.segment_id },
          replace: true,
          ignoreBlocker: true
        })
    }
  })

  const written = useMemo(() => write(group), [group])
  const missing = useMemo(() => incomplete(group), [group])
  const isWhole = missing.length === 0
  const rules = written.rules as Rules
  const [settled] = useDebouncedValue(isWhole ? rules : undefined, estimateRestMs)
  const estimate = useEstimate(settled === undefined || mode === "static" ? undefined : { rules: settled }, sampleSize)
  const isSettled = isWhole && settled === rules
  const refused = [...faultsOf(save.error), ...(isSettled ? faultsOf(estimate.error) : [])]
    .filter(({ path }) => path.startsWith("/rules"))
    .map(({ message, path }) => ({ message, path: path.slice("/rules".length) }))
  const faults = faultsByItem(written.places, refused)
  const isEmpty = group.items.length === 0
  const waitsFor = missing.map(({ about, missing: what }) =>
    about === undefined
      ? text.rules.missing.group
      : text.rules.missingAt(text.rules.about[about], text.rules.missing[what])
  )
  const canSave = name.trim() !== "" && (mode === "static" ? list.trim() !== "" : isWhole) && program !== undefined

  return (
    <Stack>
      <Unsaved isUnsaved={isUnsaved} />
      <Group justify="space-between">
        <Title order={2}>{segment === undefined ? text.newTitle : segment.name}</Title>
        <Group gap="xs">
          {segment !== undefined && may("putSegment") && (isArchived || !isUnsaved) ? (
            <Archive key={String(isArchived)} segment={segment} />
          ) : undefined}
          {segment === undefined || isReadOnly ? undefined : (
            <>
              <ButtonLink
                size="xs"
                variant="default"
                to="/audience/campaigns/new"
                search={{ segment: segment.segment_id }}
              >
                {text.toCampaign}
              </ButtonLink>
              <Delete segment={segment} />
            </>
          )}
        </Group>
      </Group>
      {isArchived ? <Alert>{archiveStrings.segmentNote}</Alert> : undefined}
      <Grid>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <form
            className={isReadOnly ? "readable" : undefined}
            onSubmit={(event) => {
              event.preventDefault()
              if (canSave) save.mutate()
            }}
          >
            <Paper withBorder p="md" radius="md">
              <Stack>
                <TextInput
                  label={text.name}
                  required
                  maxLength={512}
                  disabled={isReadOnly}
                  value={name}
                  onChange={({ currentTarget }) => setName(currentTarget.value)}
                  error={faultAt(save.error, "/name", name)}
                />
                {segment === undefined ? (
                  <SegmentedControl
                    aria-label={text.kind}
                    value={mode}
                    onChange={(next) => setMode(next === "static" ? "static" : "dynamic")}
                    data={(["dynamic", "static"] as const).map((value) => ({ value, label: text.kinds[value] }))}
                  />
                ) : undefined}
                {mode === "static" ? (
                  <MemberListInput
                    value={list}
                    onChange={setList}
                    faults={faultsOf(save.error)}
                    sent={sent}
                    isReadOnly={isReadOnly}
                  />
                ) : (
                  <Stack gap="xs" role="group" aria-label={text.who}>
                    <Text fw={500} size="sm">
                      {text.who}
                    </Text>
                    <RuleBuilder
                      value={group}
                      onChange={(next) => {
                        // The earlier faults' conditions may have moved.
                        save.reset()
                        setGroup(next)
                      }}
                      context={{
                        faults,
                        offer,
                        segments: segments
                          .filter(
                            (one) =>
                              one.segment_id !== segment?.segment_id && (isArchived || one.archived_at === undefined)
                          )
                          .map((one) => ({ value: one.segment_id, label: one.name })),
                        recent,
                        isCounted: countsParts(written.places.size),
                        isReadOnly
                      }}
                    />
                  </Stack>
                )}
                {isReadOnly || segment === undefined ? undefined : (
                  <WaitingCampaigns
                    segment_id={segment.segment_id}
                    pendingFor={isSaved ? save.data?.pendingFor : undefined}
                  />
                )}
                {isReadOnly ? undefined : (
                  <Group>
                    <Button type="submit" loading={save.isPending} disabled={!canSave || isSaved}>
                      {text.save}
                    </Button>
                    <Note role="status">{isSaved ? text.saved : saved === undefined ? "" : text.unsaved}</Note>
                  </Group>
                )}
                <Refused error={save.error} isPlaced={isPlaced} entered={body} />
                <Replace error={save.error} isChosen={isReplacing} choose={setReplacing} />
              </Stack>
            </Paper>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <div className="beside">
            {mode === "static" ? (
              segment === undefined ? undefined : (
                <Listed segment={segment} />
              )
            ) : (
              <Estimate
                query={estimate}
                hint={isEmpty ? text.estimate.empty : refused.length > 0 ? text.estimate.wrong : undefined}
                waitsFor={waitsFor}
              />
            )}
          </div>
        </Grid.Col>
      </Grid>
      {segment === undefined ? undefined : <SegmentMembers segment_id={segment.segment_id} />}
    </Stack>
  )
}

/** The number of a saved list's members now. Closed members do not count. */
const Listed = ({ segment: { segment_id } }: { readonly segment: SegmentShown }) => (
  <Estimate query={useEstimate({ segment_id }, sampleSize)} />
)

/** Fetches a whole list first, because it is edited as a whole. */
const ListEditor = ({ segment }: { readonly segment: SegmentShown }) => {
  const [loaded, setLoaded] = useState(0)
  const members = useListedMembers(segment.segment_id, true, setLoaded)
  if (members.error !== null) return <Failed error={members.error} retry={() => void members.refetch()} />
  if (members.data === undefined)
    return (
      <>
        <Loading />
        <Text ta="center" c="dimmed">
          {text.list.loading(number(loaded), number(segment.member_count ?? 0))}
        </Text>
      </>
    )
  return <Editor segment={segment} listed={members.data.join("\n")} />
}

const Back = () => <PageLink to="/audience/segments">{text.all}</PageLink>

export const Segment = () => {
  const { segment_id } = useParams({ from: "/audience/segments/$segment_id" })
  const segment = useSegment(segment_id)
  return (
    <Stack gap="xs">
      <Back />
      <Found query={segment} gone={text.gone} goneHint={text.goneHint}>
        {(shown) =>
          shown.mode === "static" ? (
            <ListEditor key={`${segment_id} ${shown.archived_at}`} segment={shown} />
          ) : (
            <Editor key={`${segment_id} ${shown.archived_at}`} segment={shown} listed="" />
          )
        }
      </Found>
    </Stack>
  )
}

export const NewSegment = () => (
  <Stack gap="xs">
    <Back />
    <Editor listed="" />
  </Stack>
)

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
import { call, client, Failure, faultsOf, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { useOnce } from "../shared/form/once.ts"
import { Unsaved } from "../shared/form/Unsaved.tsx"
import { number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { ButtonLink, PageLink } from "../shared/PageLink.tsx"
import { useProgramQuery } from "../shared/program.tsx"
import { Replace } from "../shared/Replace.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Failed, faultAt, Loading, Refused } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { tell } from "../shared/told.ts"
import { archiveStrings } from "./archiveStrings.ts"
import {
  estimateRestMs,
  useEstimate,
  useListedMembers,
  useOffer,
  useRecent,
  useSegment,
  useSegments
} from "./audience.ts"
import { DeleteDialog } from "./DeleteDialog.tsx"
import { Estimate } from "./Estimate.tsx"
import { Found } from "./Found.tsx"
import type { ListedId } from "./MemberListInput.tsx"
import { idsIn, MemberListInput } from "./MemberListInput.tsx"
import { countsParts } from "./PartCount.tsx"
import { RuleBuilder } from "./RuleBuilder.tsx"
import { SegmentMembers } from "./SegmentMembers.tsx"
import type { Group as RuleGroup } from "./segmentRules.ts"
import { incomplete, newGroup } from "./segmentRules.ts"
import { segmentStrings } from "./segmentStrings.ts"
import { faultsByItem, groupOf, write } from "./segmentWire.ts"
import { WaitingCampaigns } from "./WaitingCampaigns.tsx"

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

/** The entered content, of a new segment or of the one that is edited. */
const useDraft = (segment: SegmentShown | undefined, listed: string) => {
  const [name, setName] = useState(segment?.name ?? "")
  const [mode, setMode] = useState<Mode>(segment?.mode ?? "dynamic")
  const [group, setGroup] = useState(() => (segment?.rules === undefined ? newGroup("all") : groupOf(segment.rules)))
  const [list, setList] = useState(listed)
  return { name, setName, mode, setMode, group, setGroup, list, setList }
}

const useSave = (segment: SegmentShown | undefined, body: ReturnType<typeof bodyOf>) => {
  const program = useProgramQuery()
  const queries = useQueryClient()
  const refresh = useRefresh("segments", "estimate", "pending audience")
  const navigate = useNavigate()
  const once = useOnce()
  // Keeps the new id: a save repeated after a lost response must not create a second one.
  const [id] = useState(() => segment?.segment_id ?? `seg_${crypto.randomUUID()}`)
  const entered = JSON.stringify(body)
  const [blank] = useState(entered)
  // The version when the form opened. A version that arrives later was not edited here.
  const [version, setVersion] = useState(segment?.version)
  const [isReplacing, setReplacing] = useState(false)
  const [saved, setSaved] = useState(segment === undefined ? undefined : blank)
  /** Takes the ids of a list with their lines, at which faults are shown. */
  const save = useMutation({
    mutationFn: async (_: ReadonlyArray<ListedId>) => {
      // The service checks the input. Its faults are shown at their fields.
      const expected = isReplacing || version === undefined ? {} : { expected_version: version }
      const payload = { ...program, segment_id: id, ...body, ...expected } as PutSegment
      const answer = await call(keyed(once.keyOf(payload), platform.platform_segments.putSegment({ payload })))
      return { made: answer.segment, as: entered, pendingFor: answer.pending_for }
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
  const isSaved = saved === entered
  return {
    save,
    isReplacing,
    setReplacing,
    isPossible: program !== undefined,
    isSaved,
    isUnsaved: entered !== (saved ?? blank),
    note: isSaved ? text.saved : saved === undefined ? "" : text.unsaved,
    /** Campaigns that a change waits for, right after it is saved. */
    pendingFor: isSaved ? save.data?.pendingFor : undefined
  }
}

/** Faults and gaps of rules, and the estimate of rules without gaps. `isAsked`: false of a list. */
const useRules = (group: RuleGroup, isAsked: boolean, saveError: unknown) => {
  const written = useMemo(() => write(group), [group])
  const missing = useMemo(() => incomplete(group), [group])
  const isWhole = missing.length === 0
  const rules = written.rules as Rules
  const [settled] = useDebouncedValue(isWhole ? rules : undefined, estimateRestMs)
  const estimate = useEstimate(settled === undefined || !isAsked ? undefined : { rules: settled }, sampleSize)
  const isSettled = isWhole && settled === rules
  const refused = [...faultsOf(saveError), ...(isSettled ? faultsOf(estimate.error) : [])]
    .filter(({ path }) => path.startsWith("/rules"))
    .map(({ message, path }) => ({ message, path: path.slice("/rules".length) }))
  const wrong = refused.length > 0 ? text.estimate.wrong : undefined
  return {
    isWhole,
    faults: faultsByItem(written.places, refused),
    isCounted: countsParts(written.places.size),
    estimate,
    hint: group.items.length === 0 ? text.estimate.empty : wrong,
    waitsFor: missing.map(({ about, missing: what }) =>
      about === undefined
        ? text.rules.missing.group
        : text.rules.missingAt(text.rules.about[about], text.rules.missing[what])
    )
  }
}

/** The title, and actions on a saved segment. */
const Head = ({ isUnsaved, segment }: { readonly segment: SegmentShown | undefined; readonly isUnsaved: boolean }) => {
  const mayPut = useMay()("putSegment")
  if (segment === undefined) return <Title order={2}>{text.newTitle}</Title>
  const isArchived = segment.archived_at !== undefined
  return (
    <>
      <Group justify="space-between">
        <Title order={2}>{segment.name}</Title>
        <Group gap="xs">
          {mayPut && (isArchived || !isUnsaved) ? <Archive key={String(isArchived)} segment={segment} /> : undefined}
          {mayPut && !isArchived ? (
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
          ) : undefined}
        </Group>
      </Group>
      {isArchived ? <Alert>{archiveStrings.segmentNote}</Alert> : undefined}
    </>
  )
}

const RulesInput = (props: {
  readonly segment: SegmentShown | undefined
  readonly value: RuleGroup
  readonly onChange: (next: RuleGroup) => void
  readonly rules: ReturnType<typeof useRules>
  readonly isReadOnly: boolean
}) => {
  const { isReadOnly, onChange, rules, segment, value } = props
  const { faults, isCounted } = rules
  const offer = useOffer()
  const recent = useRecent()
  const isArchived = segment?.archived_at !== undefined
  const others = (useSegments().data ?? []).filter(
    ({ archived_at, segment_id }) => segment_id !== segment?.segment_id && (isArchived || archived_at === undefined)
  )
  const segments = others.map((one) => ({ value: one.segment_id, label: one.name }))
  return (
    <Stack gap="xs" role="group" aria-label={text.who}>
      <Text fw={500} size="sm">
        {text.who}
      </Text>
      <RuleBuilder
        value={value}
        onChange={onChange}
        context={{ faults, offer, segments, recent, isCounted, isReadOnly }}
      />
    </Stack>
  )
}

interface FieldsProps {
  readonly segment: SegmentShown | undefined
  readonly draft: ReturnType<typeof useDraft>
  readonly rules: ReturnType<typeof useRules>
  readonly save: ReturnType<typeof useSave>["save"]
  readonly isReadOnly: boolean
}

/** The name, and the rules or the list. */
const Fields = ({ draft, isReadOnly, rules, save, segment }: FieldsProps) => {
  const { group, list, mode, name, setGroup, setList, setMode, setName } = draft
  return (
    <>
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
          sent={save.variables ?? []}
          isReadOnly={isReadOnly}
        />
      ) : (
        <RulesInput
          segment={segment}
          value={group}
          onChange={(next) => {
            // The earlier faults' conditions may have moved.
            save.reset()
            setGroup(next)
          }}
          rules={rules}
          isReadOnly={isReadOnly}
        />
      )}
    </>
  )
}

const Editor = ({ listed, segment }: EditorProps) => {
  const may = useMay()
  const isReadOnly = segment?.archived_at !== undefined || !may("putSegment")
  const draft = useDraft(segment, listed)
  const { group, list, mode, name } = draft
  const ids = idsIn(list)
  const body = bodyOf({ name, mode, group, ids })
  const { isPossible, isReplacing, isSaved, isUnsaved, note, pendingFor, save, setReplacing } = useSave(segment, body)
  const isList = mode === "static"
  const rules = useRules(group, !isList, save.error)
  const isFilledIn = isList ? list.trim() !== "" : rules.isWhole
  const canSave = name.trim() !== "" && isFilledIn && isPossible
  return (
    <Stack>
      <Unsaved isUnsaved={isUnsaved} />
      <Head segment={segment} isUnsaved={isUnsaved} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <form
            className={isReadOnly ? "readable" : undefined}
            onSubmit={(event) => {
              event.preventDefault()
              if (canSave) save.mutate(ids)
            }}
          >
            <Paper withBorder p="md" radius="md">
              <Stack>
                <Fields segment={segment} draft={draft} rules={rules} save={save} isReadOnly={isReadOnly} />
                {isReadOnly || segment === undefined ? undefined : (
                  <WaitingCampaigns segment_id={segment.segment_id} pendingFor={pendingFor} />
                )}
                {isReadOnly ? undefined : (
                  <Group>
                    <Button type="submit" loading={save.isPending} disabled={!canSave || isSaved}>
                      {text.save}
                    </Button>
                    <Note role="status">{note}</Note>
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
            {isList ? (
              <Listed segment={segment} />
            ) : (
              <Estimate query={rules.estimate} hint={rules.hint} waitsFor={rules.waitsFor} />
            )}
          </div>
        </Grid.Col>
      </Grid>
      {segment === undefined ? undefined : <SegmentMembers segment_id={segment.segment_id} />}
    </Stack>
  )
}

/** The number of a saved list's members now. Closed members do not count. */
const Listed = ({ segment }: { readonly segment: SegmentShown | undefined }) => {
  const estimate = useEstimate(segment && { segment_id: segment.segment_id }, sampleSize)
  return segment === undefined ? undefined : <Estimate query={estimate} />
}

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

import { namedIn } from "./named.ts"
import "../shared/words/labels.ts"
import { Alert, Box, Button, Grid, Group, Paper, Stack, Tabs, Text } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { Dispatch, ReactNode, SetStateAction } from "react"
import { Suspense, useEffect, useState } from "react"
import { ManagedPrograms, WithReason } from "../../contract/admin/Programs.ts"
import { ProgramFile } from "../../contract/ProgramFile.ts"
import { handoverStrings } from "../handovers/handoverStrings.ts"
import { putterWords, useHandsOver } from "../handovers/putters.ts"
import { call, client } from "../shared/client.ts"
import { ReasonDialog } from "../shared/form/ReasonDialog.tsx"
import { Fields } from "../shared/form/ShapeForm.tsx"
import { FormProvider } from "../shared/form/ShapeInputs.tsx"
import { shapeOf } from "../shared/form/shape.ts"
import { Unsaved } from "../shared/form/Unsaved.tsx"
import { number, timeShort } from "../shared/format.ts"
import { catchFocus, Heading } from "../shared/Heading.tsx"
import { later } from "../shared/Later.tsx"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useProgram, useProgramId, useProgramList, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Empty, Loading, Shown } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import type { Begun } from "./begun.ts"
import { useBegun, useDraft } from "./begun.ts"
import type { Section } from "./Cards.tsx"
import type { Draft } from "./draft.ts"
import { followRate } from "./draft.ts"
import { formNotes } from "./formNotes.ts"
import { programmeSearch } from "./programmeSearch.ts"
import { programmeStrings } from "./programmeStrings.ts"
import type { Published } from "./Review.tsx"
import { Review, useValidation } from "./Review.tsx"
import type { Sample } from "./sample.ts"
import { firstSample } from "./sample.ts"
import { VersionChanges } from "./VersionChanges.tsx"

const Accounts = later(() => import("./Accounts.tsx"), "Accounts")

const Challenges = later(() => import("./Challenges.tsx"), "Challenges")

const Earning = later(() => import("./Earning.tsx"), "Earning")

const Evaluation = later(() => import("./Evaluation.tsx"), "Evaluation")

const Expiry = later(() => import("./Expiry.tsx"), "Expiry")

const HandedBy = later(() => import("../handovers/HandedBy.tsx"), "HandedBy")

const General = later(() => import("./General.tsx"), "General")

const Promotions = later(() => import("./Promotions.tsx"), "Promotions")

const Rewards = later(() => import("./Rewards.tsx"), "Rewards")

const StampCard = later(() => import("./StampCard.tsx"), "StampCard")

const GuestPage = later(() => import("./GuestPage.tsx"), "GuestPage")

const Tiers = later(() => import("./Tiers.tsx"), "Tiers")

const ProgramWizards = later(() => import("../wizards/ProgramWizards.tsx"), "ProgramWizards")

const RollBack = later(() => import("./RollBack.tsx"), "RollBack")

const admin = client(ManagedPrograms)
const text = programmeStrings

const shape = shapeOf(ProgramFile)

const fields = shape.kind === "record" ? shape.fields : []

/** The properties of each section. Properties of no other section are in the general one. */
const parts = {
  earning: ["earning", "account_earning", "limits"],
  accounts: ["accounts"],
  tiers: ["tiers", "tier_policy", "metrics"],
  rewards: ["rewards", "redemption"],
  promotions: ["promotions", "stacking"],
  challenges: ["challenges"],
  expiry: ["point_expiration"],
  stampCard: ["stamp_card"],
  guestPage: ["guest_page"]
} as const

const named = new Set<string>(Object.values(parts).flat())

/** Read-only, because another id would be another programme. */
const general = fields.map(({ name }) => name).filter((name) => !named.has(name) && name !== "program_id")

const sections = Object.entries({ general, ...parts }) as ReadonlyArray<
  readonly [keyof typeof text.sections, ReadonlyArray<string>]
>

/** On a narrow screen, a bar at the bottom that leads to the review, which is far below the forms. */
const ToReview = ({ changes }: { readonly changes: number }) => (
  <Paper withBorder shadow="md" p="xs" className="to-review">
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" fw={600} role="status">
        {text.changed(changes)}
      </Text>
      <Button size="xs" onClick={() => document.getElementById("review")?.scrollIntoView()}>
        {text.review}
      </Button>
    </Group>
  </Paper>
)

/** A section as text, for those who may only read it. */
const Forms = ({ section: { draft, fields, onChange } }: { readonly section: Section }) => (
  <Paper withBorder p="md" radius="md">
    <Fields fields={fields} path="" value={draft} onChange={onChange} />
  </Paper>
)

interface EditorProps {
  readonly published: Published
  /** The change that is handed over, which the forms begin with; absent: they begin with the version in force. */
  readonly begun?: Begun | undefined
  readonly begin: () => void
  readonly sample: Sample
  readonly onSample: Dispatch<SetStateAction<Sample>>
}

type SectionName = keyof typeof text.sections

/** The forms of one section of the draft. */
const SectionForms = (props: {
  readonly name: SectionName
  readonly section: Section
  readonly currency: string
  readonly published: Published["program"]
}) => {
  const { currency, name, published, section } = props
  const zone = useZone()
  const id = published.program_id
  const primary = published.accounts.find(({ is_primary }) => is_primary)?.unit ?? "points"
  const shown = { section, currency }
  switch (name) {
    case "general":
      return <General {...shown} />
    case "earning":
      return <Earning {...shown} />
    case "accounts":
      return <Accounts section={section} />
    case "tiers":
      return <Tiers section={section} primary={primary} />
    case "rewards":
      if (section.isReadOnly) return <Forms section={section} />
      return <Rewards {...shown} id={id} primary={primary} zone={zone} />
    case "promotions":
      return <Promotions {...shown} id={id} primary={primary} />
    case "challenges":
      return <Challenges {...shown} id={id} />
    case "expiry":
      return <Expiry section={section} />
    case "stampCard":
      return <StampCard section={section} id={id} />
    case "guestPage":
      return <GuestPage section={section} id={id} />
  }
}

/** The sections as tabs. The address says which one is open. */
const Sections = (props: {
  /** Another number begins the forms anew. */
  readonly loaded: number
  readonly shownOf: (name: SectionName, properties: ReadonlyArray<string>) => ReactNode
}) => {
  const { handover, section = "general" } = useSearch({ from: "/programme" })
  const navigate = useNavigate({ from: "/programme" })
  return (
    <Tabs
      key={props.loaded}
      value={section}
      onChange={(next) =>
        void navigate({ search: programmeSearch({ handover, section: next }), replace: true, resetScroll: false })
      }
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {sections.map(([section]) => (
          <Tabs.Tab key={section} value={section}>
            {text.sections[section]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {sections.map(([section, names]) => (
        <Tabs.Panel key={section} value={section}>
          <Suspense fallback={<Loading />}>{props.shownOf(section, names)}</Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

const Editor = ({ begin, begun, onSample, published, sample }: EditorProps) => {
  const handsOver = useHandsOver("program")
  const { handover } = useSearch({ from: "/programme" })
  const navigate = useNavigate({ from: "/programme" })
  const isReadOnly = !useMay()("publishProgram") && !handsOver
  const { base, draft, isUnsaved, load, loaded, setDraft } = useDraft(published, begin, begun)
  const validation = useValidation(draft)
  const validated = validation.query.data
  const currency = typeof draft["currency"] === "string" ? draft["currency"] : published.program.currency
  const faults = validated === undefined ? [] : [...validated.errors, ...validated.blocking]
  const zone = useZone()
  const sectionOf = (names: ReadonlyArray<string>): Section => ({
    draft,
    inForce: published.program,
    fields: fields.filter(({ name }) => names.includes(name)),
    isFaulty: faults.some(({ path }) => names.some((name) => path === `/${name}` || path.startsWith(`/${name}/`))),
    isReadOnly,
    onChange: (next) => setDraft(followRate(draft, next as Draft))
  })
  return (
    <FormProvider
      value={{
        faults,
        currency,
        zone,
        rewards: namedIn(draft, "rewards", "reward_id"),
        units: namedIn(draft, "accounts", "unit").map(({ id }) => id),
        isReadOnly,
        ...formNotes
      }}
    >
      <Unsaved isUnsaved={isUnsaved} />
      {begun === undefined ? undefined : (
        <Suspense>
          <HandedBy handover={begun.handover} />
        </Suspense>
      )}
      {handsOver ? (
        <Alert role="note" mb="md">
          {handoverStrings.before(putterWords("program"))}
        </Alert>
      ) : undefined}
      {isReadOnly ? undefined : (
        <Box mb="md">
          <Suspense>
            <ProgramWizards
              draft={draft}
              currency={currency}
              onDraft={(next, section) => {
                load(next)
                void navigate({ search: programmeSearch({ handover, section }), replace: true, resetScroll: false })
              }}
            />
          </Suspense>
        </Box>
      )}
      {isUnsaved ? <ToReview changes={validated?.changes.length ?? 0} /> : undefined}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Sections
            loaded={loaded}
            shownOf={(name, names) => (
              <SectionForms name={name} section={sectionOf(names)} currency={currency} published={published.program} />
            )}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack className="beside" id="review">
            {isReadOnly ? undefined : (
              <Review
                draft={draft}
                base={base}
                answers={begun?.handover.status === "open" ? begun.handover : undefined}
                published={published}
                validation={validation}
                begin={begin}
                onDraft={load}
              />
            )}
            <Suspense fallback={<Loading />}>
              <Evaluation
                draft={draft}
                currency={currency}
                id={published.program.program_id}
                isFaulty={faults.length > 0}
                sample={sample}
                onSample={onSample}
              />
            </Suspense>
          </Stack>
        </Grid.Col>
      </Grid>
    </FormProvider>
  )
}

/** A published or discarded draft resets the forms, and not what drafts are tried on. Another operator's version does neither. */
const Drafts = ({ begun, published }: Pick<EditorProps, "begun" | "published">) => {
  const [draftNumber, setDraftNumber] = useState(0)
  const [sample, setSample] = useState(firstSample)
  // With the forms goes the button whose dialog was confirmed.
  useEffect(() => {
    if (draftNumber > 0) catchFocus()
  }, [draftNumber])
  return (
    <Editor
      key={draftNumber}
      published={published}
      begun={draftNumber === 0 ? begun : undefined}
      begin={() => setDraftNumber((before) => before + 1)}
      sample={sample}
      onSample={setSample}
    />
  )
}

const History = ({ published }: { readonly published: Published }) => {
  const may = useMay()
  const zone = useZone()
  const id = published.program.program_id
  const history = usePaged(["versions", id], (page) =>
    call(admin.programs.listProgramVersions({ params: { program_id: id }, query: page }))
  )
  return (
    <Panel title={text.history}>
      <PagedListing
        query={history}
        rowsOf={({ versions }) => versions}
        label={text.history}
        minWidth={560}
        keyOf={({ version }) => version}
        columns={[
          { label: text.versionColumn, width: 100, isLabelled: true, cell: ({ version }) => number(version) },
          {
            label: `${text.published} (${zone})`,
            width: 240,
            cell: ({ published_at, published_by }) => (
              <>
                {timeShort(published_at, zone)}
                <Note size="xs">{published_by}</Note>
              </>
            )
          },
          {
            label: text.historyNote,
            isLong: true,
            cell: ({ changes, note, version }) => (
              <>
                {note ?? text.noNote}
                {changes.length === 0 ? (
                  <Note size="xs">{text.firstVersion}</Note>
                ) : (
                  <VersionChanges id={id} version={version} changes={changes} />
                )}
              </>
            )
          },
          {
            label: "",
            cell: ({ version }) =>
              may("rollBackProgram") && version !== published.version ? (
                <Suspense>
                  <RollBack id={id} version={version} inForce={published.program} />
                </Suspense>
              ) : undefined
          }
        ]}
      />
    </Panel>
  )
}

const Retire = ({ id, isRetired }: { readonly id: string; readonly isRetired: boolean }) => {
  const change = isRetired ? admin.programs.restoreProgram : admin.programs.retireProgram
  return (
    <ReasonDialog
      label={isRetired ? text.restore : text.retire}
      isDangerous={!isRetired}
      preview={isRetired ? text.restorePreview : text.retirePreview}
      done={useRefresh()}
      schema={WithReason}
      send={(payload) => change({ params: { program_id: id }, payload })}
    />
  )
}

export const Programme = () => {
  const id = useProgramId()
  const program = useProgram()
  const list = useProgramList()
  const may = useMay()
  const zone = useZone()
  const { handover } = useSearch({ from: "/programme" })
  const begun = useBegun(handover)
  const isRetired = list.data?.find(({ program_id }) => program_id === id)?.status === "retired"
  if (list.data?.length === 0) return <Empty title={text.none}>{text.noneHint}</Empty>
  return (
    <Stack>
      <Shown query={program}>
        {(published) => (
          <>
            <Group justify="space-between">
              <Heading of={text.title} help="programme">
                {published.program.name}
              </Heading>
              {may("retireProgram") && id !== undefined ? (
                // An open dialog never turns into the opposite change.
                <Retire key={String(isRetired)} id={id} isRetired={isRetired} />
              ) : undefined}
            </Group>
            <Note>
              {`${text.version(published.version, timeShort(published.published_at, zone), published.published_by)} (${zone})`}
            </Note>
            {isRetired ? <Alert color="yellow">{text.retired}</Alert> : undefined}
            {published.program.rehearsal === true ? <Alert color="yellow">{text.rehearsal}</Alert> : undefined}
            {handover === undefined ? (
              <Drafts key={published.program.program_id} published={published} />
            ) : (
              <Shown query={begun}>{(change) => <Drafts key={handover} begun={change} published={published} />}</Shown>
            )}
            <History published={published} />
          </>
        )}
      </Shown>
    </Stack>
  )
}

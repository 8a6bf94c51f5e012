/** Shows what the publication of a draft would do, and publishes it. */
import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import type { Handover } from "../../contract/admin/Handovers.ts"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import { HandOver } from "../handovers/HandOver.tsx"
import { handoversClient } from "../handovers/handingOver.ts"
import { handoverStrings } from "../handovers/handoverStrings.ts"
import { useHandsOver } from "../handovers/putters.ts"
import { call, client, Failure, Worded } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Question } from "../shared/form/Question.tsx"
import { number } from "../shared/format.ts"
import { later } from "../shared/Later.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import type { useProgram } from "../shared/program.tsx"
import { Loading, Shown } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { messageInWords, pathInWords } from "../shared/words/words.ts"
import type { Draft } from "./draft.ts"
import { isSame } from "./draft.ts"
import { ProgramChanges } from "./ProgramChanges.tsx"
import { programmeStrings } from "./programmeStrings.ts"

const PublicationPreview = later(() => import("./PublicationPreview.tsx"), "PublicationPreview")

const ConfirmRewards = later(() => import("./ConfirmRewards.tsx"), "ConfirmRewards")

const FromFile = later(() => import("./FromFile.tsx"), "FromFile")

const admin = client(ManagedPrograms)

const text = programmeStrings

export type Published = NonNullable<ReturnType<typeof useProgram>["data"]>

export const useValidation = (draft: Draft) => {
  const [settled] = useDebouncedValue(draft, 400)
  const query = useQuery({
    queryKey: ["validation", settled],
    placeholderData: keepPreviousData,
    queryFn: () => call(admin.programs.validateProgram({ payload: settled }))
  })
  return { query, isOld: settled !== draft }
}

/** The version that a draft is made from. */
export interface Base {
  readonly version: number
  readonly program: Draft
  /** The version that the draft was carried over to: one that was published after it was begun. */
  readonly meanwhile?: { readonly by: string; readonly both: ReadonlyArray<string> }
}

/** Tells what somebody else has published since the draft was begun. */
const Meanwhile = ({ base, draft }: { readonly base: Base; readonly draft: Draft }) =>
  base.meanwhile === undefined ? undefined : (
    <Alert color="yellow" role="status">
      {text.meanwhile(base.version, base.meanwhile.by)}
      {base.meanwhile.both.map((path) => (
        <div key={path}>{text.both(pathInWords(path, draft))}</div>
      ))}
    </Alert>
  )

interface ReviewProps {
  /** The open handover that a publication answers. */
  readonly answers: Handover | undefined
  readonly draft: Draft
  readonly published: Published
  readonly base: Base
  readonly validation: ReturnType<typeof useValidation>
  readonly begin: () => void
  readonly onDraft: (draft: Draft) => void
}

type Validated = NonNullable<ReturnType<typeof useValidation>["query"]["data"]>

/** Publishes the draft, once its effects were shown. */
const Publish = (
  props: Pick<ReviewProps, "answers" | "base" | "begin" | "draft" | "published"> & { readonly validated: Validated }
) => {
  const { answers, base, begin, draft, published, validated } = props
  const answer = useMay()("approveHandover") ? answers : undefined
  const { changes, confirm_rewards, valid } = validated
  const queries = useQueryClient()
  const [note, setNote] = useState(answer?.reason ?? "")
  // The draft whose effects are shown. The button waits for it, and does not move under the pointer when they come.
  const [seen, setSeen] = useState<Draft>()
  const [confirmed, setConfirmed] = useState<number>()
  const publish = async () => {
    const payload = {
      program: draft,
      expected_version: base.version,
      ...(confirmed === undefined ? {} : { confirm_rewards: confirmed }),
      ...(note === "" ? {} : { note })
    }
    try {
      if (answer === undefined) await call(admin.programs.publishProgram({ payload }))
      else await call(handoversClient.handovers.approveHandover({ params: answer, payload }))
    } catch (error) {
      // Another version is in force. The draft is carried over to it.
      void queries.invalidateQueries({ queryKey: ["versions"] })
      await queries.invalidateQueries({ queryKey: ["program"] })
      await queries.invalidateQueries({ queryKey: ["validation"] })
      // A handover may be decided meanwhile instead: the refusal says by whom, and the next attempt answers nothing.
      await queries.invalidateQueries({ queryKey: ["begun"] })
      throw answer === undefined && error instanceof Failure && error.code === "conflict"
        ? new Worded(text.conflict)
        : error
    }
    // The forms begin anew with the version in force, before anything more is read: what is typed from then on stays.
    await queries.invalidateQueries({ queryKey: ["program"] })
    setNote("")
    begin()
    void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== "session" && name !== "program" })
  }
  return (
    <ChangeDialog
      help="publish"
      label={text.publish}
      isReady={valid && seen === draft && (confirm_rewards === undefined || confirmed === confirm_rewards)}
      run={publish}
    >
      <Text>{text.publishPreview}</Text>
      <ProgramChanges changes={changes} before={published.program} after={draft} />
      <Suspense fallback={<Loading />}>
        <PublicationPreview program={draft} onSeen={setSeen} />
        <ConfirmRewards rewards={confirm_rewards} confirmed={confirmed} onConfirm={setConfirmed} />
      </Suspense>
      <TextInput
        label={text.note}
        maxLength={255}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <Meanwhile base={base} draft={draft} />
    </ChangeDialog>
  )
}

/** Publishes the draft, or hands it over, or discards it. */
const Decide = (props: ReviewProps & { readonly validated: Validated }) => {
  const { base, begin, draft, validated, validation } = props
  const handsOver = useHandsOver("program")
  const [isDiscarding, setDiscarding] = useState(false)
  return (
    <Group align="flex-end">
      {validated.changes.length === 0 ? undefined : handsOver ? (
        <HandOver
          what={{ type: "program", program: draft, version: base.version }}
          does={handoverStrings.does.program}
          isReady={validated.valid && !validation.isOld}
          done={begin}
        />
      ) : (
        <Publish {...props} />
      )}
      <Button variant="default" size="xs" onClick={() => setDiscarding(true)}>
        {text.discard}
      </Button>
      <Question isAsking={isDiscarding} words={text.discardQuestion} stay={() => setDiscarding(false)} leave={begin} />
    </Group>
  )
}

/** Shows what publishing would do, and publishes or hands over. */
export const Review = (props: ReviewProps) => {
  const { base, draft, onDraft, published, validation } = props
  return (
    <Panel title={text.changes}>
      <Shown {...validation}>
        {(validated) => {
          const { affected, blocking, changes, errors, warnings } = validated
          return (
            <Stack>
              <Meanwhile base={base} draft={draft} />
              {changes.length === 0 && errors.length === 0 ? (
                <Text c="dimmed">{text.noChanges}</Text>
              ) : (
                <ProgramChanges changes={changes} before={published.program} after={draft} />
              )}
              {warnings
                .filter(({ path }) => path !== "")
                .map((one) => (
                  <Alert key={one.path} color="yellow" title={text.warning}>
                    {`${pathInWords(one.path, draft)}: ${messageInWords(one)}`}
                  </Alert>
                ))}
              {[
                ...errors.map((one) => [text.errors, one] as const),
                ...blocking.map((one) => [text.blocking, one] as const)
              ].map(([title, one]) => (
                <Alert key={`${title} ${one.path}`} color="red" title={title}>
                  {`${pathInWords(one.path, draft)}: ${messageInWords(one)}`}
                </Alert>
              ))}
              {errors.length > 0 ? undefined : (
                <Note>
                  {text.affected(
                    number(affected.members),
                    number(affected.open_reservations),
                    number(affected.issued_rewards)
                  )}
                </Note>
              )}
              <Suspense>
                <FromFile id={published.program.program_id} onDraft={onDraft} />
              </Suspense>
              {isSame(draft, published.program) ? undefined : <Decide {...props} validated={validated} />}
            </Stack>
          )
        }}
      </Shown>
    </Panel>
  )
}

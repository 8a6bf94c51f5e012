/** Publishes an earlier version again, after it has shown what that changes. */
import "../shared/words/labels.ts"
import { Alert, Stack, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import { call, client, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Shown } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { messageInWords, pathInWords } from "../shared/words/words.ts"
import { ConfirmRewards } from "./ConfirmRewards.tsx"
import type { Draft } from "./draft.ts"
import { ProgramChanges } from "./ProgramChanges.tsx"
import { PublicationPreview } from "./PublicationPreview.tsx"
import { programmeStrings as text } from "./programmeStrings.ts"

const admin = client(ManagedPrograms)

interface RollBackProps {
  readonly id: string
  readonly version: number
  /** The definition in force. */
  readonly inForce: Draft
}

/** The version's definition, and what publishing it now would change. */
const useFormer = ({ id, version }: Pick<RollBackProps, "id" | "version">) =>
  useQuery({
    queryKey: ["former", id, version],
    // Its changes depend on the version in force.
    staleTime: 0,
    queryFn: async () => {
      const params = { program_id: id, version: String(version) }
      const { program } = await call(admin.programs.showProgramVersion({ params }))
      return { program, ...(await call(admin.programs.validateProgram({ payload: program }))) }
    }
  })

interface EffectsProps extends RollBackProps {
  readonly onSeen: (program: unknown) => void
  /** Called with the rewards that need a confirmation. */
  readonly onNeeded: (rewards: number | undefined) => void
  readonly confirmed: number | undefined
  readonly onConfirm: (rewards: number | undefined) => void
}

const Effects = ({ confirmed, onConfirm, onNeeded, onSeen, ...props }: EffectsProps) => {
  const former = useFormer(props)
  const needed = former.data?.confirm_rewards
  useEffect(() => onNeeded(needed), [needed, onNeeded])
  return (
    <Shown query={former}>
      {({ blocking, changes, errors, program }) => (
        <Stack gap="sm">
          {changes.length === 0 ? (
            <Text c="dimmed">{text.sameAsNow}</Text>
          ) : (
            <ProgramChanges changes={changes} before={props.inForce} after={program} />
          )}
          {[...errors, ...blocking].map((one) => (
            <Alert key={one.path} color="red" title={text.blocking}>
              {`${pathInWords(one.path, program)}: ${messageInWords(one)}`}
            </Alert>
          ))}
          {errors.length > 0 ? undefined : <PublicationPreview program={program} onSeen={onSeen} />}
          <ConfirmRewards rewards={needed} confirmed={confirmed} onConfirm={onConfirm} />
        </Stack>
      )}
    </Shown>
  )
}

export const RollBack = ({ id, inForce, version }: RollBackProps) => {
  const refresh = useRefresh()
  const [note, setNote] = useState("")
  const [seen, setSeen] = useState<unknown>()
  const [needed, setNeeded] = useState<number>()
  const [confirmed, setConfirmed] = useState<number>()
  const payload = {
    version,
    ...(confirmed === undefined ? {} : { confirm_rewards: confirmed }),
    ...(note === "" ? {} : { note })
  }
  return (
    <ChangeDialog
      label={text.rollBack}
      name={text.rollBackOf(version)}
      begin={() => {
        setNote("")
        setSeen(undefined)
        setConfirmed(undefined)
      }}
      done={refresh}
      isReady={seen !== undefined && (needed === undefined || confirmed === needed)}
      run={(keyOf) =>
        call(keyed(keyOf({ id, ...payload }), admin.programs.rollBackProgram({ params: { program_id: id }, payload })))
      }
    >
      <Alert title={strings.member.preview}>{text.rollBackPreview(version)}</Alert>
      <TextInput
        label={text.note}
        maxLength={255}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <Effects
        id={id}
        version={version}
        inForce={inForce}
        onSeen={setSeen}
        onNeeded={setNeeded}
        confirmed={confirmed}
        onConfirm={setConfirmed}
      />
    </ChangeDialog>
  )
}

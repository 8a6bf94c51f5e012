/** Dialogs that put handed over work in force after its preview, or send it back. Loaded once something is handed over. */
import { Alert, Stack, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Handover } from "../../contract/admin/Handovers.ts"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import { Activation } from "../audience/Activation.tsx"
import { useCampaign, usePendingAudience } from "../audience/audience.ts"
import { Moves } from "../audience/PendingAudience.tsx"
import { ConfirmRewards } from "../programme/ConfirmRewards.tsx"
import type { Draft } from "../programme/draft.ts"
import { ProgramChanges } from "../programme/ProgramChanges.tsx"
import { PublicationPreview } from "../programme/PublicationPreview.tsx"
import { call, client, Failure } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useProgram } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, Shown, sentenceOf } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { tell } from "../shared/told.ts"
import { doesWords, handoversClient, putWords, yoursWords } from "./handingOver.ts"
import { handoverStrings as text } from "./handoverStrings.ts"

const admin = client(ManagedPrograms)

/** The definition whose preview was shown, and the number of rewards that was confirmed. */
interface Seen {
  readonly program?: Draft
  readonly confirmed?: number | undefined
  readonly needed?: number | undefined
}

interface PartProps {
  readonly handover: Handover
}

const CampaignPreview = ({ handover: { campaign_id = "" } }: PartProps) => (
  <Shown query={useCampaign(campaign_id)}>
    {(campaign) => (
      <>
        <OwnLimits program={campaign.program_id} />
        <Activation campaign={campaign} />
      </>
    )}
  </Shown>
)

const AudiencePreview = ({ handover: { campaign_id = "" } }: PartProps) => (
  <Shown query={usePendingAudience(campaign_id)}>
    {(audience) => (
      <Alert title={strings.member.preview} role="status">
        <Stack gap={4}>
          <Moves audience={audience} />
        </Stack>
      </Alert>
    )}
  </Shown>
)

const ProgramPreview = (props: PartProps & { readonly seen: Seen; readonly onSeen: (more: Seen) => void }) => {
  const { handover, onSeen, seen } = props
  const { handover_id } = handover
  const published = useProgram().data
  const checked = useQuery({
    queryKey: ["handover", handover_id],
    queryFn: async () => {
      const { program = {} } = await call(handoversClient.handovers.showHandover({ params: { handover_id } }))
      return { program: program as Draft, ...(await call(admin.programs.validateProgram({ payload: program }))) }
    }
  })
  return (
    <Shown query={checked}>
      {({ changes, confirm_rewards, program }) => (
        <>
          {published === undefined ? undefined : (
            <ProgramChanges changes={changes} before={published.program} after={program} />
          )}
          <PublicationPreview
            program={program}
            onSeen={(shown) => onSeen({ program: shown, needed: confirm_rewards })}
          />
          <ConfirmRewards
            rewards={confirm_rewards}
            confirmed={seen.confirmed}
            onConfirm={(confirmed) => onSeen({ confirmed })}
          />
        </>
      )}
    </Shown>
  )
}

/** Puts it in force, after the preview that its author would see if she might. */
export const Put = ({ handover }: PartProps) => {
  const { handover_id, has_changed, kind, look } = handover
  const refresh = useRefresh()
  const [seen, setSeen] = useState<Seen>({})
  const isSeen = kind !== "program" || (seen.program !== undefined && seen.needed === seen.confirmed)
  return (
    <ChangeDialog
      label={text.put[kind]}
      name={putWords(handover)}
      submit={text.put[kind]}
      isReady={look !== undefined && isSeen}
      begin={() => setSeen({})}
      done={refresh}
      run={async () => {
        const { confirmed } = seen
        const payload = { look: look ?? "", ...(confirmed === undefined ? {} : { confirm_rewards: confirmed }) }
        try {
          return await call(handoversClient.handovers.approveHandover({ params: { handover_id }, payload }))
        } catch (error) {
          // It may have changed: the preview is made anew. If somebody else was faster, it goes, and its dialog too.
          if (error instanceof Failure && error.code === "conflict") tell(sentenceOf(error))
          refresh()
          throw error
        }
      }}
    >
      {has_changed === true ? <Alert color="yellow">{text.changed}</Alert> : undefined}
      {kind === "campaign" ? (
        <CampaignPreview handover={handover} />
      ) : kind === "audience" ? (
        <AudiencePreview handover={handover} />
      ) : (
        <ProgramPreview
          handover={handover}
          seen={seen}
          onSeen={(more) => setSeen((before) => ({ ...before, ...more }))}
        />
      )}
    </ChangeDialog>
  )
}

/** Sends it back, with a note for who handed it over. */
export const SendBack = ({ handover }: PartProps) => {
  const { handover_id } = handover
  const refresh = useRefresh("handovers")
  const [note, setNote] = useState("")
  return (
    <ChangeDialog
      label={text.sendBack}
      name={text.sendBackOf(doesWords(handover))}
      submit={text.sendBack}
      told={text.sentBack}
      isReady={note.trim() !== ""}
      begin={() => setNote("")}
      done={refresh}
      run={() =>
        call(handoversClient.handovers.declineHandover({ params: { handover_id }, payload: { note: note.trim() } }))
      }
    >
      {(error: unknown) => (
        <TextInput
          label={text.note}
          description={text.noteHint}
          required
          maxLength={255}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          error={faultAt(error, "/note", note)}
        />
      )}
    </ChangeDialog>
  )
}

/** The author takes it back: it is mended, or given up. */
export const TakeBack = ({ handover }: PartProps) => {
  const { handover_id } = handover
  const params = { handover_id }
  return (
    <ChangeDialog
      label={text.takeBack}
      name={text.takeBackOf(doesWords(handover))}
      submit={text.takeBack}
      told={text.takenBack}
      done={useRefresh("handovers")}
      run={() => call(handoversClient.handovers.declineHandover({ params, payload: { note: text.takenBack } }))}
    >
      <Text size="sm">{yoursWords(handover)}</Text>
    </ChangeDialog>
  )
}

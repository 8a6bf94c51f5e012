/** Takes an import back: tells first what goes, who stays and why. */
import { Alert, List, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Import } from "../../contract/platform/Imports.ts"
import type { ImportTakenBack, KeptReason, TakenGuest } from "../../contract/platform/ImportTakenBack.ts"
import { ImportsTakenBack, keptReasons } from "../../contract/platform/ImportTakenBack.ts"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Reason } from "../shared/form/Reason.tsx"
import { number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Loading, sentenceOf } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { importStrings } from "./importStrings.ts"

const platform = client(ImportsTakenBack)

const text = importStrings.takeBack

/** For the look, which changes nothing and is not in the audit log. */
const noReason = "-"

/** Guests that are listed for each reason; the others are counted. */
const listed = 20

const ask = (import_id: string, more: { readonly reason: string; readonly dry_run?: boolean }) =>
  call(platform.platform_imports_taken_back.takeBackImport({ payload: { import_id, ...more } }))

const keptFor = (guests: ReadonlyArray<TakenGuest>, reason: KeptReason) =>
  guests.filter((guest) => guest.reason === reason)

/** The guests who stay, by the reason. */
const Kept = ({ shown }: { readonly shown: ImportTakenBack }) => (
  <>
    {keptReasons.map((reason) => {
      const guests = keptFor(shown.guests, reason)
      return guests.length === 0 ? undefined : (
        <details key={reason}>
          <summary>{text.kept[reason](guests.length, number(guests.length))}</summary>
          <List size="sm">
            {guests.slice(0, listed).map(({ credited, member_id, taken }) => (
              <List.Item key={member_id}>
                <PageLink
                  to="/members/$program_id/$member_id"
                  params={{ program_id: shown.import.program_id, member_id }}
                >
                  {member_id}
                </PageLink>
                {credited === 0 ? "" : ` · ${text.pointsOf(number(taken), number(credited))}`}
              </List.Item>
            ))}
          </List>
          {guests.length > listed ? <Note>{text.more(number(guests.length - listed))}</Note> : undefined}
        </details>
      )
    })}
  </>
)

/** Tells what goes and who stays. `isDone`: it was taken back. */
const Effects = ({ isDone, shown }: { readonly shown: ImportTakenBack; readonly isDone: boolean }) => {
  const { credited, erased, taken } = shown
  return (
    <Stack gap="xs">
      <Text>{text.erased(isDone, erased, number(erased))}</Text>
      {credited === 0 ? undefined : <Text>{text.points(isDone, number(taken), number(credited))}</Text>}
      {credited > taken ? <Text>{text.left(number(credited - taken))}</Text> : undefined}
      <Kept shown={shown} />
    </Stack>
  )
}

const useShown = (import_id: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ["import taken back", import_id],
    enabled: isEnabled,
    retry: false,
    // Guests go on ordering.
    gcTime: 0,
    queryFn: () => ask(import_id, { reason: noReason, dry_run: true })
  })

/** Tells what became of an import that was taken back. */
export const TakenBack = ({ shown }: { readonly shown: Import }) => {
  const may = useMay()
  const taken = useShown(shown.import_id, may("takeBackImport") && shown.rows_deleted === undefined)
  if (shown.taken_back_at === undefined || taken.data === undefined) return undefined
  return <Effects shown={taken.data} isDone />
}

export const TakeBackImport = ({ shown }: { readonly shown: Import }) => {
  const may = useMay()
  const refresh = useRefresh()
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState("")
  const foreseen = useShown(shown.import_id, isOpen)
  if (!may("takeBackImport")) return undefined
  return (
    <ChangeDialog
      label={text.label}
      isDangerous
      isReady={foreseen.data !== undefined && reason !== ""}
      begin={() => {
        setReason("")
        setOpen(true)
      }}
      end={() => setOpen(false)}
      told={({ erased, taken }: ImportTakenBack) => text.done(erased, number(erased), number(taken))}
      done={refresh}
      run={() => ask(shown.import_id, { reason })}
    >
      {(error: unknown) => (
        <>
          <OwnLimits program={shown.program_id} names={["points_per_action", "points_per_day"]} />
          {foreseen.data !== undefined ? (
            <Alert color="red" title={text.preview} role="status">
              <Effects shown={foreseen.data} isDone={false} />
              <Text mt="xs">{text.forGood}</Text>
            </Alert>
          ) : foreseen.error !== null ? (
            <Alert color="red">{sentenceOf(foreseen.error)}</Alert>
          ) : (
            <Loading />
          )}
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}

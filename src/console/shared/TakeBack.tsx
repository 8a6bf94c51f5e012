/** Takes back the unused rewards of one cause. Counts them first. */
import { Alert, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { RewardCause } from "../../contract/admin/TakeBack.ts"
import { RewardsTakenBack } from "../../contract/admin/TakeBack.ts"
import { call, client } from "./client.ts"
import { ChangeDialog } from "./form/ChangeDialog.tsx"
import { Reason } from "./form/Reason.tsx"
import { number } from "./format.ts"
import { OwnLimits } from "./OwnLimits.tsx"
import { useZone } from "./program.tsx"
import { useRefresh } from "./refresh.ts"
import { faultAt, Loading, sentenceOf } from "./States.tsx"
import { instantOf } from "./schedule.ts"
import { useMay } from "./session.tsx"
import { strings } from "./strings.ts"
import { takeBackStrings } from "./takeBackStrings.ts"

const admin = client(RewardsTakenBack)

const text = takeBackStrings

/** For the count, which changes nothing and is not in the audit log. */
const noReason = "-"

interface TakeBackProps {
  readonly program_id: string
  readonly cause: RewardCause
  readonly name: string
  /** True if the cause gives for ever, so that a mistake has a beginning and an end. */
  readonly hasRange?: boolean
}

const isoOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

export const TakeBack = ({ cause, hasRange = false, name, program_id }: TakeBackProps) => {
  const may = useMay()
  const refresh = useRefresh()
  const zone = useZone()
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState("")
  const [from, setFrom] = useState("")
  const [until, setUntil] = useState("")
  const [begin, end] = [isoOf(instantOf(from, zone)), isoOf(instantOf(until, zone))]
  const isTyped = (from === "" || begin !== undefined) && (until === "" || end !== undefined)
  const range = { ...(begin === undefined ? {} : { from: begin }), ...(end === undefined ? {} : { until: end }) }
  const ask = (more: { readonly reason: string; readonly dry_run?: boolean }) =>
    call(admin.takeBack.takeBackRewards({ params: { program_id }, payload: { cause, ...range, ...more } }))
  const foreseen = useQuery({
    queryKey: ["take-back", program_id, cause, range],
    enabled: isOpen && isTyped,
    retry: false,
    // Rewards that a guest has used since are no longer counted.
    gcTime: 0,
    queryFn: () => ask({ reason: noReason, dry_run: true })
  })
  if (!may("takeBackRewards")) return undefined
  const found = isTyped ? foreseen.data?.found : undefined
  return (
    <ChangeDialog
      label={text.label}
      name={name}
      isDangerous
      isReady={found !== undefined && found > 0 && reason !== ""}
      begin={() => {
        for (const empty of [setReason, setFrom, setUntil]) empty("")
        setOpen(true)
      }}
      end={() => setOpen(false)}
      told={({ cancelled, left }) => text.done(cancelled, number(cancelled), left, number(left))}
      done={refresh}
      run={async () => {
        let last = await ask({ reason })
        let { cancelled } = last
        while (last.cancelled > 0 && last.found > last.cancelled + last.left) {
          const next = await ask({ reason }).catch(() => undefined)
          // Gifts that were cancelled before a refusal are told.
          if (next === undefined) return { cancelled, left: last.found - last.cancelled }
          last = next
          cancelled += last.cancelled
        }
        return { cancelled, left: last.left }
      }}
    >
      {(error: unknown) => (
        <>
          {hasRange ? (
            <>
              <TextInput
                type="datetime-local"
                label={text.from}
                description={`${text.fromHint} ${strings.form.inZone(zone)}`}
                value={from}
                onChange={({ currentTarget }) => setFrom(currentTarget.value)}
                error={faultAt(error, "/from", from)}
              />
              <TextInput
                type="datetime-local"
                label={text.until}
                description={`${text.untilHint} ${strings.form.inZone(zone)}`}
                value={until}
                onChange={({ currentTarget }) => setUntil(currentTarget.value)}
                error={faultAt(error, "/until", until)}
              />
            </>
          ) : undefined}
          <OwnLimits program={program_id} names={["rewards_per_day"]} />
          {found !== undefined ? (
            <Alert color="red" title={strings.member.preview} role="status">
              {text.preview(found, number(found))}
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

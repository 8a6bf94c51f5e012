/** Takes back the unused rewards of one cause. Counts them first. */
import { Alert } from "@mantine/core"
import { Effect, Option } from "effect"
import type { RewardCause, TakenBack } from "../../contract/admin/TakeBack.ts"
import { TakeBack as Asked, RewardsTakenBack } from "../../contract/admin/TakeBack.ts"
import { client, keyed } from "./client.ts"
import { Field, ReasonField } from "./form/Field.tsx"
import { FormDialog } from "./form/FormDialog.tsx"
import { number } from "./format.ts"
import { OwnLimits } from "./OwnLimits.tsx"
import { useRefresh } from "./refresh.ts"
import { Loading, sentenceOf } from "./States.tsx"
import { useMay } from "./session.tsx"
import { strings } from "./strings.ts"
import { takeBackStrings } from "./takeBackStrings.ts"

const admin = client(RewardsTakenBack)

const text = takeBackStrings

interface TakeBackProps {
  readonly program_id: string
  readonly cause: RewardCause
  readonly name: string
  /** True if the cause gives for ever, so that a mistake has a beginning and an end. */
  readonly hasRange?: boolean
}

type Taken = Pick<typeof TakenBack.Type, "cancelled" | "left">

export const TakeBack = ({ cause, hasRange = false, name, program_id }: TakeBackProps) => {
  const may = useMay()
  const refresh = useRefresh()
  const ask = (payload: typeof Asked.Type) => admin.takeBack.takeBackRewards({ params: { program_id }, payload })
  if (!may("takeBackRewards")) return undefined
  return (
    <FormDialog
      label={text.label}
      name={name}
      isDangerous
      schema={Asked}
      start={{ cause }}
      foresee={(payload) => ask({ ...payload, dry_run: true })}
      isReady={(_, { data }) => data !== undefined && data.found > 0}
      told={({ cancelled, left }: Taken) => text.done(cancelled, number(cancelled), left, number(left))}
      done={refresh}
      send={(payload) =>
        Effect.gen(function* () {
          let last = yield* ask(payload)
          let { cancelled } = last
          while (last.cancelled > 0 && last.found > last.cancelled + last.left) {
            // Each takes back what the one before has left.
            const next = yield* Effect.option(keyed(crypto.randomUUID(), ask(payload)))
            // Gifts that were cancelled before a refusal are told.
            if (Option.isNone(next)) return { cancelled, left: last.found - last.cancelled }
            last = next.value
            cancelled += last.cancelled
          }
          return { cancelled, left: last.left }
        })
      }
    >
      {(_, { data, error }) => (
        <>
          {hasRange ? (
            <>
              <Field at="/from" label={text.from} hint={text.fromHint} />
              <Field at="/until" label={text.until} hint={text.untilHint} />
            </>
          ) : undefined}
          <OwnLimits program={program_id} names={["rewards_per_day"]} />
          {data !== undefined ? (
            <Alert color="red" title={strings.member.preview} role="status">
              {text.preview(data.found, number(data.found))}
            </Alert>
          ) : error !== null ? (
            <Alert color="red">{sentenceOf(error)}</Alert>
          ) : (
            <Loading />
          )}
          <ReasonField />
        </>
      )}
    </FormDialog>
  )
}

/** `lotbook members merge`: merges a member into another one (admin.md). */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import * as Merge from "../admin/Merge.ts"
import type * as Members from "../contract/admin/Members.ts"
import * as Contract from "../contract/admin/Merge.ts"
import { checked, json, memberLine, onDatabase, print, program, reason } from "./MemberCommands.ts"
import type { Open } from "./Operators.ts"
import * as Operators from "./Operators.ts"

const from = Argument.withDescription(Argument.String("from"), "the member that goes: it is closed for ever")
const into = Argument.withDescription(Argument.String("into"), "the member that stays and has all that the other had")

export const merge = (open: Open) =>
  Command.make(
    "merge",
    { ...Operators.targetFlags, from, into, program, reason, json },
    ({ from, into, json, program, reason, ...flags }) =>
      Operators.running(
        Effect.gen(function* () {
          const { program_id } = yield* checked(Contract.MergeParams, { program_id: program })
          const payload = yield* checked(Contract.Merge, { from, into, reason })
          const answer = (yield* Option.isSome(flags.url)
            ? Operators.send(flags.url.value, "POST", Contract.pathOf(program_id), payload)
            : onDatabase(open, flags, "POST", () =>
                Effect.flatMap(Merge.make, (merging) => merging.merge(program_id, payload))
              )) as typeof Members.MemberOnly.Type
          yield* print(json, answer, () => [`${from} was merged.`, memberLine(answer.member)])
        })
      )
  ).pipe(Command.withDescription("Merge a member into another one: points, rewards, metrics and identities go along."))

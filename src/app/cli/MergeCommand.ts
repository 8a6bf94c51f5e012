/** `lotbook members merge`: merges a member into another one (contract/members.md *Merging*). */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Merge from "../../capabilities/members/Merge.ts"
import * as Contract from "../../contract/admin/Merge.ts"
import type { Open } from "./AdminTarget.ts"
import { ask, targetFlags, toExitCode } from "./AdminTarget.ts"
import { toggle } from "./Flags.ts"
import { checked, json, memberLine, onDatabase, print, program, reason } from "./MemberCommands.ts"

const from = Argument.withDescription(Argument.String("from"), "the member that is merged; it is closed permanently")
const into = Argument.withDescription(
  Argument.String("into"),
  "the member that remains and gets everything of the other one"
)

const dryRun = toggle("dry-run", "show what would move and be copied, and change nothing")

const line = (label: string, parts: ReadonlyArray<string>) =>
  parts.length === 0 ? [] : [`${label}: ${parts.join(", ")}`]

const previewLines = ({ copied, dropped, filled_cards, moved }: Contract.MergePreview): ReadonlyArray<string> => [
  ...line(
    "moved",
    moved.balances.map(({ amount, lots, unit }) => `${amount} ${unit} in ${lots} lots`)
  ),
  ...line(
    "moved rewards",
    moved.issued_rewards.map(({ issued_reward_id, reward_id }) => `${issued_reward_id} (${reward_id})`)
  ),
  ...line(
    "moved identities",
    moved.identities.map(({ count, type }) => `${count} ${type}`)
  ),
  ...line("copied", [...copied.profile, ...copied.attributes]),
  ...line(
    "consent afterwards",
    copied.consents.map(({ channel, granted, purpose }) =>
      [purpose, ...(channel === undefined ? [] : [channel]), granted ? "yes" : "no"].join(" ")
    )
  ),
  ...line("deleted", [...dropped.profile, ...dropped.attributes]),
  ...line("filled cards", filled_cards === 0 ? [] : [String(filled_cards)])
]

export const merge = (open: Open) =>
  Command.make(
    "merge",
    { ...targetFlags, from, into, program, reason, dryRun, json },
    Effect.fnUntraced(function* ({ dryRun, from, into, json, program, reason, ...flags }) {
      const { program_id } = yield* checked(Contract.MergeParams, { program_id: program })
      const payload = yield* checked(Contract.Merge, {
        from,
        into,
        reason,
        ...(dryRun ? { dry_run: true } : undefined)
      })
      const answer = yield* ask(flags, {
        at: (client) => client.merge.mergeMembers({ params: { program_id }, payload }),
        on: onDatabase(open, "write", () => Effect.flatMap(Merge.make, (merging) => merging.merge(program_id, payload)))
      })
      yield* print(json, answer, () => [
        dryRun ? `${from} would be merged.` : `${from} was merged.`,
        memberLine(answer.member),
        ...(answer.preview === undefined ? [] : previewLines(answer.preview))
      ])
    }, toExitCode)
  ).pipe(
    Command.withDescription("Merge a member into another one, with its points, rewards, metrics and identities."),
    Command.withExamples([
      {
        command:
          "lotbook members merge member-004 member-003 --program demo-foodservice --url http://127.0.0.1:3210 --reason 'Two cards'",
        description: "member-003 stays and gets everything"
      }
    ])
  )

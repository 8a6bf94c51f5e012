/** A status word with a coloured dot. */
import { Badge } from "@mantine/core"
import type { MemberStatus as Known } from "../../contract/Values.ts"
import { strings } from "./strings.ts"

type Tone = "good" | "waiting" | "bad" | "neutral"

const colors = { good: "green.7", waiting: "yellow.7", bad: "red.7", neutral: "gray.6" } as const

export const Status = ({ children, tone }: { readonly tone: Tone; readonly children: string }) => (
  <Badge variant="dot" color={colors[tone]}>
    {children}
  </Badge>
)

const memberTones = { active: "good", suspended: "waiting", closed: "neutral" } as const

export const MemberStatus = ({ status }: { readonly status: Known }) => (
  <Status tone={memberTones[status]}>{strings.members.statuses[status]}</Status>
)

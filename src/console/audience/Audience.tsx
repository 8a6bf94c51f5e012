/** The frame of the audience pages. Each tab has its own address. */
import { Stack } from "@mantine/core"
import { Link, Outlet, useLocation } from "@tanstack/react-router"
import { Heading } from "../shared/Heading.tsx"
import { strings } from "../shared/strings.ts"

const text = strings.audience

const parts = [
  { to: "/audience/segments", label: text.segments, help: "segments" },
  { to: "/audience/campaigns", label: text.campaigns, help: "campaigns" },
  { to: "/audience/imports", label: text.imports, help: "imports" }
] as const

export const Audience = () => {
  const { pathname } = useLocation()
  const part = parts.find(({ to }) => pathname.startsWith(to))
  return (
    <Stack>
      <Heading part={part?.label} help={part?.help ?? "segments"}>
        {text.title}
      </Heading>
      <nav className="tabs" aria-label={text.parts}>
        {parts.map(({ label, to }) => (
          // The router sets `aria-current` on the link of this address and of addresses below it.
          <Link key={to} to={to}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Stack>
  )
}

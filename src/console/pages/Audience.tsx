/** The frame of the audience's pages: each part is an address of its own. */
import { Stack, Title } from "@mantine/core"
import { Link, Outlet } from "@tanstack/react-router"
import { strings } from "../app/strings.ts"

const text = strings.audience

const parts = [
  { to: "/audience/segments", label: text.segments },
  { to: "/audience/campaigns", label: text.campaigns },
  { to: "/audience/imports", label: text.imports }
] as const

export const Audience = () => (
  <Stack>
    <Title order={1}>{text.title}</Title>
    <nav className="tabs" aria-label={text.parts}>
      {parts.map(({ label, to }) => (
        // The router marks the link of this address, and of those below it, with `aria-current`.
        <Link key={to} to={to}>
          {label}
        </Link>
      ))}
    </nav>
    <Outlet />
  </Stack>
)

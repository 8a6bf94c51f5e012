/** The page that the company's provider leads back to: opens a session, and goes to Today. */
import { Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect } from "react"
import { Heading } from "../shared/Heading.tsx"
import { ButtonLink } from "../shared/PageLink.tsx"
import { Loading, Refused } from "../shared/States.tsx"
import { useEnter } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { finishAtProvider } from "./provider.ts"
import { answer } from "./signedIn.ts"

const text = staffStrings.provider

export const SignedIn = () => {
  const given = answer()
  const enter = useEnter()
  const navigate = useNavigate()
  const { data, error } = useQuery({
    queryKey: ["session", "provider", given],
    queryFn: () => finishAtProvider(given ?? ""),
    enabled: given !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false
  })
  useEffect(() => {
    if (data === undefined) return
    void enter(data).then(() => navigate({ to: "/", replace: true }))
  }, [data, enter, navigate])
  return (
    <Stack mt="sm">
      <Heading>{text.title}</Heading>
      {given !== undefined && error === null ? <Loading /> : undefined}
      <Refused error={error} />
      {given !== undefined && error === null ? undefined : (
        <ButtonLink to="/" replace variant="default">
          {text.again}
        </ButtonLink>
      )}
    </Stack>
  )
}

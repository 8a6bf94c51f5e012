/** The logo of the guests' page: no part of a version, so that it changes at once. */
import { Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Logos } from "../../../contract/admin/Logos.ts"
import { call, client, Failure } from "../../app/client.ts"
import { guestPageStrings } from "../../app/guestPageStrings.ts"
import { useRefresh } from "../../app/refresh.ts"
import { LogoInput, LogoShown, RemoveLogo } from "../../ui/LogoInput.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Shown } from "../../ui/States.tsx"

const admin = client(Logos)
const text = guestPageStrings.logo

/** The logo of a programme in force; null: it has none. */
export const useLogo = (id: string, isPublished = true) => {
  const params = { program_id: id }
  return useQuery({
    queryKey: ["logo", id],
    enabled: isPublished,
    queryFn: async () => {
      try {
        return await call(admin.logos.showLogo({ params }))
      } catch (error) {
        if (error instanceof Failure && error.code === "not_found") return null
        throw error
      }
    }
  })
}

/** A picture as an address that an image shows. */
export const logoAddress = (png: string): string => `data:image/png;base64,${png}`

export const Logo = ({ id, isReadOnly }: { readonly id: string; readonly isReadOnly: boolean }) => {
  const params = { program_id: id }
  const refresh = useRefresh("logo")
  const logo = useLogo(id)
  const remove = (
    <RemoveLogo effect={text.removeEffect} done={refresh} run={() => call(admin.logos.deleteLogo({ params }))} />
  )
  return (
    <Panel
      title={text.title}
      actions={isReadOnly || logo.data === null || logo.data === undefined ? undefined : remove}
    >
      <Stack gap="sm">
        <Shown query={logo}>
          {(shown) => (
            <LogoShown
              shown={shown === null ? undefined : { ...shown, address: logoAddress(shown.png) }}
              none={text.none}
            />
          )}
        </Shown>
        {isReadOnly ? undefined : (
          <LogoInput
            hint={text.hint}
            put={(png) => call(admin.logos.putLogo({ params, payload: { png } }))}
            done={refresh}
          />
        )}
      </Stack>
    </Panel>
  )
}

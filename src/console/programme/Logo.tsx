/** The logo of the guests' page: no part of a version, so that it changes at once. */
import { Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Logos } from "../../contract/admin/Logos.ts"
import { call, client, Failure } from "../shared/client.ts"
import { LogoInput, LogoShown, RemoveLogo } from "../shared/form/LogoInput.tsx"
import { guestPageStrings } from "../shared/guestPageStrings.ts"
import { useLook } from "../shared/look.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Shown } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"

const admin = client(Logos)
const text = guestPageStrings.logo

/** The logo of a programme in force; null: it has none. */
const useLogo = (id: string, isPublished = true) => {
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
const logoAddress = (png: string): string => `data:image/png;base64,${png}`

/** Address of the picture on the guests' page: the programme's, or else the business's; undefined: it has none. */
export const usePageLogo = (id: string, isPublished: boolean): string | undefined => {
  const own = useLogo(id, isPublished).data
  const ofBusiness = useLook().data?.logo?.url
  return own === undefined || own === null ? ofBusiness : logoAddress(own.png)
}

export const Logo = ({ id }: { readonly id: string }) => {
  // A logo is in force at once: those who hand changes over may not set it.
  const isReadOnly = !useMay()("putLogo")
  const params = { program_id: id }
  const refresh = useRefresh("logo")
  const logo = useLogo(id)
  const ofBusiness = useLook().data?.logo
  const remove = (
    <RemoveLogo
      effect={ofBusiness === undefined ? text.removeEffect : text.removeForBusiness}
      done={refresh}
      run={() => call(admin.logos.deleteLogo({ params }))}
    />
  )
  return (
    <Panel
      title={text.title}
      actions={isReadOnly || logo.data === null || logo.data === undefined ? undefined : remove}
    >
      <Stack gap="sm">
        <Shown query={logo}>
          {(shown) =>
            shown === null && ofBusiness !== undefined ? (
              <>
                <Note>{text.ofBusiness}</Note>
                <LogoShown shown={{ ...ofBusiness, address: ofBusiness.url }} none={text.none} />
              </>
            ) : (
              <LogoShown
                shown={shown === null ? undefined : { ...shown, address: logoAddress(shown.png) }}
                none={text.none}
              />
            )
          }
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

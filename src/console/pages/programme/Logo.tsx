/** The logo of the guests' page: no part of a version, so that it changes at once. */
import { Alert, Stack, Text } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Logos } from "../../../contract/admin/Logos.ts"
import { call, client, Failure } from "../../app/client.ts"
import { number } from "../../app/format.ts"
import { guestPageStrings } from "../../app/guestPageStrings.ts"
import { logoFault } from "../../app/logoFile.ts"
import { useRefresh } from "../../app/refresh.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { FileDrop } from "../../ui/FileDrop.tsx"
import { Note } from "../../ui/Note.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Refused, Shown } from "../../ui/States.tsx"

const admin = client(Logos)
const text = guestPageStrings.logo

const base64Of = (bytes: Uint8Array): string => {
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

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
  const [fault, setFault] = useState<string>()
  const put = useMutation({
    mutationFn: (bytes: Uint8Array) => call(admin.logos.putLogo({ params, payload: { png: base64Of(bytes) } })),
    onSuccess: refresh
  })
  const take = async (file: File): Promise<void> => {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const found = logoFault(bytes)
    put.reset()
    setFault(found)
    if (found === undefined) put.mutate(bytes)
  }
  const remove = (
    <ChangeDialog label={text.remove} isDangerous done={refresh} run={() => call(admin.logos.deleteLogo({ params }))}>
      <Alert color="red">{text.removeEffect}</Alert>
    </ChangeDialog>
  )
  return (
    <Panel
      title={text.title}
      actions={isReadOnly || logo.data === null || logo.data === undefined ? undefined : remove}
    >
      <Stack gap="sm">
        <Shown query={logo}>
          {(shown) =>
            shown === null ? (
              <Note>{text.none}</Note>
            ) : (
              <>
                <img
                  src={logoAddress(shown.png)}
                  alt={text.alt}
                  style={{ maxWidth: "100%", maxHeight: 80, alignSelf: "flex-start" }}
                />
                <Text size="sm">{text.size(number(shown.width), number(shown.height))}</Text>
              </>
            )
          }
        </Shown>
        {isReadOnly ? undefined : (
          <FileDrop label={text.choose} hint={text.hint} accept="image/png" onFile={(file) => void take(file)} />
        )}
        {fault === undefined ? undefined : (
          <Text size="sm" c="red" role="alert">
            {fault}
          </Text>
        )}
        {put.error === null ? undefined : <Refused error={put.error} />}
      </Stack>
    </Panel>
  )
}

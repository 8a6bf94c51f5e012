/** The logo of the guests' page: no part of a version, so that it changes at once. */
import { Alert, Stack, Text } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { Logos } from "../../../contract/admin/Logos.ts"
import { call, client, Failure } from "../../app/client.ts"
import { number } from "../../app/format.ts"
import { guestPageStrings } from "../../app/guestPageStrings.ts"
import { useRefresh } from "../../app/refresh.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { FileDrop } from "../../ui/FileDrop.tsx"
import { Note } from "../../ui/Note.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Refused, Shown } from "../../ui/States.tsx"

const admin = client(Logos)
const text = guestPageStrings.logo

const base64Of = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

export const Logo = ({ id, isReadOnly }: { readonly id: string; readonly isReadOnly: boolean }) => {
  const params = { program_id: id }
  const refresh = useRefresh("logo")
  const logo = useQuery({
    queryKey: ["logo", id],
    queryFn: async () => {
      try {
        return await call(admin.logos.showLogo({ params }))
      } catch (error) {
        if (error instanceof Failure && error.code === "not_found") return null
        throw error
      }
    }
  })
  const put = useMutation({
    mutationFn: async (file: File) => call(admin.logos.putLogo({ params, payload: { png: await base64Of(file) } })),
    onSuccess: refresh
  })
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
                  src={`data:image/png;base64,${shown.png}`}
                  alt={text.alt}
                  style={{ maxWidth: "100%", maxHeight: 80, alignSelf: "flex-start" }}
                />
                <Text size="sm">{text.size(number(shown.width), number(shown.height))}</Text>
              </>
            )
          }
        </Shown>
        {isReadOnly ? undefined : (
          <FileDrop label={text.choose} hint={text.hint} accept="image/png" onFile={(file) => put.mutate(file)} />
        )}
        {put.error === null ? undefined : <Refused error={put.error} />}
      </Stack>
    </Panel>
  )
}

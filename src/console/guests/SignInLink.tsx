/** Makes a link by which the guest signs in to the programme's page, and shows it once, as a code to scan and as text. */
import { Alert, Box, Button, Code, Group, Stack, Text } from "@mantine/core"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import type { SignInLink as MadeLink } from "../../contract/platform/SignInLinks.ts"
import { SignInLinks } from "../../contract/platform/SignInLinks.ts"
import { Copy } from "../shared/Copy.tsx"
import { call, client, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { OnceDialog } from "../shared/form/OnceDialog.tsx"
import { useProgram } from "../shared/program.tsx"
import { drawn, QrCode } from "../shared/QrCode.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { strings } from "../shared/strings.ts"
import { memberStrings } from "./memberStrings.ts"

const platform = client(SignInLinks)

const text = memberStrings.signInLink

const Link = ({ url }: { readonly url: string }) => (
  <Stack>
    <Text>{text.hint}</Text>
    <Box w={240} mx="auto">
      <QrCode label={text.picture} {...drawn(url)} />
    </Box>
    <Code block className="secret">
      {url}
    </Code>
    <Group justify="flex-end">
      <Copy value={url} label={text.copy} done={text.copied} onCopied={() => undefined} />
    </Group>
  </Stack>
)

export const SignInLink = () => {
  const payload = useParams({ from: "/members/$program_id/$member_id" })
  const refresh = useRefresh()
  const [made, setMade] = useState<typeof MadeLink.Type>()
  const close = () => setMade(undefined)
  const hasPage = useProgram().data?.program.guest_page !== undefined
  if (!hasPage) return undefined
  return (
    <>
      <ChangeDialog
        label={text.make}
        done={refresh}
        run={async (keyOf) =>
          setMade(await call(keyed(keyOf(payload), platform.platform_sign_in_links.makeSignInLink({ payload }))))
        }
      >
        <Text>{text.effect}</Text>
      </ChangeDialog>
      <OnceDialog opened={made !== undefined} isHeld={false} onClose={close} title={text.title}>
        {made?.sign_in_url === undefined ? <Alert color="yellow">{text.lost}</Alert> : <Link url={made.sign_in_url} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            {strings.states.close}
          </Button>
        </Group>
      </OnceDialog>
    </>
  )
}

/** A logo that is there, and the ways to set or remove it. It changes at once. */
import { Alert, Text } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { number } from "../format.ts"
import { guestPageStrings } from "../guestPageStrings.ts"
import { Note } from "../Note.tsx"
import { Refused } from "../States.tsx"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { FileDrop } from "./FileDrop.tsx"
import { logoFault } from "./logoFile.ts"

const text = guestPageStrings.logo

const base64Of = (bytes: Uint8Array): string => {
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

interface Shown {
  /** The address of the image. */
  readonly address: string
  readonly width: number
  readonly height: number
}

/** The picture with its size. `none`: the words without one. */
export const LogoShown = ({ none, shown }: { readonly shown: Shown | undefined; readonly none: string }) =>
  shown === undefined ? (
    <Note>{none}</Note>
  ) : (
    <>
      <img
        src={shown.address}
        alt={text.alt}
        style={{ maxWidth: "100%", maxHeight: 80, alignSelf: "flex-start", objectFit: "contain" }}
      />
      <Text size="sm">{text.size(number(shown.width), number(shown.height))}</Text>
    </>
  )

export const RemoveLogo = (props: {
  readonly effect: string
  readonly run: () => Promise<unknown>
  readonly done: () => void
}) => (
  <ChangeDialog label={text.remove} isDangerous done={props.done} run={props.run}>
    <Alert color="red">{props.effect}</Alert>
  </ChangeDialog>
)

/** Takes a file. `put` gets it in base64. */
export const LogoInput = (props: {
  readonly hint: string
  readonly put: (png: string) => Promise<unknown>
  readonly done: () => void
}) => {
  const [fault, setFault] = useState<string>()
  const put = useMutation({ mutationFn: (bytes: Uint8Array) => props.put(base64Of(bytes)), onSuccess: props.done })
  const take = async (file: File): Promise<void> => {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const found = logoFault(bytes)
    put.reset()
    setFault(found)
    if (found === undefined) put.mutate(bytes)
  }
  return (
    <>
      <FileDrop label={text.choose} hint={props.hint} accept="image/png" onFile={(file) => void take(file)} />
      {fault === undefined ? undefined : (
        <Text size="sm" c="red" role="alert">
          {fault}
        </Text>
      )}
      {put.error === null ? undefined : <Refused error={put.error} />}
    </>
  )
}

/** The business's own look, or Lotbook's: in the head of every page, and before the sign-in. */
import { Text } from "@mantine/core"
import { useLook } from "../shared/look.ts"
import { strings } from "../shared/strings.ts"
import { Mark } from "./Icons.tsx"

/** A band of the business's colour, which says nothing that the name does not. */
export const Band = () => {
  const colour = useLook().data?.colour
  return colour === undefined ? undefined : <div className="band" style={{ background: colour }} aria-hidden="true" />
}

/** The logo and the name. Until they are known there is room for them alone, so that Lotbook's are not seen first. */
export const Brand = () => {
  const { data, isPending } = useLook()
  if (isPending) return <div className="logo" />
  const { logo, name = strings.product } = data ?? {}
  return (
    <>
      {logo === undefined ? <Mark /> : <img className="logo" src={logo.url} alt="" />}
      <Text fw={700} truncate miw={0} dir="auto" title={name}>
        {name}
      </Text>
    </>
  )
}

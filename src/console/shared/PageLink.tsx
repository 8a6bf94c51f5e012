/** Links and buttons that lead to a page of the console. */
import type { AnchorProps, ButtonProps } from "@mantine/core"
import { Anchor, Button } from "@mantine/core"
import { createLink } from "@tanstack/react-router"
import type { ComponentProps } from "react"

type Of<Props> = Props & Omit<ComponentProps<"a">, keyof Props>

export const PageLink = createLink((props: Of<AnchorProps>) => <Anchor size="sm" {...props} />)

export const ButtonLink = createLink((props: Of<ButtonProps>) => <Button component="a" {...props} />)

/** The guests' page of an edited programme: in words, a dialog with a picture of it, its logo, cards for tables. */
import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core"
import { Schema } from "effect"
import { ProgramFile } from "../../contract/ProgramFile.ts"
import { guestPageStrings as text } from "../shared/guestPageStrings.ts"
import { Note } from "../shared/Note.tsx"
import type { Section } from "./Cards.tsx"
import { InWords, useCards } from "./Cards.tsx"
import type { DialogOf } from "./DraftDialog.tsx"
import { DraftDialog, useTyped, wrapperOrder } from "./DraftDialog.tsx"
import { GuestPicture } from "./GuestPicture.tsx"
import type { GuestPageEntry } from "./guestPage.ts"
import { firstLanguage, guestPageEntryOf, guestPageFaults, guestPageOf, mostLinks } from "./guestPage.ts"
import { Logo, usePageLogo } from "./Logo.tsx"
import { withPart } from "./occasions.ts"
import { TableCards } from "./TableCards.tsx"

const isPage = Schema.is(ProgramFile.fields.guest_page)

const kinds = ["none", "page"] as const

interface Typed extends GuestPageEntry {
  readonly kind: (typeof kinds)[number]
}

const faultsOf = ({ kind, ...entry }: Typed) => (kind === "none" ? [] : guestPageFaults(entry))

const languageSets = ["en,de", "de,en", "en", "de"] as const

const languagesOf = (set: string): GuestPageEntry["languages"] =>
  (languageSets.find((one) => one === set) ?? "en").split(",") as unknown as GuestPageEntry["languages"]

interface LinksProps {
  readonly links: GuestPageEntry["links"]
  readonly error: string | undefined
  readonly onChange: (links: GuestPageEntry["links"]) => void
}

const Links = ({ error, links, onChange }: LinksProps) => (
  <Stack gap="xs">
    {links.map((link, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a link has nothing else that stays
      <SimpleGrid key={at} cols={{ base: 1, sm: 2 }} spacing="sm">
        <TextInput
          label={text.linkLabel(at + 1)}
          value={link.label}
          onChange={({ currentTarget }) => onChange(links.with(at, { ...link, label: currentTarget.value }))}
        />
        <TextInput
          label={text.linkUrl(at + 1)}
          type="url"
          value={link.url}
          onChange={({ currentTarget }) => onChange(links.with(at, { ...link, url: currentTarget.value }))}
        />
      </SimpleGrid>
    ))}
    {error === undefined ? undefined : (
      <Text size="sm" c="red" role="alert">
        {error}
      </Text>
    )}
    <Group gap="sm">
      <Button
        variant="default"
        size="xs"
        disabled={links.length >= mostLinks}
        onClick={() => onChange([...links, { label: "", url: "" }])}
      >
        {text.addLink}
      </Button>
      <Note>{text.linksHint}</Note>
    </Group>
  </Stack>
)

interface PageDialogProps extends DialogOf<GuestPageEntry | undefined> {
  readonly entry: GuestPageEntry
  readonly hasPage: boolean
  readonly logo: string | undefined
}

const PageDialog = ({ entry, hasPage, label, logo, onSave }: PageDialogProps) => {
  const { begin, errorOf, faults, put, typed } = useTyped<Typed, "name" | "colour" | "links">(
    () => ({ ...entry, kind: hasPage ? "page" : "none" }),
    faultsOf,
    text.faults
  )
  const set = typed.languages.join(",")
  return (
    <DraftDialog
      label={label}
      isReady={faults.length === 0}
      begin={begin}
      onSave={() => onSave(typed.kind === "none" ? undefined : typed)}
    >
      <NativeSelect
        label={text.has}
        value={typed.kind}
        data={kinds.map((value) => ({ value, label: text.kinds[value] }))}
        onChange={({ currentTarget }) => put({ kind: currentTarget.value === "page" ? "page" : "none" })}
      />
      {typed.kind === "none" ? undefined : (
        <>
          <TextInput
            label={text.name}
            value={typed.name}
            onChange={({ currentTarget }) => put({ name: currentTarget.value })}
            // An empty one is told too: nothing else says why the button is closed.
            {...errorOf("name", "typed")}
          />
          <TextInput
            label={text.colour}
            description={text.colourHint}
            inputWrapperOrder={[...wrapperOrder]}
            value={typed.colour}
            onChange={({ currentTarget }) => put({ colour: currentTarget.value.trim() })}
            {...errorOf("colour", typed.colour)}
          />
          <NativeSelect
            label={text.language}
            description={text.languageHint}
            inputWrapperOrder={[...wrapperOrder]}
            value={set}
            data={languageSets.map((value) => ({ value, label: text.languageSets[value] }))}
            onChange={({ currentTarget }) => put({ languages: languagesOf(currentTarget.value) })}
          />
          <Links links={typed.links} error={errorOf("links", "typed").error} onChange={(links) => put({ links })} />
          <GuestPicture name={typed.name} colour={typed.colour} language={firstLanguage(typed.languages)} logo={logo} />
        </>
      )}
    </DraftDialog>
  )
}

export const GuestPage = ({ id, section }: { readonly section: Section; readonly id: string }) => {
  const { draft, inForce } = section
  const { changes, replace } = useCards(section)
  const drafted = draft["guest_page"]
  const page = isPage(drafted) ? drafted : undefined
  const entry = guestPageEntryOf(page, typeof draft["name"] === "string" ? draft["name"] : "")
  const isPublished = inForce["guest_page"] !== undefined
  const logo = usePageLogo(id, isPublished)
  return (
    <Stack>
      <InWords
        text={text}
        section={section}
        changes={changes}
        dialog={
          <PageDialog
            label={text.edit}
            entry={entry}
            hasPage={page !== undefined}
            logo={logo}
            onSave={(next) => replace(withPart(draft, "guest_page", next && guestPageOf(next)))}
          />
        }
      >
        {page === undefined ? (
          <Note>{text.none}</Note>
        ) : (
          <>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {text.at(`${location.origin}/my/${id}`)}
            </Text>
            <Text size="sm">{text.languages(page.languages.map((one) => text.languageNames[one]).join(", "))}</Text>
            {page.links === undefined || page.links.length === 0 ? undefined : (
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                {text.links(page.links.map(({ label }) => label).join(", "))}
              </Text>
            )}
            <GuestPicture name={page.name} colour={page.colour} language={firstLanguage(page.languages)} logo={logo} />
          </>
        )}
      </InWords>
      {isPublished ? (
        <>
          <Logo id={id} />
          <TableCards id={id} name={page?.name ?? entry.name} language={firstLanguage(entry.languages)} />
        </>
      ) : undefined}
    </Stack>
  )
}

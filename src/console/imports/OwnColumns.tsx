/** Meaning of each column of a file, and how its cells are written: chosen before the file is checked. */

import { Alert, Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, TextInput, Title } from "@mantine/core"
import { useState } from "react"
import type { Field } from "../../contract/ColumnNames.ts"
import { fields } from "../../contract/ColumnNames.ts"
import type { DateOrder } from "../../contract/WrittenDates.ts"
import { dateOrders, guessDateOrder } from "../../contract/WrittenDates.ts"
import { guessThousands, haveSeparators, thousands } from "../../contract/WrittenPoints.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import type { OwnFile, Sheet } from "./file.ts"
import { columnName, sheetAs } from "./file.ts"
import { guessChoices, isMember } from "./guesses.ts"
import { importStrings } from "./importStrings.ts"
import type { Cells, ChoiceFault, Choices } from "./mapping.ts"
import { cellsOf, choiceFault, hasNationalNumbers, lacksNames, unknownWords } from "./mapping.ts"

const text = importStrings.mapping

/** Cells that show what a column has. */
const shownCells = 3

const cardTypes = ["loyalty_id", "token", "external"] as const

const fieldNames: ReadonlyArray<{ readonly value: string; readonly label: string }> = [
  { value: "", label: text.leaveOut },
  ...fields.map((value) => ({ value, label: text.fields[value] }))
]

const fieldOf = (value: string): Field | undefined => fields.find((one) => one === value)

const faultText = (fault: ChoiceFault): string =>
  fault.kind === "twice" ? text.twice(text.fields[fault.field]) : text[fault.kind]

/** The choices of files whose correction may be chosen next, by their columns. */
const earlier = new Map<string, Choices>()

const guessed = (file: OwnFile, hasHeader: boolean): Choices => {
  const { header, rows } = sheetAs(file, hasHeader)
  return guessChoices(
    header,
    rows.map(({ cells }) => cells),
    hasHeader
  )
}

const initial = (file: OwnFile): Choices =>
  earlier.get(JSON.stringify(file.header)) ?? guessed(file, !isMember(file.header))

const wordsOf = (written: string): Cells =>
  written
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

interface PartProps {
  readonly file: Sheet
  readonly choices: Choices
  readonly onChange: (change: Partial<Choices>) => void
}

const cellsAs = ({ choices, file }: PartProps, field: Field): Cells =>
  cellsOf(
    file.rows.map(({ cells }) => cells),
    choices.columns.indexOf(field)
  )

const ColumnTable = (props: PartProps) => {
  const { choices, file } = props
  const change = (place: number, field: Field | undefined): void => {
    const columns = choices.columns.map((one, index) => (index === place ? field : one))
    const cells = cellsOf(
      file.rows.map((row) => row.cells),
      place
    )
    props.onChange({
      columns,
      ...(field === "birth_date" ? { dateOrder: guessDateOrder(cells).order } : {}),
      ...(field === "opening_balance" ? { thousands: guessThousands(cells) } : {})
    })
  }
  return (
    <Listing
      label={text.title}
      minWidth={480}
      rows={file.header.map((_, place) => place)}
      keyOf={(place) => place}
      columns={[
        { label: text.column, cell: (place) => <bdi>{columnName(file.header, place)}</bdi> },
        {
          label: text.cells,
          cell: (place) => (
            <div>
              {file.rows.slice(0, shownCells).map(({ cells, row }) => (
                <div key={row}>
                  <bdi>{cells[place]}</bdi>
                </div>
              ))}
            </div>
          )
        },
        {
          label: text.field,
          isLong: true,
          cell: (place) => (
            <>
              <NativeSelect
                aria-label={text.fieldFor(columnName(file.header, place))}
                data={[...fieldNames]}
                value={choices.columns[place] ?? ""}
                onChange={({ currentTarget }) => change(place, fieldOf(currentTarget.value))}
              />
              {choices.columns[place] === "attribute" ? (
                <TextInput
                  mt="xs"
                  aria-label={text.attributeFor(columnName(file.header, place))}
                  placeholder={text.attribute}
                  value={choices.attributes[place] ?? ""}
                  onChange={({ currentTarget: { value } }) =>
                    props.onChange({
                      attributes: file.header.map((_, at) => (at === place ? value : (choices.attributes[at] ?? "")))
                    })
                  }
                />
              ) : undefined}
            </>
          )
        }
      ]}
    />
  )
}

const Dates = (props: PartProps) => {
  const { isSure, order } = guessDateOrder(cellsAs(props, "birth_date"))
  return order === "YMD" ? undefined : (
    <NativeSelect
      label={text.dateOrder}
      {...(isSure ? {} : { description: text.unsureDates })}
      data={dateOrders.map((value) => ({ value, label: text.dateOrders[value] }))}
      value={props.choices.dateOrder}
      onChange={({ currentTarget }) => props.onChange({ dateOrder: currentTarget.value as DateOrder })}
    />
  )
}

const Points = ({ choices, onChange }: PartProps) => (
  <NativeSelect
    label={text.points}
    data={[
      { value: "", label: text.pointsUnknown },
      ...thousands.map((value) => ({ value, label: text.pointsWritten[value] }))
    ]}
    value={choices.thousands ?? ""}
    onChange={({ currentTarget }) => onChange({ thousands: thousands.find((one) => one === currentTarget.value) })}
  />
)

/** Lists of words are kept as they are typed. */
const Words = (props: PartProps) => {
  const { consent } = props.choices
  const [typed, setTyped] = useState({ yes: consent.yes.join(", "), no: consent.no.join(", ") })
  const unknown = unknownWords(cellsAs(props, "marketing_consent"), consent)
  const change = (change: Partial<typeof typed>): void => {
    const next = { ...typed, ...change }
    setTyped(next)
    props.onChange({ consent: { yes: wordsOf(next.yes), no: wordsOf(next.no) } })
  }
  return (
    <>
      <TextInput
        label={text.yes}
        description={text.wordsHint}
        value={typed.yes}
        onChange={({ currentTarget }) => change({ yes: currentTarget.value })}
      />
      <TextInput
        label={text.no}
        description={unknown.length === 0 ? text.wordsHint : text.unknownWords(unknown)}
        value={typed.no}
        onChange={({ currentTarget }) => change({ no: currentTarget.value })}
      />
    </>
  )
}

interface FirstRowProps {
  readonly file: OwnFile
  readonly hasHeader: boolean
  readonly onChange: (choices: Choices) => void
}

/** Whether the first row is a header. It looks like a member if it has dates, numbers or addresses. */
const FirstRow = ({ file, hasHeader, onChange }: FirstRowProps) => (
  <Checkbox
    label={text.hasHeader}
    description={isMember(file.header) ? text.firstIsMember : undefined}
    checked={hasHeader}
    onChange={({ currentTarget }) => onChange(guessed(file, currentTarget.checked))}
  />
)

/** For a file that has nothing but e-mail addresses to tell its members apart. */
const NamedByEmail = ({ choices, onChange }: PartProps) =>
  lacksNames(choices) && choices.columns.includes("email") ? (
    <Checkbox
      label={text.namedByEmail}
      description={text.namedByEmailHint}
      checked={choices.isNamedByEmail}
      onChange={({ currentTarget }) => onChange({ isNamedByEmail: currentTarget.checked })}
    />
  ) : undefined

/** The formats that a chosen column needs. */
const Formats = (props: PartProps) => {
  const { columns } = props.choices
  const has = (field: Field): boolean => columns.includes(field)
  const consents = cellsAs(props, "marketing_consent").filter((cell) => !/^(?:true|false|)$/i.test(cell))
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {has("birth_date") ? <Dates {...props} /> : undefined}
      {has("opening_balance") && haveSeparators(cellsAs(props, "opening_balance")) ? <Points {...props} /> : undefined}
      {has("phone") && hasNationalNumbers(cellsAs(props, "phone")) ? (
        <TextInput
          label={text.code}
          description={text.codeHint}
          inputMode="tel"
          value={props.choices.callingCode}
          onChange={({ currentTarget }) => props.onChange({ callingCode: currentTarget.value.trim() })}
        />
      ) : undefined}
      {has("identity_value") && !has("identity_type") ? (
        <NativeSelect
          label={text.cardTypeOf}
          data={cardTypes.map((value) => ({ value, label: text.cardTypes[value] }))}
          value={props.choices.cardType}
          onChange={({ currentTarget }) => props.onChange({ cardType: currentTarget.value })}
        />
      ) : undefined}
      {has("marketing_consent") && consents.length > 0 ? <Words {...props} /> : undefined}
    </SimpleGrid>
  )
}

export const OwnColumns = (props: {
  readonly file: OwnFile
  readonly isBusy: boolean
  readonly onCheck: (choices: Choices) => void
  /** A choice has changed: what was checked before is out of date. */
  readonly onChange: () => void
}) => {
  const { file } = props
  const [choices, setChoices] = useState(() => initial(file))
  const sheet = sheetAs(file, choices.hasHeader)
  const fault = choiceFault(
    choices,
    sheet.rows.map(({ cells }) => cells)
  )
  const change = (change: Partial<Choices>): void => {
    setChoices({ ...choices, ...change })
    props.onChange()
  }
  const check = (): void => {
    earlier.set(JSON.stringify(file.header), choices)
    props.onCheck(choices)
  }
  return (
    <section aria-label={text.title}>
      <Stack gap="sm">
        <Title order={3} size="h5">
          {text.title}
        </Title>
        <Note>{text.hint}</Note>
        <FirstRow file={file} hasHeader={choices.hasHeader} onChange={change} />
        <ColumnTable file={sheet} choices={choices} onChange={change} />
        <NamedByEmail file={sheet} choices={choices} onChange={change} />
        <Formats file={sheet} choices={choices} onChange={change} />
        {fault === undefined ? undefined : (
          <Alert color="yellow" role="status">
            {faultText(fault)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button disabled={fault !== undefined} loading={props.isBusy} onClick={check}>
            {text.check}
          </Button>
        </Group>
      </Stack>
    </section>
  )
}

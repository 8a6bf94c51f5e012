/** A form for any value that the contract describes. Shows each fault at its field. */
import "../words/labels.ts"
import { Button, Checkbox, Fieldset, Group, NativeSelect, Stack, TagsInput, Text } from "@mantine/core"
import type { ReactNode } from "react"
import { useContext, useState } from "react"
import { limitNames } from "../../../contract/RestaurantLimits.ts"
import { PlacesInput } from "../choosers/PlacesInput.tsx"
import { SoldInput } from "../choosers/SoldInput.tsx"
import { Note } from "../Note.tsx"
import { strings } from "../strings.ts"
import { labelOf } from "../words/words.ts"
import { recordOf } from "./draft.ts"
import type { InputProps } from "./ShapeInputs.tsx"
import {
  FormProvider,
  MoneyInput,
  PairsInput,
  TextShape,
  TimeInput,
  useCommon,
  useNote,
  WholeInput
} from "./ShapeInputs.tsx"
import { ShapeText } from "./ShapeText.tsx"
import type { Field, Shape } from "./shape.ts"
import { blank } from "./shape.ts"

const text = strings.form

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Identities of a list's items. They move with the items, so that what a form keeps of an item moves with it. */
const useItemIds = (length: number) => {
  const [ids, setIds] = useState<ReadonlyArray<string>>(() => Array.from({ length }, () => crypto.randomUUID()))
  return {
    ids,
    insert: (at: number): string => {
      const id = crypto.randomUUID()
      setIds(ids.toSpliced(at, 0, id))
      return id
    },
    remove: (at: number): void => setIds(ids.toSpliced(at, 1))
  }
}

/** An item of a list. A large one of several starts closed, unless it is new or has a fault. */
const ListItem = (props: {
  readonly label: string
  readonly path: string
  readonly shape: Shape
  readonly isOpen: boolean
  readonly children: ReactNode
}) => {
  const { faults } = useContext(FormProvider)
  // Fields that were opened stay open, also once their fault is gone.
  const [isOpen, setOpen] = useState(props.isOpen)
  const { path, shape } = props
  const isWrong = faults.some((fault) => fault.path === path || fault.path.startsWith(`${path}/`))
  const isSmall = shape.kind !== "record" || shape.fields.every((one) => isPlain(one.shape))
  const content = <Stack gap="xs">{props.children}</Stack>
  if (isSmall) return content
  return (
    <details className="item" open={isOpen || isWrong} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <bdi>{props.label}</bdi>
      </summary>
      {content}
    </details>
  )
}

const Removed = ({ label, putBack }: { readonly label: string; readonly putBack: () => void }) => (
  <Group role="status" gap="xs">
    <Text size="sm">{text.removed(label)}</Text>
    <Button variant="subtle" size="xs" onClick={putBack}>
      {text.putBack}
    </Button>
  </Group>
)

const ListInput = (props: InputProps<Extract<Shape, { readonly kind: "list" }>>) => {
  const common = useCommon(props)
  const { currency } = useContext(FormProvider)
  const { of } = props.shape
  const items = listOf(props.value)
  const { ids, insert, remove } = useItemIds(items.length)
  /** The item that was added last. */
  const [added, setAdded] = useState<string>()
  const addAt = (at: number, item: unknown): void => {
    setAdded(insert(at))
    props.onChange(items.toSpliced(at, 0, item))
  }
  /** The item that was removed last, to be put back. */
  const [removed, setRemoved] = useState<{ readonly at: number; readonly item: unknown; readonly label: string }>()
  if (of.kind === "text" && of.options !== undefined) {
    return (
      <Checkbox.Group
        {...common}
        inputWrapperOrder={["label", "description", "input", "error"]}
        value={items.map(String)}
        onChange={props.onChange}
      >
        <Group mt="xs">
          {of.options.map((option) => (
            <Checkbox key={option} value={option} label={labelOf(option)} />
          ))}
        </Group>
      </Checkbox.Group>
    )
  }
  if (of.kind === "text" || of.kind === "number") {
    const toItem = (item: string): unknown => (of.kind === "text" ? item : Number(item))
    return <TagsInput {...common} value={items.map(String)} onChange={(next) => props.onChange(next.map(toItem))} />
  }
  const put = (at: number, value: unknown) => props.onChange(items.with(at, value))
  return (
    <Fieldset variant="unstyled" className="shape" legend={props.label}>
      <Stack>
        {common.description === undefined ? undefined : <Note>{common.description}</Note>}
        {common.error === undefined ? undefined : (
          <Text size="sm" c="red" role="alert">
            {common.error}
          </Text>
        )}
        {items.map((item, at) => {
          const { name } = recordOf(item)
          const label = typeof name === "string" && name !== "" ? name : `${props.label} ${at + 1}`
          const id = ids[at]
          return (
            <ListItem
              key={id}
              label={label}
              path={`${props.path}/${at}`}
              shape={of}
              isOpen={items.length === 1 || id === added}
            >
              <ShapeInput
                shape={of}
                label={label}
                path={`${props.path}/${at}`}
                value={item}
                onChange={(next) => put(at, next)}
              />
              <Button
                variant="subtle"
                color="red"
                size="xs"
                style={{ alignSelf: "flex-end" }}
                onClick={() => {
                  setRemoved({ at, item, label })
                  remove(at)
                  props.onChange(items.toSpliced(at, 1))
                }}
              >
                {text.remove(label)}
              </Button>
            </ListItem>
          )
        })}
        {removed === undefined ? undefined : (
          <Removed
            label={removed.label}
            putBack={() => {
              addAt(removed.at, removed.item)
              setRemoved(undefined)
            }}
          />
        )}
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: "flex-start" }}
          onClick={() => addAt(items.length, blank(of, currency))}
        >
          {text.add}
        </Button>
      </Stack>
    </Fieldset>
  )
}

/** Lists of ids that people choose by name. */
const isChosen = (path: string): boolean => /\/(product|category|location|franchisee|brand)_ids$/.test(path)

const ChosenInput = (props: InputProps) => {
  const common = { ...useCommon(props), value: listOf(props.value).map(String), onChange: props.onChange }
  const place = limitNames.find((name) => props.path.endsWith(`/${name}`))
  if (place !== undefined) return <PlacesInput {...common} of={place} maxLength={128} />
  return <SoldInput {...common} of={props.path.endsWith("/product_ids") ? "products" : "categories"} />
}

const ChoiceInput = (props: InputProps<Extract<Shape, { readonly kind: "choice" }>>) => {
  const { currency } = useContext(FormProvider)
  /** The values of types that were chosen before. */
  const [left, setLeft] = useState<Readonly<Record<string, unknown>>>({})
  const { type } = recordOf(props.value)
  const chosen = props.shape.of.find((one) => one.type === type) ?? props.shape.of[0]
  if (chosen === undefined) return undefined
  const choose = (next: string) => {
    const variant = props.shape.of.find((one) => one.type === next)
    if (variant === undefined) return
    setLeft({ ...left, [chosen.type]: props.value })
    props.onChange(left[next] ?? blank(variant.shape, currency))
  }
  return (
    <Fieldset variant="unstyled" className="shape" legend={props.label}>
      <Stack>
        <NativeSelect
          label={labelOf("type")}
          data={props.shape.of.map((one) => ({ value: one.type, label: labelOf(one.type) }))}
          value={chosen.type}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
        <Fields
          fields={chosen.shape.kind === "record" ? chosen.shape.fields.filter(({ name }) => name !== "type") : []}
          path={props.path}
          value={props.value}
          onChange={props.onChange}
        />
      </Stack>
    </Fieldset>
  )
}

/** True for a value that is a single field. Such fields stand side by side. */
const isPlain = ({ kind }: Shape): boolean => ["text", "number", "money", "time"].includes(kind)

/** Yes, no, or neither, which the description tells what it means. */
const OptionalFlag = (props: InputProps) => {
  const common = useCommon(props)
  return (
    <NativeSelect
      {...common}
      data={[
        { value: "", label: text.notSet },
        { value: "true", label: text.yes },
        { value: "false", label: text.no }
      ]}
      value={typeof props.value === "boolean" ? String(props.value) : ""}
      onChange={({ currentTarget: { value } }) => props.onChange(value === "" ? undefined : value === "true")}
    />
  )
}

/** An optional property. A single field is absent while it is empty; others have a switch that adds or removes them. */
const OptionalInput = (props: InputProps) => {
  const { currency } = useContext(FormProvider)
  const isThere = props.value !== undefined
  /** The value that the switch removed, and puts back. */
  const [removed, setRemoved] = useState<unknown>()
  const { description } = useCommon(props)
  const { shape } = props
  if (shape.kind === "flag") return <OptionalFlag {...props} />
  if (isPlain(shape)) {
    const orNone =
      shape.kind === "text" && shape.options !== undefined ? { ...shape, options: ["", ...shape.options] } : shape
    return <ShapeInput {...props} shape={orNone} onChange={(next) => props.onChange(next === "" ? undefined : next)} />
  }
  return (
    <Stack gap="xs">
      <Checkbox
        label={text.has(props.label)}
        description={isThere ? undefined : description}
        checked={isThere}
        onChange={({ currentTarget }) => {
          setRemoved(props.value)
          props.onChange(currentTarget.checked ? (removed ?? blank(props.shape, currency)) : undefined)
        }}
      />
      {isThere ? <ShapeInput {...props} /> : undefined}
    </Stack>
  )
}

/** The properties of a record: fields, or text for those who may only read. */
export const Fields = (props: {
  readonly fields: ReadonlyArray<Field>
  readonly path: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}) => {
  const { isReadOnly, zone } = useContext(FormProvider)
  const record = recordOf(props.value)
  if (isReadOnly) return <ShapeText fields={props.fields} value={record} zone={zone} />
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...others } = record
    props.onChange(value === undefined ? others : { ...record, [name]: value })
  }
  return (
    <div className="fields">
      {props.fields.map(({ isRequired, name, shape }) => {
        const Input = isRequired ? ShapeInput : OptionalInput
        return (
          <div key={name} data-plain={isPlain(shape) && name !== "description"}>
            <Input
              shape={shape}
              label={labelOf(name)}
              path={`${props.path}/${name}`}
              value={record[name]}
              onChange={(value) => set(name, value)}
            />
          </div>
        )
      })}
    </div>
  )
}

const RecordInput = (props: InputProps<Extract<Shape, { readonly kind: "record" }>>) => {
  const noteOf = useNote()
  return (
    <Fieldset variant="unstyled" className="shape" legend={props.label}>
      {props.shape.description === undefined ? undefined : <Note mb="sm">{noteOf(props.shape)}</Note>}
      <Fields fields={props.shape.fields} path={props.path} value={props.value} onChange={props.onChange} />
    </Fieldset>
  )
}

const FlagInput = (props: InputProps) => {
  const { inputWrapperOrder: _, ...common } = useCommon(props)
  return (
    <Checkbox
      {...common}
      checked={props.value === true}
      onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
    />
  )
}

export const ShapeInput = ({ shape, ...props }: InputProps) => {
  switch (shape.kind) {
    case "text":
      return <TextShape {...props} shape={shape} />
    case "time":
      return <TimeInput {...props} shape={shape} />
    case "number":
      return <WholeInput {...props} shape={shape} />
    case "flag":
      return <FlagInput {...props} shape={shape} />
    case "money":
      return <MoneyInput {...props} shape={shape} />
    case "pairs":
      return <PairsInput {...props} shape={shape} />
    case "list":
      return isChosen(props.path) ? <ChosenInput {...props} shape={shape} /> : <ListInput {...props} shape={shape} />
    case "choice":
      return <ChoiceInput {...props} shape={shape} />
    case "record":
      return <RecordInput {...props} shape={shape} />
  }
}

/** A dialog for a guest whose order has no points yet: claims it by the receipt's code, or adds it by hand. */
import { Alert, Button, Checkbox, Group, NativeSelect, SegmentedControl, Stack, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { ReceiptAdded } from "../../contract/admin/Receipts.ts"
import { Receipts } from "../../contract/admin/Receipts.ts"
import { askFor, isBeyondLimit, useMayAsk } from "../asks/asking.ts"
import { askStrings } from "../asks/askStrings.ts"
import type { MemberShown } from "../guests/MemberShown.ts"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Reason } from "../shared/form/Reason.tsx"
import { digitsOf, signed, timeShort } from "../shared/format.ts"
import { useOpenLocations } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useNames, useProgram, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, foreseenSentenceOf } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import type { TypedProduct, TypedReceipt } from "./receipt.ts"
import { emptyProduct, emptyReceipt, receiptOf } from "./receipt.ts"
import { receiptStrings } from "./receiptStrings.ts"

const admin = client(Receipts)

const text = receiptStrings

type Entries = Pick<ReceiptAdded, "entry" | "entries">

const useEarned = () => {
  const names = useNames()
  return ({ entries, entry }: Entries): string =>
    (entries ?? [entry]).map(({ amount, unit }) => `${signed(amount)} ${names.unit(unit)}`).join(", ")
}

const Products = (props: {
  readonly currency: string
  readonly products: ReadonlyArray<TypedProduct>
  readonly onChange: (products: ReadonlyArray<TypedProduct>) => void
  readonly error: unknown
}) => {
  const { currency, error, onChange, products } = props
  const set = (place: number, change: Partial<TypedProduct>) =>
    onChange(products.map((one, at) => (at === place ? { ...one, ...change } : one)))
  return (
    <>
      {products.map((one, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place alone
        <Group key={place} align="flex-end" gap="xs">
          <TextInput
            label={text.product}
            required
            value={one.product_id}
            onChange={({ currentTarget }) => set(place, { product_id: currentTarget.value })}
            error={faultAt(error, `/products/${place}/product_id`, one.product_id)}
            style={{ flex: "2 1 9rem" }}
          />
          <TextInput
            label={text.quantity}
            inputMode="numeric"
            value={one.quantity}
            onChange={({ currentTarget }) => set(place, { quantity: currentTarget.value })}
            style={{ flex: "1 1 4rem" }}
          />
          <TextInput
            label={text.cost(currency)}
            inputMode="decimal"
            required
            value={one.cost}
            onChange={({ currentTarget }) => set(place, { cost: currentTarget.value })}
            style={{ flex: "1 1 7rem" }}
          />
          <Button
            variant="default"
            aria-label={text.removeProduct(place + 1)}
            onClick={() => onChange(products.filter((_, at) => at !== place))}
          >
            ×
          </Button>
        </Group>
      ))}
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => onChange([...products, emptyProduct])}>
          {text.moreProducts}
        </Button>
        <Note size="xs">{text.productsHint}</Note>
      </Group>
    </>
  )
}

const Fields = (props: {
  readonly typed: TypedReceipt
  readonly set: (change: Partial<TypedReceipt>) => void
  readonly currency: string
  readonly error: unknown
}) => {
  const { currency, error, set, typed } = props
  const zone = useZone()
  const locations = useOpenLocations()
  return (
    <>
      <NativeSelect
        label={text.restaurant}
        required
        value={typed.location_id}
        data={[
          { value: "", label: text.choose },
          ...locations.map(({ location_id, name }) => ({ value: location_id, label: name ?? location_id }))
        ]}
        onChange={({ currentTarget }) => set({ location_id: currentTarget.value })}
      />
      <Group grow align="flex-start">
        <TextInput
          label={text.number}
          required
          value={typed.number}
          onChange={({ currentTarget }) => set({ number: currentTarget.value })}
          error={faultAt(error, "/number", typed.number)}
        />
        <TextInput
          label={text.amount(currency)}
          inputMode="decimal"
          required
          value={typed.amount}
          onChange={({ currentTarget }) => set({ amount: currentTarget.value })}
          error={faultAt(error, "/amount", typed.amount)}
        />
      </Group>
      <TextInput
        type="datetime-local"
        label={text.at(zone)}
        required
        value={typed.at}
        onChange={({ currentTarget }) => set({ at: currentTarget.value })}
        error={faultAt(error, "/placed_at", typed.at)}
      />
      <Products
        currency={currency}
        products={typed.products}
        onChange={(products) => set({ products })}
        error={error}
      />
      <Reason value={typed.reason} onChange={(reason) => set({ reason })} error={error} />
    </>
  )
}

/** Other orders, in words. */
const useOrders = () => {
  const zone = useZone()
  return (orders: ReceiptAdded["others"]): string =>
    orders
      .map(({ at, member_id, order_id }) =>
        member_id === undefined
          ? text.other(order_id, timeShort(at, zone))
          : text.otherOf(order_id, timeShort(at, zone), member_id)
      )
      .join("; ")
}

const useAlready = () => {
  const zone = useZone()
  return ({ at, by }: NonNullable<ReceiptAdded["already"]>): string => text.already(timeShort(at, zone), by)
}

const alikeIn = (data: ReceiptAdded | undefined) => (data?.others ?? []).filter(({ is_alike }) => is_alike === true)

/** Effects of the receipt, or why it is not possible, and other orders that may be the same. */
const Preview = (props: {
  readonly data: ReceiptAdded | undefined
  readonly error: unknown
  readonly isAnother: boolean
  readonly setAnother: (isAnother: boolean) => void
}) => {
  const { data, error, isAnother, setAnother } = props
  const earned = useEarned()
  const orders = useOrders()
  const alreadyWords = useAlready()
  if (data === undefined)
    return error === null ? undefined : (
      <Alert color="red" role="status">
        {foreseenSentenceOf(error)}
      </Alert>
    )
  if (data.already !== undefined)
    return (
      <Alert color="yellow" role="status">
        {alreadyWords(data.already)}
      </Alert>
    )
  const alike = alikeIn(data)
  const own = data.others.filter(({ is_alike }) => is_alike !== true)
  return (
    <>
      <Alert title={strings.member.preview} role="status" color={data.others.length === 0 ? "indigo" : "yellow"}>
        <Stack gap={4}>
          <Text size="sm">{text.earns(earned(data))}</Text>
          {alike.length === 0 ? undefined : <Text size="sm">{text.alike(orders(alike))}</Text>}
          {own.length === 0 ? undefined : <Text size="sm">{text.others(orders(own))}</Text>}
        </Stack>
      </Alert>
      {alike.length === 0 ? undefined : (
        <Checkbox
          label={text.isAnother}
          required
          checked={isAnother}
          onChange={({ currentTarget }) => setAnother(currentTarget.checked)}
        />
      )}
    </>
  )
}

/** The receipt that is typed, what it would do, and whether a manager is asked for it. `text`: of its facts. */
const useTypedReceipt = (params: { readonly program_id: string; readonly member_id: string }, isWanted: boolean) => {
  const currency = useProgram().data?.program.currency ?? "USD"
  const zone = useZone()
  const mayAsk = useMayAsk()
  const [typed, setTyped] = useState(emptyReceipt)
  /** The facts that somebody has looked at beside orders that may be the same. */
  const [looked, setLooked] = useState("")
  const receipt = receiptOf(typed, { currency, digits: digitsOf(currency), zone })
  const facts = receipt === undefined ? "" : JSON.stringify({ ...receipt, reason: "-" })
  const [settled] = useDebouncedValue(facts, 400)
  const preview = useQuery({
    queryKey: ["receipt", params, settled],
    enabled: isWanted && settled !== "",
    retry: false,
    queryFn: () => call(admin.receipts.addReceipt({ params, payload: { ...JSON.parse(settled), dry_run: true } }))
  })
  const isForeseen = facts !== "" && settled === facts
  const mustAsk = mayAsk && isForeseen && isBeyondLimit(preview.error)
  const isAnother = looked === facts
  const isPossible =
    preview.data === undefined
      ? preview.error === null || mustAsk
      : preview.data.already === undefined && (alikeIn(preview.data).length === 0 || isAnother)
  return {
    ...{ currency, facts, isAnother, mustAsk, preview, receipt, typed },
    isReady: typed.reason !== "" && receipt !== undefined && (!isForeseen || isPossible),
    set: (change: Partial<TypedReceipt>) => setTyped((before) => ({ ...before, ...change })),
    setAnother: (isAnother: boolean) => setLooked(isAnother ? facts : ""),
    clear: () => {
      setTyped(emptyReceipt)
      setLooked("")
    }
  }
}

/** `isTold`: the dialog tells why the receipt is refused. */
const ByHand = (props: {
  readonly byHand: ReturnType<typeof useTypedReceipt>
  readonly program_id: string
  readonly error: unknown
  readonly isTold: boolean
}) => {
  const { byHand, error, isTold, program_id } = props
  const { currency, isAnother, mustAsk, preview, set, setAnother, typed } = byHand
  return (
    <>
      <OwnLimits program={program_id} />
      <Fields typed={typed} set={set} currency={currency} error={error} />
      {mustAsk ? <Note>{askStrings.hint}</Note> : undefined}
      <Preview
        data={preview.data}
        error={isTold ? null : preview.error}
        isAnother={isAnother}
        setAnother={setAnother}
      />
    </>
  )
}

const ByCode = (props: {
  readonly code: string
  readonly setCode: (code: string) => void
  readonly error: unknown
}) => (
  <TextInput
    label={text.code}
    description={text.codeHint}
    required
    autoComplete="off"
    value={props.code}
    onChange={({ currentTarget }) => props.setCode(currentTarget.value)}
    error={faultAt(props.error, "/claim_code", props.code)}
  />
)

export const ReceiptMissing = ({ member }: Pick<MemberShown, "member">) => {
  const { member_id, program_id } = member
  const params = { program_id, member_id }
  const keepsOrders = useProgram().data?.program.claims !== undefined
  const refresh = useRefresh()
  const earned = useEarned()
  const alreadyWords = useAlready()
  const [isOpen, setOpen] = useState(false)
  const [isByHand, setByHand] = useState(!keepsOrders)
  const [code, setCode] = useState("")
  /** The facts that were refused when they were sent: the dialog tells why. */
  const [refused, setRefused] = useState("")
  const byHand = useTypedReceipt(params, isOpen && isByHand)
  const { facts, isAnother, mustAsk, receipt } = byHand
  const add = async (): Promise<string> => {
    if (receipt === undefined) throw new Error("the button is disabled until the receipt is whole")
    const { reason, ...order } = receipt
    if (mustAsk) {
      await askFor({ ...params, gift: { type: "receipt", ...order }, reason })
      return askStrings.asked
    }
    const confirmed = isAnother ? { confirmed: true } : undefined
    const added = await call(admin.receipts.addReceipt({ params, payload: { ...receipt, ...confirmed } }))
    return added.already === undefined ? text.added(earned(added)) : alreadyWords(added.already)
  }
  const run = async (): Promise<string> => {
    if (!isByHand)
      return text.claimed(earned(await call(admin.receipts.claimReceipt({ params, payload: { claim_code: code } }))))
    try {
      return await add()
    } catch (error) {
      setRefused(facts)
      throw error
    }
  }
  return (
    <ChangeDialog
      help="receipt"
      label={text.missing}
      submit={!isByHand ? text.claim : mustAsk ? askStrings.ask : text.add}
      told={(told) => told}
      isReady={isByHand ? byHand.isReady : code.trim() !== ""}
      begin={() => {
        setOpen(true)
        setByHand(!keepsOrders)
        setCode("")
        setRefused("")
        byHand.clear()
      }}
      end={() => setOpen(false)}
      done={refresh}
      run={run}
    >
      {(error: unknown) => (
        <>
          {keepsOrders ? (
            <SegmentedControl
              aria-label={text.way}
              value={isByHand ? "hand" : "code"}
              data={[
                { value: "code", label: text.byCode },
                { value: "hand", label: text.byHand }
              ]}
              onChange={(way) => setByHand(way === "hand")}
            />
          ) : undefined}
          {isByHand ? (
            <ByHand
              byHand={byHand}
              program_id={program_id}
              error={error}
              isTold={refused !== "" && refused === facts}
            />
          ) : (
            <ByCode code={code} setCode={setCode} error={error} />
          )}
        </>
      )}
    </ChangeDialog>
  )
}

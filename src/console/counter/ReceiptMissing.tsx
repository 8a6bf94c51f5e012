/** A dialog for a guest whose order has no points yet: claims it by the receipt's code, or adds it by hand. */
import { Alert, Button, Group, NativeSelect, SegmentedControl, Stack, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { ReceiptAdded } from "../../contract/admin/Receipts.ts"
import { Receipts } from "../../contract/admin/Receipts.ts"
import { call, client } from "../app/client.ts"
import { digitsOf, signed, timeShort } from "../app/format.ts"
import { useOpenLocations } from "../app/locations.ts"
import { useNames, useProgram, useZone } from "../app/program.tsx"
import { useRefresh } from "../app/refresh.ts"
import { strings } from "../app/strings.ts"
import { ChangeDialog } from "../ui/ChangeDialog.tsx"
import type { MemberShown } from "../ui/MemberShown.ts"
import { Note } from "../ui/Note.tsx"
import { OwnLimits } from "../ui/OwnLimits.tsx"
import { Reason } from "../ui/Reason.tsx"
import { faultAt, sentenceOf } from "../ui/States.tsx"
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

/** Effects of the receipt, or why it is not possible, and other orders that may be the same. */
const Preview = ({ data, error }: { readonly data: ReceiptAdded | undefined; readonly error: unknown }) => {
  const earned = useEarned()
  const zone = useZone()
  if (data === undefined) return error === null ? undefined : <Alert color="red">{sentenceOf(error)}</Alert>
  return (
    <Alert title={strings.member.preview} role="status" color={data.others.length === 0 ? "indigo" : "yellow"}>
      <Stack gap={4}>
        <Text size="sm">{text.earns(earned(data))}</Text>
        {data.others.length === 0 ? undefined : (
          <Text size="sm">
            {text.others(data.others.map(({ at, order_id }) => text.other(order_id, timeShort(at, zone))).join("; "))}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

export const ReceiptMissing = ({ member }: Pick<MemberShown, "member">) => {
  const { member_id, program_id } = member
  const params = { program_id, member_id }
  const program = useProgram().data?.program
  const zone = useZone()
  const refresh = useRefresh()
  const earned = useEarned()
  const [isOpen, setOpen] = useState(false)
  const [isByHand, setByHand] = useState(program?.claims === undefined)
  const [code, setCode] = useState("")
  const [typed, setTyped] = useState(emptyReceipt)
  const currency = program?.currency ?? "USD"
  const receipt = receiptOf(typed, { currency, digits: digitsOf(currency), zone })
  const [settled] = useDebouncedValue(receipt === undefined ? "" : JSON.stringify({ ...receipt, reason: "-" }), 400)
  const preview = useQuery({
    queryKey: ["receipt", params, settled],
    enabled: isOpen && isByHand && settled !== "",
    retry: false,
    queryFn: () => call(admin.receipts.addReceipt({ params, payload: { ...JSON.parse(settled), dry_run: true } }))
  })
  const run = async (): Promise<string> => {
    if (!isByHand) {
      const done = await call(admin.receipts.claimReceipt({ params, payload: { claim_code: code } }))
      return text.claimed(earned(done))
    }
    if (receipt === undefined) throw new Error("the button is disabled until the receipt is whole")
    return text.added(earned(await call(admin.receipts.addReceipt({ params, payload: receipt }))))
  }
  return (
    <ChangeDialog
      label={text.missing}
      submit={isByHand ? text.add : text.claim}
      told={(told) => told}
      isReady={isByHand ? receipt !== undefined && typed.reason !== "" : code.trim() !== ""}
      begin={() => {
        setOpen(true)
        setByHand(program?.claims === undefined)
        setCode("")
        setTyped(emptyReceipt)
      }}
      end={() => setOpen(false)}
      done={refresh}
      run={run}
    >
      {(error: unknown) => (
        <>
          {program?.claims === undefined ? undefined : (
            <SegmentedControl
              aria-label={text.way}
              value={isByHand ? "hand" : "code"}
              data={[
                { value: "code", label: text.byCode },
                { value: "hand", label: text.byHand }
              ]}
              onChange={(way) => setByHand(way === "hand")}
            />
          )}
          {isByHand ? (
            <>
              <OwnLimits program={program_id} />
              <Fields
                typed={typed}
                set={(change) => setTyped((before) => ({ ...before, ...change }))}
                currency={currency}
                error={error}
              />
              <Preview data={preview.data} error={preview.error} />
            </>
          ) : (
            <TextInput
              label={text.code}
              description={text.codeHint}
              required
              autoComplete="off"
              value={code}
              onChange={({ currentTarget }) => setCode(currentTarget.value)}
              error={faultAt(error, "/claim_code", code)}
            />
          )}
        </>
      )}
    </ChangeDialog>
  )
}

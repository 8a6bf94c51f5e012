/** The guest's card, black on white in every scheme: scanners read nothing else. */
import { encode } from "uqr"
import { barcodeOf } from "../barcode.ts"
import { useGuest } from "../guest.ts"
import { Title } from "../parts.tsx"

/** Space around the code, in modules; scanners need 4, and the card's white is the rest. */
const quiet = 2

const Qr = ({ label, value }: { readonly value: string; readonly label: string }) => {
  const { data, size } = encode(value, { ecc: "M", border: quiet })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} fill="#000" />
    </svg>
  )
}

/** The same for scanners of bars alone; readers have it as the number below. */
const Bars = ({ value }: { readonly value: string }) => {
  const code = barcodeOf(value)
  if (code === undefined) return null
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${code.width} 40`}
      preserveAspectRatio="none"
      aria-hidden="true"
      shape-rendering="crispEdges"
    >
      {code.bars.map(({ at, width }) => (
        <rect key={at} x={at} y={0} width={width} height={40} fill="#000" />
      ))}
    </svg>
  )
}

export const CardPicture = ({ name, value }: { readonly value: string; readonly name?: string | undefined }) => {
  const { words } = useGuest()
  return (
    <div class="card">
      {name === undefined ? undefined : <p class="holder">{name}</p>}
      <Qr value={value} label={words.card.picture} />
      <Bars value={value} />
      <p class="number">{/^\d{16}$/.test(value) ? value.replace(/(\d{4})(?=\d)/g, "$1 ") : value}</p>
    </div>
  )
}

export const CardScreen = ({
  name,
  value
}: {
  readonly value: string | undefined
  readonly name?: string | undefined
}) => {
  const { words } = useGuest()
  return (
    <>
      <Title>{words.card.title}</Title>
      <p>{value === undefined ? words.card.none : words.card.text}</p>
      {value === undefined ? undefined : <CardPicture value={value} name={name} />}
    </>
  )
}

/** A QR code that the browser draws: no other service learns of it. */
import { encode } from "uqr"

/** Modules around the code that scanners need. */
const quiet = 4

/** The code in modules: its side, and the dark ones as a path. */
export const drawn = (address: string) => {
  const { data, size } = encode(address, { ecc: "Q", border: quiet })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return { size, path }
}

/** Black on white in every scheme: scanners read nothing else. */
export const QrCode = ({ label, size, path }: ReturnType<typeof drawn> & { readonly label: string }) => (
  <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
    <rect width={size} height={size} fill="#fff" />
    <path d={path} fill="#000" />
  </svg>
)

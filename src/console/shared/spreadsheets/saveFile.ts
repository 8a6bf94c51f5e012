/** Downloads a text, or what came as a file. */
export const saveFile = (name: string, content: string | Blob, type: string): void => {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

/** What `Dialog` loads. */
export { Modal as default } from "@mantine/core"

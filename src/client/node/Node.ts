/** Parts that need Node, in one import: `lotbook/client/node`. */
export * from "./FilePosition.ts"
export * from "./FolderStore.ts"

/** What tills and receivers of webhooks call, in one import: `lotbook/client`. */
export * from "./Webhooks.ts"

/** The platform's figures of the last 30 days. A file of its own, as the first page does not need the schemas. */
import { AnalyticsGroup } from "../../contract/platform/Analytics.ts"
import { call, client } from "./client.ts"

const platform = client(AnalyticsGroup)

export const figures = (program: { readonly program_id?: string }) =>
  call(platform.platform_analytics.analytics({ query: { ...program } }))

/** Imports that break the tables of `src/docs/how-it-works.md`, or make circles; dependency-cruiser reads them, also lazy ones and those of types. */
import { cruise, type IForbiddenRuleType } from "dependency-cruiser"
import * as path from "node:path"
import type { Finding } from "./Finding.ts"
import { mayImport } from "./Wings.ts"

const root = path.join(import.meta.dirname, "..", "..")
const within = (folders: ReadonlyArray<string>): string => `^src/(?:${folders.join("|")})/`
const inside = (folder: string): ReadonlyArray<string> =>
  Object.keys(mayImport).filter((other) => other.startsWith(`${folder}/`))

/** One rule a folder: of `src`, files in it import its own files and those it may. */
const rules: ReadonlyArray<IForbiddenRuleType> = [
  ...Object.entries(mayImport).map(([folder, others]) => ({
    name: folder,
    from: { path: within([folder]), ...(inside(folder).length > 0 ? { pathNot: within(inside(folder)) } : {}) },
    to: { path: "^src/", pathNot: within([folder, ...others]) }
  })),
  { name: "no circles", from: {}, to: { circular: true } },
  { name: "files that are there", from: {}, to: { couldNotResolve: true } },
  {
    name: "contract: effect alone",
    from: { path: "^src/contract/" },
    to: { pathNot: "^(?:src/contract|node_modules/effect)/" }
  },
  {
    name: "client: no packages",
    from: { path: "^src/client/", pathNot: "^src/client/build/" },
    to: { dependencyTypes: ["npm", "npm-dev"] }
  },
  {
    name: "client: no Node",
    from: { path: "^src/client/", pathNot: "^src/client/(?:build|node)/" },
    to: { dependencyTypes: ["core"] }
  },
  {
    name: "pure",
    from: { path: within(["core/rules", "core/account/domain"]) },
    to: { path: "^src/", pathNot: within(["core/rules", "core/account/domain", "contract"]) }
  },
  {
    name: "domain: effect/Result alone",
    from: { path: within(["core/account/domain"]) },
    to: { pathNot: "^(?:src/|node_modules/effect/dist/Result\\.)" }
  }
]

export const findings = async (): Promise<ReadonlyArray<Finding>> => {
  const { output } = await cruise(
    ["src"],
    {
      parser: "swc",
      tsPreCompilationDeps: true,
      doNotFollow: { path: "node_modules" },
      ruleSet: { forbidden: rules.map((rule) => ({ severity: "error" as const, ...rule })) },
      validate: true,
      baseDir: root
    },
    { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] }
  )
  if (typeof output === "string") throw new Error(output)
  if (output.summary.totalCruised < 500) throw new Error(`Only ${output.summary.totalCruised} files were read.`)
  return output.summary.violations.map(({ rule, from, to, cycle }) => ({
    rule: "imports",
    place: from,
    text: `${rule.name}: ${cycle === undefined ? to : cycle.map(({ name }) => name).join(" → ")}`
  }))
}

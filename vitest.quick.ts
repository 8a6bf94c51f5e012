/** `npm test`: everything but the slow files. */
import { configDefaults, defineConfig } from "vitest/config"
import all, { slowFiles } from "./vitest.config.ts"

export default defineConfig({ ...all, test: { ...all.test, exclude: [...configDefaults.exclude, ...slowFiles] } })

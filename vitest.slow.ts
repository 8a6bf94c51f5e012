/** The slow files, which `npm test` leaves out. */
import { defineConfig } from "vitest/config"
import all, { slowFiles } from "./vitest.config.ts"

export default defineConfig({ ...all, test: { ...all.test, include: [...slowFiles] } })

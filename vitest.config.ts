import * as path from "node:path"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/postgres.ts"],
    // Says that a test hangs, not that it is slow: the longest takes 40 s, on a machine with something else on it 60.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Tests start the command line some 150 times: without compiled code kept, each compiles 800 modules anew.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "node_modules", ".cache", "node") },
    maxWorkers: 2
  }
})

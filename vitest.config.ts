import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/postgres.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2
  }
})

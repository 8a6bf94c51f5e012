/** Types of the protocol's own client that tests use, so that the check of types does not need the package. */
declare module "@modelcontextprotocol/client" {
  interface Transport {
    close(): Promise<void>
  }
  interface Tool {
    readonly name: string
    readonly description?: string
    readonly annotations?: Readonly<Record<string, unknown>>
  }
  interface Called {
    readonly isError?: boolean
    readonly structuredContent?: unknown
    readonly content: ReadonlyArray<{ readonly type: string; readonly text: string }>
  }
  interface Contents {
    readonly uri: string
    readonly mimeType?: string
    readonly text?: string
  }
  export class StreamableHTTPClientTransport implements Transport {
    constructor(url: URL, options?: { readonly requestInit?: { readonly headers: Readonly<Record<string, string>> } })
    close(): Promise<void>
  }
  export class Client {
    constructor(
      info: { readonly name: string; readonly version: string },
      options?: { readonly versionNegotiation?: { readonly mode: "legacy" | "auto" | { readonly pin: string } } }
    )
    connect(transport: Transport): Promise<void>
    close(): Promise<void>
    getNegotiatedProtocolVersion(): string | undefined
    getInstructions(): string | undefined
    listTools(): Promise<{ readonly tools: ReadonlyArray<Tool> }>
    callTool(asked: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }): Promise<Called>
    listResources(): Promise<{ readonly resources: ReadonlyArray<{ readonly uri: string }> }>
    readResource(asked: { readonly uri: string }): Promise<{ readonly contents: ReadonlyArray<Contents> }>
  }
}

declare module "@modelcontextprotocol/client/stdio" {
  export class StdioClientTransport {
    constructor(server: {
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
      readonly stderr: "ignore"
    })
    close(): Promise<void>
  }
}

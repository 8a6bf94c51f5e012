/** An authenticator in memory: makes passkeys and signs with them as a browser's would, or as a forger's (W3C Web Authentication). */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto"

/** Difference from an honest answer. */
export interface Lie {
  readonly origin?: string
  /** The relying party that it signs for. */
  readonly host?: string
  /** The person was not verified. */
  readonly isUnverified?: boolean
  readonly counter?: number
  readonly challenge?: string
  readonly type?: string
  readonly isForged?: boolean
}

const sha256 = (data: Buffer | string): Buffer => createHash("sha256").update(data).digest()

/** CBOR (RFC 8949) of what an attestation holds: small unsigned and negative integers, bytes, texts, maps. */
const cbor = (value: number | string | Buffer | ReadonlyMap<number | string, unknown>): Buffer => {
  const head = (major: number, length: number): Buffer => {
    if (length < 24) return Buffer.from([(major << 5) | length])
    return length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
  }
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const map = value as ReadonlyMap<number | string, number | string | Buffer | ReadonlyMap<number | string, unknown>>
  return Buffer.concat([head(5, map.size), ...[...map].flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

const userPresent = 1
const userVerified = 4
const withCredential = 64

interface Options {
  readonly challenge: string
}

export class Authenticator {
  readonly id: Buffer = randomBytes(16)
  private readonly key: KeyObject
  private readonly cosePublic: Buffer
  private readonly origin: string
  private readonly host: string
  counter = 0

  constructor(origin = "http://localhost:3210") {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const { x = "", y = "" } = publicKey.export({ format: "jwk" })
    this.key = privateKey
    this.origin = origin
    this.host = new URL(origin).hostname
    this.cosePublic = cbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")]
      ])
    )
  }

  private clientData(type: string, { challenge }: Options, lie: Lie): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lie.type ?? type,
        challenge: lie.challenge ?? challenge,
        origin: lie.origin ?? this.origin,
        crossOrigin: false
      })
    )
  }

  private data(lie: Lie, credential?: Buffer): Buffer {
    const flags =
      userPresent | (lie.isUnverified === true ? 0 : userVerified) | (credential === undefined ? 0 : withCredential)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lie.counter ?? this.counter)
    return Buffer.concat([sha256(lie.host ?? this.host), Buffer.from([flags]), counter, credential ?? Buffer.alloc(0)])
  }

  private answer(response: object) {
    const id = this.id.toString("base64url")
    return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} }
  }

  /** The answer to the options of a new passkey. */
  make(options: Options, lie: Lie = {}) {
    const length = Buffer.from([0, this.id.length])
    const authData = this.data(lie, Buffer.concat([Buffer.alloc(16), length, this.id, this.cosePublic]))
    const attestation = cbor(
      new Map<string, string | Buffer | ReadonlyMap<number | string, unknown>>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData]
      ])
    )
    return this.answer({
      clientDataJSON: this.clientData("webauthn.create", options, lie).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"]
    })
  }

  /** The answer to the options of a sign-in. */
  sign(options: Options, lie: Lie = {}) {
    const clientData = this.clientData("webauthn.get", options, lie)
    const authData = this.data(lie)
    const signature = createSign("sha256")
      .update(Buffer.concat([authData, sha256(clientData)]))
      .sign(this.key)
    if (lie.isForged === true) signature[signature.length - 1]! ^= 1
    return this.answer({
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: signature.toString("base64url")
    })
  }
}

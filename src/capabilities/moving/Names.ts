/**
 * The names that were seen, each with its first place, in 24 bytes a name: an open table of their hashes. Two names with one
 * hash of 64 bits would be told as one; of five million names that happens in one file of a million.
 */
import { hash } from "node:crypto"

const firstSize = 1 << 12
/** Slots for each place: two halves of the hash. */
const halves = 2

const halvesOf = (name: string): readonly [low: number, high: number] => {
  const digest = hash("sha1", name, "buffer")
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)]
}

export class Names {
  private size = firstSize
  private count = 0
  private hashes = new Uint32Array(firstSize * halves)
  /** Places by the slot; 0: the slot is free. */
  private places = new Float64Array(firstSize)

  /** Notes a name. Returns the place that it had before, else undefined. `place`: above 0. */
  note(name: string, place: number): number | undefined {
    if (this.count * 2 >= this.size) this.grow()
    const [low, high] = halvesOf(name)
    const slot = this.slotOf(low, high)
    const known = this.places[slot]!
    if (known !== 0) return known
    this.put(slot, low, high, place)
    return undefined
  }

  /** True if the name was noted. */
  has(name: string): boolean {
    const [low, high] = halvesOf(name)
    return this.places[this.slotOf(low, high)] !== 0
  }

  private put(slot: number, low: number, high: number, place: number): void {
    this.hashes[slot * halves] = low
    this.hashes[slot * halves + 1] = high
    this.places[slot] = place
    this.count++
  }

  /** The slot of a hash, or the free one where it would be. */
  private slotOf(low: number, high: number): number {
    let slot = low & (this.size - 1)
    while (this.places[slot] !== 0) {
      if (this.hashes[slot * halves] === low && this.hashes[slot * halves + 1] === high) return slot
      slot = (slot + 1) & (this.size - 1)
    }
    return slot
  }

  private grow(): void {
    const { hashes, places, size } = this
    this.size = size * 2
    this.count = 0
    this.hashes = new Uint32Array(this.size * halves)
    this.places = new Float64Array(this.size)
    for (let slot = 0; slot < size; slot++) {
      if (places[slot] === 0) continue
      const [low, high] = [hashes[slot * halves]!, hashes[slot * halves + 1]!]
      this.put(this.slotOf(low, high), low, high, places[slot]!)
    }
  }
}

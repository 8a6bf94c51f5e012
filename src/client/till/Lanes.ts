/** Which entries may be sent: the first one of each guest and of each order, those of different guests side by side. */

interface Member {
  readonly tags: ReadonlyArray<string>
  /** It is on the disk. */
  isStored: boolean
}

export class Lanes {
  private readonly members = new Map<string, Member>()
  /** Tag → ids in the order in which they came. */
  private readonly lanes = new Map<string, Array<string>>()
  /** Ids that may be sent, in the order in which they became so. */
  private readonly ready: Array<string> = []

  /** Entries that are here, waiting or taken. */
  get size(): number {
    return this.members.size
  }

  /** Gives it its place. It is not sent before `stored`. */
  enter(id: string, tags: ReadonlyArray<string>): void {
    this.members.set(id, { tags, isStored: false })
    for (const tag of tags) {
      const lane = this.lanes.get(tag)
      if (lane === undefined) this.lanes.set(tag, [id])
      else lane.push(id)
    }
  }

  stored(id: string): void {
    const member = this.members.get(id)
    if (member === undefined) return
    member.isStored = true
    if (this.isFirst(id, member)) this.ready.push(id)
  }

  private isFirst(id: string, { tags }: Member): boolean {
    return tags.every((tag) => this.lanes.get(tag)?.[0] === id)
  }

  /** The next one to send. It keeps its place until `leave` or `requeue`. */
  take(): string | undefined {
    return this.ready.shift()
  }

  /** It is sent again later, after those of other guests, so that one that always fails does not hold them up. */
  requeue(id: string): void {
    const member = this.members.get(id)
    if (member === undefined) return
    member.isStored = true
    this.ready.push(id)
  }

  /** It is done, wherever it was; the next ones of its guest and its order may be sent. */
  leave(id: string): void {
    const member = this.members.get(id)
    if (member === undefined) return
    this.members.delete(id)
    const at = this.ready.indexOf(id)
    if (at >= 0) this.ready.splice(at, 1)
    const next = new Set<string>()
    for (const tag of member.tags) {
      const lane = this.lanes.get(tag) ?? []
      const wasFirst = lane[0] === id
      lane.splice(lane.indexOf(id), 1)
      if (lane.length === 0) this.lanes.delete(tag)
      else if (wasFirst) next.add(lane[0]!)
    }
    for (const one of next) {
      const follower = this.members.get(one)
      if (follower?.isStored === true && this.isFirst(one, follower)) this.ready.push(one)
    }
  }
}

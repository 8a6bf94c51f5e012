/**
 * Which entries may be sent: the first one of each guest and of each order, those of different guests side by side, and
 * urgent ones before all others.
 */

interface Member {
  readonly tags: ReadonlyArray<string>
  readonly isUrgent: boolean
  /** It is on the disk. */
  isStored: boolean
}

export class SendOrder {
  private readonly members = new Map<string, Member>()
  /** Tag → ids in the order in which they came. */
  private readonly queues = new Map<string, Array<string>>()
  /** Ids that may be sent, in the order in which they became so. */
  private readonly ready: Array<string> = []
  private readonly urgent: Array<string> = []
  /** The next one is not urgent, if there is such a one. */
  private isTurnOfOthers = false

  /** Entries that are here, waiting or taken. */
  get size(): number {
    return this.members.size
  }

  /** Gives it its place. It is not sent before `stored`. */
  enter(id: string, tags: ReadonlyArray<string>, isUrgent: boolean): void {
    this.members.set(id, { tags, isUrgent, isStored: false })
    for (const tag of tags) {
      const queue = this.queues.get(tag)
      if (queue === undefined) this.queues.set(tag, [id])
      else queue.push(id)
    }
  }

  stored(id: string): void {
    const member = this.members.get(id)
    if (member === undefined) return
    member.isStored = true
    if (this.isFirst(id, member)) this.readyOf(member).push(id)
  }

  private readyOf({ isUrgent }: Member): Array<string> {
    return isUrgent ? this.urgent : this.ready
  }

  private isFirst(id: string, { tags }: Member): boolean {
    return tags.every((tag) => this.queues.get(tag)?.[0] === id)
  }

  /** The next one to send. It keeps its place until `leave` or `requeue`. */
  take(): string | undefined {
    const first = this.isTurnOfOthers ? this.ready : this.urgent
    const second = this.isTurnOfOthers ? this.urgent : this.ready
    this.isTurnOfOthers = false
    return first.shift() ?? second.shift()
  }

  /**
   * It is sent again later, after those of other guests, so that one that always fails does not hold them up. `isAlike`:
   * all others would have failed too, so an urgent one need not wait for one of them.
   */
  requeue(id: string, isAlike: boolean): void {
    const member = this.members.get(id)
    if (member === undefined) return
    member.isStored = true
    this.readyOf(member).push(id)
    if (member.isUrgent && !isAlike) this.isTurnOfOthers = true
  }

  /** It is done, wherever it was; the next ones of its guest and its order may be sent. */
  leave(id: string): void {
    const member = this.members.get(id)
    if (member === undefined) return
    this.members.delete(id)
    const ready = this.readyOf(member)
    const at = ready.indexOf(id)
    if (at >= 0) ready.splice(at, 1)
    const next = new Set<string>()
    for (const tag of member.tags) {
      const queue = this.queues.get(tag) ?? []
      const wasFirst = queue[0] === id
      queue.splice(queue.indexOf(id), 1)
      if (queue.length === 0) this.queues.delete(tag)
      else if (wasFirst) next.add(queue[0]!)
    }
    for (const one of next) {
      const follower = this.members.get(one)
      if (follower?.isStored === true && this.isFirst(one, follower)) this.readyOf(follower).push(one)
    }
  }
}

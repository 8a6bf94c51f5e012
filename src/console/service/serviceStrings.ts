import { texts } from "../shared/texts.ts"

export const serviceStrings = texts("service", {
  title: "Service",
  about: "The process that answers this page, and what it may write.",
  version: "Version",
  environment: "Database",
  environments: { live: "live", sandbox: "sandbox" },
  role: "Role",
  resident: "Accounts in memory",
  since: "Running since",
  nodes: "Nodes",
  address: "Address",
  thisNode: "this one",
  roles: { joining: "Joining", node: "Node", leaving: "Leaving", dead: "Dead" },
  partitions: "Partitions",
  lastBeat: "Last beat",
  secondsAgo: (seconds: number) => `${seconds.toFixed(1)} s ago`,
  unowned: (partitions: number) =>
    `${partitions} partitions of accounts have no node. Requests for their members wait, and then fail.`,
  forwards: (share: number) =>
    `This node forwards about ${Math.round(share * 100)} % of its requests, because other nodes have those accounts.`,
  frozen: "Writes are frozen: tills get “write_frozen” and try again later.",
  writable: "Tills can post orders and redeem.",
  freeze: "Freeze writes",
  unfreeze: "Allow writes again",
  freezeConfirm:
    "Tills cannot post orders or redeem until you allow writes again. Nothing is lost, and reads still work.",
  unfreezeConfirm: "Tills can post orders and redeem again at once."
})

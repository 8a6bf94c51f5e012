/** The nodes of the database, for operators (contract/operators.md *Nodes*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { nodeRoles } from "../protocol/Protocol.ts"
import { Refusals } from "../Refused.ts"
import { field, Integer } from "../Values.ts"
import { adminPath, annotated, readProblems } from "./Endpoint.ts"

const DatabaseNode = Schema.Struct({
  id: field(Schema.String, "The node's id, new at each start. The names of its sessions in PostgreSQL end with it."),
  address: field(Schema.String, "Host and port where other nodes reach it."),
  version: field(Schema.String, "Its version of Lotbook."),
  protocol: field(
    Integer,
    "What nodes say to each other, as a number. Nodes of a newer one own nothing until the older ones have left."
  ),
  role: field(
    Schema.Literals([...nodeRoles, "dead"]),
    "`node`: it takes partitions. `joining`: not yet. `leaving`: it hands them over, or has done so. `dead`: other nodes wait for the end of its sessions."
  ),
  partitions: field(Integer, "Partitions that it owns."),
  beat_age_ms: field(Integer, "Time since its last beat, by PostgreSQL's clock, ms. A node beats every 500 ms."),
  is_this: field(Schema.Boolean, "True for the node that answers.")
})

export const DatabaseNodes = Schema.Struct({
  nodes: field(Schema.Array(DatabaseNode), "The nodes, by address."),
  partitions: field(Integer, "Partitions of the database's accounts, always 256."),
  unowned: field(Integer, "Partitions without a node that is alive; requests for their members wait.")
}).annotate({ identifier: "DatabaseNodes" })
export type DatabaseNodes = typeof DatabaseNodes.Type

const beside = { version: "0.4.0", protocol: 1, role: "node" }

export class Nodes extends HttpApiGroup.make("nodes")
  .add(
    HttpApiEndpoint.get("nodes", `${adminPath}/nodes`, {
      success: DatabaseNodes,
      error: problems(readProblems)
    }).annotateMerge(
      annotated(
        "node.list",
        "List the nodes of the database",
        "Every service of the database that has joined, as the database knows them, and how the partitions of accounts " +
          "are spread.",
        readProblems,
        {
          response: {
            nodes: [
              {
                ...{ id: "5f0c9b1d2e7a", address: "10.0.0.5:3300", ...beside },
                ...{ partitions: 130, beat_age_ms: 120, is_this: true }
              },
              {
                ...{ id: "c41e08a97b36", address: "10.0.0.6:3300", ...beside },
                ...{ partitions: 126, beat_age_ms: 120, is_this: false }
              }
            ],
            partitions: 256,
            unowned: 0
          }
        },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotate(AccessOf, { isForUnlimited: true })
  .annotateMerge(OpenApi.annotations({ title: "Nodes", description: "The nodes of the database, for operators." })) {}

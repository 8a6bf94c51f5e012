/** The manifests fit the schemas of Kubernetes, and name what the service has. */
import { assert, describe, it } from "@effect/vitest"
import { validate as validDeployment } from "kubernetes-models/_schemas/IoK8sApiAppsV1Deployment"
import { validate as validJob } from "kubernetes-models/_schemas/IoK8sApiBatchV1Job"
import { validate as validSecret } from "kubernetes-models/_schemas/IoK8sApiCoreV1Secret"
import { validate as validService } from "kubernetes-models/_schemas/IoK8sApiCoreV1Service"
import { validate as validNetworkPolicy } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy"
import { validate as validBudget } from "kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget"
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment"
import type { IJob } from "kubernetes-models/batch/v1/Job"
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import type { ISecret } from "kubernetes-models/v1/Secret"
import type { IService } from "kubernetes-models/v1/Service"
import { parse } from "yaml"
import * as fs from "node:fs"
import * as path from "node:path"
import { environmentFaults } from "../../../src/app/service/Environment.ts"
import * as NodeAddress from "../../../src/app/service/NodeAddress.ts"

const folder = path.join(import.meta.dirname, "..", "..", "..", "src", "app", "operations", "kubernetes")
const read = (name: string) => parse(fs.readFileSync(path.join(folder, name), "utf8"))

const manifests = {
  "deployment.yaml": validDeployment,
  "service.yaml": validService,
  "disruptions.yaml": validBudget,
  "network.yaml": validNetworkPolicy,
  "secret.example.yaml": validSecret,
  "migrate.yaml": validJob
}
const deployment: IDeployment = read("deployment.yaml")
const service: IService = read("service.yaml")
const budget: IPodDisruptionBudget = read("disruptions.yaml")
const network: INetworkPolicy = read("network.yaml")
const secret: ISecret = read("secret.example.yaml")
const migrate: IJob = read("migrate.yaml")

/**
 * The faults of a manifest: what its schema refuses, and the fields that it does not have, which a validator passes over. A
 * validator reads every field of its schema, so a field that it has not read is none.
 */
const faultsOf = (validate: ((data: unknown) => boolean) & { errors?: unknown }, manifest: unknown) => {
  const fields = new Set<string>()
  const watched = (value: unknown, at: string): unknown => {
    if (typeof value !== "object" || value === null) return value
    for (const name of Object.keys(value)) fields.add(`${at}/${name}`)
    return new Proxy(value, {
      get: (target, name) => {
        fields.delete(`${at}/${String(name)}`)
        return watched(Reflect.get(target, name), `${at}/${String(name)}`)
      }
    })
  }
  const isValid = validate(watched(manifest, ""))
  return [...(isValid ? [] : [validate.errors]), ...fields]
}

const pod = deployment.spec!.template
const [container] = pod.spec!.containers
const variables = new Map(container!.env!.map(({ name, value }) => [name, value]))
const portOf = (name: string | number | undefined) =>
  container!.ports!.find((port) => port.name === name)?.containerPort

describe("the manifests of Kubernetes", () => {
  it("fit its schemas, which refuse a wrong value and an unknown field", () => {
    for (const [name, validate] of Object.entries(manifests)) {
      const manifest = read(name)
      assert.deepStrictEqual(faultsOf(validate, manifest), [], name)
      assert.lengthOf(faultsOf(validate, { ...manifest, metadata: { name: 1 } }), 1, name)
    }
    const misspelt = structuredClone(deployment)
    Object.assign(misspelt.spec!.template.spec!.containers[0]!.readinessProbe!, { timeoutSecond: 2 })
    assert.deepStrictEqual(faultsOf(validDeployment, misspelt), [
      "/spec/template/spec/containers/0/readinessProbe/timeoutSecond"
    ])
  })

  it("are all in the base, save the example of the secret and the job that ends", () => {
    const files = fs.readdirSync(folder)
    assert.sameMembers(files, [...Object.keys(manifests), "kustomization.yaml"])
    assert.sameMembers(
      read("kustomization.yaml").resources,
      Object.keys(manifests).filter((name) => !name.includes("example") && name !== "migrate.yaml")
    )
  })

  it("choose the pods of the deployment", () => {
    const { labels } = pod.metadata!
    assert.deepStrictEqual(deployment.spec!.selector.matchLabels, labels)
    assert.deepStrictEqual(service.spec!.selector, labels)
    assert.deepStrictEqual(budget.spec!.selector!.matchLabels, labels)
    assert.deepStrictEqual(network.spec!.podSelector!.matchLabels, labels)
    for (const { labelSelector } of pod.spec!.topologySpreadConstraints!)
      assert.deepStrictEqual(labelSelector!.matchLabels, labels)
  })

  it("set variables that the service knows, and secrets as files of the secret", () => {
    const set = [...variables.keys()].filter((name) => name !== "POD_IP")
    assert.deepStrictEqual(environmentFaults(Object.fromEntries(set.map((name) => [name, "set"]))), [])
    const mounted = container!.volumeMounts!.find(({ name }) => name === "secrets")!.mountPath
    assert.strictEqual(
      pod.spec!.volumes!.find(({ name }) => name === "secrets")!.secret!.secretName,
      secret.metadata!.name
    )
    const files = set.filter((name) => name.endsWith("_FILE")).map((name) => variables.get(name))
    assert.sameMembers(
      files,
      Object.keys(secret.stringData!).map((key) => `${mounted}/${key}`)
    )
  })

  it("migrate with the owner's address, which no node knows, and serve with a role that owns nothing", () => {
    const { containers, volumes } = migrate.spec!.template.spec!
    const job = containers[0]!
    assert.deepStrictEqual(job.args, ["migrate", "--grant", "lotbook_service"])
    const owner = volumes!.find(({ name }) => name === "owner")!.secret!.secretName
    assert.notStrictEqual(owner, secret.metadata!.name)
    assert.notInclude(JSON.stringify(deployment), owner!)
    assert.match(secret.stringData!["database-url"]!, /^postgres:\/\/lotbook_service:/)
    assert.deepStrictEqual(job.securityContext, container!.securityContext)
  })

  it("open the port of HTTP to callers, and that of the nodes to nodes alone", () => {
    const address = NodeAddress.parse(variables.get("PROTO_NODE_ADDRESS")!.replace("$(POD_IP)", "10.1.2.3"))
    assert.deepStrictEqual(address, { host: "10.1.2.3", port: portOf("node")! })
    assert.strictEqual(portOf(service.spec!.ports![0]!.targetPort), 3210)
    const [callers, nodes, ...others] = network.spec!.ingress!
    assert.lengthOf(others, 0)
    assert.deepStrictEqual(
      callers!.ports!.map(({ port }) => portOf(port)),
      [3210]
    )
    assert.isUndefined(callers!.from)
    assert.deepStrictEqual(
      nodes!.ports!.map(({ port }) => portOf(port)),
      [3211]
    )
    assert.deepStrictEqual(nodes!.from, [{ podSelector: { matchLabels: pod.metadata!.labels! } }])
  })

  it("ask the right addresses, and give a node the time to leave", () => {
    const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container!
    assert.strictEqual(readinessProbe!.httpGet!.path, "/health/ready")
    for (const probe of [livenessProbe, startupProbe]) assert.strictEqual(probe!.httpGet!.path, "/health")
    // The process ends 10 s after SIGTERM at the latest (src/app/cli/ProcessStop.ts), and the pause comes before.
    const pause = Number(lifecycle!.preStop!.exec!.command![1])
    assert.isAbove(pod.spec!.terminationGracePeriodSeconds!, pause + 10)
    // The pod is out of its Services before it refuses anything.
    assert.isAbove(pause, readinessProbe!.periodSeconds! * readinessProbe!.failureThreshold!)
  })

  it("run without rights, on a root that is read-only", () => {
    const own = container!.securityContext!
    assert.isTrue(pod.spec!.securityContext!.runAsNonRoot)
    assert.isFalse(pod.spec!.automountServiceAccountToken)
    assert.isTrue(own.readOnlyRootFilesystem)
    assert.isFalse(own.allowPrivilegeEscalation)
    assert.deepStrictEqual(own.capabilities, { drop: ["ALL"] })
  })
})
